/* See memory.h. */
#include "memory.h"

#include <stddef.h>

const uint8_t *
memory_beyond(const struct pieces *all, unsigned word, uint64_t addr)
{
	for (uint32_t i = 0; all && i < all->n; i++) {
		const struct piece *p = &all->piece[i];

		if (p->size >= word && addr - p->lo <= p->size - word)
			return p->bytes + (addr - p->lo);
	}
	return NULL;
}
