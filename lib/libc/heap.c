/* malloc and its family, for mem.c and for what little libc asks for: sizes in quarters of powers of two, from free lists over blocks
 * of pages; large ones have pages of their own.  For one thread.  musl's heap gives pages back and asks for them again for each vector
 * that grows and goes: with it short captures took 8 to 10 % more of the CPU (docs/dev/measuring.md).  A secret seals what stands
 * before an allocation.  If something writes beyond the one before it, or frees one twice, the program ends when the heap meets
 * that. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { ALIGN = 16, LARGE = 128 << 10, BLOCK = 256 << 10, CLASSES = 64 };

/* Before each allocation. */
struct head {
	size_t size;             /* with the head: of its class, or of its pages */
	uintptr_t seal;          /* of what is in use, else of the next on the free list */
};
_Static_assert(sizeof(struct head) <= ALIGN, "what follows a head is aligned");

static struct head *free_list[CLASSES];
static unsigned char *block;
static size_t left;
static uintptr_t secret;

/* The class of SIZE, which becomes all that the class holds: 64, 80, 96, 112, 128, 160, ... */
static unsigned
class_of(size_t *size)
{
	size_t n = *size < 64 ? 64 : *size, top = (size_t)1 << (sizeof(long) * 8 - 1 - (size_t)__builtin_clzl(n - 1)), step = top / 4;
	size_t quarter = (n - 1 - top) / step;

	*size = top + (quarter + 1) * step;
	return (unsigned)__builtin_ctzl(top) * 4 + (unsigned)quarter - 5 * 4;
}

/* Never 0. */
static void
make_secret(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&secret, random, sizeof secret);
	secret |= 1;
}

static uintptr_t
seal_of(const struct head *h)
{
	return ((uintptr_t)h ^ h->size) * 31 ^ secret;
}

/* The next on the free list after H, which must still be the one that the heap put there. */
static struct head *
next_of(const struct head *h, size_t size)
{
	uintptr_t next = h->seal ^ secret;

	if (h->size != size || next % ALIGN)
		__builtin_trap();
	return (struct head *)next;
}

/* The head before P, which must be in use. */
static struct head *
head_of(void *p)
{
	struct head *h = (struct head *)p - 1;

	if (h->seal != seal_of(h))
		__builtin_trap();
	return h;
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

	if (!secret)
		make_secret();
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
			free_list[class] = next_of(h, size);
		else
			h = fresh(size);
	}
	if (!h)
		return NULL;
	h->size = size;
	h->seal = seal_of(h);
	return h + 1;
}

void
free(void *p)
{
	struct head *h;
	size_t size;

	if (!p)
		return;
	h = head_of(p);
	size = h->size;
	if (size > LARGE) {
		munmap(h, size);
	} else {
		unsigned class = class_of(&size);

		h->seal = (uintptr_t)free_list[class] ^ secret;
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
	struct head *h = p ? head_of(p) : NULL;
	void *q;

	if (h && n <= h->size - sizeof *h)
		return p;
	q = malloc(n);
	if (q && h) {
		memcpy(q, p, h->size - sizeof *h);
		free(p);
	}
	return q;
}
