/* See waits.h. */
#include "waits.h"

uint32_t
waits_thread(struct collector *c, struct task *t)
{
	if (!t->named.wait_thread)
		t->named.wait_thread = collector_thread(c, t, c->wait_weight) + 1;
	return t->named.wait_thread - 1;
}

/* Adds whole microseconds, and keeps the rest for the next time. */
static void
add(struct profile *p, uint32_t thread, uint64_t time, uint64_t ns, uint32_t node, uint32_t *rest)
{
	ns += *rest;
	*rest = (uint32_t)(ns % 1000);
	if (ns >= 1000)
		profile_add_node(p, thread, time, ns / 1000, node);
}

void
waits_ran(struct collector *c, struct task *t, uint32_t thread, uint64_t time, uint64_t ns, uint32_t node)
{
	uint64_t most = time > c->skip_until ? time - c->skip_until : 0;

	add(&c->profile, thread, time, ns < most ? ns : most, node, &t->waits.ran_rest);
}

/* The waker's stack, turned over, goes on top of the stack that its wakee waits with: the two meet where they met in the
 * kernel. */
void
waits_waker(struct collector *c, const struct sample *s)
{
	struct tree *tree = &c->profile.raw;
	const struct task *t = s->wakes;
	uint32_t node = tree_node(tree, t->wait.read ? t->waits.whole_node : t->waits.node, CODE_WOKEN), n = s->interrupt ? 0 : collector_stack(c, s);

	for (uint32_t i = 0; i < n && node != NODE_NONE; i++)
		node = tree_node(tree, node, c->stack[i]);
	if (node != NODE_NONE)
		node = tree_node(tree, node, s->interrupt ? CODE_INTERRUPT : collector_comm(c, s->task));
	if (node != NODE_NONE)
		s->wakes->waits.waker_node = node + 1;
}

void
waits_throttled(struct collector *c, uint64_t us)
{
	if (!c->throttled_known)
		c->throttled[0] = c->throttled[1] = us;
	c->throttled_known = true;
	c->throttled[2] = c->throttled[1];
	c->throttled[1] = c->throttled[0];
	c->throttled[0] = us;
}

/* Whether a wait for a CPU was throttling: then at its end the cgroup's throttled time has grown by nearly as much.  The
 * kernel adds a throttled time once it is over. */
static bool
is_throttled(const struct collector *c, uint64_t ns)
{
	return ns >= 1000000 && c->throttled[0] - c->throttled[2] >= ns / 1250;
}

void
waits_add(void *collector, const struct wait *w)
{
	static const uint32_t marks[] = { [WAIT_RUN_QUEUE] = CODE_RUN_QUEUE, [WAIT_THROTTLED] = CODE_THROTTLED,
	                                  [WAIT_BEFORE] = CODE_BEFORE, [WAIT_NOT] = CODE_RUNNING };
	struct collector *c = collector;
	struct task *t = w->task;
	uint64_t from = w->from > c->skip_until ? w->from : c->skip_until, before = c->profile.samples;
	uint32_t node = !w->stack ? NODE_NONE : w->kind == WAIT_ASLEEP && t->waits.waker_node ? t->waits.waker_node - 1 :
	                w->whole ? t->waits.whole_node : t->waits.node;
	bool throttled = w->kind == WAIT_RUN_QUEUE && is_throttled(c, w->to - w->from);
	uint32_t mark = marks[throttled ? WAIT_THROTTLED : w->kind];

	c->unread += t->waits.unread && w->to - w->from >= WAITS_READABLE;
	if (w->whole) {   /* its walk ended otherwise than it seemed; a wait may be told in two parts */
		c->walks[WALK_STACK_SHORT]--;
		c->walks[t->waits.whole_end]++;
		t->waits.whole_end = WALK_STACK_SHORT;
	}
	if (w->to <= from)
		return;
	if (mark == CODE_RUN_QUEUE)
		c->run_queue += w->to - from;
	if (mark || node == NODE_NONE)
		node = tree_node(&c->profile.raw, node, mark ? mark : CODE_WAITING);
	if (w->kind == WAIT_NOT) {
		if (!t->named.thread)
			t->named.thread = collector_thread(c, t, 0) + 1;
		waits_ran(c, t, t->named.thread - 1, w->to, w->to - from, node);
		return;
	}
	add(&c->profile, waits_thread(c, t), w->to, w->to - from, node, &t->waits.rest);
	c->waits += c->profile.samples - before;
}
