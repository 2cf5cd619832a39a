/* See ptrace.h.  The ring has the layout of perf's: a page with head and tail, then the data.  What the session reads comes
 * through it in the records of <linux/perf_event.h>, so that nobody behind it knows the difference. */
#include "ptrace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/proc.h"
#include "sample/tasks/proc_mount.h"
#include "sample/tasks/threads.h"
#include "sample/events/cpu.h"
#include "stopper.h"
#include "stopper_desk.h"

/* Bytes of the ring; samples a second at most, and if the user wants as many as possible. */
enum { RING = 8 << 20, FREQ_MOST = 10000, FREQ_MAX = 999 };

/* Whether the engine can do what the user asks for: NULL, else why not, in words. */
static const char *
unfit(const struct capture *c)
{
	if (!proc_there())
		return "it needs /proc, which is not mounted: mount -t proc proc /proc";
	if (c->target == TARGET_SYSTEM)
		return "it sees processes, not the whole system (use -p PID)";
	if (c->nevent != 1 + (c->waited != NULL) || !c->event[0].is_cycles)
		return "it measures CPU time, and has no other events";
	if (c->event[0].sides_given)
		return "it sees the user side only";
	if (!c->freq && !c->freq_max)
		return "it samples by time (use -F HZ)";
	return c->ncpu ? "it cannot tell CPUs apart" : NULL;
}

static void
fill(struct opener *o, const struct capture *c)
{
	int32_t cpu[CPUS_MAX];

	*o = (struct opener){ .capture = *c, .freq = c->freq_max ? FREQ_MAX : c->freq < FREQ_MOST ? c->freq : FREQ_MOST,
	                      .reach = REACH_THREADS, .nsample = 1, .ring_bytes = RING };
	o->shape = (struct record_shape){ .period = true, .stack = true, .regs = (uint8_t)__builtin_popcountll(c->regs_mask) };
	o->ncpu = cpu_online(cpu);
	o->capture.user_stack |= c->user_chain;
	o->capture.user_chain = false;
}

/* False with errno. */
static bool
start(struct tracer *t, struct opener *o, const struct capture *c)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int pair[2], wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct stopper s = { .capture = &o->capture, .prof = getpid(), .lent = t->lent };
	uint8_t *shared = mmap(NULL, 2 * page + RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	fill(o, c);
	if (shared == MAP_FAILED || wake < 0 || !rings_take(&o->rings, shared + page, wake, -1, RING)) {
		errno = ENOMEM;
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	s.freq = o->freq;
	s.ncpu = o->ncpu;
	s.desk = t->desk = (struct desk *)(void *)shared;
	s.out = (struct emit){ .page = (void *)(shared + page), .data = shared + 2 * page, .size = RING, .wake = wake };
	if (o->shape.stack && deep_share(&o->deep, EMIT_PART)) {
		o->shape.part = o->deep.id;
		o->shape.nparts = o->deep.ncpu;
		s.told = o->deep.told;
	}
	s.socket = pair[1];
	t->socket = pair[0];
	if ((t->pid = fork()) == 0) {
		proc_mount_adapt();   /* prof itself does when the command has been forked */
		opener_only(o, &pair[1], 1);
		stopper_run(&s);
	}
	close(pair[1]);
	return t->pid > 0;
}

/* False with errno, and the process that the error is about. */
static bool
request(const struct tracer *t, enum request_what what, int32_t pid, int32_t *whom)
{
	struct request q = { what, pid };
	struct reply r;
	ssize_t n;

	errno = EPIPE;
	if (send(t->socket, &q, sizeof q, MSG_NOSIGNAL) != sizeof q)
		return false;
	do
		n = read(t->socket, &r, sizeof r);
	while (n < 0 && errno == EINTR);
	if (n != sizeof r) {
		errno = EPIPE;
		return false;
	}
	*whom = r.pid;
	errno = r.err;
	return !r.err;
}

bool
tracer_attach(struct tracer *t, const struct capture *c, struct threads *found, int32_t *whom)
{
	for (unsigned i = 0; i < c->npid; i++) {
		if (!request(t, REQUEST_ATTACH, c->pid[i], whom))
			return false;
		if (c->target == TARGET_PROCESSES)
			threads_of(found, c->pid[i]);
	}
	if (c->descendants)   /* the stopper has taken hold of them, too */
		threads_families(found, getpid());
	return true;
}

bool
tracer_stand_in(struct tracer *t, struct opener *o, const struct capture *c, struct ladder *l, struct threads *found,
                struct refusal *r)
{
	const char *why = unfit(c);
	int32_t whom = 0;
	int err = l->perf;

	if (c->engine == ENGINE_PERF || (!l->asked && err != EPERM && err != EACCES && err != ENOSYS))
		return false;
	if (why)
		snprintf(r->what, sizeof r->what, "ptrace cannot replace perf events here: %s", why);
	else if (!start(t, o, c))
		snprintf(r->what, sizeof r->what, "cannot start the process that traces: %s", strerror(errno));
	else if (c->target != TARGET_COMMAND && !tracer_attach(t, c, found, &whom))
		*r = (struct refusal){ .of = REFUSED_TRACE, .err = errno, .pid = whom };
	else {
		o->capture.event[0].kernel = false;
		return l->ptrace = true;
	}
	return false;
}

void
tracer_on(struct tracer *t, bool on)
{
	int32_t whom;

	if (!request(t, on ? REQUEST_ON : REQUEST_OFF, 0, &whom) && errno == EPIPE)
		t->died = true;
}

void
tracer_stack(struct tracer *t, uint32_t bytes)
{
	__atomic_store_n(&t->desk->stack_size, bytes, __ATOMIC_RELAXED);
}

void
tracer_awake(const struct tracer *t, const struct rings *rings)
{
	uint64_t n;

	if (t->pid && read(rings->ring[0].fd, &n, sizeof n) < 0)
		return;   /* it was not woken by that */
}

void
tracer_counts(const struct tracer *t, struct stop_counts *n)
{
	const struct desk *d = t->desk;
	uint64_t all = 0, half = 0;
	unsigned us = 0;

	for (unsigned i = 0; i < PAUSES; i++)
		all += d->paused[i];
	while (us < PAUSES - 1 && (half += d->paused[us]) * 2 < all)
		us++;
	n->died = t->died;
	n->stops = d->stops;
	n->ticks = d->ticks;
	n->ticks_ns = d->on_ns;
	n->used_ns = d->used;
	n->paused = us;
	n->paused_most = d->longest / 1000;
}

void
tracer_close(struct tracer *t)
{
	if (t->pid <= 0)
		return;
	close(t->socket);
	while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(t->desk, (size_t)sysconf(_SC_PAGESIZE));
	t->pid = 0;
}
