/* Smaller stand-ins for functions of libc, for a static program whose bytes count: what musl's would bring along is said
 * at each.  They keep the standard's promises as far as prof asks for them, and trap beyond that. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- sorting: heap sort, in place and n log n whatever comes (musl: 2 KiB) ---- */

struct sorting {
	unsigned char *base;
	size_t size;
	int (*compare)(const void *, const void *, void *);
	void *ctx;
};

static void
swap(const struct sorting *s, size_t i, size_t j)
{
	unsigned char *a = s->base + i * s->size, *b = s->base + j * s->size, keep[64];

	for (size_t left = s->size, n; left > 0; left -= n, a += n, b += n) {
		n = left < sizeof keep ? left : sizeof keep;
		memcpy(keep, a, n);
		memcpy(a, b, n);
		memcpy(b, keep, n);
	}
}

/* Lets item I sink below larger children, among the first N. */
static void
sink(const struct sorting *s, size_t i, size_t n)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && s->compare(s->base + child * s->size, s->base + (child + 1) * s->size, s->ctx) < 0)
			child++;
		if (s->compare(s->base + i * s->size, s->base + child * s->size, s->ctx) >= 0)
			return;
		swap(s, i, child);
	}
}

void
qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx)
{
	struct sorting s = { base, size, compare, ctx };

	for (size_t i = n / 2; i-- > 0;)
		sink(&s, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&s, 0, i);
		sink(&s, 0, i);
	}
}

struct plain {
	int (*compare)(const void *, const void *);
};

static int
compare_plain(const void *a, const void *b, void *plain)
{
	return ((const struct plain *)plain)->compare(a, b);
}

void
qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct plain plain = { compare };

	qsort_r(base, n, size, compare_plain, &plain);
}

/* ---- text ---- */

/* (musl: 1.3 KiB of two-way search.) */
char *
strstr(const char *in, const char *what)
{
	size_t n = strlen(what);

	for (; strncmp(in, what, n) != 0; in++)
		if (!*in)
			return NULL;
	return (char *)(uintptr_t)in;
}

/* Digits to a number no larger than MOST; 0 and *END at S where there are none.  (musl: 3 KiB of streams.) */
static unsigned long
digits(const char *restrict s, char **restrict end, unsigned long most)
{
	const char *p = s;
	unsigned long v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned long digit = (unsigned long)(*p - '0');

		if (v > (most - digit) / 10) {
			errno = ERANGE;
			v = most;
			while (*p >= '0' && *p <= '9')
				p++;
			break;
		}
		v = v * 10 + digit;
	}
	if (end)
		*end = (char *)(uintptr_t)p;
	return v;
}

/* Decimal, and without blanks before it: all that prof reads so. */
unsigned long
strtoul(const char *restrict s, char **restrict end, int base)
{
	if (base != 10)
		__builtin_trap();
	return digits(s, end, ULONG_MAX);
}

long
strtol(const char *restrict s, char **restrict end, int base)
{
	char *stop;
	bool minus = *s == '-';
	long v;

	if (base != 10)
		__builtin_trap();
	v = (long)digits(s + minus, &stop, LONG_MAX);
	if (end)
		*end = stop == s + minus ? (char *)(uintptr_t)s : stop;
	return minus ? -v : v;
}

/* ---- the system ---- */

/* (musl: 1 KiB.) */
long
sysconf(int name)
{
	if (name != _SC_PAGESIZE)
		__builtin_trap();
	return (long)getauxval(AT_PAGESZ);
}

#ifndef __GLIBC__
/* (musl: 2 KiB, that all threads may have it at once; prof has but one.) */
int
setrlimit(int resource, const struct rlimit *limit)
{
	return prlimit(0, resource, limit, NULL);
}
#endif
