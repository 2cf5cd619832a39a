/* A program worth looking at for about two seconds: three named threads, a recursion, a hot inner function that two
 * callers share, a library call (qsort) that calls back, and one thread that mostly waits. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined __has_attribute && __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static double deadline;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The hot inner function. */
NOINLINE static uint32_t
checksum(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

NOINLINE static uint64_t
fibonacci(unsigned n)
{
	uint64_t below;

	if (n < 2)
		return n;
	below = fibonacci(n - 1);
	return below + fibonacci(n - 2);
}

struct entry {
	char name[16];
	uint32_t sum;
};

static int
by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int d = memcmp(x->name, y->name, sizeof x->name);

	return d ? d : (x->sum > y->sum) - (x->sum < y->sum);
}

NOINLINE static void
shuffle(struct entry *entry, size_t n, uint32_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < sizeof entry[i].name; j++) {
			*seed = *seed * 1664525 + 1013904223;
			entry[i].name[j] = (char)('a' + (*seed >> 24) % 26);
		}
	}
}

NOINLINE static uint32_t
index_files(struct entry *entry, size_t n)
{
	uint32_t all = 0;

	for (size_t i = 0; i < n; i++) {
		entry[i].sum = checksum(entry[i].name, sizeof entry[i].name);
		all ^= entry[i].sum;
	}
	return all;
}

static void *
sorter(void *arg)
{
	enum { ENTRIES = 20000 };
	struct entry *entry = calloc(ENTRIES, sizeof *entry);
	uint32_t seed = 1, all = 0;

	(void)arg;
	if (!entry)
		return NULL;
	while (now() < deadline) {
		shuffle(entry, ENTRIES, &seed);
		qsort(entry, ENTRIES, sizeof *entry, by_name);
		all ^= index_files(entry, ENTRIES);
	}
	free(entry);
	return (void *)(uintptr_t)all;
}

static void *
verifier(void *arg)
{
	static uint8_t block[1 << 16];
	uint32_t all = 0;

	(void)arg;
	while (now() < deadline)
		all ^= checksum(block, sizeof block);
	return (void *)(uintptr_t)all;
}

static void *
sleeper(void *arg)
{
	uint64_t n = 0;

	(void)arg;
	while (now() < deadline) {
		nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
		n += fibonacci(22);
	}
	return (void *)(uintptr_t)n;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} work[] = { { "sorter", sorter }, { "verifier", verifier }, { "sleeper", sleeper } };
	enum { N = sizeof work / sizeof work[0] };
	pthread_t thread[N];
	uint64_t n = 0;

	deadline = now() + (argc > 1 ? atof(argv[1]) : 2.0);
	for (int i = 0; i < N; i++) {
		if (pthread_create(&thread[i], NULL, work[i].run, NULL))
			return 1;
		pthread_setname_np(thread[i], work[i].name);
	}
	while (now() < deadline)
		n += fibonacci(25);
	for (int i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	printf("demo: %llu\n", (unsigned long long)n % 10);
	return 0;
}
