/* See stopper_state.h. */
#include "stopper_state.h"

#include <string.h>
#include <unistd.h>

#include "sample/tasks/whose.h"

bool
stopper_ask(int what, int32_t tid, uintptr_t addr, uintptr_t data)
{
	return ptrace(what, tid, (void *)addr, (void *)data) >= 0;
}

bool
stopper_may(const struct state *s, const struct tracee *t)
{
	return !s->with.lent || whose_may(t->who.pid);
}

size_t
stopper_stack(const struct state *s)
{
	uint32_t size = __atomic_load_n(&s->with.desk->stack_size, __ATOMIC_RELAXED);

	return size < STACK_MOST ? size : STACK_MOST;
}

void
stopper_tell(struct state *s, const struct tracee *t, uint64_t time, uint64_t period, uint64_t got)
{
	memcpy(&s->word[SAMPLE_TASK], &t->who, sizeof t->who);
	s->word[SAMPLE_TIME] = time;
	s->word[SAMPLE_PERIOD] = period;
	if (!s->chain.pages || emit_part(&s->with.out, s->word, &s->chain.head, s->chain.bytes, s->chain.pages))
		deep_tell(&s->deep, &s->with.out, s->word, s->chain.pages != 0);
	s->chain.pages = s->deep.pages = 0;
	emit_sample(&s->with.out, s->word, SAMPLE_REGS + (unsigned)__builtin_popcountll(s->with.capture->regs_mask) + 1, s->stack, got);
}
