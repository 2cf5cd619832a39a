/* See reopen.h.  An event keeps the stack size and the period that it was opened with.  If pressure wants other ones, prof
 * opens new events beside the old ones.  Both run for a moment, so that prof misses no record of a new process or map; only
 * the samples of one side count.  Then prof closes the old events.  It keeps their counts, and knows their late samples by
 * their ids. */
#include "reopen.h"

#include "lib/clock.h"
#include "sample/events/open_targets.h"

void
session_note_threads(struct session *s, const struct threads *t, uint32_t sure)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct task *task;

		if ((task = processes_task(s->processes, t->thread[i].pid, t->thread[i].tid)))
			task->counted.own = i < sure || s->opener.reach != REACH_THREADS ? 0 : t->thread[i].tid;
	}
}

static void
add_threads(void *threads, struct process *p)
{
	if (p->pid > 0)
		threads_of(threads, p->pid);
}

static void
retire(struct session *s, struct watches *w)
{
	watches_total(&s->opener, w, s->closed);
	watches_close(&s->opener, w);
}

/* ns between two samples. */
static uint64_t
period(const struct session *s)
{
	return (UINT64_C(1000000000) << s->slower) / s->opener.freq;
}

/* Opens the events again, as prof asks for them now.  False if that fails; then nothing has changed. */
static bool
reopen(struct session *s)
{
	struct opener *o = &s->opener;
	struct watches fresh = { 0 };
	struct threads found = { 0 };
	uint32_t sure;

	if (o->capture.target == TARGET_THREADS)
		for (unsigned i = 0; i < o->capture.npid; i++)
			threads_add(&found, o->capture.pid[i], o->capture.pid[i]);
	else
		processes_each(s->processes, add_threads, &found);
	if (!open_targets_again(o, &fresh, &found, &sure) || !fresh.n) {
		watches_close(&s->opener, &fresh);
		watches_forget(&fresh);
		threads_free(&found);
		return false;
	}
	/* Both run for a moment, so that prof misses no record of a new process or map; only the samples of one side count. */
	if (s->weights.period && !watches_period(&fresh, s->weights.first))
		s->weights.period = 0;
	if (s->slower)
		watches_period(&fresh, period(s));
	s->new_id = fresh.watch[0].id;
	s->new_since = UINT64_MAX;
	watches_enable(&fresh);
	watches_disable(&s->watches);
	s->new_since = clock_now();
	watches_forget(&s->old);
	s->old = s->watches;
	s->watches = fresh;
	retire(s, &s->old);
	deep_copied(&o->deep, o->capture.stack_size, false);
	s->weights.opened++;
	session_note_threads(s, &found, sure);
	threads_free(&found);
	return true;
}

/* Opens the events again if they must ask for something else now.  False if that fails. */
static bool
take_in(struct session *s, const struct intake *to)
{
	struct intake is = opener_asked(&s->opener);

	opener_intake(&s->opener, to);
	if (is.stack == to->stack && is.wait_stack == to->wait_stack && is.chain == to->chain)
		return true;
	if (s->tracer.pid)
		tracer_stack(&s->tracer, to->stack);
	else if (!reopen(s)) {
		is.deep = to->deep;
		opener_intake(&s->opener, &is);
		return false;
	}
	return true;
}

bool
session_may_slow(const struct session *s)
{
	const struct capture *c = &s->opener.capture;

	return c->freq_max && !s->tracer.pid && c->event[0].is_time && c->nevent == 1 && !s->ticked;
}

/* Doubles the time between samples, and what each sample counts for.  False if that fails.  Threads that inherited their
 * events get new ones, because an inherited period does not change; the time that they ran before does not count any more. */
static bool
slow_down(struct session *s)
{
	bool threads = s->opener.reach == REACH_THREADS;

	if (!watches_period(&s->watches, period(s) * 2))
		return false;
	s->slower++;
	s->slowed = clock_now();
	if (threads && reopen(s)) {
		s->weights.period = 0;
		s->slowed = s->new_since;
	} else if (threads) {
		s->slower--;
		watches_period(&s->watches, period(s));
		return false;
	}
	return true;
}

void
session_obey(struct session *s)
{
	const struct intake *want = &s->pressure.want;
	struct intake is;

	if ((want->slower == s->slower || slow_down(s)) && take_in(s, want))
		return;
	is = opener_asked(&s->opener);
	is.deep = want->deep;
	is.slower = s->slower;
	is.one_of = want->one_of;
	pressure_refused(&s->pressure, &is);
}
