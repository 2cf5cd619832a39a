/* See slowest.h. */
#include "slowest.h"

#include <stdlib.h>

/* It keeps so many times as many as are wanted, until it drops the faster ones. */
enum { ROOM = 4 };

struct slow_call {
	uint64_t ns, time;
	uint32_t thread, node;
};

static int
slower(const void *va, const void *vb)
{
	const struct slow_call *a = va, *b = vb;

	return a->ns != b->ns ? (a->ns < b->ns) - (a->ns > b->ns) : (a->time > b->time) - (a->time < b->time);
}

static int
earlier(const void *va, const void *vb)
{
	const struct slow_call *a = va, *b = vb;

	return (a->time > b->time) - (a->time < b->time);
}

static void
drop(struct slowest *s)
{
	if (s->n <= s->most)
		return;
	qsort(s->call, s->n, sizeof *s->call, slower);
	s->n = s->most;
}

void
slowest_add(struct slowest *s, uint64_t ns, uint64_t time, uint32_t thread, uint32_t node)
{
	if (s->n >= ROOM * s->most)
		drop(s);
	if (vec_room(&s->call, &s->cap, (uint64_t)s->n + 1, sizeof *s->call))
		s->call[s->n++] = (struct slow_call){ ns, time, thread, node };
	else
		s->left_out++;
}

void
slowest_end(struct slowest *s, struct profile *p)
{
	drop(s);
	if (s->n)
		qsort(s->call, s->n, sizeof *s->call, earlier);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct slow_call *c = &s->call[i];
		uint64_t us = (c->ns + 500) / 1000;

		profile_add_node(p, c->thread, c->time, us ? us : 1, c->node);
	}
	vec_free(&s->call, &s->cap, sizeof *s->call);
	s->n = 0;
}
