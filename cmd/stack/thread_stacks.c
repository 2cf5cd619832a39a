/* See thread_stacks.h. */
#include "thread_stacks.h"

#include <string.h>

struct stack_thread *
thread_stacks_add(struct thread_stacks *s, const struct stack_thread *t, uint32_t n)
{
	struct collector *c = &s->collector;
	uint32_t thread;

	if (!vec_room(&s->thread, &s->cap, (uint64_t)s->n + 1, sizeof *s->thread) ||
	    !vec_room(&s->code, &s->cap_code, (uint64_t)s->ncode + n, sizeof *s->code))
		return NULL;
	memcpy(s->code + s->ncode, c->stack, n * sizeof *s->code);
	s->thread[s->n] = *t;
	s->thread[s->n].code = s->ncode;
	s->thread[s->n].ncode = n;
	s->thread[s->n].complete = !n || c->stack[n - 1] != CODE_TRUNCATED;
	s->ncode += n;
	thread = profile_thread(&c->profile, t->pid, t->tid, t->comm, 0);
	if (t->name && thread != UINT32_MAX)
		profile_call(&c->profile, thread, t->name);
	if (n && thread != UINT32_MAX)
		profile_add(&c->profile, thread, 0, 1, c->stack, n);
	return &s->thread[s->n++];
}

void
thread_stacks_frames(const struct thread_stacks *s, const struct stack_thread *t,
              void (*show)(void *ctx, const struct function *, uint32_t line, const struct location *), void *ctx)
{
	const struct profile *p = &s->collector.profile;

	for (uint32_t i = 0; i < t->ncode; i++) {
		uint32_t code = s->code[t->code + i];
		const struct location *l = code < p->nlocation ? &p->location[code] : NULL;

		for (uint32_t k = l ? l->sites : 0; k--;) {
			const struct site *site = &p->site[l->site + k];

			if (site->function < p->nfunction)
				show(ctx, &p->function[site->function], site->line, l);
		}
	}
}

void
thread_stacks_free(struct thread_stacks *s)
{
	collector_free(&s->collector);
	vec_free(&s->thread, &s->cap, sizeof *s->thread);
	vec_free(&s->code, &s->cap_code, sizeof *s->code);
}
