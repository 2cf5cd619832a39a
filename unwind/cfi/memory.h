/* Reads words of the copied stack, which is one piece or more. */
#ifndef UNWIND_CFI_MEMORY_H
#define UNWIND_CFI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/pieces.h"

/* The part of the stack that was copied. */
struct memory {
	const uint8_t *bytes;
	uint64_t lo;
	uint64_t room;      /* prof can read a word at [lo, lo + room) */
	unsigned word;
	const struct pieces *beyond;   /* other copied pieces, of this stack and of other stacks */
};

/* Of an address. */
static inline uint64_t
memory_mask(const struct memory *m)
{
	return m->word == 4 ? UINT32_MAX : UINT64_MAX;
}

/* The place of the word at ADDR in these pieces, or NULL. */
__attribute__((cold, pure)) const uint8_t *memory_beyond(const struct pieces *, unsigned word, uint64_t addr);

static inline bool
memory_word(const struct memory *m, uint64_t addr, uint64_t *v)
{
	const uint8_t *p;

	if (__builtin_expect(addr - m->lo < m->room, 1))
		p = m->bytes + (addr - m->lo);
	else if (!(p = memory_beyond(m->beyond, m->word, addr)))
		return false;
	if (m->word == 8)
		__builtin_memcpy(v, p, 8);
	else {
		uint32_t v32;

		__builtin_memcpy(&v32, p, 4);
		*v = v32;
	}
	return true;
}

/* Whether prof can read a word there. */
static inline bool
memory_has(const struct memory *m, uint64_t addr)
{
	return addr - m->lo < m->room || memory_beyond(m->beyond, m->word, addr);
}

#endif
