/* Many short names of one owner: it keeps them in blocks, and knows them by 32-bit numbers. */
#ifndef LIB_NAME_STORE_H
#define LIB_NAME_STORE_H

#include "mem.h"

enum { NAME_STORE_BLOCK = 1 << 16, NAME_STORE_BLOCKS = 1024 };

struct name_store {
	struct arena *arena;
	char *block[NAME_STORE_BLOCKS];
	uint32_t blocks, used;   /* used: of the last one */
};

/* Keeps the N (less than NAME_STORE_BLOCK) bytes at S with a NUL behind; false at 64 MiB or the memory cap. */
bool name_store_add(struct name_store *, const char *s, size_t n, uint32_t *number);

/* Forgets that name and those behind it, as far as they share a block. */
void name_store_drop(struct name_store *, uint32_t number);

static inline const char *
name_store_at(const struct name_store *t, uint32_t number)
{
	return t->block[number / NAME_STORE_BLOCK] + number % NAME_STORE_BLOCK;
}

#endif
