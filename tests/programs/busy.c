/* What live tests profile: `busy MODE [NUMBER [NUMBER]]`.  CPU time is burnt in outer, middle and inner, so that a right
 * stack is main;MODE;outer;middle;inner; seconds are of CPU time unless a mode says otherwise, so that the number of
 * samples does not depend on what else the machine does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __has_attribute && __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static volatile uint64_t sum;
static char **args;

static double
clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
pause_for(double seconds)
{
	struct timespec t = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Some 20 us. */
NOINLINE static void
inner(void)
{
	for (unsigned i = 0; i < 10000; i++)
		sum += i;
}

NOINLINE static void
middle(void)
{
	for (unsigned i = 0; i < 10; i++)
		inner();
	sum++;
}

NOINLINE static void
outer(clockid_t id, double until)
{
	while (clock_of(id) < until)
		middle();
	sum++;
}

NOINLINE static void
burn(double seconds)
{
	outer(CLOCK_THREAD_CPUTIME_ID, clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds);
	sum++;
}

NOINLINE static void
cpu(double seconds, double n)
{
	(void)n;
	burn(seconds);
	sum++;
}

/* SECONDS of wall time. */
NOINLINE static void
wall(double seconds, double n)
{
	(void)n;
	outer(CLOCK_MONOTONIC, clock_of(CLOCK_MONOTONIC) + seconds);
	sum++;
}

NOINLINE static void
idle(double seconds, double n)
{
	(void)n;
	pause_for(seconds);
	sum++;
}

NOINLINE static void
phase_one(double until)
{
	outer(CLOCK_MONOTONIC, until);
	sum++;
}

NOINLINE static void
phase_two(double until)
{
	outer(CLOCK_MONOTONIC, until);
	sum += 2;   /* otherwise the linker would fold it into phase_one */
}

/* One half of SECONDS of wall time in phase_one, the other in phase_two. */
NOINLINE static void
two(double seconds, double n)
{
	double start = clock_of(CLOCK_MONOTONIC);

	(void)n;
	phase_one(start + seconds / 2);
	phase_two(start + seconds);
	sum++;
}

/* Reads zeros: time in the kernel. */
NOINLINE static void
kernel(double seconds, double n)
{
	static char buf[1 << 20];
	double until = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
	int fd = open("/dev/zero", O_RDONLY);

	(void)n;
	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < until)
		if (read(fd, buf, sizeof buf) <= 0)
			exit(1);
	close(fd);
}

/* Touches N new pages. */
NOINLINE static void
faults(double n, double unused)
{
	size_t size = (size_t)n * 4096;
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	madvise((void *)(uintptr_t)p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
}

static double thread_seconds;

static void *
worker(void *name)
{
	prctl(PR_SET_NAME, name);
	burn(thread_seconds);
	return NULL;
}

static pthread_t
spawn(const char *format, int i)
{
	static char names[1024][16];
	pthread_attr_t attr;
	pthread_t t;

	snprintf(names[i], sizeof names[i], format, i);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	if (pthread_create(&t, &attr, worker, names[i]))
		exit(1);
	return t;
}

static int named;

static void *
waiter(void *name)
{
	static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	static int open;
	char c;

	prctl(PR_SET_NAME, name);
	__atomic_add_fetch(&named, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&gate);
	if (!open && read(0, &c, 1) >= 0)
		open = 1;
	pthread_mutex_unlock(&gate);
	burn(thread_seconds);
	return NULL;
}

/* N threads called t0, t1, ... that burn SECONDS each, once a line has come on stdin. */
static void
many(double seconds, double n)
{
	static char names[4096][16];
	static pthread_t thread[4096];
	pthread_attr_t attr;

	thread_seconds = seconds;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (int i = 0; i < (int)n; i++) {
		snprintf(names[i], sizeof names[i], "t%d", i);
		if (pthread_create(&thread[i], &attr, waiter, names[i]))
			exit(1);
	}
	while (__atomic_load_n(&named, __ATOMIC_SEQ_CST) < (int)n)
		pause_for(0.01);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < (int)n; i++)
		pthread_join(thread[i], NULL);
}

/* After a line on stdin, threads one after the other, N of them, that burn SECONDS each. */
static void
born(double seconds, double n)
{
	char c;

	thread_seconds = seconds;
	puts("ready");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		exit(1);
	for (int i = 0; i < (int)n; i++)
		pthread_join(spawn("born%d", i), NULL);
}

/* A thread burns SECONDS after the first one has ended. */
static void
headless(double seconds, double n)
{
	(void)n;
	thread_seconds = seconds;
	spawn("body", 0);
	pthread_exit(NULL);
}

/* N children one after the other, each of which executes this program to burn SECONDS. */
static void
children(double seconds, double n)
{
	char text[32];

	snprintf(text, sizeof text, "%g", seconds);
	for (int i = 0; i < (int)n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl(args[0], args[0], "cpu", text, (char *)NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Forks; parent and child burn SECONDS each. */
NOINLINE static void
in_child(double seconds)
{
	burn(seconds);
	sum++;
}

static void
forks(double seconds, double n)
{
	pid_t pid = fork();

	(void)n;
	if (pid == 0) {
		prctl(PR_SET_NAME, "forked");
		in_child(seconds);
		_exit(0);
	}
	burn(seconds);
	waitpid(pid, NULL, 0);
}

/* N calls deep, then SECONDS. */
NOINLINE static void
recurse(double seconds, double n)
{
	if (n <= 0)
		burn(seconds);
	else
		recurse(seconds, n - 1);
	sum++;
}

/* SECONDS under a local array of N KiB. */
NOINLINE static void
large(double seconds, double n)
{
	size_t size = (size_t)n << 10;
	char array[size];

	memset(array, (int)size, size);
	burn(seconds);
	sum += (uint64_t)*(volatile char *)array;
}

/* Machine code of its own, with a frame pointer and called by jit_caller, named by a perf map. */
#if defined __x86_64__
static const uint8_t jitted[] = {
	0x55,                               /* push %rbp */
	0x48, 0x89, 0xe5,                   /* mov %rsp, %rbp */
	0xb9, 0x00, 0xe1, 0xf5, 0x05,       /* mov $100000000, %ecx */
	0xff, 0xc9,                         /* dec %ecx */
	0x75, 0xfc,                         /* jnz back to it */
	0x5d,                               /* pop %rbp */
	0xc3,                               /* ret */
};
#else
static const uint8_t jitted[1];
#endif

NOINLINE static void
jit(double seconds, double n)
{
	void (*code)(void);
	char path[64];
	double until = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	(void)n;
	if (page == MAP_FAILED || sizeof jitted == 1)
		exit(77);
	memcpy(page, jitted, sizeof jitted);
	memcpy(&code, &page, sizeof code);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
	fprintf(map, "%llx %zx LazyCompile:*hot loop.js:7\n", (unsigned long long)(uintptr_t)page, sizeof jitted);
	fclose(map);
	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < until)
		code();
	pause_for(0.2);
	unlink(path);
}

/* Comms that are difficult for writers. */
static void
hostile(double seconds, double n)
{
	(void)n;
	prctl(PR_SET_NAME, "a;b \"c\\\n\x01\xff\xc3");
	burn(seconds);
	sum++;
}

/* Makes itself a process into which others of its user may not look. */
static void
secret(double seconds, double n)
{
	prctl(PR_SET_DUMPABLE, 0);
	if (n == 0)
		pause_for(seconds);
	outer(CLOCK_MONOTONIC, clock_of(CLOCK_MONOTONIC) + seconds);
	sum++;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(double, double);
	} mode[] = {
		{ "cpu", cpu }, { "wall", wall }, { "idle", idle }, { "two", two }, { "kernel", kernel }, { "faults", faults },
		{ "many", many }, { "born", born }, { "headless", headless }, { "children", children }, { "forks", forks }, { "recurse", recurse },
		{ "large", large },
		{ "jit", jit }, { "hostile", hostile }, { "secret", secret },
	};

	args = argv;
	for (size_t i = 0; argc > 1 && i < sizeof mode / sizeof mode[0]; i++)
		if (strcmp(mode[i].name, argv[1]) == 0) {
			mode[i].run(argc > 2 ? atof(argv[2]) : 1, argc > 3 ? atof(argv[3]) : 1);
			return 0;
		}
	fprintf(stderr, "busy: no such mode\n");
	return 2;
}
