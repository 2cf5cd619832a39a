/* Sorts items by address or another key: many small items at once, stable, by radix. */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct item {
	uint64_t key;
	uint32_t a, b;   /* the caller's */
};

/* By KEY; items of one key keep their order.  False at the memory cap, and nothing has changed. */
bool sort_items(struct item *, uint32_t n);
/* The number of items whose key is at most KEY. */
uint32_t sort_upto(const struct item *, uint32_t n, uint64_t key);

#endif
