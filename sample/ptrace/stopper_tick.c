/* See stopper_tick.h.  At each tick the stopper stops the threads that are on a CPU, one after the other, reads their registers
 * and stack, and lets them go on.  It leaves a sleeping thread alone: each sample stands for all that its thread has run since
 * the last, so nothing is missing. */
#include "stopper_tick.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stopper_event.h"
#include "stopper_wait.h"

/* Nanoseconds.  PATIENCE: how long to wait for a thread that does not stop, because it waits for a CPU.  REST: how long this
 * process sleeps on the CPU of a thread.  The time until the next tick is TICK_TIMES as long as a tick took, and STOP_TIMES
 * as long as its part for one thread: so no thread loses more than one part in STOP_TIMES. */
#define PATIENCE UINT64_C(200000)
#define REST UINT64_C(60000)
enum { TICK_TIMES = 4, STOP_TIMES = 25 };

int
tick_wait(struct state *s, struct pollfd *p, uint64_t time)
{
	uint64_t t = clock_now(), left = time > t ? time - t : 0;
	struct timespec ts = { (time_t)(left / 1000000000), (long)(left % 1000000000) };
	int n = ppoll(p, p != NULL, time ? &ts : NULL, &s->waiting);

	/* What ran on this CPU made way when the timer was due: this process may get there much later. */
	s->woke = n == 0 && time > t ? time : clock_now();
	if (n < 0)
		event_all(s);
	return n;
}

/* How a thread is now, as far as that concerns a tick. */
enum { RESTS, WAITS, RUNS };

static int
look(struct state *s, struct tracee *t)
{
	uint64_t before = t->run;
	char comm[16];

	if (s->schedstat && (!tracee_read(t) || (t->run == before && !t->awake)))
		return RESTS;
	t->awake = tracee_state(&t->who, comm, &t->cpu) == 'R';
	if (!t->awake)
		return RESTS;
	if (memcmp(comm, t->comm, sizeof comm))
		event_name(s, t, comm, false);
	if (!s->schedstat) {
		t->run += s->elapsed;
		return RUNS;
	}
	/* The kernel updates the account of a thread that stays on a CPU only now and then. */
	if (t->run <= t->met && t->runs <= t->was_run)
		return RESTS;
	return t->cpu != s->cpu && tracee_is_on(t) ? RUNS : WAITS;
}

static void
stop_one(struct state *s, struct tracee *t)
{
	uint64_t end;

	t->here = t->cpu == s->cpu;
	t->asked_delay = t->delay;
	t->asked = clock_now();
	t->woke = s->woke;
	end = t->asked + PATIENCE;
	if (!stopper_ask(PTRACE_INTERRUPT, t->who.tid, 0, 0))
		t->asked = 0;
	while (t->asked && !t->gone && clock_now() < end)
		if (!event_next(s, t->who.tid))
			tick_wait(s, NULL, end);
}

/* Moves to that CPU, and sleeps there until a timer interrupts the thread that runs.  If the request to stop came from
 * another CPU, the thread would stop at once when it enters the kernel by itself, but otherwise only some microseconds later,
 * when the interrupt comes.  So prof would meet it at its system calls too often. */
static void
go(struct state *s, int cpu)
{
	uint64_t time;
	cpu_set_t set;

	if (cpu != s->cpu && (unsigned)cpu < CPU_SETSIZE) {
		CPU_ZERO(&set);
		CPU_SET((unsigned)cpu, &set);
		if (!sched_setaffinity(0, sizeof set, &set))
			s->cpu = cpu;
	}
	for (time = clock_now() + REST; clock_now() < time;)
		tick_wait(s, NULL, time);
}

/* Whether to stop it: it ran while this process slept on its CPU, and then made way for this process. */
static bool
made_way(struct state *s, struct tracee *t)
{
	uint64_t runs = t->runs;
	int how;

	if (t->gone || t->asked)
		return false;
	how = look(s, t);
	return t->cpu != s->cpu ? how == RUNS : how == WAITS && t->runs > runs;   /* the former: this process may not run on that CPU */
}

/* Looks at all threads.  Returns the one on this CPU that has run most since the last time, or NULL; AWAY: those that run
 * elsewhere. */
static struct tracee *
look_at_all(struct state *s, struct tracee **away)
{
	struct tracee *here = NULL;
	uint64_t most = 0;

	*away = NULL;
	for (unsigned i = 0; i < TRACEES; i++)
		for (struct tracee *t = s->tracees.bucket[i]; t; t = t->next) {
			uint64_t before = t->run;
			int how;

			if (t->gone || t->asked)
				continue;
			how = look(s, t);
			tracee_waits(s, t, stopper_stack(s), s->last);
			if (how == RUNS) {
				t->next_away = *away;
				*away = t;
			} else if (how == WAITS && t->cpu == s->cpu && t->run - before > most) {
				most = t->run - before;
				here = t;
			}
		}
	return here;
}

void
tick(struct state *s)
{
	uint64_t start = clock_now(), used = clock_ns(CLOCK_PROCESS_CPUTIME_ID), stops = s->with.desk->stops, least;
	struct tracee *here, *away;
	unsigned cpu;

	s->elapsed = start - s->last;
	s->cpu = syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
	s->last = start;
	s->with.desk->ticks++;
	if ((here = look_at_all(s, &away)))   /* if any thread made way for this process, then most likely this one */
		stop_one(s, here);
	for (; away; away = away->next_away) {
		go(s, away->cpu);
		if (made_way(s, away))
			stop_one(s, away);
	}
	/* This varies: a fixed time might always meet the same place of a program that repeats itself. */
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	s->next = start + 1000000000 / s->with.freq * (192 + (s->random >> 33) % 128) / 256;
	stops = s->with.desk->stops - stops;
	least = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used;
	least = start + (stops > STOP_TIMES / TICK_TIMES ? least * TICK_TIMES : least * STOP_TIMES / (stops ? stops : 1));
	if (s->next < least)
		s->next = least;
}
