/* An entry with all attributes of ALL_ATTRS, also blocks of bytes: for variables and types, which prof seldom asks for. */
#ifndef SYM_DWARF_ENTRY_H
#define SYM_DWARF_ENTRY_H

#include "abbrev.h"

struct entry {
	struct unit *unit;
	uint64_t off, behind;      /* where it begins, and where its attributes end */
	uint16_t tag;              /* 0: it ends the children of the entry before */
	bool children;
	uint32_t has;              /* a bit for each attribute */
	struct value at[ALL_ATTRS];
	struct cursor block[ALL_ATTRS];   /* the bytes of a block; POS is NULL if the value is none */
};

_Static_assert(ALL_ATTRS <= 32, "a bit for each attribute");

/* Reads the entry at OFF of U. */
bool entry_open(struct entry *, struct unit *u, uint64_t off);
static inline bool
entry_has(const struct entry *e, enum attr at)
{
	return e->has >> at & 1;
}
/* Opens the entry that attribute AT of E names. */
bool entry_follow(const struct entry *e, enum attr at, struct entry *to);
/* Its name, or that of the entry that it was made from; NULL: it has none. */
const char *entry_name(const struct entry *);

#endif
