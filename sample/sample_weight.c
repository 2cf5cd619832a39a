/* See sample_weight.h.  An inherited event gives each new thread a whole period of its own, on each CPU.  A child that runs for
 * 0.5 ms at 1 ms a sample is never sampled, and a thousand such children have run for half a second that nobody sees.
 *
 * Two things mend that.  First, new threads begin with a shorter period while many of them are short, so that some samples of
 * such children come.  Second, the kernel tells at the end of each thread how long it ran, sampled or not: so prof knows the
 * time of all threads of a name, and adds the time without samples to the next samples of that name.  A sample then counts
 * for more than one, or for none if its thread's period was short.
 *
 * If the period of an event changes, the kernel still gives the old period with its samples, but the right one with samples
 * of events that were inherited since.  So no thread ever inherits the first period itself: a sample with that period belongs
 * to an event that prof opened, and really has the period that prof asked for last. */
#include "sample_weight.h"

#include "lib/index.h"

/* Nanoseconds: how often prof looks whether the period fits, and how long the period stays short without need. */
#define THINK_PAUSE UINT64_C(10000000)
#define STAY_SHORT  UINT64_C(1000000000)
/* A run is short if it is shorter than SHORT periods.  A period for short runs should fit FIT times into their mean.  There
 * are many of them if they take one part in MANY of the time. */
enum { SHORT = 4, FIT = 4, MANY = 50 };
/* After so many looks prof looks less often. */
enum { QUICK = 8 };
/* What the end of a thread may take, ns. */
enum { LAST_MOST = 500000 };

static struct name_weight *
name_of(struct weights *w, const struct task *t)
{
	return &w->name[hash_str(t->comm) % NAMES];
}

/* ns that no sample of a name stands for yet: of its rest only the part that is likely to be visible. */
static int64_t
owed(const struct weights *w, const struct name_weight *n)
{
	int64_t share = w->whole || n->sampled >= n->fired ? 1024 : n->sampled / (n->fired / 1024 + 1);

	return n->sampled + n->rest / 1024 * share - n->given * (int64_t)w->period;
}

void
weigh_init(struct weights *w, uint64_t ns, bool whole)
{
	w->period = ns;
	w->first = ns + 1;
	w->whole = whole;
}

uint64_t
weigh_sample(struct weights *w, struct task *t, uint64_t ns)
{
	struct name_weight *n;
	int64_t count;

	if (!w->period)
		return 1;
	if (ns == w->period)
		ns = w->first;
	n = name_of(w, t);
	if (t->weight.seen_in != w->opened) {
		t->weight.seen_in = w->opened;
		t->weight.seen_ns = 0;
	}
	t->weight.seen_ns += ns;
	t->weight.every_ns = ns;
	n->sampled += (int64_t)ns;
	w->told += (int64_t)ns;
	count = ns == w->period + 1 && !n->rest ? 1 : owed(w, n) / (int64_t)w->period;
	if (count < 0)
		count = 0;
	n->given += count;
	return (uint64_t)count;
}

void
weigh_end(struct weights *w, struct task *t, uint64_t ns)
{
	struct name_weight *n;
	bool sampled = t->weight.seen_in == w->opened && t->weight.every_ns;
	uint64_t every = sampled ? t->weight.every_ns : w->first, fired;

	if (!w->period || !ns)
		return;
	w->ends++;
	if (ns < SHORT * w->period) {
		w->runs++;
		w->run_ns += ns;
	}
	n = name_of(w, t);
	fired = !w->whole ? ns / every * every : sampled ? t->weight.seen_ns : 0;
	n->fired += (int64_t)fired;
	n->rest += (int64_t)ns - (int64_t)fired + w->last;
	w->told += (int64_t)ns - (int64_t)fired;
	t->weight.seen_ns = 0;   /* a thread ends once on each CPU that it was on */
}

void
weigh_account(struct weights *w, uint64_t ns)
{
	int64_t more = (int64_t)ns - w->told;

	w->last = !w->whole || !w->ends || more < 0 ? 0 : more / w->ends < LAST_MOST ? more / w->ends : LAST_MOST;
}

uint64_t
weigh_first(struct weights *w, uint64_t now)
{
	uint64_t passed = now - w->looked, first = w->period + 1;

	if (!w->period || passed < (w->turn < QUICK ? THINK_PAUSE : THINK_PAUSE * 10))
		return 0;
	if (w->run_ns > passed / MANY) {
		/* This varies: a fixed period might always meet the same place of a short program. */
		first = w->run_ns / w->runs / FIT * (192 + (w->turn++ * 79) % 128) / 256;
		first = first < WEIGH_SHORTEST ? WEIGH_SHORTEST : first <= w->period ? first - (first == w->period) : w->period + 1;
		w->many = now;
	} else if (now - w->many < STAY_SHORT) {
		first = w->first;
	}
	w->looked = now;
	w->runs = w->run_ns = 0;
	if (first == w->first)
		return 0;
	return w->first = first;
}

uint64_t
weigh_left(const struct weights *w)
{
	uint64_t ns = 0;

	for (unsigned i = 0; w->period && i < NAMES; i++) {
		int64_t left = owed(w, &w->name[i]);

		ns += left > 0 ? (uint64_t)left : 0;
	}
	return w->period ? ns / w->period : 0;
}
