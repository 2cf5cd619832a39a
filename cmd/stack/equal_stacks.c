/* See equal_stacks.h. */
#include "equal_stacks.h"

#include <string.h>

#include "lib/index.h"
#include "thread_stacks.h"
#include "waits_for.h"

static bool
equal(const struct thread_stacks *s, const struct stack_thread *a, const struct stack_thread *b)
{
	return a->ncode == b->ncode && !memcmp(s->code + a->code, s->code + b->code, a->ncode * sizeof *s->code);
}

static uint32_t
hash(const struct thread_stacks *s, const struct stack_thread *t)
{
	return hash_bytes(s->code + t->code, t->ncode * sizeof *s->code) ^ (uint32_t)t->pid;
}

static bool
does_the_same(const struct stack_thread *a, const struct stack_thread *b)
{
	const char *of_a = a->why ? a->why : a->waits, *of_b = b->why ? b->why : b->waits;

	return a->pid == b->pid && a->again == b->again && a->moved == b->moved && !a->why == !b->why &&
	       !strcmp(of_a ? of_a : "", of_b ? of_b : "");
}

/* Which threads of the last look are equal. */
static void
fold(struct thread_stacks *s)
{
	struct index index = { 0 };

	for (uint32_t n = s->first; n < s->n; n++) {
		struct stack_thread *t = &s->thread[n];
		uint32_t slot, i, of = hash(s, t);

		for (slot = index_first(&index, of); (i = index_at(&index, slot)) != INDEX_NONE; slot = index_next(&index, slot))
			if (does_the_same(&s->thread[i], t) && equal(s, &s->thread[i], t))
				break;
		t->same = i == INDEX_NONE ? n : i;
		if (i == INDEX_NONE)
			index_add(&index, of, n);
	}
	index_free(&index);
}

/* Both looks are of the same threads in the same order, except those that have ended. */
static void
compare(struct thread_stacks *s)
{
	uint32_t before = 0;

	for (uint32_t n = s->first; n < s->n; n++) {
		struct stack_thread *t = &s->thread[n];
		uint32_t i = before;

		while (i < s->first && s->thread[i].tid != t->tid)
			i++;
		if (i == s->first)
			continue;
		before = i + 1;
		t->again = true;
		t->between = t->ran > s->thread[i].ran ? t->ran - s->thread[i].ran : 0;
		t->moved = t->between || !equal(s, &s->thread[i], t);
	}
}

void
equal_stacks(struct thread_stacks *s)
{
	compare(s);
	for (uint32_t n = s->first; n < s->n; n++) {
		struct stack_thread *t = &s->thread[n];

		s->incomplete += !t->complete;
		s->asleep += !t->complete && !t->stood;
		t->waits = waits_for(s, t);
	}
	fold(s);
}
