/* See whole_waits.h.  The kernel copies at most 64 KiB of a stack, and only up to a page that the thread never touched.  A thread that
 * waits leaves its stack as it is, so prof reads on where a walk lacks something, as often as the walk goes on.  That is right
 * if the thread has not run until then: its next record tells (sample/waiting/wait.c).  If it has, its wait keeps the stack
 * that was cut.
 *
 * prof reads only when all records are taken in.  So a thread that switches often costs a note for each cut stack, and no more.
 * It takes a small part of the CPU at most.
 *
 * The ptrace engine's records tell only later about when a thread ran.  So prof reads as `prof stack` does there: the kernel's line
 * on the thread before and after. */
#include "whole_waits.h"

#include <string.h>

#include "lib/clock.h"
#include "sample/waiting/wait.h"
#include "waits.h"

/* Bytes that prof reads of one stack at most, and in how many pieces.  It begins with FIRST bytes, and reads ever more, up to MOST at
 * once.  What the walk wants may be NEAR; else prof leaves out what is between, and begins there with LEAST. */
enum { STACK_BYTES = 2 << 20, PIECES = 64, FIRST = 64 << 10, LEAST = 8 << 10, MOST = 256 << 10, NEAR = 32 << 10, PAGE = 4096 };
/* Threads that wait to be read. */
enum { NOTES = 256 };
/* CPU time that reading may take: one part of so many, beyond what it may at once, in ns. */
enum { READING_PART = 20, CREDIT = 50000000 };
/* ns: most waits that are younger end soon, and reading is in vain. */
enum { LEAST_AGE = 1000000 };
enum { USER = 64, KERNEL = 128 };

struct unread {
	struct sample sample;      /* its TASK only says which: prof looks it up again */
	int32_t pid, tid;
	uint64_t regs[USER], kernel[KERNEL];
};

struct whole_waits {
	struct arena arena;
	uint64_t since, spent;     /* ns; and of the CPU */
	struct unread *unread;
	uint32_t n, cap;
	struct piece piece[PIECES + 1];
	uint8_t bytes[STACK_BYTES];
};

void
whole_waits_begin(struct collector *c)
{
	struct arena arena = { 0 };

	if (!(c->whole = arena_alloc(&arena, sizeof *c->whole)))
		return;
	c->whole->arena = arena;
	c->whole->since = clock_now();
}

void
whole_waits_end(struct collector *c)
{
	struct arena arena;

	if (!c->whole)
		return;
	vec_free(&c->whole->unread, &c->whole->cap, sizeof *c->whole->unread);
	arena = c->whole->arena;
	arena_free(&arena);
	c->whole = NULL;
}

void
whole_waits_note(struct collector *c, const struct sample *s)
{
	struct whole_waits *w = c->whole;
	struct unread *u;
	uint32_t i = 0;

	while (i < w->n && (w->unread[i].tid != s->task->tid || w->unread[i].pid != s->task->pid))
		i++;
	if ((!s->regs && !s->sp_only) || s->nregs > USER || s->nkchain > KERNEL || i == NOTES || !vec_room(&w->unread, &w->cap, i + 1, sizeof *w->unread))
		return;
	w->n += i == w->n;
	u = &w->unread[i];
	u->sample = *s;
	u->sample.again = u->sample.still = true;
	u->sample.deep = NULL;
	u->sample.nuchain = 0;
	u->sample.raw = (struct cursor){ 0 };
	u->pid = s->task->pid;
	u->tid = s->task->tid;
	if (s->regs)
		memcpy(u->regs, s->regs, s->nregs * sizeof *u->regs);
	if (s->nkchain)
		memcpy(u->kernel, s->kchain, s->nkchain * sizeof *u->kernel);
	s->task->waits.unread = s->time;
}

/* Up to N bytes at ADDR, fewer where there are no more. */
static uint64_t
take(struct space *space, uint64_t addr, uint8_t *to, uint64_t n)
{
	uint64_t got = 0;

	for (; !got && n; n = n < PAGE ? 0 : n / 2)
		got = space->read(space, addr, to, (size_t)n);
	return got;
}

/* Reads the stack from its sp on, as far as the walk wants it.  False if there was nothing to read. */
static bool
read_stack(struct collector *c, struct sample *s, struct space *space)
{
	struct whole_waits *w = c->whole;
	struct piece *last = w->piece;
	uint64_t room = STACK_BYTES, step = FIRST, got, wants;

	s->stack = w->bytes;
	s->stack_size = 0;
	s->rest = (struct pieces){ w->piece + 1, 0 };
	if (!collector_walk(c, s))   /* tells the sp, and no more */
		return false;
	*last = (struct piece){ c->walk.stack->sp, 0, w->bytes };
	do {
		got = take(space, last->lo + last->size, w->bytes + STACK_BYTES - room, step < room ? step : room);
		last->size += got;
		room -= got;
		s->stack_size = w->piece->size;
		s->rest.n = (uint32_t)(last - w->piece);
		if (!got || !collector_walk(c, s) || c->walk.end != WALK_STACK_SHORT)
			break;
		wants = c->walk.stack[c->walk.stacks - 1].end - sizeof wants;
		step = 2 * step < MOST ? 2 * step : MOST;
		if (wants - last->lo >= last->size + NEAR) {
			last[1] = (struct piece){ wants & ~(uint64_t)(PAGE - 1), 0, last->bytes + last->size };
			last++;
			step = LEAST;
		}
	} while (room && last < w->piece + PIECES);
	return s->stack_size;
}

/* Whether the thread of the ptrace engine's sample sleeps there, and how often it has had a CPU until then: if it has had it no more often
 * later, it has slept on. */
static bool
is_there(const struct unread *u, uint64_t *runs)
{
	uint64_t sp, pc, arg;

	return wait_runs(u->pid, u->tid, runs) && wait_asleep(u->pid, u->tid, &sp, &pc, &arg) && sp == u->sample.sp && pc == u->sample.ip;
}

static void
read_one(struct collector *c, const struct unread *u, struct task *t)
{
	bool by_ticks = u->sample.of && u->sample.sp_only;
	struct space *space = &t->process->maps.space;
	struct sample s = u->sample;
	uint64_t before = 0, after = 0;
	uint32_t n;

	s.regs = s.regs ? u->regs : NULL;
	s.kchain = u->kernel;
	s.task = t;
	s.time = clock_now();
	if (!process_ready(t->process, s.time) || !space->read || (by_ticks && !is_there(u, &before)) || !read_stack(c, &s, space))
		return;
	n = collector_stack(c, &s);
	if (by_ticks && (!wait_runs(u->pid, u->tid, &after) || before != after))
		return;
	wait_read(t, by_ticks);
	if (c->by_container)
		c->stack[n++] = collector_comm(c, t);
	t->waits.whole_node = profile_stack(&c->profile, waits_thread(c, t), c->stack, n);
	t->waits.whole_end = c->walk.end;
}

/* Whether prof has spent no more of the CPU on this than it may. */
static bool
has_time(const struct whole_waits *w)
{
	return w->spent <= CREDIT + (clock_now() - w->since) / READING_PART;
}

/* What is to be done of a note: nothing any more, to read, or to wait. */
enum state { OVER, READ, YOUNG };

static enum state
state_of(const struct unread *u, const struct task *t, uint64_t now)
{
	if (!t || t->waits.unread != u->sample.time || !wait_goes_on(t))
		return OVER;
	return now - u->sample.time < LEAST_AGE ? YOUNG : READ;
}

void
whole_waits_read(struct collector *c, struct processes *ps)
{
	struct whole_waits *w = c->whole;
	uint64_t now = w && w->n ? clock_now() : 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; w && i < w->n; i++) {
		struct task *t = processes_known(ps, w->unread[i].pid, w->unread[i].tid);
		enum state state = state_of(&w->unread[i], t, now);

		if (state == READ && has_time(w)) {
			uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

			read_one(c, &w->unread[i], t);
			t->waits.unread = 0;
			w->spent += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
		} else if (state != OVER) {
			w->unread[kept++] = w->unread[i];
		}
	}
	if (w)
		w->n = kept;
}
