/* Where an ELF file keeps its symbols and relocations: by its section headers, or by PT_DYNAMIC if it has none (System V gABI
 * chapters 4, Symbol Table and Relocation, and 5, Dynamic Section). */
#ifndef SYM_ELF_SYMBOL_TABLES_H
#define SYM_ELF_SYMBOL_TABLES_H

#include <elf.h>
#include <string.h>

#include "lib/filemap.h"
#include "sym/elf/elf.h"

struct symbols {
	struct cursor bytes, strings;   /* the last string ends */
	uint32_t n;
	struct cursor hash;        /* DT_GNU_HASH: finds those that the file has itself by name; empty: it has none */
};

struct relocs {
	struct cursor bytes;
	bool addend;               /* SHT_RELA, else SHT_REL */
	uint32_t n;
};

enum { SYMBOLS_EACH = 1 << 10, SYMBOLS_FILES = 8 << 20 };   /* symbols between two looks; bytes of files in memory */

struct symbol_tables {
	struct symbols symtab, dynsym;
	struct relocs plt, other;
	uint64_t got;              /* DT_PLTGOT */
	bool program;              /* DF_1_PIE, or not a shared object at all */
};

/* As Elf64_Sym has it. */
struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t type, bind;
	bool thumb;                /* symtab.c's */
};

struct raw_reloc {
	uint64_t off, addend;
	uint32_t symbol;
};

/* Empty ones where the file has none. */
void symbol_tables_find(struct symbol_tables *, const struct elf *);
/* Symbol or relocation I: what lies outside reads as zeros. */
struct raw_symbol symbol_tables_read(const struct elf *, const struct symbols *, uint32_t i);
/* As most files have them: a look at each symbol of a large table costs so much less. */
static inline struct raw_symbol
symbol_tables_symbol(const struct elf *e, const struct symbols *t, uint32_t i)
{
	Elf64_Sym s;

	if (!e->is64 || cur_swapped(&t->bytes) || ((uint64_t)i + 1) * sizeof s > cur_left(&t->bytes))
		return symbol_tables_read(e, t, i);
	memcpy(&s, t->bytes.pos + (uint64_t)i * sizeof s, sizeof s);
	return (struct raw_symbol){ .value = s.st_value, .size = s.st_size, .name = s.st_name, .section = s.st_shndx,
	                            .type = ELF64_ST_TYPE(s.st_info), .bind = ELF64_ST_BIND(s.st_info) };
}
/* For who looks at all symbols, at the Ith look: if more than so many bytes of files are in memory, they go back, for the kernel would
 * bring all of a large table before the watchdog looks.  In the order of the table a page is needed once; else it comes again. */
static inline void
symbol_tables_pass(uint32_t i, bool in_order)
{
	if (i % SYMBOLS_EACH == 0)
		filemap_trim(in_order ? SYMBOLS_FILES : 2 * SYMBOLS_FILES);
}
/* Which of N names (32 at most, none empty) are among the table's strings: bit I is NAME[I]'s. */
uint32_t symbol_tables_among(const struct symbols *, const char *const *name, uint32_t n);
/* The symbol of that name, if the file itself has what it names. */
bool symbol_tables_named(const struct elf *, const struct symbols *, const char *name, struct raw_symbol *);
/* The same for an object of SIZE bytes, which takes no look at all names. */
bool symbol_tables_object(const struct elf *, const struct symbols *, const char *name, uint64_t size, struct raw_symbol *);
struct raw_reloc tables_reloc(const struct elf *, const struct relocs *, uint32_t i);
/* The first relocation for OFF among the first N, all of which must exist; or N. */
uint32_t tables_reloc_of(const struct elf *, const struct relocs *, uint64_t off, uint32_t n);
/* The string at OFF: "" if OFF lies outside. */
static inline const char *
symbol_tables_string(const struct symbols *t, uint32_t off)
{
	return off < cur_left(&t->strings) ? (const char *)t->strings.pos + off : "";
}

#endif
