/* See stopper_sample.h.  A sample of one thread: registers by PTRACE_GETREGSET, the stack by process_vm_readv, and for how much
 * of its time it stands.  <linux/perf_event.h> has the record. */
#include "stopper_sample.h"

#include <unistd.h>

#include "sample/tasks/foreign.h"
#include "stopper_wait.h"
#include "thread_registers.h"

/* The registers of the stopped thread; false if the kernel does not give them. */
static bool
read_registers(struct state *s, int32_t tid, uint64_t *sp, uint64_t *pointer)
{
	uint64_t *to = s->word + SAMPLE_REGS;
	const struct prstatus *p = s->with.capture->prstatus;
	bool compat;

	if (!thread_registers(tid, p, to, &compat, pointer))
		return false;
	p += compat;
	s->word[SAMPLE_PC] = to[p->pc];
	s->word[SAMPLE_ABI] = compat || sizeof(void *) == 4 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	*sp = to[p->sp];
	return true;
}

/* Whether the thread that stopped at TIME was on a CPU when prof asked it to.  A thread that waited for its turn did not use
 * the CPU there.  But the thread that made way for this process did, even if it had to wait for a long time after that. */
static bool
was_running(const struct tracee *t, uint64_t time)
{
	uint64_t waited = t->delay - t->asked_delay;

	return t->here ? time - waited + WAITED >= t->woke : waited <= WAITED;
}

bool
sample_take(struct state *s, struct tracee *t)
{
	const struct deep_chain *told = s->with.told ? s->with.told->chain : NULL;
	size_t size = stopper_stack(s);
	uint64_t sp, pointer;

	s->taken = clock_now();
	s->chain.pages = s->deep.pages = 0;
	if (!read_registers(s, t->who.tid, &sp, &pointer) || (s->schedstat && !tracee_read(t)) || t->run <= t->met || !was_running(t, s->taken))
		return false;
	s->got = s->with.capture->user_stack ? foreign_read(t->who.tid, sp, s->stack, size) : 0;
	if (s->got && told)
		chain_take(&s->chain, &told[t->who.tid & ((1 << DEEP_CHAINS) - 1)], &told[t->who.pid & ((1 << DEEP_CHAINS) - 1)], t->who.tid, pointer,
		           &(struct piece){ sp, s->got, s->stack });
	if (s->got == STACK_MOST && s->with.told)   /* shorter copies become longer first, if they cut stacks */
		deep_take(&s->deep, s->with.told, t->who.tid, sp, s->got);
	return true;
}

/* Reports the mappings of a program that has just begun often, because it may end before another process can look. */
static void
tell_maps(struct state *s, struct tracee *t)
{
	uint64_t age = clock_now() - t->execed, known = t->told - t->execed;
	int fd;

	if (!t->execed || (t->told && age < known + known / 4) || (fd = foreign_maps(t->who.tid)) < 0)
		return;
	if (stopper_may(s, t))
		emit_maps(&s->with.out, &t->who, fd);
	close(fd);
	emit_wake(&s->with.out);
	t->told = t->execed + age;
}

/* How long the thread was paused, from the request to stop on; but not if other threads had its CPU before it could stop. */
static void
account(struct state *s, const struct tracee *t)
{
	struct desk *d = s->with.desk;
	uint64_t pause = clock_now() - t->asked, us = pause / 1000;

	d->stops++;
	if (t->delay - t->asked_delay > t->asked - t->woke + WAITED)
		return;
	d->paused[us < PAUSES - 1 ? us : PAUSES - 1]++;
	if (pause > d->longest)
		d->longest = pause;
}

void
sample_finish(struct state *s, struct tracee *t, bool taken)
{
	uint64_t fresh;

	if (taken)
		account(s, t);
	t->asked = 0;
	t->awake = true;
	if (!taken)
		return;
	tell_maps(s, t);
	/* The time that it ran since its last sample.  If that is much more than usual, several samples share it. */
	fresh = t->run - t->met;
	t->usual = t->usual ? t->usual - t->usual / 8 + fresh / 8 : fresh;
	t->met = t->run;
	fresh = t->run - t->counted;
	fresh = fresh < 2 * t->usual ? fresh : 2 * t->usual;
	t->counted += fresh;
	t->was_run = t->runs;
	tracee_waits(s, t, 0, s->taken);   /* what was before it; this is no sample, because the thread is awake */
	stopper_tell(s, t, s->taken, fresh, s->got);
}
