/* See stopper_wait.h.  Waits, as far as ticks show them.  If a thread is asleep at a tick, a record says that it left its
 * CPU, with the stack pointer and the pc at which it sleeps (proc(5), syscall).  Once it has run, another record says that it
 * came back.  If it did both between two ticks, the times add up, and the wait counts for the place that a tick saw last.
 * The stopper does not stop the thread for this. */
#include "stopper_wait.h"

#include <string.h>

#include "sample/tasks/foreign.h"
#include "sample/waiting/wait.h"

enum { WAITS = 1 };   /* the number of the event for waits */
enum { IN = 0, OUT = PERF_RECORD_MISC_SWITCH_OUT, STILL_READY = OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT };

static void
turn(struct state *s, const struct tracee *t, uint16_t how, uint64_t time)
{
	uint64_t nothing = 0;

	s->with.out.at = time;
	emit_record(&s->with.out, PERF_RECORD_SWITCH, how, &t->who, &nothing, sizeof nothing);
	s->with.out.at = 0;
}

/* The place where it sleeps, as a sample that has only a stack pointer and a pc. */
static void
tell_place(struct state *s, const struct tracee *t, size_t size, uint64_t time)
{
	const struct capture *c = s->with.capture;
	uint64_t *regs = s->word + SAMPLE_REGS, sp, pc, arg, got;

	if (!wait_asleep(t->who.pid, t->who.tid, &sp, &pc, &arg))
		return;
	got = c->user_stack ? foreign_read(t->who.tid, sp, s->stack, size) : 0;
	if (!stopper_may(s, t))
		return;
	memset(s->word, 0, sizeof s->word);
	s->word[SAMPLE_PC] = regs[c->prstatus->pc] = pc;
	regs[c->prstatus->sp] = sp;
	regs[c->prstatus->arg] = arg;
	s->word[SAMPLE_ABI] = sizeof(void *) == 8 ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
	s->word[SAMPLE_ID] = WAITS;
	stopper_tell(s, t, time, 0, got);
	s->word[SAMPLE_ID] = 0;
}

void
tracee_comes(struct state *s, struct tracee *t)
{
	if (!s->with.capture->waited)
		return;
	t->looked = clock_now();
	turn(s, t, IN, t->looked);
	t->out = false;
}

void
tracee_waits(struct state *s, struct tracee *t, size_t size, uint64_t now)
{
	uint64_t since = t->looked > s->on ? t->looked : s->on, most = now - since, ran = t->run - t->had, queued = t->delay - t->queued;
	bool off;

	if (!s->with.capture->waited)
		return;
	/* This process may be on the thread's CPU; if the thread has run, it was on that CPU until then. */
	off = !t->awake || (!ran && (t->cpu == s->cpu || !tracee_is_on(t)));
	ran = ran < most ? ran : most;
	queued = queued < most - ran ? queued : most - ran;
	t->had = t->run;
	t->queued = t->delay;
	if (t->out && (ran || !off))
		turn(s, t, IN, now - ran);
	if (off && (ran || !t->out)) {
		uint64_t time = t->out ? now : since + ran;

		if (!t->awake)
			tell_place(s, t, size, time);
		turn(s, t, t->awake ? STILL_READY : OUT, time);
	}
	if (!off && !t->out && queued) {   /* it had to wait for its turn meanwhile */
		turn(s, t, STILL_READY, now - queued);
		turn(s, t, IN, now);
	}
	t->out = off;
	t->looked = now;
}
