#include "test.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define malloc heap_malloc
#define free heap_free
#define calloc heap_calloc
#define realloc heap_realloc
void *heap_malloc(size_t), *heap_calloc(size_t, size_t), *heap_realloc(void *, size_t);
void heap_free(void *);
#include "lib/libc/heap.c"

static uint32_t seed = 1;

static uint32_t
dice(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static size_t
some_size(void)
{
	return dice(3) ? dice(300) : dice(2) ? dice(20000) : dice(400000);
}

static void
classes_hold_what_they_say(void)
{
	for (size_t n = 1; n <= LARGE; n++) {
		size_t size = n, again;
		unsigned class = class_of(&size);

		again = size;
		CHECK(size >= n && size % ALIGN == 0 && class < CLASSES);
		CHECK(size <= 64 || size - n <= n / 4 + 16);
		CHECK_U64(class_of(&again), class);
		CHECK_U64(again, size);
	}
}

/* Each block keeps the bytes that the test put into it: blocks do not overlap, and growing loses nothing. */
static void
keeps_apart(void)
{
	enum { N = 500 };
	static unsigned char *p[N];
	static size_t n[N];

	for (int step = 0; step < 30000; step++) {
		unsigned i = dice(N);
		size_t size = some_size();

		for (size_t k = 0; k < n[i]; k += 1 + n[i] / 50)
			CHECK_U64(p[i][k], i % 251);
		switch (dice(4)) {
		case 0:
			free(p[i]);
			p[i] = calloc(1, size);
			for (size_t k = 0; p[i] && k < size; k += 1 + size / 50)
				CHECK_U64(p[i][k], 0);
			break;
		case 1:
			free(p[i]);
			p[i] = malloc(size);
			break;
		default:
			p[i] = realloc(p[i], size);
			for (size_t k = 0; k < (n[i] < size ? n[i] : size); k += 1 + n[i] / 50)
				CHECK_U64(p[i][k], i % 251);
		}
		CHECK(p[i] && (uintptr_t)p[i] % ALIGN == 0);
		if (test_bad_)
			return;
		memset(p[i], (int)(i % 251), size);
		n[i] = size;
	}
	for (int i = 0; i < N; i++)
		free(p[i]);
}

static void
too_much(void)
{
	CHECK(!malloc(SIZE_MAX));
	CHECK(!malloc(SIZE_MAX - 100));
	CHECK(!calloc(SIZE_MAX / 2, 4));
	CHECK(!realloc(NULL, SIZE_MAX));
	free(NULL);
}

/* Freed memory comes back with later requests. */
static void
reuses(void)
{
	void *p = malloc(1000), *q;

	free(p);
	q = malloc(1000);
	CHECK(p == q);
	CHECK(realloc(q, 900) == q);
	free(q);
}

static void
freed_twice(unsigned char *p)
{
	free(p);
	free(p);
}

static void
beyond_in_use(unsigned char *p)
{
	unsigned char *q = malloc(48);   /* the next in the block */

	for (size_t i = 0; i < sizeof(struct head); i++)
		q[-1 - (ptrdiff_t)i] = 'x';
	free(q);
	free(p);
}

static void
beyond_on_the_list(unsigned char *p)
{
	unsigned char *q = malloc(48);

	free(q);
	for (size_t i = 0; i < sizeof(struct head); i++)
		q[-1 - (ptrdiff_t)i] = 'x';
	free(p);
	p = malloc(48);
	q = malloc(48);
}

static void
within(unsigned char *p)
{
	memset(p, 'x', 48);
	free(p);
}

/* How a process ends after FN: by the signal of a trap, or with success. */
static int
end_of(void (*what)(unsigned char *))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGILL, SIG_DFL);
		signal(SIGTRAP, SIG_DFL);
		what(malloc(48));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
seals_hold(void)
{
	CHECK_U64(end_of(within), 0);
	CHECK(end_of(freed_twice) == SIGILL || end_of(freed_twice) == SIGTRAP);
	CHECK(end_of(beyond_in_use) == SIGILL || end_of(beyond_in_use) == SIGTRAP);
	CHECK(end_of(beyond_on_the_list) == SIGILL || end_of(beyond_on_the_list) == SIGTRAP);
}

int
main(void)
{
	RUN("heap", classes_hold_what_they_say);
	RUN("heap", keeps_apart);
	RUN("heap", too_much);
	RUN("heap", reuses);
	RUN("heap", seals_hold);
	return TEST_STATUS;
}
