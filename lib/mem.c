/* See mem.h. */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = (32 << 10) - 64 /* with its head, and malloc's */, ALIGN = 16, LARGE = 1 << 20 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;   /* of data */
	_Alignas(16) unsigned char data[];
};

static size_t cap = SIZE_MAX, total;

void
mem_cap(size_t bytes)
{
	cap = bytes;
}

size_t
mem_used(void)
{
	return total;
}

static bool
charge(size_t n)
{
	if (total > cap || n > cap - total)
		return false;
	total += n;
	return true;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	struct arena_chunk *c = a->chunk;
	void *p;

	if (n > SIZE_MAX / 2)
		return NULL;
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!c || n > c->size - c->used) {
		size_t size = n > CHUNK / 4 ? n : CHUNK;
		struct arena_chunk *fresh;

		if (!charge(sizeof *fresh + size))
			return NULL;
		if (!(fresh = calloc(1, sizeof *fresh + size))) {
			total -= sizeof *fresh + size;
			return NULL;
		}
		fresh->size = size;
		if (c && size == n && n > CHUNK / 4) {   /* a large one must not waste what the current chunk has left */
			fresh->next = c->next;
			c->next = fresh;
		} else {
			fresh->next = c;
			a->chunk = fresh;
		}
		c = fresh;
	}
	p = c->data + c->used;
	c->used += n;
	return p;
}

char *
arena_str(struct arena *a, const char *s, size_t n)
{
	char *p = n < SIZE_MAX ? arena_alloc(a, n + 1) : NULL;

	if (p && n)
		memcpy(p, s, n);
	return p;
}

void
arena_free(struct arena *a)
{
	for (struct arena_chunk *c = a->chunk, *next; c; c = next) {
		next = c->next;
		total -= sizeof *c + c->size;
		free(c);
	}
	a->chunk = NULL;
}

bool
vec_room(void *vec, uint32_t *cap_items, uint64_t need, size_t size)
{
	void **v = vec, *p;
	size_t old = (size_t)*cap_items * size, bytes;
	/* A large block grows by remapping its pages, so small steps cost little and leave little unused. */
	uint64_t want = (uint64_t)*cap_items + *cap_items / (old < LARGE ? 2 : 8);

	if (need <= *cap_items)
		return true;
	if (want < need)
		want = need < 8 ? 8 : need;
	if (want > UINT32_MAX || __builtin_mul_overflow((size_t)want, size, &bytes) || !charge(bytes - old))
		return false;
	if (!(p = old ? realloc(*v, bytes) : calloc(1, bytes))) {   /* which knows new pages to be zero */
		total -= bytes - old;
		return false;
	}
	if (old)
		memset((unsigned char *)p + old, 0, bytes - old);
	*v = p;
	*cap_items = (uint32_t)want;
	return true;
}

void
vec_free(void *vec, uint32_t *cap_items, size_t size)
{
	void **v = vec;

	total -= (size_t)*cap_items * size;
	free(*v);
	*v = NULL;
	*cap_items = 0;
}
