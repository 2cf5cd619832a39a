/* Threads that wait in known places, for prof stack; with an argument it crashes. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile unsigned long turns;

static void *
waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return arg;
}

static inline __attribute__((always_inline)) void
spin(void)
{
	for (;;)
		turns++;
}

static void *
spinner(void *arg)
{
	spin();
	return arg;
}

static void *
locker(void *arg)
{
	pthread_mutex_lock(&held);
	return arg;
}

static void *
sleeper(void *arg)
{
	for (;;)
		sleep(1000);
	return arg;
}

static __attribute__((noinline)) void
level3(int crash)
{
	if (crash)
		*(volatile int *)16 = 1;
	poll(0, 0, -1);
	turns++;
}

static __attribute__((noinline)) void
level2(int crash)
{
	level3(crash);
	turns++;
}

static __attribute__((noinline)) void
level1(int crash)
{
	level2(crash);
	turns++;
}

int
main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	pthread_mutex_lock(&held);
	for (int i = 0; i < 3; i++)
		pthread_create(&t, 0, waiter, 0);
	pthread_create(&t, 0, spinner, 0);
	pthread_create(&t, 0, locker, 0);
	pthread_create(&t, 0, sleeper, 0);
	usleep(100000);
	level1(argc > 1);
	return 0;
}
