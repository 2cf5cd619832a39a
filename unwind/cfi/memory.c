/* See memory.h. */
#include "memory.h"

#include <stddef.h>

const uint8_t *
memory_beyond(const struct beyond *b, unsigned word, uint64_t addr)
{
	return b && b->size >= word && addr - b->lo <= b->size - word ? b->bytes + (addr - b->lo) : NULL;
}
