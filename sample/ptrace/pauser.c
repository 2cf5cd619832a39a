/* See pauser.h.  ptrace(2): PTRACE_SEIZE and PTRACE_INTERRUPT leave no mark on a thread, unlike SIGSTOP.  A thread that does
 * not stop in time (it waits for a disk, or for a CPU) stays as it is; it remains seized until this process ends, and the
 * pauser hands on a signal that it gets meanwhile. */
#include "pauser.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/proc.h"
#include "sample/events/capture.h"
#include "sample/tasks/stack_copy.h"
#include "stopper_thread.h"
#include "thread_registers.h"

/* ns: how long a thread may take to stop, and the pauser to look at it; how long all threads together may besides, while they only wait
 * for a CPU to stop on. */
#define PATIENCE UINT64_C(100000000)
#define LOOK     UINT64_C(500000)
#define CROWDED  UINT64_C(3000000000)

static bool
ask(int what, int32_t tid, uintptr_t data)
{
	return ptrace(what, tid, NULL, (void *)data) >= 0;
}

/* Lets the thread go: with the signal that it stopped for, if it was one. */
static void
let_go(int32_t tid, int status)
{
	unsigned event = (unsigned)status >> 8;

	ask(PTRACE_DETACH, tid, event ? 0 : (unsigned)status & 0xff);
}

static void
look(struct paused *p, int32_t tid, const struct prstatus *with)
{
	uint64_t pointer, most = p->wanted < PAUSED_STACK ? p->wanted : PAUSED_STACK;

	if (!(p->nregs = thread_registers(tid, with, p->regs, &p->compat, &pointer))) {
		p->err = errno;
		return;
	}
	with += p->compat;
	p->sp = p->regs[with->sp];
	p->pc = p->regs[with->pc];
	p->size = (uint32_t)stack_copy(tid, p->sp, p->stack, (size_t)most, clock_now() + LOOK);
	chain_take(&p->frames, &p->chain, NULL, tid, 0, &(struct piece){ p->sp, p->size, p->stack });
}

/* The wait status of a stop in *STATUS; false if there is none before END. */
static bool
stops(int32_t tid, int *status, uint64_t end)
{
	sigset_t child;
	siginfo_t info;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		uint64_t now = clock_now();

		info.si_pid = 0;
		if (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOHANG | __WALL))
			return false;
		if (info.si_pid) {
			*status = info.si_status;
			return info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
		}
		if (now >= end)
			return false;
		sigtimedwait(&child, NULL, &(struct timespec){ 0, (long)(end - now) });
	}
}

static bool
waits_for_cpu(int32_t tid)
{
	char stat[512], *p;

	return proc_text(tid, "stat", stat, sizeof stat) > 0 && (p = strrchr(stat, ')')) && !strncmp(p, ") R", 3);
}

/* Stops the thread, and uses up what is left of *SPARE if that takes long; false with errno. */
static bool
stopped(int32_t tid, int *status, uint64_t *spare)
{
	bool well = ask(PTRACE_INTERRUPT, tid, 0) && stops(tid, status, clock_now() + PATIENCE);

	while (!well && errno != ESRCH && errno != ECHILD && *spare >= PATIENCE && waits_for_cpu(tid)) {
		*spare -= PATIENCE;
		well = stops(tid, status, clock_now() + PATIENCE);
	}
	return well;
}

static void
take(struct paused *p, int32_t tid, const struct prstatus *with, uint64_t *spare)
{
	uint64_t began;
	int status;

	p->err = p->tracer = 0;
	p->size = p->nregs = 0;
	p->stood = 0;
	if (!ask(PTRACE_SEIZE, tid, 0)) {
		p->err = errno;
		if (errno == EPERM && (p->tracer = tracee_status(tid, "\nTracerPid:\t")))
			p->err = EBUSY;
		return;
	}
	if (!stopped(tid, &status, spare)) {
		p->err = errno == ESRCH || errno == ECHILD ? ESRCH : ETIMEDOUT;
		return;
	}
	began = clock_now();
	look(p, tid, with);
	let_go(tid, status);
	p->stood = clock_now() - began;
}

/* Threads that stopped too late go on at once. */
static void
release(void)
{
	siginfo_t info;

	for (info.si_pid = 0; !waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | __WALL) && info.si_pid; info.si_pid = 0)
		if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
			let_go(info.si_pid, info.si_status);
}

static void
on_child(int sig)
{
	(void)sig;
}

/* Has the room's pages made before the stop: that takes longer than the copy. */
static void
make_room(struct paused *p, size_t *made)
{
	const size_t page = 4096;

	for (; *made < p->wanted && *made < PAUSED_STACK; *made += page)
		*(volatile uint8_t *)(p->stack + *made) = 0;
}

__attribute__((noreturn)) static void
serve(struct paused *p, int socket, const struct prstatus *with, const struct threads *these, pid_t prof)
{
	uint64_t spare = CROWDED;
	size_t made = 0;
	int priority = 1;
	int32_t tid;
	sigset_t all;
	ssize_t n;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, on_child);   /* else sigtimedwait does not see it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != prof)
		_exit(0);
	prctl(PR_SET_NAME, "prof-pauser");
	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &priority))   /* a stopped thread must not wait for this process */
		setpriority(PRIO_PROCESS, 0, -20);
	while ((n = read(socket, &tid, sizeof tid)) == sizeof tid || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		release();
		make_room(p, &made);
		if (threads_has(these, tid))
			take(p, tid, with, &spare);
		else
			p->err = EPERM;
		if (send(socket, &tid, sizeof tid, MSG_NOSIGNAL) != sizeof tid)
			break;
	}
	_exit(0);
}

bool
pauser_start(struct pauser *p, const struct prstatus *with, const struct threads *these)
{
	pid_t prof = getpid();
	int pair[2];

	p->paused = mmap(NULL, sizeof *p->paused, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->paused == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	if (!(p->pid = (int32_t)fork())) {
		close(pair[0]);
		serve(p->paused, pair[1], with, these, prof);
	}
	p->socket = pair[0];
	close(pair[1]);
	return p->pid > 0;
}

void
pauser_take(struct pauser *p, int32_t tid, uint32_t size)
{
	ssize_t n = -1;

	p->paused->wanted = size;
	p->paused->err = EPIPE;
	if (send(p->socket, &tid, sizeof tid, MSG_NOSIGNAL) == sizeof tid)
		do
			n = read(p->socket, &tid, sizeof tid);
		while (n < 0 && errno == EINTR);
	if (n != sizeof tid)
		p->paused->err = EPIPE;
}

void
pauser_end(struct pauser *p)
{
	if (p->pid <= 0)
		return;
	close(p->socket);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(p->paused, sizeof *p->paused);
	*p = (struct pauser){ 0 };
}
