/* See describe.h. */
#include "describe.h"

#include <stdio.h>
#include <string.h>

#include "lib/sink.h"
#include "sample/tasks/target.h"

void
describe_events(const struct plan *p, char *text, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->nevent && n < size - 64; i++) {
		const struct event *e = &p->event[i];
		const char *name = e->entry ? e->entry : e->name;
		size_t len = strnlen(name, size - n - 4);

		if (e->entry && i && e->weight == e[-1].weight)
			continue;
		if (i) {
			memcpy(text + n, ", ", 2);
			n += 2;
		}
		memcpy(text + n, name, len);
		n += len;
		if (e->period)
			n += (size_t)snprintf(text + n, 32, " every %llu", (unsigned long long)e->period);
	}
	text[n] = 0;
}

/* The target in words: the command line, or what prof attached to. */
static const char *
target_words(const struct plan *p, struct arena *arena)
{
	const char *words = NULL;
	char comm[64];
	struct sink s;

	sink_open(&s, -1);
	if (p->target.kind == TARGET_COMMAND)
		for (char **word = p->target.command; *word; word++)
			sink_fmt(&s, "%s%s", word == p->target.command ? "" : " ", *word);
	else if (p->target.cgroup)
		sink_fmt(&s, "cgroup %s", p->target.cgroup);
	else if (p->target.kind == TARGET_SYSTEM)
		sink_str(&s, "the whole system");
	else
		sink_fmt(&s, "%s, %s %d%s", target_comm(p->target.pid[0], comm, sizeof comm),
		         p->target.kind == TARGET_THREADS ? "thread" : "process", p->target.pid[0], p->target.npid > 1 ? ", …" : "");
	if (!s.err)
		words = arena_str(arena, s.buf, s.len);
	sink_close(&s);
	return words ? words : "";
}

void
describe(struct profile *p, const struct plan *plan, uint64_t freq)
{
	p->exporter = "prof@" PROF_VERSION;
	p->command = target_words(plan, &p->arena);
	p->picture = plan->picture;
	p->by_thread = plan->by_thread;
	p->by_process = plan->by_process;
	p->nevent = 0;
	for (unsigned i = 0; i < plan->nevent; i++) {
		const struct event *e = &plan->event[i];
		uint64_t period = 0;

		if (e->weight < p->nevent)   /* events of one glob, or wakings: they have no samples of their own */
			continue;

		if (e->period)
			period = e->is_time ? e->period : 0;
		else if (plan->count)
			period = e->is_time ? plan->count : 0;
		else if ((e->is_time || e->is_cycles) && freq)
			period = 1000000000 / freq;
		p->event[p->nevent++] = (struct event_info){ .name = e->entry ? e->entry : e->name,
		                                             .period_ns = e->waits || e->slow || (plan->wall && !i) ? 1000 : period,
		                                             .waiting = e->waits || e->slow };
	}
	if (plan->off_cpu || plan->event[0].slow)
		p->unit = UNIT_MICROSECONDS;
}
