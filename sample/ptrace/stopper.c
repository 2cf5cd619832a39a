/* See stopper.h and stopper_state.h.  ptrace(2) with PTRACE_SEIZE: the process, and the requests to it.  A hostile file may
 * have taken over the process that asks, so the stopper trusts neither the memory that both share, nor a request to trace
 * more than the targets from the start.  To end, the stopper just exits: the kernel then lets go of all threads. */
#include "stopper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sample/events/opener.h"
#include "stopper_event.h"
#include "stopper_state.h"
#include "stopper_tick.h"

/* How many times the stopper lists the threads of a process again. */
enum { PASSES = 20 };
/* Descriptors that the stopper keeps open, twice. */
enum { FILES_MOST = 1 << 16 };

/* 0, or an errno.  EBUSY: another process traces it already, which goes to *TRACER. */
static int
seize(struct state *s, int32_t pid, int32_t tid, int32_t *tracer)
{
	struct tracee *t = tracee_find(&s->tracees, tid);
	char comm[16], state;
	int32_t by;
	int cpu;

	if (t)
		return 0;
	if (stopper_ask(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACEEXEC | s->follow)) {
		if (!(t = tracee_add(&s->tracees, pid, tid)))
			return ENOMEM;
		tracee_read(t);
		t->begun = t->counted = t->met = t->run;
		t->had = t->run;
		t->queued = t->delay;
		t->was_run = t->runs;
		return 0;
	}
	if (errno != EPERM)
		return errno;
	if ((by = tracee_status(tid, "\nTracerPid:\t")) == getpid())   /* a thread that prof traces has made it meanwhile */
		return 0;
	if (by) {
		*tracer = by;
		return EBUSY;
	}
	state = tracee_state(&(struct thread){ pid, tid }, comm, &cpu);
	return !state || state == 'Z' || state == 'X' ? ESRCH : EPERM;
}

static int
attach(struct state *s, int32_t pid, int32_t *tracer)
{
	struct threads found = { 0 };
	uint32_t done = 0;
	int err = ESRCH;

	for (unsigned pass = 0; pass < PASSES; pass++) {
		threads_of(&found, pid);
		if (done == found.n)
			break;
		while (done < found.n && (!err || err == ESRCH)) {
			int one = seize(s, pid, found.thread[done++].tid, tracer);

			err = one == ESRCH ? err : one;
		}
		event_all(s);
	}
	threads_free(&found);
	return err;
}

/* Takes in what descends from it, as far as prof may trace it. */
static void
attach_descendants(struct state *s, int32_t pid)
{
	struct threads family = { 0 };
	int32_t tracer;
	uint32_t own;

	threads_of(&family, pid);
	own = family.n;
	threads_families(&family, s->with.prof);
	for (uint32_t i = own; i < family.n; i++)
		if (family.thread[i].pid == family.thread[i].tid)
			attach(s, family.thread[i].pid, &tracer);
	threads_free(&family);
}

static int
take_hold(struct state *s, int32_t pid, int32_t *tracer)
{
	enum target what = s->with.capture->target;

	if (!s->attaches)
		return EPERM;
	s->attaches--;
	if (what == TARGET_PROCESSES) {
		int err = attach(s, pid, tracer);

		if (!err && s->with.capture->descendants)
			attach_descendants(s, pid);
		return err;
	}
	return seize(s, what == TARGET_COMMAND ? pid : tracee_status(pid, "\nTgid:\t"), pid, tracer);
}

static bool
serve(struct state *s)
{
	struct desk *d = s->with.desk;
	struct request q;
	struct reply r = { 0 };

	if (read(s->with.socket, &q, sizeof q) != sizeof q)
		return false;
	r.pid = q.pid;
	if (q.what == REQUEST_ON)
		s->on = s->last = s->next = clock_now();
	else if (q.what == REQUEST_OFF) {
		d->used = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		d->on_ns += s->on ? clock_now() - s->on : 0;
		s->on = 0;
	} else
		r.err = take_hold(s, q.pid, &r.pid);
	return send(s->with.socket, &r, sizeof r, MSG_NOSIGNAL) == sizeof r;
}

static void
wake_up(int sig)
{
	(void)sig;
}

/* Signals are for prof.  But a stopped thread must not wait for this process. */
static void
become(struct state *s)
{
	int priority = 1;   /* the kernel knows only this field of struct sched_param */
	uint64_t files;

	sigfillset(&s->waiting);
	sigprocmask(SIG_SETMASK, &s->waiting, NULL);
	sigdelset(&s->waiting, SIGCHLD);
	signal(SIGCHLD, wake_up);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->with.prof)
		_exit(0);
	prctl(PR_SET_NAME, "prof-stopper");
	prctl(PR_SET_TIMERSLACK, 1);
	opener_more_files();
	files = opener_files();
	s->tracees.files_most = (uint32_t)(files < FILES_MOST ? files : FILES_MOST) / 2;
	if (s->with.ncpu < 2 || syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &priority))
		setpriority(PRIO_PROCESS, 0, -20);
}

void
stopper_run(const struct stopper *with)
{
	static struct state s;   /* too large for a small stack */
	const struct capture *c = with->capture;
	struct pollfd p = { .fd = with->socket, .events = POLLIN };

	s.with = *with;
	s.follow = FOLLOW_ALL;
	s.random = (uint64_t)getpid();
	become(&s);
	s.attaches = c->npid;
	if (c->target == TARGET_THREADS)
		s.follow = 0;
	else if (!c->inherit)
		s.follow = FOLLOW_THREADS;
	s.schedstat = !access("/proc/self/schedstat", F_OK);
	for (;;) {
		event_all(&s);
		tracees_sweep(&s.tracees);
		if (s.on && clock_now() >= s.next)
			tick(&s);
		if (tick_wait(&s, &p, s.on ? s.next : 0) > 0 && !serve(&s))
			_exit(0);
	}
}
