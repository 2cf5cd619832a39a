/* `many THREADS MICROSECONDS`: so many threads; each runs for that long once a second, and sleeps otherwise. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double run;

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *
body(void *unused)
{
	for (;;) {
		double until = cpu() + run;

		while (cpu() < until)
			;
		sleep(1);
	}
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t t;

	if (argc < 3)
		return 2;
	run = atof(argv[2]) / 1e6;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0; i < atoi(argv[1]); i++)
		if (pthread_create(&t, &small, body, NULL))
			return 1;
	puts("there");
	fflush(stdout);
	pause();
	return 0;
}
