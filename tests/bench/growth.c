/* growth threads|processes|modules N SECONDS [DIR]: SECONDS of CPU time spread over N threads, N processes one after another
 * (each some of it), or N libraries DIR/0.so, DIR/1.so, … that it loads, each with a function `work`. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double share;
static volatile uint64_t sink;

static double
used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static uint64_t
leaf(uint64_t v)
{
	for (unsigned i = 0; i < 2000; i++)
		v = v * 6364136223846793005u + (v >> 33);
	return v;
}

__attribute__((noinline)) static uint64_t
level(unsigned depth, uint64_t v)
{
	return depth ? level(depth - 1, v + depth) * 3 : leaf(v);
}

static void
burn(clockid_t clock, double seconds)
{
	for (double end = used(clock) + seconds; used(clock) < end;)
		sink += level(8 + (unsigned)sink % 8, sink);
}

static void *
thread(void *unused)
{
	burn(CLOCK_THREAD_CPUTIME_ID, share);
	return unused;
}

static void
threads(unsigned n)
{
	pthread_t *t = calloc(n, sizeof *t);
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (unsigned i = 0; t && i < n; i++)
		if (pthread_create(&t[i], &small, thread, NULL))
			exit(1);
	for (unsigned i = 0; t && i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
}

static void
processes(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		switch (fork()) {
		case -1:
			exit(1);
		case 0:
			burn(CLOCK_PROCESS_CPUTIME_ID, share);
			_exit(0);
		default:
			wait(NULL);
		}
}

static void
modules(unsigned n, const char *dir)
{
	uint64_t (*work[4096])(uint64_t);
	char path[4096];

	for (unsigned i = 0; i < n && i < 4096; i++) {
		void *lib, *f;

		snprintf(path, sizeof path, "%s/%u.so", dir, i);
		if (!(lib = dlopen(path, RTLD_NOW)) || !(f = dlsym(lib, "work"))) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		memcpy(&work[i], &f, sizeof f);
	}
	for (double end = used(CLOCK_PROCESS_CPUTIME_ID) + share * n; used(CLOCK_PROCESS_CPUTIME_ID) < end;)
		for (unsigned i = 0; i < n; i++)
			sink += work[i](sink);
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 3 ? (unsigned)atoi(argv[2]) : 0;

	if (!n)
		return 2;
	share = atof(argv[3]) / n;
	if (strcmp(argv[1], "threads") == 0)
		threads(n);
	else if (strcmp(argv[1], "processes") == 0)
		processes(n);
	else if (argc > 4)
		modules(n, argv[4]);
	return 0;
}
