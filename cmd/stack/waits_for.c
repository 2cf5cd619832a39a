/* See waits_for.h.  Most waits are one of the same few system calls.  For a futex, only the functions above it tell what it is. */
#include "waits_for.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/text.h"
#include "thread_stacks.h"

#ifdef SYS_clock_nanosleep
#define SLEEP SYS_clock_nanosleep
#else
#define SLEEP SYS_clock_nanosleep_time32
#endif

/* FILE: its first argument is a descriptor.  RESTARTS: in all cases; one of a socket does not if the socket has a timeout. */
static const struct call {
	long number;
	const char *name, *words;
	bool file, restarts;
} calls[] = {
	{ SYS_futex, "futex", "a lock or another thread", false, true },
#ifdef SYS_futex_time64
	{ SYS_futex_time64, "futex", "a lock or another thread", false, true },
#endif
#ifdef SYS_poll
	{ SYS_poll, "poll", "files, sockets or a time", false, true },
#endif
	{ SYS_ppoll, "ppoll", "files, sockets or a time", false, true },
#ifdef SYS_select
	{ SYS_select, "select", "files, sockets or a time", false, true },
#endif
#ifdef SYS__newselect
	{ SYS__newselect, "select", "files, sockets or a time", false, true },
#endif
	{ SYS_pselect6, "pselect", "files, sockets or a time", false, true },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, "epoll_wait", "events", true, false },
#endif
	{ SYS_epoll_pwait, "epoll_pwait", "events", true, false },
#ifdef SYS_nanosleep
	{ SYS_nanosleep, "nanosleep", "a time", false, true },
#endif
#ifdef SYS_clock_nanosleep_time64
	{ SYS_clock_nanosleep_time64, "clock_nanosleep", "a time", false, true },
#endif
	{ SLEEP, "clock_nanosleep", "a time", false, true },
	{ SYS_restart_syscall, "restart_syscall", "a time, or what it waited for before a signal came", false, true },
#ifdef SYS_pause
	{ SYS_pause, "pause", "a signal", false, true },
#endif
	{ SYS_rt_sigsuspend, "sigsuspend", "a signal", false, true },
	{ SYS_rt_sigtimedwait, "sigtimedwait", "a signal", false, false },
	{ SYS_wait4, "wait4", "a child process", false, true },
	{ SYS_waitid, "waitid", "a child process", false, true },
	{ SYS_read, "read", "data", true, false },
	{ SYS_readv, "readv", "data", true, false },
	{ SYS_pread64, "pread", "data", true, false },
	{ SYS_write, "write", "room to write", true, false },
	{ SYS_writev, "writev", "room to write", true, false },
	{ SYS_fsync, "fsync", "a disk", true, false },
	{ SYS_fdatasync, "fdatasync", "a disk", true, false },
	{ SYS_flock, "flock", "a lock of a file", true, true },
#ifdef SYS_recvfrom
	{ SYS_recvfrom, "recvfrom", "data", true, false },
	{ SYS_recvmsg, "recvmsg", "data", true, false },
	{ SYS_sendto, "sendto", "room to send", true, false },
	{ SYS_sendmsg, "sendmsg", "room to send", true, false },
	{ SYS_connect, "connect", "a connection", true, false },
#endif
#ifdef SYS_accept
	{ SYS_accept, "accept", "a connection", true, false },
#endif
#ifdef SYS_accept4
	{ SYS_accept4, "accept4", "a connection", true, false },
#endif
#ifdef SYS_semtimedop
	{ SYS_semtimedop, "semtimedop", "a semaphore", false, false },
#endif
	{ SYS_io_getevents, "io_getevents", "a disk", false, false },
#ifdef SYS_io_uring_enter
	{ SYS_io_uring_enter, "io_uring_enter", "files or sockets", true, false },
#endif
};

/* Functions that say what their futex is; the outermost one in a stack says most. */
static const struct { const char *function, *words; } known[] = {
	{ "pthread_mutex_lock", "a mutex" },
	{ "___pthread_mutex_lock", "a mutex" },
	{ "__lll_lock_wait", "a mutex" },
	{ "__GI___lll_lock_wait", "a mutex" },
	{ "pthread_cond_wait", "a condition" },
	{ "___pthread_cond_wait", "a condition" },
	{ "pthread_cond_timedwait", "a condition or a time" },
	{ "___pthread_cond_timedwait", "a condition or a time" },
	{ "pthread_cond_clockwait", "a condition or a time" },
	{ "sem_wait", "a semaphore" },
	{ "___pthread_rwlock_wrlock", "a lock for writing" },
	{ "___pthread_rwlock_rdlock", "a lock for reading" },
	{ "__pthread_clockjoin_ex", "the end of a thread" },
	{ "pthread_join", "the end of a thread" },
	{ "take_gil", "Python's interpreter lock (the GIL)" },
	{ "PyThread_acquire_lock_timed", "a lock of Python's" },
	{ "Monitor::wait", "a monitor of the JVM's" },
	{ "runtime.stopm", "work (a thread of Go's that is idle)" },
	{ "runtime.mPark", "work (a thread of Go's that is idle)" },
};

enum { FRAMES_KNOWN = 12 };

/* Names a call that the kernel has begun again, by the place where it sleeps. */
static const struct { const char *wchan; long number; } begun_again[] = {
	{ "poll_", SYS_ppoll }, { "futex_", SYS_futex }, { "hrtimer_nanosleep", SLEEP }, { "do_nanosleep", SLEEP },
};

static const struct call *
call_of(const char *line, const char *wchan)
{
	uint64_t number;

	if (!text_dec(&line, &number))
		return NULL;
	for (unsigned i = 0; number == SYS_restart_syscall && i < sizeof begun_again / sizeof *begun_again; i++)
		if (!strncmp(wchan, begun_again[i].wchan, strlen(begun_again[i].wchan)))
			number = (uint64_t)begun_again[i].number;
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		if ((uint64_t)calls[i].number == number)
			return &calls[i];
	return NULL;
}

bool
waits_restarts(const char *line, const char *file)
{
	const struct call *c = call_of(line, "");

	return c && (c->restarts || (c->file && !strncmp(file, "pipe:", 5)));
}

const char *
waits_call(const struct stack_thread *t)
{
	const struct call *c = call_of(t->call, t->wchan);

	return c ? c->name : NULL;
}

const char *
waits_file(const struct stack_thread *t)
{
	const struct call *c = call_of(t->call, t->wchan);

	return c && c->file ? t->file : NULL;
}

struct looked {
	const char *words;
	unsigned frames;
};

static void
look(void *ctx, const struct function *f, uint32_t line, const struct location *where)
{
	struct looked *l = ctx;

	(void)line;
	(void)where;
	if (f->kind == FUNCTION_KERNEL || f->kind == FUNCTION_MARK || l->frames++ >= FRAMES_KNOWN)
		return;
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(f->name, known[i].function))
			l->words = known[i].words;
}

static const char *
put(struct thread_stacks *s, const char *format, const char *a, const char *b, const char *c)
{
	char text[512];
	int n = snprintf(text, sizeof text, format, a, b, c);
	const char *copy = arena_str(&s->collector.profile.arena, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);

	return copy ? copy : "";
}

static const char *
in_call(struct thread_stacks *s, const struct stack_thread *t)
{
	const struct call *c = call_of(t->call, t->wchan);
	struct looked l = { 0 };

	if (!c)
		return !*t->wchan ? NULL : put(s, "waits in the kernel (%s)", t->wchan, NULL, NULL);
	if (!strcmp(c->name, "futex")) {
		thread_stacks_frames(s, t, look, &l);
		return put(s, "waits for %s (futex)", l.words ? l.words : c->words, NULL, NULL);
	}
	if (c->file && *t->file)
		return put(s, "waits for %s (%s of %s)", c->words, c->name, t->file);
	return put(s, "waits for %s (%s)", c->words, c->name, NULL);
}

const char *
waits_for(struct thread_stacks *s, const struct stack_thread *t)
{
	const char *words;

	if (t->lock == LOCK_WANTED)
		return "waits for Python's interpreter lock (the GIL)";
	switch (t->state) {
	case 'R':
		return t->lock == LOCK_HELD ? "runs, and holds Python's interpreter lock (the GIL)" : "runs";
	case 'T':
		return "was stopped (by SIGSTOP or the terminal)";
	case 't':
		return "was stopped by a debugger";
	case 'Z':
	case 'X':
		return "has ended";
	case 'D':
		return (words = in_call(s, t)) ? put(s, "%s, uninterruptibly", words, NULL, NULL) : "waits for the kernel, uninterruptibly";
	case 0:   /* of a core file */
		return t->waits;
	}
	return (words = in_call(s, t)) ? words : "waits";
}
