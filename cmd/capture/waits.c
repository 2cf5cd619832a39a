/* From waits to a profile: each goes where the stack was that its thread left the CPU with.  See collect.h. */
#include <string.h>

#include "sample/rights/permit.h"
#include "collector.h"
#include "waits.h"

uint32_t
collect_wait_thread(struct collector *c, struct task *t)
{
	if (!t->wait_slot)
		t->wait_slot = profile_thread(&c->profile, t->pid, t->tid, collect_root(c, t), c->wait_event) + 1;
	return t->wait_slot - 1;
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
collect_ran(struct collector *c, struct task *t, uint32_t thread, uint64_t time, uint64_t ns, uint32_t node)
{
	uint64_t most = time > c->skip_until ? time - c->skip_until : 0;

	add(&c->profile, thread, time, ns < most ? ns : most, node, &t->ran_rest);
}

/* The waker's stack goes on top of what its wakee waits with, turned over: the two meet where they met in the kernel. */
void
collect_waker(struct collector *c, const struct sample *s)
{
	struct tree *tree = &c->profile.raw;
	uint32_t node = tree_node(tree, s->wakes->wait_node, CODE_WOKEN), n = s->interrupt ? 0 : collect_stack(c, s);

	for (uint32_t i = 0; i < n && node != NODE_NONE; i++)
		node = tree_node(tree, node, c->stack[i]);
	if (node != NODE_NONE)
		node = tree_node(tree, node, s->interrupt ? CODE_INTERRUPT : collect_comm(c, s->task));
	if (node != NODE_NONE)
		s->wakes->waker_node = node + 1;
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

/* A wait for a CPU at whose end the cgroup's throttled time has grown by nearly as much: the kernel adds a time to it once
 * it is over. */
static bool
is_throttled(const struct collector *c, uint64_t ns)
{
	return ns >= 1000000 && c->throttled[0] - c->throttled[2] >= ns / 1250;
}

void
collect_wait(void *collector, const struct wait *w)
{
	static const uint32_t marks[] = { [WAIT_RUN_QUEUE] = CODE_RUN_QUEUE, [WAIT_THROTTLED] = CODE_THROTTLED,
	                                  [WAIT_BEFORE] = CODE_BEFORE, [WAIT_NOT] = CODE_RUNNING };
	struct collector *c = collector;
	struct task *t = w->task;
	uint64_t from = w->from > c->skip_until ? w->from : c->skip_until, before = c->profile.samples;
	uint32_t node = !w->stack ? NODE_NONE : w->kind == WAIT_ASLEEP && t->waker_node ? t->waker_node - 1 : t->wait_node;
	bool throttled = w->kind == WAIT_RUN_QUEUE && is_throttled(c, w->to - w->from);
	uint32_t mark = marks[throttled ? WAIT_THROTTLED : w->kind];

	if (w->to <= from)
		return;
	if (mark || node == NODE_NONE)
		node = tree_node(&c->profile.raw, node, mark ? mark : CODE_WAITING);
	if (w->kind == WAIT_NOT) {
		if (!t->slot)
			t->slot = profile_thread(&c->profile, t->pid, t->tid, collect_root(c, t), 0) + 1;
		collect_ran(c, t, t->slot - 1, w->to, w->to - from, node);
		return;
	}
	add(&c->profile, collect_wait_thread(c, t), w->to, w->to - from, node, &t->wait_rest);
	c->waits += c->profile.samples - before;
}

uint32_t
waits_stack(struct need *need, uint32_t size)
{
	enum { STEP = 1 << 10, LARGEST = 65528, PATIENCE = 1000 };
	uint64_t fit = need->used * 2 / STEP * STEP + STEP;

	if (need->cut >= 2 && need->cut * 200 >= need->walks)
		size = size < LARGEST / 4 ? size * 4 : LARGEST;
	else if (need->walks < PATIENCE)
		return size;
	else if (fit <= size / 2)
		size = (uint32_t)fit;
	*need = (struct need){ 0 };
	return size;
}

/* Behind WORDS, N of something that took NS in all; nothing where there are none. */
static void
put_count(struct sink *s, const char *before, uint64_t n, uint64_t ns, const char *words)
{
	if (!n)
		return;
	sink_fmt(s, "%s%llu%s", before, (unsigned long long)n, words);
	sink_decimal(s, (ns + 500000) / 1000000, 3);
	sink_str(s, " s");
}

void
waits_words(struct sink *s, const struct wait_counts *n)
{
	sink_fmt(s, "; %llu waits, ", (unsigned long long)n->waits);
	sink_decimal(s, (n->ns + 500000) / 1000000, 3);
	sink_str(s, " s");
	put_count(s, " (", n->unfinished, n->unfinished_ns, " not over at the end, ");
	sink_str(s, n->unfinished ? ")" : "");
	put_count(s, "; ", n->before, n->before_ns, " that had begun before were left out, ");
	if (n->idle)
		sink_fmt(s, "; %llu threads only waited (--wall has them)", (unsigned long long)n->idle);
	put_count(s, "; ", n->unknown, n->unknown_ns, " in doubt, because records were lost, were left out, ");
	if (n->no_stack * 2 > n->waits)
		sink_fmt(s, permit_paranoid() == 2 ? "; where threads wait is not visible at perf_event_paranoid 2"
		                                   : "; where threads wait could not be seen");
}

void
waits_stats(struct sink *s, const struct wait_counts *n)
{
	/* As the struct has them. */
	static const char names[] = "\0_ns\0_unknown\0_unknown_ns\0_since_before\0_since_before_ns\0_idle_threads\0_unfinished\0"
	                            "_unfinished_ns\0_without_stack";
	const char *name = names;
	uint64_t value[10];

	_Static_assert(sizeof value == sizeof *n, "a name for each");
	memcpy(value, n, sizeof value);
	for (unsigned i = 0; i < sizeof value / sizeof *value; i++, name += strlen(name) + 1)
		sink_fmt(s, "  \"waits%s\": %llu,\n", name, (unsigned long long)value[i]);
}
