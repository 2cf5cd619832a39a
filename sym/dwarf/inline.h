/* The functions that are inlined into a function. */
#ifndef SYM_DWARF_INLINE_H
#define SYM_DWARF_INLINE_H

#include "dwarf_file.h"

/* A function around an address, as an entry. */
struct frame {
	uint64_t die;
	uint32_t call_file, call_line;   /* where it was inlined */
};

/* Reads the functions inlined into the function with its entry at OFF, into the cache; NULL at the memory cap. */
struct inlines *inlines_read(struct unit *, uint64_t off);
/* The inlined functions around ADDR, outermost first, at most MAX.  START: the lowest address of the first one. */
unsigned inlines_find(const struct inlines *, uint64_t addr, struct frame *, unsigned max, uint64_t *start);

#endif
