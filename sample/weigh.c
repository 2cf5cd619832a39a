/* See weigh.h. */
#include "weigh.h"

#include "../lib/index.h"

/* Nanoseconds: the shortest period, how often it is thought over, and how long it stays short for nothing. */
#define SHORTEST    UINT64_C(100000)
#define THINK_PAUSE UINT64_C(10000000)
#define STAY_SHORT  UINT64_C(1000000000)
/* Runs shorter than SHORT periods are short; a period for them shall fit into the mean FIT times; they are many where they
 * are one part in MANY of the time. */
enum { SHORT = 4, FIT = 4, MANY = 50 };

static struct name_weight *
name_of(struct weights *w, const struct task *t)
{
	return &w->name[hash_str(t->comm) % NAMES];
}

/* What is owed to a name: its rest as far as it is likely to be visible. */
static int64_t
owed(const struct weights *w, const struct name_weight *n)
{
	int64_t share = w->whole || n->sampled >= n->fired ? 1024 : n->sampled / (n->fired / 1024 + 1);

	return n->sampled + n->rest / 1024 * share - n->given * (int64_t)w->period;
}

uint64_t
weigh_sample(struct weights *w, struct task *t, uint64_t ns)
{
	struct name_weight *n;
	int64_t count;

	if (!w->period)
		return 1;
	n = name_of(w, t);
	if (t->seen_in != w->opened) {
		t->seen_in = w->opened;
		t->seen_ns = 0;
	}
	t->seen_ns += ns;
	t->every_ns = ns;
	n->sampled += (int64_t)ns;
	count = ns == w->period && !n->rest ? 1 : owed(w, n) / (int64_t)w->period;
	if (count < 0)
		count = 0;
	n->given += count;
	w->given += count;
	return (uint64_t)count;
}

void
weigh_end(struct weights *w, struct task *t, uint64_t ns)
{
	struct name_weight *n;
	bool sampled = t->seen_in == w->opened && t->every_ns;
	uint64_t every = sampled ? t->every_ns : w->first, fired;

	if (!w->period || !ns)
		return;
	if (ns < SHORT * w->period) {
		w->runs++;
		w->run_ns += ns;
	}
	n = name_of(w, t);
	fired = !w->whole ? ns / every * every : sampled ? t->seen_ns : 0;
	n->fired += (int64_t)fired;
	n->rest += (int64_t)ns - (int64_t)fired;
	t->seen_ns = 0;   /* it ends on each CPU that it was on */
}

uint64_t
weigh_first(struct weights *w, uint64_t now)
{
	uint64_t passed = now - w->looked, first = w->period;

	if (!w->period || passed < THINK_PAUSE)
		return 0;
	if (w->run_ns > passed / MANY) {
		/* Not always the same, or it might always meet the same place of a short program. */
		first = w->run_ns / w->runs / FIT * (192 + (w->turn++ * 79) % 128) / 256;
		first = first < SHORTEST ? SHORTEST : first < w->period ? first : w->period;
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
