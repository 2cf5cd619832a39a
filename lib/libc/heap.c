/* malloc and its family, for mem.c and for what little libc asks for: sizes in quarters of powers of two, from free lists
 * over blocks of pages; large ones have pages of their own.  For one thread.  (musl's: 9 KiB.) */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 16, LARGE = 128 << 10, BLOCK = 256 << 10, CLASSES = 64 };

/* Before each allocation. */
struct head {
	size_t size;             /* with the head: of its class, or of its pages */
	struct head *next;       /* on the free list */
};
_Static_assert(sizeof(struct head) <= ALIGN, "what follows a head is aligned");

static struct head *free_list[CLASSES];
static unsigned char *block;
static size_t left;

/* The class of SIZE, which becomes all that the class holds: 64, 80, 96, 112, 128, 160, ... */
static unsigned
class_of(size_t *size)
{
	size_t n = *size < 64 ? 64 : *size, top = (size_t)1 << (sizeof(long) * 8 - 1 - (size_t)__builtin_clzl(n - 1)), step = top / 4;
	size_t quarter = (n - 1 - top) / step;

	*size = top + (quarter + 1) * step;
	return (unsigned)__builtin_ctzl(top) * 4 + (unsigned)quarter - 5 * 4;
}

static void *
pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct head *
fresh(size_t size)
{
	struct head *h;

	if (size > left) {   /* what is left of the old block is less than the largest class, and stays unused */
		if (!(h = pages(BLOCK)))
			return NULL;
		block = (unsigned char *)h;
		left = BLOCK;
	}
	h = (struct head *)(void *)block;
	block += size;
	left -= size;
	return h;
}

void *
malloc(size_t n)
{
	size_t size = n + sizeof(struct head);
	struct head *h;

	if (n > PTRDIFF_MAX - 4096) {
		errno = ENOMEM;
		return NULL;
	}
	if (size > LARGE) {
		size = (size + 4095) & ~(size_t)4095;
		h = pages(size);
	} else {
		unsigned class = class_of(&size);

		if ((h = free_list[class]))
			free_list[class] = h->next;
		else
			h = fresh(size);
	}
	if (!h)
		return NULL;
	h->size = size;
	return h + 1;
}

void
free(void *p)
{
	struct head *h;
	size_t size;

	if (!p)
		return;
	h = (struct head *)p - 1;
	size = h->size;
	if (size > LARGE) {
		munmap(h, size);
	} else {
		unsigned class = class_of(&size);

		h->next = free_list[class];
		free_list[class] = h;
	}
}

void *
calloc(size_t n, size_t size)
{
	void *p;

	if (__builtin_mul_overflow(n, size, &n)) {
		errno = ENOMEM;
		return NULL;
	}
	p = malloc(n);
	if (p && n + sizeof(struct head) <= LARGE)   /* new pages are zero */
		memset(p, 0, n);
	return p;
}

void *
realloc(void *p, size_t n)
{
	struct head *h = p;
	void *q;

	if (h && n <= h[-1].size - sizeof *h)
		return p;
	q = malloc(n);
	if (q && h) {
		memcpy(q, p, h[-1].size - sizeof *h);
		free(p);
	}
	return q;
}
