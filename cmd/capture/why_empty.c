/* See why_empty.h. */
#include "why_empty.h"

#include "lib/msg.h"
#include "lib/text.h"
#include "plan_capture.h"
#include "sample/tasks/target.h"

enum { TOLD_MOST = 3 };

static bool
leaves_out(const struct plan *p)
{
	return p->target.kind == TARGET_PROCESSES && !plan_takes_children(p);
}

void
why_empty_begin(struct children *c, const struct plan *p)
{
	if (leaves_out(p))
		children_find(c, p->target.pid, p->target.npid);
}

/* Says which of them ran; false where none did. */
static bool
tell_children(const struct children *before, const struct plan *p)
{
	struct children now = { 0 };
	uint32_t n;
	char name[32];

	children_find(&now, p->target.pid, p->target.npid);
	children_since(&now, before);
	if ((n = now.n))
		warn("the profile is empty: the target did not run, but %u of its children did; %s", n,
		     p->no_inherit ? "to profile them, do not use --no-inherit" : "to profile them, use -p with their numbers");
	for (uint32_t i = 0; i < n && i < TOLD_MOST; i++)
		warn("process %d (%s) ran %llu.%02llu s", now.child[i].pid, target_comm(now.child[i].pid, name, sizeof name),
		     (unsigned long long)(now.child[i].cpu / 1000000000), (unsigned long long)(now.child[i].cpu / 10000000 % 100));
	children_free(&now);
	return n;
}

static bool
any_time(const struct plan *p)
{
	for (unsigned i = 0; i < p->nevent; i++)
		if (p->event[i].is_time)
			return true;
	return false;
}

void
why_empty_tell(const struct children *before, const struct plan *p, const struct session_counts *n, const char *events, bool over)
{
	uint64_t period = n->freq ? 1000000000 / n->freq : p->count;
	const struct event *e = &p->event[0];
	bool each = p->nevent == 1 && e->period == 1;   /* "every 1" says nothing here */

	if (leaves_out(p) && tell_children(before, p))
		return;
	if (!any_time(p))
		warn("the profile is empty: the target had %s%s%s in that time", p->count > 1 ? "too few " : "no ", each ? e->entry ? e->entry : e->name : events,
		     each && e->filter ? " that --filter lets through" : "");
	else if (n->enabled_ns >= period && !n->unseen_samples)
		warn("the profile is empty: the target's threads ran %llu.%02llu s together, but each of them less than the %llu.%02llu ms between two "
		     "samples; use -F max to sample more often", (unsigned long long)(n->enabled_ns / 1000000000),
		     (unsigned long long)(n->enabled_ns / 10000000 % 100), (unsigned long long)(period / 1000000),
		     (unsigned long long)(period / 10000 % 100));
	else if (over)
		warn("the profile is empty: the target ended before prof could take a sample");
	else if (n->stopper.ticks)   /* ptrace: prof looks now and then, and does not know who runs in between */
		warn("the profile is empty: prof looked %llu time%s, and no thread of the target was on a CPU then; use -F max to look more often, or "
		     "--wall to see where it waits", (unsigned long long)n->stopper.ticks, plural(n->stopper.ticks));
	else
		warn("the profile is empty: the target did not run on a CPU in that time; use --wall to see where it waits");
}
