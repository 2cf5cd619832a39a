/* See stopper_event.h.  ptrace(2), "Stopped states": threads that come, change and go.  The stopper waits with WNOWAIT, which
 * leaves a signal with its thread while the kernel delivers it.  If somebody kills this process then, the kernel lets go of all
 * threads, and they still get their signals. */
#include "stopper_event.h"

#include <string.h>
#include <sys/wait.h>

#include "stopper_sample.h"
#include "stopper_wait.h"

/* Takes what the thread stopped for, or ended with, from the kernel. */
static void
settle(int32_t tid, int what)
{
	waitid(P_PID, (id_t)tid, NULL, what | WNOHANG | __WALL);
}

/* Adds the thread to the table, as a child of PARENT (or NULL, if nobody knows the parent). */
static struct tracee *
adopt(struct state *s, int32_t pid, int32_t tid, const struct tracee *parent)
{
	struct tracee *t = tracee_find(&s->tracees, tid);
	int32_t from;

	if (t)
		return t;
	if (!pid)   /* no /proc */
		pid = tid;
	if (!(t = tracee_add(&s->tracees, pid, tid)))
		return NULL;
	from = pid != tid ? pid : tracee_status(tid, "\nPPid:\t");
	emit_task(&s->with.out, PERF_RECORD_FORK, &t->who, parent ? &parent->who : &(struct thread){ from, from });
	tracee_comes(s, t);
	return t;
}

/* What a stop says beyond its kind. */
static int32_t
message(const struct tracee *t)
{
	unsigned long v;

	return stopper_ask(PTRACE_GETEVENTMSG, t->who.tid, 0, (uintptr_t)&v) ? (int32_t)v : 0;
}

/* A thread that has ended, and was waited for, does not exist any more. */
static void
on_birth(struct state *s, const struct tracee *parent)
{
	int32_t child = message(parent), pid = tracee_status(child, "\nTgid:\t");

	if (pid && (pid == parent->who.pid || s->follow == FOLLOW_ALL))
		adopt(s, pid, child, parent);
}

void
event_name(struct state *s, struct tracee *t, const char comm[16], bool exec)
{
	struct { struct thread who; char name[16]; } body = { .who = t->who };

	memcpy(body.name, comm, sizeof body.name);
	memcpy(t->comm, comm, sizeof t->comm);
	emit_record(&s->with.out, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, &t->who, &body, sizeof body);
}

/* The thread now is the whole process, and has the number of its first thread. */
static void
on_exec(struct state *s, struct tracee *t)
{
	int32_t former = message(t);
	struct tracee *old;
	char comm[16] = "?";

	if (former != t->who.tid && (old = tracee_find(&s->tracees, former))) {
		t->begun = old->begun;
		t->run = old->run;
		t->counted = old->counted;
		t->met = old->met;
		old->gone = true;
		tracee_reopen(&s->tracees, t);
	}
	t->execed = clock_now();
	t->told = 0;
	tracee_state(&t->who, comm, &t->cpu);
	event_name(s, t, comm, true);
	tracee_comes(s, t);
}

static void
on_end(struct state *s, int32_t tid)
{
	struct tracee *t = tracee_find(&s->tracees, tid);

	if (t) {
		struct { struct thread who; uint64_t value, enabled, running; } total = { .who = t->who };

		tracee_read(t);   /* it exists until somebody waits for it */
		total.running = t->run - t->begun;
		if (s->on)
			emit_record(&s->with.out, PERF_RECORD_READ, 0, &t->who, &total, sizeof total);
		if (t->out)
			tracee_comes(s, t);
		emit_task(&s->with.out, PERF_RECORD_EXIT, &t->who, &t->who);
		t->gone = true;
	}
	settle(tid, WEXITED);
}

/* Ends a stop before this process looks at anything else. */
static void
on_stop(struct state *s, int32_t tid, unsigned status)
{
	unsigned event = status >> 8, sig = status & 0xff;
	struct tracee *t = tracee_find(&s->tracees, tid);
	bool taken = false;
	int how = PTRACE_CONT;
	int32_t pid;

	/* Until somebody waits for it, the kernel takes the number for that of the first thread, which has gone. */
	if (event == PTRACE_EVENT_EXEC)
		settle(tid, WSTOPPED);
	if (!t && ((pid = tracee_status(tid, "\nTgid:\t")) != tid || s->follow == FOLLOW_ALL))
		t = adopt(s, pid, tid, NULL);
	if (!t)   /* a child that prof does not want, or one beyond the memory cap */
		how = PTRACE_DETACH;
	else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		how = PTRACE_LISTEN;   /* stopped as a whole process: so it stays until its SIGCONT */
	else if (event == PTRACE_EVENT_EXEC)
		on_exec(s, t);
	else {
		if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
			on_birth(s, t);
		taken = t->asked && sample_take(s, t);
	}
	if (how == PTRACE_CONT && (t->asked || event == PTRACE_EVENT_EXEC) && !stopper_may(s, t)) {
		how = PTRACE_DETACH;   /* prof's rights are lent, and the thread is another user's now: the stopper does not tell what it read */
		t->gone = true;
		s->chain.pages = s->deep.pages = 0;
	}
	stopper_ask(how, tid, 0, event ? 0 : sig);
	if (how == PTRACE_CONT && t->asked)
		sample_finish(s, t, taken);
}

bool
event_next(struct state *s, int32_t tid)
{
	siginfo_t info;

	info.si_pid = 0;
	if (waitid(tid ? P_PID : P_ALL, (id_t)tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) || !info.si_pid)
		return false;
	if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
		on_stop(s, info.si_pid, (unsigned)info.si_status);
	else
		on_end(s, info.si_pid);
	return true;
}

void
event_all(struct state *s)
{
	while (event_next(s, 0))
		;
}
