/* See kernel_file.h.  kernel/module/main.c of Linux, layout_sections: code that stays lies at the beginning of a module's memory,
 * section after section in the order of its file.  vmlinux's addresses are those of its segments. */
#include "kernel_file.h"

#include <elf.h>
#include <string.h>

#include "sym/elf/symbol_tables.h"

enum { CODE = SHF_ALLOC | SHF_EXECINSTR };

/* A section of code, and where it was. */
struct place {
	uint32_t section;          /* 0: none yet */
	bool code;
	uint64_t vaddr, at, size;  /* VADDR: what its symbols' addresses count from */
};

/* The sections before it, too, say where section NUMBER of a kernel module is.  The kernel makes .plt larger, nobody knows by how
 * much: then nothing is known of what follows. */
static void
find_place(const struct kernel_file *f, uint32_t number, struct place *p)
{
	const struct elf *e = &f->file->elf;
	bool loaded = f->module != NULL;
	struct section s = { 0 };

	*p = (struct place){ .section = number, .at = f->lo };
	for (uint32_t i = loaded ? 1 : number; i <= number; i++) {
		if (!work_step(1) || !elf_section(e, i, &s))
			return;
		p->code = (s.flags & CODE) == CODE && !(loaded && !strncmp(s.name, ".init", 5));
		if (!p->code)
			continue;
		if (loaded && s.align > 1)
			p->at = (p->at + s.align - 1) & -s.align;
		if (i < number)
			p->at += s.size;
		if (loaded && !strcmp(s.name, ".plt"))
			p->at = UINT64_MAX;
	}
	p->size = s.size;
	if (!loaded)
		p->vaddr = p->at = s.addr;
	else if (p->at < f->lo || p->at >= f->hi || p->size > f->hi - p->at)
		p->code = false;
}

static char
type_of(const struct raw_symbol *s)
{
	return s->bind == STB_LOCAL ? 't' : s->bind == STB_WEAK ? 'W' : 'T';
}

/* Names that /proc/kallsyms leaves out: marks of code and data, and a compiler's own labels. */
static bool
is_name(const char *name)
{
	return *name && *name != '$' && *name != '.';
}

void
kernel_file_symbols(const struct kernel_file *f, void (*take)(void *ctx, uint64_t addr, char type, const char *name), void *ctx)
{
	const struct elf *e = &f->file->elf;
	struct place p = { 0 };
	struct symbol_tables t;

	if (f->file->bad)
		return;
	work_begin(&f->file->work);
	symbol_tables_find(&t, e);
	for (uint32_t i = 1; i < t.symtab.n && work_step(1); i++) {
		struct raw_symbol s = symbol_tables_symbol(e, &t.symtab, i);
		const char *name = symbol_tables_string(&t.symtab, s.name);
		uint64_t off;

		if ((s.type != STT_FUNC && s.type != STT_NOTYPE) || !s.section || s.section >= SHN_LORESERVE || !is_name(name))
			continue;
		if (s.section != p.section) {
			find_place(f, s.section, &p);
			if (p.code)
				take(ctx, p.at + p.size, 0, "");
		}
		off = s.value - (e->machine == EM_ARM && s.type == STT_FUNC ? s.value & 1 : 0) - p.vaddr;
		if (p.code && off < p.size)
			take(ctx, p.at + off, type_of(&s), name);
	}
	work_end();
}

uint64_t
kernel_file_address(struct module *vmlinux, const char *symbol)
{
	const struct elf *e = &vmlinux->elf;
	uint64_t at = 0;
	struct symbol_tables t;

	if (vmlinux->bad)
		return 0;
	work_begin(&vmlinux->work);
	symbol_tables_find(&t, e);
	for (uint32_t i = 1; i < t.symtab.n && !at && work_step(1); i++) {
		struct raw_symbol s = symbol_tables_symbol(e, &t.symtab, i);

		if (!strcmp(symbol_tables_string(&t.symtab, s.name), symbol))
			at = s.value;
	}
	work_end();
	return at;
}
