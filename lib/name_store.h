/* Names, many and short, of one owner: kept in blocks, told by 32-bit numbers. */
#ifndef SYM_TEXT_H
#define SYM_TEXT_H

#include "mem.h"

enum { TEXT_BLOCK = 1 << 16, TEXT_BLOCKS = 1024 };

struct text {
	struct arena *arena;
	char *block[TEXT_BLOCKS];
	uint32_t blocks, used;   /* used: of the last one */
};

/* Keeps the N (less than TEXT_BLOCK) bytes at S with a NUL behind; false at 64 MiB or the memory cap. */
bool text_add(struct text *, const char *s, size_t n, uint32_t *number);

static inline const char *
text_at(const struct text *t, uint32_t number)
{
	return t->block[number / TEXT_BLOCK] + number % TEXT_BLOCK;
}

/* Of two names of one address, whether A is the one to show: fewer leading underscores, then shorter, then first. */
bool text_better(const char *a, const char *b);

#endif
