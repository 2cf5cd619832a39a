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

#include "lib/filemap.h"
#include "sample/tasks/container.h"
#include "sample/events/cpu.h"
#include "sample/events/helper_process.h"
#include "sample/rights/permit.h"
#include "stopper_desk.h"

/* The ring; samples a second at most, and if as many as possible are wished for. */
enum { RING = 8 << 20, FREQ_MOST = 10000, FREQ_MAX = 999 };

/* Whether it can do what is asked for: NULL, else why not, in words. */
static const char *
unfit(const struct capture *c)
{
	if (!proc_there())
		return "it needs /proc, which is not mounted: mount -t proc proc /proc";
	if (c->target == TARGET_SYSTEM)
		return "it sees processes, not the whole system: -p PID";
	if (c->nevent != 1 + (c->waited != NULL) || !c->event[0].is_cycles)
		return "it measures CPU time, and has no other events";
	if (c->event[0].sides_given)
		return "it sees the user side only, with the kernel's time on it";
	if (!c->freq && !c->freq_max)
		return "it samples by time: -F HZ";
	return c->ncpu ? "it cannot tell CPUs apart" : NULL;
}

static void
fill(struct opener *o, const struct capture *c)
{
	int32_t cpu[CPUS_MAX];

	*o = (struct opener){ .capture = *c, .freq = c->freq_max ? FREQ_MAX : c->freq < FREQ_MOST ? c->freq : FREQ_MOST,
	                      .reach = REACH_THREADS, .nsample = 1, .ring_bytes = RING, .stack_most = STACK_MOST, .stack_limit = STACK_MOST };
	o->shape = (struct record_shape){ .period = true, .stack = true, .regs = (uint8_t)__builtin_popcountll(c->regs_mask) };
	o->ncpu = cpu_online(cpu);
	o->capture.user_stack |= c->user_chain;
	opener_stack(o, c->stack_size, false);
}

/* 0 or an errno. */
static int
start(struct tracer *t, struct opener *o, const struct capture *c)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int pair[2], wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct stopper s = { .capture = &o->capture, .prof = getpid() };
	uint8_t *shared = mmap(NULL, 2 * page + RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	fill(o, c);
	if (shared == MAP_FAILED || wake < 0 || !rings_take(&o->rings, shared + page, wake, -1, RING))
		return ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return errno;
	s.freq = o->freq;
	s.ncpu = o->ncpu;
	s.desk = t->desk = (struct desk *)(void *)shared;
	t->desk->stack_size = o->capture.stack_size;
	s.out = (struct emit){ .page = (void *)(shared + page), .data = shared + 2 * page, .size = RING, .wake = wake };
	s.socket = pair[1];
	t->socket = pair[0];
	if ((t->pid = fork()) == 0) {
		container_adapt();   /* prof itself does when the command has been forked */
		hold_only(o, pair[1]);
		stopper_run(&s);
	}
	close(pair[1]);
	return t->pid > 0 ? 0 : errno;
}

static int
request(const struct tracer *t, enum request_what what, int32_t pid, int32_t *whom)
{
	struct request q = { what, pid };
	struct reply r;
	ssize_t n;

	if (send(t->socket, &q, sizeof q, MSG_NOSIGNAL) != sizeof q)
		return EPIPE;
	do
		n = read(t->socket, &r, sizeof r);
	while (n < 0 && errno == EINTR);
	if (n != sizeof r)
		return EPIPE;
	*whom = r.pid;
	return r.err;
}

int
tracer_attach(struct tracer *t, const struct capture *c, struct threads *found, int32_t *whom)
{
	int err = 0;

	for (unsigned i = 0; i < c->npid && !err; i++) {
		err = request(t, REQUEST_ATTACH, c->pid[i], whom);
		if (c->target == TARGET_PROCESSES)
			threads_of(found, c->pid[i]);
	}
	return err;
}

bool
tracer_stand_in(struct tracer *t, struct opener *o, const struct capture *c, struct ladder *l, struct threads *found,
                struct refusal *r)
{
	struct refusal own = { .what = "" };
	const char *why = unfit(c);
	int32_t whom = 0;
	int err = l->perf;

	l->filtered = permit_filtered();
	if (c->engine == ENGINE_PERF || (!l->asked && err != EPERM && err != EACCES && err != ENOSYS))
		return false;
	if (why)
		snprintf(own.what, sizeof own.what, "ptrace cannot stand in: %s", why);
	else if ((err = start(t, o, c)))
		snprintf(own.what, sizeof own.what, "cannot start what is to trace: %s", strerror(err));
	else if (c->target != TARGET_COMMAND && (err = tracer_attach(t, c, found, &whom)))
		tracer_explain(&own, c, whom, err);
	else {
		o->capture.event[0].kernel = false;
		return l->ptrace = true;
	}
	if (l->asked)
		*r = own;
	else
		memcpy(r->last, own.what, sizeof r->last);
	return false;
}

void
tracer_on(struct tracer *t, bool on)
{
	int32_t whom;

	request(t, on ? REQUEST_ON : REQUEST_OFF, 0, &whom);
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
tracer_counts(const struct tracer *t, struct session_counts *n)
{
	const struct desk *d = t->desk;
	uint64_t all = 0, half = 0;
	unsigned us = 0;

	for (unsigned i = 0; i < PAUSES; i++)
		all += d->paused[i];
	while (us < PAUSES - 1 && (half += d->paused[us]) * 2 < all)
		us++;
	n->stops = d->stops;
	n->ticks = d->ticks;
	n->ticks_ns = d->on_ns;
	n->stopper_ns = d->used;
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
