/* crowd THREADS SECONDS: threads that wait for each other, copy and sort. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
compare(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void *
run(void *seed)
{
	struct timespec t;
	unsigned v = (unsigned)(size_t)seed;
	static int shared[512];
	int own[512];
	double end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + seconds;
	do {
		for (unsigned i = 0; i < 512; i++)
			own[i] = (int)(v = v * 1103515245 + 12345);
		qsort(own, 512, sizeof *own, compare);
		pthread_mutex_lock(&lock);
		memcpy(shared, own, sizeof own);
		pthread_mutex_unlock(&lock);
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < end);
	return NULL;
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
	pthread_t thread[64];

	seconds = argc > 2 ? atof(argv[2]) : 1;
	for (unsigned i = 0; i < n && i < 64; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(size_t)(i + 1)))
			return 1;
	for (unsigned i = 0; i < n && i < 64; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
