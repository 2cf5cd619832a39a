/* Abbreviations, and the entries that are read by them. */
#ifndef SYM_DWARF_ABBREV_H
#define SYM_DWARF_ABBREV_H

#include "form.h"

/* The attributes that prof asks for. */
enum attr {
	AT_NONE, AT_SIBLING, AT_NAME, AT_STMT_LIST, AT_LOW_PC, AT_HIGH_PC, AT_COMP_DIR, AT_ORIGIN, AT_DECL_FILE, AT_DECL_LINE,
	AT_SPECIFICATION, AT_RANGES, AT_CALL_FILE, AT_CALL_LINE, AT_LINKAGE_NAME, AT_STR_OFFSETS_BASE, AT_ADDR_BASE,
	AT_RNGLISTS_BASE, AT_DWO_NAME, AT_DWO_ID, AT_GNU_RANGES_BASE, ATTRS,
	/* Of variables and their types: die_read leaves these out, entry_open (entry.h) reads them. */
	AT_LOCATION = ATTRS, AT_BYTE_SIZE, AT_BIT_SIZE, AT_CONST_VALUE, AT_MEMBER, AT_DECLARATION, AT_ENCODING, AT_FRAME_BASE, AT_TYPE,
	AT_LOCLISTS_BASE, AT_LANGUAGE, ALL_ATTRS
};

struct abbrev {
	uint64_t code;
	uint32_t spec, nspec;
	uint16_t tag;
	uint16_t size;             /* of the attributes, or SIZE_VARIES */
	uint16_t sibling;          /* where DW_AT_sibling, of form ref4, stands among the attributes, or SIZE_VARIES */
	bool children, pc;         /* pc: it has ranges of code */
};

enum { SIZE_VARIES = 0xffff };

struct abbrevs {
	struct abbrev *abbrev;
	struct spec *spec;
	uint32_t n;
	struct item *by_code;      /* NULL if codes are 1, 2, 3, ... */
};

/* An entry. */
struct die {
	uint64_t off;
	uint32_t has;              /* a bit for each attribute of AT that it has */
	uint16_t tag;
	bool children;
	struct value at[ATTRS];
};

static inline bool
die_has(const struct die *d, enum attr at)
{
	return d->has >> at & 1;
}

/* The result is never NULL. */
static inline const struct value *
die_value(const struct die *d, enum attr at)
{
	static const struct value none;

	return die_has(d, at) ? &d->at[at] : &none;
}

/* All abbreviations of a unit, or NULL. */
const struct abbrevs *unit_abbrevs(struct unit *);
const struct abbrev *abbrev_find(const struct abbrevs *, uint64_t code);
/* The first entry of a unit, without reading all of its abbreviations. */
bool unit_root(struct unit *, struct die *);
/* Whether it has functions with code, by what its abbreviations say. */
bool unit_has_functions(const struct unit *);
/* Reads the attributes of an entry, after its code. */
void die_read(const struct unit *, struct cursor *, const struct abbrev *, const struct spec *, struct die *);
/* The entry at OFF of U. */
bool die_open(struct unit *, uint64_t off, struct die *);
/* A cursor at the entries of U from OFF on; and the place in .debug_info of such a cursor. */
struct cursor entries_from(const struct unit *, uint64_t off);
uint64_t entries_offset(const struct unit *, const struct cursor *);
/* Jumps behind an entry and the entries below it; REF is its DW_AT_sibling.  False if that is impossible. */
bool entries_jump(const struct unit *, struct cursor *, uint64_t ref);
/* Jumps by the entry's own DW_AT_sibling, if the sizes of its attributes tell where that stands; they begin at ATTRS. */
bool entries_jump_sibling(const struct unit *, struct cursor *, const struct abbrev *, struct cursor attrs);
/* Passes over the attributes of an entry. */
void die_skip(const struct unit *, struct cursor *, const struct abbrev *, const struct spec *);

#endif
