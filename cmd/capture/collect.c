/* See collect.h. */
#include "collect.h"

#include "waits.h"

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
	thread = profile_thread(&c->profile, t->pid, t->tid, collector_root(c, t), s->event);
	if (s->event == 0)
		t->named.thread = thread + 1;
	return thread;
}

void
collect_sample(void *collector, const struct sample *s)
{
	struct collector *c = collector;
	uint32_t thread, n;

	if (s->time < c->skip_until && !collector_is_wait(c, s))
		return;
	if (s->wakes) {
		waits_waker(c, s);
		return;
	}
	if ((thread = thread_of(c, s)) == UINT32_MAX) {
		c->profile.dropped += s->count ? s->count : 1;
		return;
	}
	n = collector_stack(c, s);
	if (c->by_container)
		c->stack[n++] = collector_comm(c, s->task);
	if (collector_is_wait(c, s)) {
		s->task->waits.node = profile_stack(&c->profile, thread, c->stack, n);
		s->task->waits.waker_node = 0;
	}
	if (c->wall && !s->event)
		waits_ran(c, s->task, thread, s->time, s->ran, profile_stack(&c->profile, thread, c->stack, n));
	if (!c->wall && s->count)
		profile_add_run(&c->profile, thread, &(struct run){
			.start = s->time > c->profile.start ? s->time - c->profile.start : 0,
			.weight = s->count,
			.samples = s->count,
		}, c->stack, n);
}
