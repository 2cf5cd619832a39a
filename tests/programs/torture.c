/* torture MODE [NUMBER]: a traced program must not notice the tracer. Each mode counts what the system did to it, and prints the
 * numbers: they are the same on every run, traced or not. An extra thread burns CPU all the time, so that prof has a reason to stop
 * the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int over;
static volatile uint64_t sink;
static char **args;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *
burner(void *unused)
{
	(void)unused;
	while (!over)
		sink++;
	return NULL;
}

static void
rest(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* ---- signals: real-time ones are queued, in order, each with its value and its sender ---- */

static volatile int got, disordered, strange, plain;
static pid_t sender;

static void
on_queued(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	disordered += info->si_value.sival_int != got;
	strange += info->si_code != SI_QUEUE || info->si_pid != sender;
	got++;
}

static void
on_plain(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	strange += info->si_code != SI_USER || info->si_pid != getpid();
	plain++;
}

static void
signals(int n)
{
	struct sigaction queued = { .sa_sigaction = on_queued, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction each = { .sa_sigaction = on_plain, .sa_flags = SA_SIGINFO };
	int faults = 0;

	sigaction(SIGRTMIN + 3, &queued, NULL);
	sigaction(SIGUSR1, &each, NULL);
	sender = getpid();
	for (int i = 0; i < n; i++) {
		while (sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ .sival_int = i }) && errno == EAGAIN)
			faults++;
		kill(getpid(), SIGUSR1);   /* to whichever thread */
		while (plain <= i)
			;
	}
	while (got < n)
		rest(1);
	printf("signals: %d queued, %d out of order, %d plain, %d strange, %d refused\n", got, disordered, plain, strange, faults);
}

/* ---- sleeps: nothing ends early, nothing ends with EINTR that no signal of ours caused ---- */

static volatile unsigned *handled;   /* of two processes */

static void
on_alarm(int sig)
{
	(void)sig;
	++*handled;
}

/* READS of a byte that comes after three signals each: how many ended with EINTR. */
static int
reads(int n, int flags)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = flags };
	int fd[2], interrupted = 0;
	pid_t parent = getpid(), pid;
	char c;

	handled = mmap(NULL, sizeof *handled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGUSR2, &act, NULL);
	if (handled == MAP_FAILED || pipe(fd))
		exit(1);
	for (int i = 0; i < n; i++) {
		if (!(pid = fork())) {
			for (int k = 0; k < 3; k++) {
				unsigned before = *handled;

				rest(30);
				syscall(SYS_tgkill, parent, parent, SIGUSR2);
				while (*handled == before)   /* two signals that wait count as one */
					rest(1);
			}
			rest(30);
			_exit(write(fd[1], "", 1) != 1);
		}
		while (read(fd[0], &c, 1) < 0 && errno == EINTR)
			interrupted++;
		while (waitpid(pid, NULL, 0) < 0)
			interrupted += errno != EINTR;
	}
	close(fd[0]);
	close(fd[1]);
	return interrupted;
}

static void
sleeps(int n)
{
	struct pollfd none = { .fd = -1 };
	struct epoll_event event;
	struct timespec ms20 = { 0, 20000000 }, left;
	int early = 0, eintr = 0, ep = epoll_create1(0), word = 0;

	for (int i = 0; i < n; i++) {
		double start = now();

		eintr += nanosleep(&ms20, &left) != 0;
		early += now() - start < 0.0199;
		start = now();
		eintr += poll(&none, 1, 20) != 0;
		early += now() - start < 0.0199;
		start = now();
		eintr += syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &ms20, NULL, 0) != -1 || errno != ETIMEDOUT;
		early += now() - start < 0.0199;
		start = now();
		eintr += epoll_wait(ep, &event, 1, 20) != 0;
		early += now() - start < 0.0199;
	}
	printf("sleeps: %d early, %d interrupted; reads interrupted: %d, %d with SA_RESTART\n", early, eintr, reads(n / 4, 0),
	       reads(n / 4, SA_RESTART));
}

/* ---- jobs: a parent sees its child stop, go on and end, as often as it does ---- */

static void
jobs(int n)
{
	int stops = 0, conts = 0, wrong = 0, status;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			sink++;
	for (int i = 0; i < n; i++) {
		kill(pid, i % 2 ? SIGSTOP : SIGTSTP);
		wrong += waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) ||
		         WSTOPSIG(status) != (i % 2 ? SIGSTOP : SIGTSTP);
		stops++;
		rest(5);
		wrong += waitpid(pid, &status, WUNTRACED | WCONTINUED | WNOHANG) != 0;   /* it stays stopped */
		kill(pid, SIGCONT);
		wrong += waitpid(pid, &status, WCONTINUED) != pid || !WIFCONTINUED(status);
		conts++;
	}
	kill(pid, SIGTERM);
	wrong += waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
	printf("jobs: %d stops, %d continues, %d wrong\n", stops, conts, wrong);
}

/* ---- forks, execs, threads: each is born, ends, and is waited for, once ---- */

static void
forks(int n)
{
	volatile int sum = 0, wrong = 0;
	int status;

	for (volatile int i = 0; i < n; i++) {
		pid_t pid = i % 3 ? fork() : vfork();

		if (!pid)
			_exit(i % 100);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			wrong++;
		else
			sum += WEXITSTATUS(status);
	}
	printf("forks: %d in sum, %d wrong\n", sum, wrong);
}

static void *
executer(void *left)
{
	execl("/proc/self/exe", args[0], "execs", left, (char *)NULL);
	return NULL;
}

static void
execs(int n)
{
	static char text[16];
	pthread_t t;

	snprintf(text, sizeof text, "%d", n - 1);
	if (n <= 0) {
		printf("execs: done by %s\n", args[0]);
		return;
	}
	for (int i = 0; i < 20000; i++)
		sink++;
	if (n % 2)
		executer(text);
	if (!pthread_create(&t, NULL, executer, text))   /* not the first thread; all others go */
		pthread_join(t, NULL);
}

static void *
counter(void *number)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 100000; i++)
		sum += i;
	sink += sum;
	return number;
}

static void
threads(int n)
{
	intptr_t sum = 0;

	for (int i = 0; i < n; i++) {
		pthread_t t[10];
		void *result;

		for (intptr_t k = 0; k < 10; k++)
			if (pthread_create(&t[k], NULL, counter, (void *)k))
				exit(1);
		for (int k = 0; k < 10; k++) {
			pthread_join(t[k], &result);
			sum += (intptr_t)result;
		}
	}
	printf("threads: %d in sum\n", (int)sum);
}

/* ---- idle: threads that sleep are left alone: they never come to a CPU ---- */

static volatile pid_t tids[32];

static void *
sleeper(void *number)
{
	static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

	tids[(intptr_t)number] = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&never);   /* the first of them waits for a byte that does not come */
	rest(1000000);
	return NULL;
}

static long
switches(pid_t tid)
{
	char path[64], line[256];
	long n = 0, v;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
	if (!(f = fopen(path, "r")))
		return -1;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &v) == 1 || sscanf(line, "nonvoluntary_ctxt_switches: %ld", &v) == 1)
			n += v;
	fclose(f);
	return n;
}

static void
idle(int n)
{
	long before[32];
	int woken = 0;
	pthread_t t;

	for (intptr_t i = 0; i < 32; i++)
		if (pthread_create(&t, NULL, sleeper, (void *)i))
			exit(1);
	rest(300);
	for (int i = 0; i < 32; i++)
		before[i] = switches(tids[i]);
	rest(100L * n);
	for (int i = 0; i < 32; i++)
		woken += switches(tids[i]) != before[i];
	printf("idle: %d woken\n", woken);
}

/* ---- debugger: traces a child of its own, whose pid it prints ---- */

static void
debugger(int seconds)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			sink++;
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		exit(1);
	printf("%d\n", (int)pid);
	fflush(stdout);
	rest(seconds * 1000L);
	kill(pid, SIGKILL);
}

/* ---- mix: known shares of CPU time, in no order that a clock could follow ---- */

#define PART(name) \
	__attribute__((noinline)) static uint64_t \
	name(uint64_t x) \
	{ \
		for (int i = 0; i < 2000; i++) \
			x = x * 6364136223846793005u + 1442695040888963407u + sizeof #name; \
		sink += x; \
		return x; \
	}
PART(part_a) PART(part_bb) PART(part_ccc) PART(part_dddd) PART(part_eeeee)

static void
mix(int n)
{
	static uint64_t (*const part[20])(uint64_t) = {
		part_a, part_a, part_a, part_a, part_a, part_a, part_a, part_a, part_bb, part_bb, part_bb, part_bb, part_bb,
		part_ccc, part_ccc, part_ccc, part_ccc, part_dddd, part_dddd, part_eeeee
	};
	struct timespec t;
	uint64_t x = 1;

	do {
		for (int i = 0; i < 1000; i++)
			x = part[(x >> 40) % 20](x);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 10 + t.tv_nsec / 100000000 < n);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
		int n, burns;
	} mode[] = {
		{ "signals", signals, 2000, 1 }, { "sleeps", sleeps, 12, 1 }, { "jobs", jobs, 20, 1 }, { "forks", forks, 300, 1 },
		{ "threads", threads, 60, 1 }, { "execs", execs, 60, 0 }, { "idle", idle, 10, 1 }, { "mix", mix, 10, 0 },
		{ "debugger", debugger, 20, 0 },
	};
	pthread_t t;

	args = argv;
	for (size_t i = 0; argc > 1 && i < sizeof mode / sizeof mode[0]; i++)
		if (strcmp(mode[i].name, argv[1]) == 0) {
			if (mode[i].burns) {
				sigset_t all, old;

				sigfillset(&all);   /* the signals are the first thread's */
				pthread_sigmask(SIG_SETMASK, &all, &old);
				if (pthread_create(&t, NULL, burner, NULL))
					return 1;
				pthread_sigmask(SIG_SETMASK, &old, NULL);
			}
			mode[i].run(argc > 2 ? atoi(argv[2]) : mode[i].n);
			return 0;
		}
	fprintf(stderr, "torture: no such mode\n");
	return 2;
}
