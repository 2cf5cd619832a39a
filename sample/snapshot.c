/* See snapshot.h.  proc(5): /proc/PID/task/TID/stat, status, syscall, wchan, stack; schedstat.
 *
 * prof reads a sleeping thread without stopping it: the line of its system call with sp and pc, its stack, and the line again.
 * If both lines are the same, and the thread has not been on a CPU meanwhile, all of it is of one moment.  This does not
 * disturb the thread, while a stop would end calls such as epoll_wait with EINTR. */
#include "snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "sample/events/capture.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/stack_copy.h"
#include "sample/tasks/target.h"
#include "sample/tasks/threads.h"

/* Bytes that the stacks of all threads may take, and the stack of one thread at least; how often prof reads a thread again that
 * moved meanwhile, before prof stops it. */
enum { STACKS_MOST = 128 << 20, LEAST = 16 << 10, TRIES = 3 };
enum { KERNEL_THREAD = 0x200000, MOST_CALL = 4 };   /* PF_KTHREAD, <linux/sched.h>; bytes of a system call's instruction */

static long
text_of(const struct snapshot *s, const char *name, char *buf, size_t n)
{
	char path[32];

	snprintf(path, sizeof path, "task/%d/%s", (int)s->tid, name);
	return proc_text(s->pid, path, buf, n);
}

/* The thread's name, state and flags.  False if the thread has ended. */
static bool
read_stat(struct snapshot *s)
{
	char buf[512], *lo, *hi;
	const char *p;
	uint64_t flags;

	if (text_of(s, "stat", buf, sizeof buf) <= 0 || !(lo = strchr(buf, '(')) || !(hi = strrchr(lo, ')')) || hi[1] != ' ')
		return false;
	memset(s->comm, 0, sizeof s->comm);
	memcpy(s->comm, lo + 1, hi - lo - 1 < 15 ? (size_t)(hi - lo - 1) : 15);
	s->state = hi[2];
	p = hi + 1;
	for (unsigned field = 3; p && field < 9; field++)
		p = strchr(p + 1, ' ');
	s->kernel = p && (p++, text_dec(&p, &flags)) && flags & KERNEL_THREAD;
	return true;
}

/* ns that it has run for, and how often it got a CPU. */
static bool
read_runs(const struct snapshot *s, uint64_t *ran, uint64_t *runs)
{
	uint64_t v[3] = { 0 };
	char buf[80];
	const char *p = buf;

	if (text_of(s, "schedstat", buf, sizeof buf) <= 0)
		return false;
	for (unsigned i = 0; i < 3; i++, p += *p == ' ')
		if (!text_dec(&p, &v[i]))
			return false;
	*ran = v[0];
	*runs = v[2];
	return true;
}

/* "NUMBER ARGUMENTS SP PC" in hexadecimal, or "-1 SP PC" outside of a call; "running". */
static bool
where_in(const char *line, uint64_t *sp, uint64_t *pc)
{
	*sp = *pc = 0;
	for (const char *p = line; (p = strstr(p, " 0x"));) {
		p += 3;
		*sp = *pc;
		if (!text_hex(&p, pc))
			return false;
	}
	return *sp && *pc;
}

static const char *
keep(struct snapshots *all, const char *text, long n)
{
	const char *copy = n > 0 ? arena_str(&all->arena, text, (size_t)n) : "";

	return copy ? copy : "";
}

static bool
keep_stack(struct snapshots *all, struct snapshot *s, const void *bytes, size_t n)
{
	uint8_t *copy = arena_alloc(&all->arena, n + 8);

	if (!copy)
		return false;
	memcpy(copy, bytes, n);
	s->sample.stack = copy;
	s->sample.stack_size = n;
	return true;
}

/* What else the kernel says of the thread: the line must be of a thread that sleeps. */
static void
read_words(struct snapshots *all, struct snapshot *s, const char *line)
{
	char path[PROC_PATH_MAX], buf[4096];
	const char *p = strstr(line, " 0x");
	uint64_t fd;
	long n;

	s->call = keep(all, line, (long)strcspn(line, "\n"));
	if (p && *line != '-' && (p += 3, text_hex(&p, &fd)) && fd < INT32_MAX)
		s->file = keep(all, buf, readlink(proc_path(path, s->pid, "fd/%u", (unsigned)fd), buf, 256));
	n = text_of(s, "wchan", buf, sizeof buf);
	s->wchan = n > 0 && *buf != '0' ? keep(all, buf, n) : "";
}

/* The kernel's side of a sleeping thread; only root may read it. */
static void
read_kernel(struct snapshots *all, struct snapshot *s)
{
	char buf[4096];

	s->stack = keep(all, buf, text_of(s, "stack", buf, sizeof buf));
}

/* Whether the thread sleeps, and prof read all in one moment.  False with errno. */
static bool
lies_still(struct snapshots *all, struct snapshot *s, size_t most)
{
	struct pauser *p = &all->pauser;
	char line[256], again[256];
	uint64_t sp, pc, ran, runs = 0, runs_again = 0;
	size_t n;

	for (unsigned i = 0; i < TRIES; i++) {
		bool counted = read_runs(s, &s->ran, &runs);   /* first: it may run, and sleep at the same place again, before prof looks */
		long len = foreign_asleep(s->pid, s->tid, line, sizeof line);

		if (len <= 0 || !where_in(line, &sp, &pc)) {
			errno = len < 0 ? errno : EAGAIN;
			return false;
		}
		n = stack_copy(s->tid, sp, p->paused->stack, most, UINT64_MAX);
		read_words(all, s, line);
		read_kernel(all, s);
		if (foreign_asleep(s->pid, s->tid, again, sizeof again) <= 0 || strcmp(line, again) ||
		    (counted && (!read_runs(s, &ran, &runs_again) || runs != runs_again)))
			continue;
		s->runs = runs;
		s->sample.sp_only = true;
		s->sample.sp = sp;
		s->sample.ip = pc;
		s->sample.regs32 = sizeof(void *) == 8 && !(sp >> 32);
		if (keep_stack(all, s, p->paused->stack, n))
			return true;
		break;
	}
	s->call = s->file = s->wchan = s->stack = "";
	errno = EAGAIN;
	return false;
}

static void
use(struct snapshot *s, const struct paused *p)
{
	s->sample.sp_only = false;
	s->stood = p->stood;
	s->sample.ip = p->pc;
	s->sample.sp = p->sp;
	s->sample.regs32 = p->compat;
	memcpy(s->regs, p->regs, sizeof s->regs);
	s->sample.nregs = (uint8_t)(p->nregs < 64 ? p->nregs : 64);
	s->sample.regs = s->regs;
	s->sample.stack = p->stack;
	s->sample.stack_size = p->size < PAUSED_STACK ? p->size : PAUSED_STACK;
}

static void
stop(struct snapshots *all, struct snapshot *s, size_t most)
{
	const struct paused *p = all->pauser.paused;

	pauser_take(&all->pauser, s->tid, (uint32_t)most);
	s->err = p->err;
	s->tracer = p->tracer;
	if (s->err)
		return;
	use(s, p);
	if (!keep_stack(all, s, p->stack, (size_t)s->sample.stack_size))
		s->sample.stack_size = 0;
}

/* Many machines show the call's own pc while it is interrupted, not the one behind it. */
bool
snapshot_again(struct snapshots *all, struct snapshot *s)
{
	const struct paused *p = all->pauser.paused;

	if (!s->sample.sp_only || all->none_stop || !all->pauser.pid)
		return false;
	pauser_take(&all->pauser, s->tid, PAUSED_STACK);
	if (p->err || p->sp != s->sample.sp || s->sample.ip - p->pc > MOST_CALL)
		return false;
	use(s, p);
	return true;
}

bool
snapshot_sleeps(const struct snapshot *s)
{
	uint64_t ran, runs;

	return s->sample.sp_only && read_runs(s, &ran, &runs) && runs == s->runs;
}

bool
snapshot_with_frames(struct snapshots *all, struct snapshot *s, const struct deep_chain *chain)
{
	struct paused *p = all->pauser.paused;
	uint64_t n;

	if (all->none_stop || !all->pauser.pid)
		return false;
	p->chain = *chain;
	pauser_take(&all->pauser, s->tid, PAUSED_STACK);
	p->chain.tid = 0;
	if (p->err)
		return false;
	if (s->sample.sp_only) {   /* it has run since prof looked at it */
		s->state = 'R';
		s->call = s->file = s->wchan = s->stack = "";
	}
	use(s, p);
	n = p->frames.pages < DEEP_PART_PAGES ? p->frames.pages : DEEP_PART_PAGES;
	for (uint64_t i = 0; i < n; i++)
		all->frames[i] = (struct piece){ p->frames.head.page[i] & ~(uint64_t)(DEEP_PAGE - 1), DEEP_PAGE, p->frames.bytes + i * DEEP_PAGE };
	s->sample.rest = (struct pieces){ all->frames, (uint32_t)n };
	s->sample.time = clock_now();
	return n;
}

static void
take(struct snapshots *all, struct snapshot *s, size_t most)
{
	uint64_t runs;
	bool still;

	if (!read_stat(s)) {
		s->err = ESRCH;
		return;
	}
	read_runs(s, &s->ran, &runs);
	if (s->kernel)
		read_kernel(all, s);
	if (s->kernel || s->state == 'Z' || s->state == 'X')
		return;
	still = s->state != 'R' && lies_still(all, s, most);
	if (!still && s->state != 'R' && errno != EAGAIN && errno != ENOENT) {
		s->err = errno;
		if (errno == EPERM || errno == EACCES)   /* ptrace needs the same right */
			return;
	}
	if ((!still && !all->none_stop) || (all->all_stop && s->state != 'D'))
		stop(all, s, most);
	else if (!still)
		s->err = EAGAIN;
	if (still && s->err)   /* what prof read while the thread slept stays valid */
		s->err = 0;
	s->sample.time = clock_now();
}

static void
list(const struct capture *c, struct threads *t)
{
	int32_t of;

	if (c->target == TARGET_SYSTEM) {
		threads_of(t, 1);
		threads_of(t, 2);   /* the kernel's */
		threads_families(t, getpid());
	}
	for (unsigned i = 0; i < c->npid; i++)
		if (c->target == TARGET_PROCESSES)
			threads_of(t, c->pid[i]);
		else if (target_tid_exists(c->pid[i], &of))
			threads_add(t, of, c->pid[i]);
}

static bool
take_all(struct snapshots *all, const struct threads *t)
{
	size_t most = t->n ? STACKS_MOST / t->n : 0;

	most = most < LEAST ? LEAST : most > PAUSED_STACK ? PAUSED_STACK : most & ~(size_t)4095;
	errno = ENOMEM;
	if (!vec_room(&all->one, &all->cap, (uint64_t)all->n + t->n, sizeof *all->one))
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		struct snapshot *s = arena_alloc(&all->arena, sizeof *s);

		if (!s)
			return false;
		s->pid = t->thread[i].pid;
		s->tid = t->thread[i].tid;
		s->call = s->file = s->wchan = s->stack = "";
		take(all, s, most);
		all->one[all->n++] = s;
	}
	return true;
}

bool
snapshots_take(struct snapshots *all)
{
	struct threads t = { 0 };
	bool well;

	list(all->of, &t);
	pauser_end(&all->pauser);
	well = pauser_start(&all->pauser, all->of->prstatus, &t) && take_all(all, &t);
	threads_free(&t);
	return well;
}

void
snapshots_end(struct snapshots *all)
{
	pauser_end(&all->pauser);
}

void
snapshots_free(struct snapshots *all)
{
	pauser_end(&all->pauser);
	vec_free(&all->one, &all->cap, sizeof *all->one);
	arena_free(&all->arena);
}
