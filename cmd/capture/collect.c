/* See collect.h. */
#include "collect.h"

#include "sample/events/event.h"
#include "waits.h"
#include "whole_waits.h"

/* The profile's thread of a sample: kept in the task for the first event, which is nearly always the only one. */
static uint32_t
thread_of(struct collector *c, const struct sample *s)
{
	struct task *t = s->task;
	uint32_t thread;

	if (s->event == 0 && t->named.thread)
		return t->named.thread - 1;
	if (collector_is_wait(c, s))
		return waits_thread(c, t);
	thread = collector_thread(c, t, s->of->weight);
	if (s->event == 0)
		t->named.thread = thread + 1;
	return thread;
}

/* It may be in use at the end.  Its stack is still in the collector, of N codes. */
static void
keep_allocation(struct collector *c, const struct sample *s, uint64_t weight, uint32_t n)
{
	const struct task *t = s->task;
	uint32_t thread = collector_thread(c, t, c->in_use.frees->weight);

	in_use_add(&c->in_use, t->pid, collector_address(s), weight, thread, profile_stack(&c->profile, thread, c->stack, n), s->time);
}

void
collect_sample(void *collector, const struct sample *s)
{
	struct collector *c = collector;
	uint32_t thread, n;
	uint64_t weight;

	if (s->time < c->skip_until && !collector_is_wait(c, s))
		return;
	if (s->wakes) {
		waits_waker(c, s);
		return;
	}
	weight = collector_weight(s);
	if (s->of && s->of->growth && !weight)   /* the process did not become larger */
		return;
	if (s->of && s->of->frees && c->in_use.frees) {
		in_use_free(&c->in_use, s->task->pid, collector_address(s));
		return;
	}
	if ((thread = thread_of(c, s)) == UINT32_MAX) {
		c->profile.dropped += s->count ? s->count : 1;
		return;
	}
	n = collector_stack(c, s);
	if (collector_is_wait(c, s))
		s->task->waits.unread = 0;
	if (c->locked && c->lock != LOCK_HELD) {
		c->unlocked += s->count;
		s->task->waits.node = s->task->waits.waker_node = 0;
		return;
	}
	if (c->called)
		profile_call(&c->profile, thread, c->called);
	if (s->of && s->of->slow) {
		slowest_add(&c->slowest, collector_slow(s).ns, s->time, thread, profile_stack(&c->profile, thread, c->stack, n));
		return;
	}
	if (c->by_container)
		c->stack[n++] = collector_comm(c, s->task);
	if (collector_is_wait(c, s)) {
		s->task->waits.node = profile_stack(&c->profile, thread, c->stack, n);
		s->task->waits.waker_node = 0;
		if (c->whole && c->walk.end == WALK_STACK_SHORT)
			whole_waits_note(c, s);
	}
	if (c->wall && !s->event)
		waits_ran(c, s->task, thread, s->time, s->ran, profile_stack(&c->profile, thread, c->stack, n));
	if (!c->wall && s->count)
		profile_add_run(&c->profile, thread, &(struct run){
			.start = s->time > c->profile.start ? s->time - c->profile.start : 0,
			.weight = weight,
			.samples = s->count,
		}, c->stack, n);
	if (s->of && s->of->allocates && c->in_use.frees && weight)
		keep_allocation(c, s, weight, n);
}

void
collect_gone(void *collector, int32_t pid, bool executed, uint64_t time)
{
	in_use_gone(&((struct collector *)collector)->in_use, pid, executed, time);
}
