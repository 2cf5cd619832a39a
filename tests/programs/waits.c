/* Waits of known length, each in a function of its own: `waits [SECONDS]` (0.2 each; `waits forever` repeats them).  Prints
 * a line "NAME MICROSECONDS ALL" for each: ALL of what the function took by CLOCK_MONOTONIC, and that less the CPU time of its
 * thread.
 * `waits deep`: the same function's waits below 40 KiB of stack, for a second; prints nothing.
 * `waits whole FRAMES KIB [THREADS [SECONDS]]`: waits of a fifth of a second each beneath so many frames, half of them by one function and half
 * by another, and an array of so many KiB in their middle that nothing touches; in each of the threads (1), for a second.
 * `waits filled FRAMES KIB …`: something fills the array.
 * `waits turns MICROSECONDS`: four threads wait for up to so long each time, for two seconds, by turns in wait_left and wait_right, beneath
 * a deep recursion that left or right began.
 * `waits pingpong N`: two processes that wait for each other N times; prints how long that took. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __has_attribute && __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static double seconds = 0.2;
static volatile unsigned done;   /* after each wait, so that the compiler makes no call a jump */

static double
clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
rest(double s)
{
	struct timespec t = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

NOINLINE static void
wait_nanosleep(void)
{
	rest(seconds);
	done++;
}

NOINLINE static void
wait_often(void)
{
	for (int i = 0; i < 100; i++)
		rest(seconds / 100);
	done++;
}

NOINLINE static void
deep(unsigned n)
{
	volatile char frame[1024];

	frame[0] = 0;
	if (n)
		deep(n - 1);
	else
		for (unsigned i = 0; i < 100; i++)
			wait_nanosleep();
	done++;
}

static unsigned frames, kib, filled;

NOINLINE static void beneath_array(unsigned n);

NOINLINE static void
one(unsigned n)
{
	volatile char frame[1024];

	frame[n % sizeof frame] = 0;
	if (n == frames / 2)
		beneath_array(n);
	else
		one(n - 1);
	done += (unsigned char)frame[n % sizeof frame];
}

NOINLINE static void
other(unsigned n)
{
	volatile char frame[1024];

	frame[n % sizeof frame] = 0;
	if (n)
		other(n - 1);
	else
		for (double until = clock_of(CLOCK_MONOTONIC) + seconds * 5; clock_of(CLOCK_MONOTONIC) < until;)
			wait_nanosleep();
	done += (unsigned char)frame[n % sizeof frame];
}

NOINLINE static void
beneath_array(unsigned n)
{
	volatile char array[((size_t)kib << 10) + 1];

	array[sizeof array - 1] = 0;
	for (size_t i = 0; filled && i < sizeof array; i++)
		array[i] = (char)i;
	other(n);
	done += (unsigned char)array[sizeof array - 1];
}

static void *
whole(void *arg)
{
	(void)arg;
	one(frames);
	return NULL;
}

static unsigned most;   /* microseconds */

NOINLINE static void
wait_left(unsigned us)
{
	rest(us / 1e6);
	done++;
}

NOINLINE static void
wait_right(unsigned us)
{
	rest(us / 1e6);
	done++;
}

NOINLINE static void
both(unsigned n, void (*leaf)(unsigned), unsigned us)
{
	volatile char frame[1024];

	frame[n] = 0;
	if (n)
		both(n - 1, leaf, us);
	else
		leaf(us);
	done += (unsigned char)frame[n];
}

NOINLINE static void
left(unsigned us)
{
	both(150, wait_left, us);
	done++;
}

NOINLINE static void
right(unsigned us)
{
	both(150, wait_right, us);
	done++;
}

static void *
turns(void *seed)
{
	unsigned r = *(unsigned *)seed;

	for (double until = clock_of(CLOCK_MONOTONIC) + 2; clock_of(CLOCK_MONOTONIC) < until;) {
		r = r * 1103515245 + 12345;
		(r >> 30 & 1 ? left : right)((r >> 8) % most);
	}
	return NULL;
}

static int
turns_of_four(void)
{
	unsigned seed[4] = { 1, 2, 3, 4 };
	pthread_t t[4];

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, turns, &seed[i]);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static int
whole_stacks(int argc, char **argv)
{
	unsigned threads = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
	pthread_t t[64];

	filled = !strcmp(argv[1], "filled");
	frames = (unsigned)atoi(argv[2]);
	kib = (unsigned)atoi(argv[3]);
	if (argc > 5)
		seconds = strtod(argv[5], NULL);
	for (unsigned i = 1; i < threads && i < 64; i++)
		pthread_create(&t[i], NULL, whole, NULL);
	whole(NULL);
	for (unsigned i = 1; i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int ready, word, pipes[2];

static void *
holder(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	pthread_barrier_wait(&barrier);
	rest(seconds);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

NOINLINE static void
wait_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	done++;
}

static void *
signaller(void *arg)
{
	(void)arg;
	rest(seconds);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

NOINLINE static void
wait_condvar(void)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	done++;
}

static void *
writer(void *arg)
{
	(void)arg;
	rest(seconds);
	if (write(pipes[1], "x", 1) != 1)
		abort();
	return NULL;
}

NOINLINE static void
wait_pipe(void)
{
	char c;

	if (read(pipes[0], &c, 1) != 1)
		abort();
	done++;
}

NOINLINE static void
wait_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(0);
	char c;

	epoll_ctl(fd, EPOLL_CTL_ADD, pipes[0], &e);
	while (epoll_wait(fd, &e, 1, -1) < 0 && errno == EINTR)
		;
	close(fd);
	if (read(pipes[0], &c, 1) != 1)
		abort();
	done++;
}

static void *
waker(void *arg)
{
	(void)arg;
	rest(seconds);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

NOINLINE static void
wait_futex(void)
{
	while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	done++;
}

/* Writes a file through to the disk, as often as the time needs. */
NOINLINE static void
wait_disk(void)
{
	static char block[1 << 16];
	char name[] = "waits-XXXXXX";
	int fd = mkstemp(name);
	double until = clock_of(CLOCK_MONOTONIC) + seconds;

	unlink(name);
	while (fd >= 0 && clock_of(CLOCK_MONOTONIC) < until)
		if (pwrite(fd, block, sizeof block, 0) < 0 || fsync(fd))
			abort();
	close(fd);
	done++;
}

NOINLINE static void
wait_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		wait_nanosleep();
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	done++;
}

NOINLINE static void *
sleeper(void *arg)
{
	(void)arg;
	wait_nanosleep();
	done++;
	return NULL;
}

NOINLINE static void
wait_join(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	pthread_join(t, NULL);
	done++;
}

static const struct {
	const char *name;
	void (*wait)(void);
	void *(*other)(void *);   /* this ends the wait */
} waits[] = {
	{ "wait_nanosleep", wait_nanosleep, NULL }, { "wait_often", wait_often, NULL },
	{ "wait_mutex", wait_mutex, holder },       { "wait_condvar", wait_condvar, signaller },
	{ "wait_pipe", wait_pipe, writer },         { "wait_epoll", wait_epoll, writer },
	{ "wait_futex", wait_futex, waker },        { "wait_disk", wait_disk, NULL },
	{ "wait_child", wait_child, NULL },         { "wait_join", wait_join, NULL },
};

static int
pingpong(long n)
{
	double began = clock_of(CLOCK_MONOTONIC);
	int back[2];
	char c = 0;
	pid_t pid;

	if (pipe(pipes) || pipe(back) || (pid = fork()) < 0)
		return 1;
	for (long i = 0; i < n; i++)
		if (pid ? write(pipes[1], &c, 1) != 1 || read(back[0], &c, 1) != 1
		        : read(pipes[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
			return 1;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("pingpong %.0f\n", (clock_of(CLOCK_MONOTONIC) - began) * 1e6);
	return 0;
}

int
main(int argc, char **argv)
{
	bool forever = argc > 1 && !strcmp(argv[1], "forever");

	if (argc > 1 && !strcmp(argv[1], "deep")) {
		seconds = 0.01;
		deep(40);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "turns")) {
		most = (unsigned)atoi(argv[2]);
		return turns_of_four();
	}
	if (argc > 3)
		return whole_stacks(argc, argv);
	if (argc > 2)
		return pingpong(strtol(argv[2], NULL, 10));
	if (argc > 1 && !forever)
		seconds = strtod(argv[1], NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	if (pipe(pipes))
		return 1;
	do
		for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
			double began, cpu;
			pthread_t t;

			ready = word = 0;
			if (waits[i].other)
				pthread_create(&t, NULL, waits[i].other, NULL);
			if (waits[i].other == holder)
				pthread_barrier_wait(&barrier);
			began = clock_of(CLOCK_MONOTONIC);
			cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
			waits[i].wait();
			cpu = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
			began = clock_of(CLOCK_MONOTONIC) - began;
			printf("%s %.0f %.0f\n", waits[i].name, (began - cpu) * 1e6, began * 1e6);
			fflush(stdout);
			if (waits[i].other)
				pthread_join(t, NULL);
		}
	while (forever);
	return 0;
}
