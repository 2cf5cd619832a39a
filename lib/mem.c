/* See mem.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* mremap */
#endif
#include "copy.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = (32 << 10) - 64 /* with its head, and malloc's */, ALIGN = 16, LARGE = 64 << 10 };
enum { HUGE = 2 << 20, HUGE_FROM = 16 << 20, SPARES = 8 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;   /* of data */
	size_t before;       /* bytes of chunks that the arena already had */
	bool huge;           /* a huge page of its own */
	_Alignas(16) unsigned char data[];
};

static size_t cap = SIZE_MAX, bound = SIZE_MAX, total;
static bool bounded;
static void *reserve;
static size_t reserved;
static struct spare {
	unsigned char *pages;
	size_t bytes;
} spare[SPARES];           /* pages of very large vectors that ended: the next ones get them, as new ones cost the kernel more */
static size_t spare_most, spare_held;

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

void
mem_reserve(size_t bytes)
{
	if (reserved)
		munmap(reserve, reserved);
	reserve = bytes ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
	reserved = reserve == MAP_FAILED ? 0 : bytes;
}

void
mem_bound(size_t bytes)
{
	bound = bytes;
	bounded &= bytes != SIZE_MAX;
}

bool
mem_bounded(void)
{
	return bounded;
}

static bool
charge(size_t n)
{
	if (total > cap || n > cap - total)
		return false;
	if (total > bound || n > bound - total)
		return bounded = true, false;
	total += n;
	return true;
}

/* The bytes that a large vector's mapping has. */
static size_t
mapped(size_t bytes)
{
	return bytes < HUGE_FROM ? bytes : (bytes + HUGE - 1) & ~(size_t)(HUGE - 1);
}

/* Pages that take the place of BYTES of addresses, which begin with a huge page, or NULL.  They stay taken until others replace them:
 * a signal handler may map something meanwhile. */
static void *
huge_place(size_t bytes)
{
	unsigned char *all = mmap(NULL, bytes + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before = -(uintptr_t)all & (HUGE - 1);

	if (all == MAP_FAILED)
		return NULL;
	if (before)
		munmap(all, before);
	munmap(all + before + bytes, HUGE - before);
	return all + before;
}

/* New pages, zero, that begin with a huge page where the kernel gives it, or MAP_FAILED. */
static void *
huge_pages(size_t bytes)
{
	void *place = huge_place(bytes);
	void *q = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);

	if (q != MAP_FAILED)
		madvise(q, bytes, MADV_HUGEPAGE);
	return q;
}

void
mem_spare(size_t bytes)
{
	spare_most = bytes;
}

/* Keeps the pages of a vector; false if there is enough. */
static bool
put_spare(void *pages, size_t bytes)
{
	struct spare *s = spare;

	while (s < spare + SPARES && s->bytes)
		s++;
	if (bytes < HUGE_FROM || s == spare + SPARES || spare_held > spare_most || bytes > spare_most - spare_held)
		return false;
	*s = (struct spare){ pages, bytes };
	spare_held += bytes;
	return true;
}

/* The least of those that have BYTES, else the largest one, or NULL. */
static struct spare *
best_spare(size_t bytes)
{
	struct spare *best = NULL;

	for (struct spare *s = spare; s < spare + SPARES; s++)
		if (s->bytes && (!best || (best->bytes < bytes ? s->bytes > best->bytes : s->bytes >= bytes && s->bytes < best->bytes)))
			best = s;
	return best;
}

/* Whether there were any. */
static bool
drop_spares(void)
{
	bool any = spare_held;

	for (struct spare *s = spare; s < spare + SPARES; s++)
		if (s->bytes)
			munmap(s->pages, s->bytes);
	memset(spare, 0, sizeof spare);
	spare_held = 0;
	return any;
}

static void *map(void *p, size_t old, size_t bytes);

/* Pages for a very large vector, all zero. */
static void *
begin_vector(size_t bytes)
{
	struct spare *best = best_spare(bytes), had;
	void *p;

	if (!best)
		return huge_pages(bytes);
	had = *best;
	best->bytes = 0;
	spare_held -= had.bytes;
	memset(had.pages, 0, had.bytes < bytes ? had.bytes : bytes);
	if (had.bytes > bytes && !put_spare(had.pages + bytes, had.bytes - bytes))
		munmap(had.pages + bytes, had.bytes - bytes);
	if (had.bytes >= bytes)
		return had.pages;
	if ((p = map(had.pages, had.bytes, bytes)) == MAP_FAILED)
		munmap(had.pages, had.bytes);
	return p;
}

/* The pages of a large vector, zero where they are new, or MAP_FAILED. */
static void *
map(void *p, size_t old, size_t bytes)
{
	void *q, *place;

	if (old < LARGE)
		return bytes >= HUGE_FROM ? begin_vector(mapped(bytes))
		                          : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, mapped(old), mapped(bytes), bytes < HUGE_FROM ? MREMAP_MAYMOVE : 0);
	place = q == MAP_FAILED && bytes >= HUGE_FROM ? huge_place(mapped(bytes)) : NULL;
	if (place)
		q = mremap(p, mapped(old), mapped(bytes), MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (q == MAP_FAILED)
		q = mremap(p, mapped(old), mapped(bytes), MREMAP_MAYMOVE);
	if (q != MAP_FAILED && bytes >= HUGE_FROM)
		madvise(q, mapped(bytes), MADV_HUGEPAGE);
	return q;
}

/* A chunk for N bytes, or NULL.  A large arena has huge pages: its strings are read in any order. */
static struct arena_chunk *
new_chunk(const struct arena *a, size_t n)
{
	size_t before = a->chunk ? a->chunk->before + a->chunk->size : 0, size = n > CHUNK / 4 ? n : CHUNK;
	struct arena_chunk *c;
	bool huge = before >= HUGE_FROM && size == CHUNK;

	if (huge)
		size = HUGE - sizeof *c;
	if (!charge(sizeof *c + size))
		return NULL;
	do
		c = huge ? huge_pages(HUGE) : calloc(1, sizeof *c + size);
	while ((!c || c == MAP_FAILED) && drop_spares());
	if (!c || c == MAP_FAILED) {
		total -= sizeof *c + size;
		return NULL;
	}
	c->size = size;
	c->before = before;
	c->huge = huge;
	return c;
}

/* N bytes at the next multiple of ALIGNED. */
static void *
take(struct arena *a, size_t n, size_t aligned)
{
	struct arena_chunk *c = a->chunk;
	size_t at = c ? (c->used + aligned - 1) & ~(aligned - 1) : 0;

	if (n > SIZE_MAX / 2)
		return NULL;
	if (!c || at > c->size || n > c->size - at) {
		struct arena_chunk *fresh = new_chunk(a, n);

		if (!fresh)
			return NULL;
		if (c && n > CHUNK / 4) {   /* a large one must not waste what the current chunk has left */
			fresh->next = c->next;
			c->next = fresh;
		} else {
			fresh->next = c;
			a->chunk = fresh;
		}
		c = fresh;
		at = 0;
	}
	c->used = at + n;
	return c->data + at;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return take(a, n, ALIGN);
}

char *
arena_str(struct arena *a, const char *s, size_t n)
{
	char *p = n < SIZE_MAX ? take(a, n + 1, 1) : NULL;

	if (p)
		copy_few(p, s, n);
	return p;
}

void
arena_free(struct arena *a)
{
	for (struct arena_chunk *c = a->chunk, *next; c; c = next) {
		next = c->next;
		total -= sizeof *c + c->size;
		if (c->huge)
			munmap(c, HUGE);
		else
			free(c);
	}
	a->chunk = NULL;
}

/* A large vector has its own pages: they are zero, exist once they are touched, and move without a copy.  A very large one has huge
 * pages where the kernel gives them: for each of the others, the CPU looks up its place anew. */
static void *
resize(void *p, size_t old, size_t bytes)
{
	void *q;

	if (bytes < LARGE) {
		if ((q = realloc(p, bytes)))
			memset((unsigned char *)q + old, 0, bytes - old);
		return q;
	}
	if ((q = map(p, old, bytes)) == MAP_FAILED && drop_spares())
		q = map(p, old, bytes);
	if (q == MAP_FAILED)
		return NULL;
	if (old && old < LARGE) {
		memcpy(q, p, old);
		free(p);
	}
	return q;
}

bool
vec_room(void *vec, uint32_t *cap_items, uint64_t need, size_t size)
{
	void **v = vec, *p;
	size_t old = (size_t)*cap_items * size, bytes;
	uint64_t want = (uint64_t)*cap_items + *cap_items / (old < LARGE ? 2 : 8);

	if (need <= *cap_items)
		return true;
	if (want < need)
		want = need < 8 ? 8 : need;
	if (want > UINT32_MAX || __builtin_mul_overflow((size_t)want, size, &bytes) || !charge(bytes - old))
		return false;
	if (!(p = resize(*v, old, bytes))) {
		total -= bytes - old;
		return false;
	}
	*v = p;
	*cap_items = (uint32_t)want;
	return true;
}

void
vec_free(void *vec, uint32_t *cap_items, size_t size)
{
	void **v = vec;
	size_t bytes = (size_t)*cap_items * size;

	total -= bytes;
	if (bytes < LARGE)
		free(*v);
	else if (!put_spare(*v, mapped(bytes)))
		munmap(*v, mapped(bytes));
	*v = NULL;
	*cap_items = 0;
}
