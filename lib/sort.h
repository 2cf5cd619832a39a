/* Sorts items by address or another key: many small items at once, stable, by radix. */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct item {
	uint64_t key;
	uint32_t a, b;   /* the caller's */
};

/* Sorts by KEY; items of one key keep their order.  False at the memory cap, and nothing has changed. */
bool sort_items(struct item *, uint32_t n);
/* The number of items whose key is at most KEY. */
uint32_t sort_upto(const struct item *, uint32_t n, uint64_t key);

/* Sorts N numbers as qsort_r does, stable, by the keys that KEYS gives to items whose A is the number: lower keys come first.  A
 * key has parts, from 0 on, and is over where a part is 0.  COMPARE (of pointers to numbers) gives the same order, and decides
 * if keys are equal. */
void sort_numbers(uint32_t *number, uint32_t n, void (*keys)(const void *ctx, struct item *, uint32_t n, uint32_t part),
                  int (*compare)(const void *, const void *, void *ctx), const void *ctx);
/* What an item's key is made from may lie anywhere in memory: KEYS asks for it that many items ahead, and twice as many for what
 * leads there. */
enum { SORT_AHEAD = 12 };
/* A part of a text's key, in the order of strcmp. */
uint64_t sort_key(const char *, uint32_t part);
/* The keys of texts: the first one's pointer is at FIRST, the others' behind it, EACH bytes apart. */
void sort_text_keys(struct item *, uint32_t n, uint32_t part, const void *first, size_t each);

#endif
