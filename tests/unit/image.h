/* A process's memory at [BASE, BASE + SIZE), which a test of a language fills: the test defines these and IMAGE before. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdlib.h>

static unsigned reads;
static bool gone;              /* the process has ended */
static uint64_t top;           /* the first byte that image_take() has not given away */

static size_t
read_image(struct space *s, uint64_t addr, void *to, size_t n)
{
	(void)s;
	reads++;
	if (gone || addr < BASE || addr >= BASE + SIZE)
		return 0;
	n = n < BASE + SIZE - addr ? n : BASE + SIZE - addr;
	memcpy(to, image + (addr - BASE), n);
	return n;
}

static void
put_word(uint64_t addr, uint64_t v)
{
	memcpy(image + (addr - BASE), &v, sizeof v);
}

static inline uint64_t
image_take(uint64_t n)
{
	uint64_t addr = top;

	top += (n + 7) & ~UINT64_C(7);
	if (top > BASE + SIZE)
		abort();
	return addr;
}

#endif
