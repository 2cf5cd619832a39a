/* What tests/live/faults.sh profiles while something goes wrong: `faults MODE NUMBER`.  Each mode does a known amount of
 * work and tells its sum, which nobody but the program itself has to do with: whoever disturbs it changes or loses it.
 *	execs N       executes itself N times
 *	threads N     N threads, one after the other, 1,000 a second, each born, busy and dead
 *	maps N        maps, calls and unmaps code N times
 *	work N        N rounds of some 20 us */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t
round_of(uint64_t x)
{
	for (unsigned i = 0; i < 10000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static void *
thread(void *sum)
{
	uint64_t *s = sum;

	for (unsigned i = 0; i < 10; i++)
		*s = round_of(*s);
	return NULL;
}

static void
threads(unsigned n, uint64_t *sum)
{
	struct timespec next;
	pthread_t t;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (n--) {
		if (pthread_create(&t, NULL, thread, sum))
			exit(3);
		pthread_join(t, NULL);
		next.tv_nsec += 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

/* New code at an address where something else was a moment ago. */
static void
maps(unsigned n, uint64_t *sum)
{
	static const unsigned char add[] = {
#if defined __x86_64__ || defined __i386__
		0xb8, 7, 0, 0, 0, 0xc3,                           /* mov $7, %eax; ret */
#elif defined __aarch64__
		0xe0, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6,   /* mov w0, #7; ret */
#elif defined __riscv
		0x1d, 0x45, 0x82, 0x80,                           /* li a0, 7; ret */
#else
		0x07, 0x00, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1,   /* mov r0, #7; bx lr */
#endif
	};

	while (n--) {
		unsigned char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			exit(3);
		memcpy(p, add, sizeof add);
		if (mprotect(p, 1 << 16, PROT_READ | PROT_EXEC))
			exit(3);
		__builtin___clear_cache((char *)p, (char *)p + sizeof add);
		for (unsigned i = 0; i < 1000; i++)
			*sum += (uint64_t)((int (*)(void))(uintptr_t)p)();
		munmap(p, 1 << 16);
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
	uint64_t sum = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	char left[32], now[32];

	if (!strcmp(mode, "execs") && n) {
		for (unsigned i = 0; i < 20; i++)
			sum = round_of(sum);
		snprintf(left, sizeof left, "%u", n - 1);
		snprintf(now, sizeof now, "%llu", (unsigned long long)sum);
		execl("/proc/self/exe", argv[0], mode, left, now, (char *)NULL);
		return 3;
	}
	if (!strcmp(mode, "threads"))
		threads(n, &sum);
	else if (!strcmp(mode, "maps"))
		maps(n, &sum);
	else if (!strcmp(mode, "work"))
		while (n--)
			sum = round_of(sum);
	else if (strcmp(mode, "execs"))
		return 2;
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
