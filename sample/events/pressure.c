/* See pressure.h.  A sample with its stack is thousands of bytes, and a ring holds some hundreds of them.  A reader that comes
 * late by more than that loses samples, and copies that are too short lose the roots of stacks; so copies are as long as stacks
 * need and as rings have room for.
 *
 *   need      Copies begin long.  Once many walks have shown how far stacks reach, they become twice that; where walks were cut,
 *             they become as long as can be, and if that is not enough, prof asks for the kernel's own chain.
 *   room      How full the fullest ring was when it was read tells how late the reader came.  Once some rounds have shown that
 *             it comes early enough for longer copies, prof allows these.
 *   pressure  A ring that is nearly full, or a record that found no room: prof takes in less, one thing at a time and then a
 *             pause, first what costs least: stacks of waits, what the BPF program reads beyond the copy, the copy itself, at
 *             last, with -F max, every second sample.
 *   budget    prof must not be a load, whatever it looks at.  What a sample costs can vary a hundredfold: code that a process makes anew
 *             has no tables, new programs have new names.  If prof's own work has taken more CPU time than the budget gives, prof takes
 *             one of two samples, then of three, until it fits.  Stacks stay whole. */
#include "pressure.h"

#include <stddef.h>

/* Bytes of a ring, and of all rings together: at most one part in RINGS_PART of the machine's memory.  The kernel clears a ring's
 * pages first, so a ring is no larger than half a second of samples of RING_SAMPLE bytes needs.  A large ring wakes the reader when it is half full, if
 * the reader need not wait for a CPU; other rings wake it when a quarter is full.  Waking costs more than some samples do. */
enum { RING_MOST = 8 << 20, RINGS_MOST = 128 << 20, RINGS_PART = 32, RING_ROOMY = 2 << 20, RING_SAMPLE = 16 << 10 };
/* A ring for executions has one part in TRACK_PART of a ring for samples, but so many pages at least: a path takes one. */
enum { TRACK_PART = 64, TRACK_PAGES = 4 };
/* Percent of a ring that are in use when the reader is late, and when it is too late; when an ordinary reader does no other work. */
enum { PRESSING = 75, PRESSING_HARD = 95, FULL_FOR_MORE = 50 };

/* Bytes of a copy: the least, and what it grows by; of a wait's: first, least, and what it grows by. */
enum { STACK_LEAST = 1 << 10, STACK_STEP = 16 << 10, WAIT_FIRST = 8 << 10, WAIT_LEAST = 1 << 10, WAIT_STEP = 1 << 10 };
/* A record has 64 KiB at most.  The kernel copies less of a stack if all does not fit, but it ignores registers that come
 * behind the stack: then the record's size would wrap.  STACK_BESIDE leaves room for them and a chain of 1900 callers. */
enum { STACK_BESIDE = 48 << 10 };
/* Bytes of a sample without its stack: registers, the kernel's chain; that the BPF program may read beyond a copy in any ring. */
enum { SAMPLE_LEAST = 512, DEEP_LEAST = 240 << 10 };
/* A ring must have room for so many milliseconds of samples; if it has not, copies become shorter.  ROOM_FIRST: the reader
 * gets a CPU first.  ROOM_LATER: it waits like all others; this holds at the beginning.  Each thread that waits for the same CPU
 * may run for ROOM_EACH before the reader does.  ROOM_DEEP: if all samples have as much beyond their copies as is allowed. */
enum { ROOM_DEEP = 10, ROOM_FIRST = 20, ROOM_LATER = 50, ROOM_EACH = 6 };
/* Walks that prof looks at before copies become shorter, the first time and at most, and those of waits; walks that may be cut
 * before copies become longer, and the share of all that these must be. */
enum { PATIENCE_FIRST = 1000, PATIENCE_MOST = 1 << 16, WAIT_PATIENCE = 1000, CUTS_MOST = 2, CUTS_SHARE = 200 };
/* How many times prof may double the time between samples. */
enum { SLOWER_MOST = 6 };

/* The budget: ns of CPU time in which a capture can begin, ns that each second brings, and each sample.  prof looks so often, and takes
 * one of so many samples at most. */
enum { BUDGET_FIRST = 250000000, BUDGET_SECOND = 18000000, BUDGET_SAMPLE = 5000, BUDGET_EACH = 500000000, ONE_OF_MOST = 64 };

/* ns between two times that prof asks for less. */
#define PRESS_PAUSE UINT64_C(20000000)
/* After so many rounds, and so many ns (at first, and at most), prof knows how late the reader comes. */
enum { LATE_ROUNDS = 8 };
#define LATE_LEAST UINT64_C(50000000)
#define LATE_MOST  UINT64_C(6400000000)
/* The next time it may come so many times as late; ns that it may be late for other reasons, if threads have a CPU each and if
 * they have not. */
enum { LATER = 4 };
#define LATE_ALONE UINT64_C(8000000)
#define LATE_MANY  UINT64_C(20000000)

/* The reader's longest sleep, ns.  SLEEP_MOST: so that it still finds what short processes leave behind.  SLEEP_CALM: if no
 * record came for the time CALM_AFTER.  At the beginning it sleeps a tenth of that. */
#define SLEEP_MOST INT64_C(50000000)
#define SLEEP_CALM INT64_C(200000000)
#define CALM_AFTER UINT64_C(1000000000)
#define BEGINNING  UINT64_C(200000000)
/* ns to rest after an exec, until its first mappings and late records are there: the shortest time, the shortest time without
 * a hurry, the longest time, how much more for each ring to read then, and how many times as long while the budget is used up. */
enum { NAP_LEAST = 250000, NAP_LONG = 1000000, NAP_MOST = 4000000, NAP_EACH = 2000, NAP_TIMES = 4 };
/* Other work than reading may take one part in SPARE_PART of the time that rings have room for. */
enum { SPARE_PART = 4 };

uint64_t
pressure_ring(uint64_t memory, uint32_t n, uint64_t least, uint64_t freq)
{
	uint64_t most = memory / RINGS_PART < RINGS_MOST ? memory / RINGS_PART : RINGS_MOST, bytes = RING_ROOMY;

	while (bytes < RING_MOST && (!freq || bytes / RING_SAMPLE < freq / 2))
		bytes *= 2;
	while (bytes > least && bytes * n > most)
		bytes /= 2;
	return bytes;
}

uint64_t
pressure_wakes(uint64_t ring_bytes, bool first)
{
	return first && ring_bytes > RING_ROOMY ? ring_bytes / 2 : ring_bytes / 4;
}

uint64_t
pressure_track(uint64_t ring_bytes, uint64_t page)
{
	return ring_bytes / TRACK_PART > TRACK_PAGES * page ? ring_bytes / TRACK_PART : TRACK_PAGES * page;
}

/* Bytes of a stack of which a ring has room for four samples, whatever the reader does. */
static uint32_t
limit(uint64_t ring_bytes, bool behind)
{
	uint32_t most = behind ? STACK_BESIDE : STACK_LARGEST;

	return ring_bytes / 4 < most ? (uint32_t)(ring_bytes / 4) : most;
}

/* Bytes beyond the copies: more than DEEP_LEAST only if a ring has room for two such samples, and for ROOM_DEEP of them. */
static uint64_t
limit_deep(const struct pressure_given *g)
{
	uint64_t each = g->freq * g->events * ROOM_DEEP / 1000, roomy = g->freq ? g->ring_bytes / (each > 2 ? each : 2) : 0;
	uint64_t most = roomy > DEEP_LEAST ? roomy : DEEP_LEAST;

	return most < g->deep ? most : g->deep;
}

bool
pressure_deep(uint64_t ring_bytes)
{
	return limit(ring_bytes, false) > STACK_BEFORE_DEEP;
}

static uint32_t
least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
settle(struct pressure *p)
{
	uint32_t wait = p->wait_most ? least_of(p->wait_wanted, p->wait_most) : p->wait_wanted;
	/* The kernel must copy the whole stack of a wait.  The ptrace engine reads on only where the longest copy ends. */
	uint32_t stack = p->given.deep && !p->given.stops ? least_of(p->wanted, STACK_BEFORE_DEEP) : p->wanted;

	p->want.stack = p->given.stacks ? least_of(stack, p->most) & ~7u : 0;
	p->want.wait_stack = least_of(wait, p->most) & ~7u;
}

/* Milliseconds of samples for which a ring has room at the beginning. */
static uint64_t
milliseconds(const struct pressure_given *g)
{
	uint64_t later = (uint64_t)g->wanted * ROOM_EACH / (g->cpus ? g->cpus : 1);

	return g->first ? ROOM_FIRST : later > ROOM_LATER ? later : ROOM_LATER;
}

void
pressure_begin(struct pressure *p, const struct pressure_given *g)
{
	uint64_t roomy = g->freq ? g->ring_bytes * 1000 / milliseconds(g) / g->freq : STACK_LARGEST;

	*p = (struct pressure){ .given = *g, .limit = limit(g->ring_bytes, g->behind), .patience = PATIENCE_FIRST, .late = UINT64_MAX,
	                        .pause = LATE_LEAST, .nap = NAP_LEAST, .want = { .chain = g->chain, .one_of = 1 },
	                        .budget = BUDGET_FIRST };
	p->want.deep = p->given.deep = limit_deep(g);
	p->wanted = g->stack ? g->stack : g->children || g->stops ? STACK_STEP : STACK_LARGEST;
	p->wait_wanted = g->stack ? g->stack : WAIT_FIRST;
	p->most = roomy >= p->limit || g->fixed || g->stops ? p->limit : roomy > STACK_LEAST ? (uint32_t)roomy : STACK_LEAST;
	settle(p);
}

/* Bytes of a sample. */
static uint64_t
sample_bytes(const struct pressure *p)
{
	return p->want.stack + SAMPLE_LEAST + p->deep;
}

/* The shortest time (ns) in which samples fill PERCENT of a ring. */
static uint64_t
fills(const struct pressure *p, uint64_t percent)
{
	return p->given.ring_bytes * percent * 10000000 / (p->given.freq ? p->given.freq : 1) / p->given.events / sample_bytes(p);
}

/* Percent of a ring that are in use when the kernel wakes the reader. */
static uint64_t
woken(const struct pressure *p)
{
	return pressure_wakes(p->given.ring_bytes, p->given.first) * 100 / p->given.ring_bytes;
}

/* Allows longer copies if the rings have had room for that. */
static void
find_room(struct pressure *p)
{
	uint64_t late = p->late > p->worst ? p->late : p->worst, room;
	uint32_t times;

	if (p->most == p->limit || !p->given.freq || p->late == UINT64_MAX)
		return;
	late = late * LATER + (!p->given.first && p->threads > p->given.cpus ? LATE_MANY : LATE_ALONE);
	room = fills(p, 100 - woken(p)) * sample_bytes(p) / late;
	if (room < SAMPLE_LEAST + (uint64_t)p->most * 2)
		return;
	times = room < SAMPLE_LEAST + (uint64_t)p->most * 4 ? 2 : 4;
	p->most = least_of(p->most * times, p->limit);
	p->late = UINT64_MAX;
}

static bool
cuts(const struct stack_use *u)
{
	return u->cut >= CUTS_MOST && u->cut * CUTS_SHARE >= u->walks;
}

/* The size of copies for stacks that reach as far as USED, and as much again. */
static uint32_t
fitting(uint64_t used)
{
	uint64_t size = (used * 2 + STACK_STEP - 1) / STACK_STEP * STACK_STEP;

	return size < STACK_STEP ? STACK_STEP : size < STACK_LARGEST ? (uint32_t)size : STACK_LARGEST;
}

static bool
waits_used(struct pressure *p, struct stack_use *u)
{
	uint64_t fit = u->used * 2 / WAIT_STEP * WAIT_STEP + WAIT_STEP;

	if (cuts(u))
		p->wait_wanted = p->wait_wanted < STACK_LARGEST / 4 ? p->wait_wanted * 4 : STACK_LARGEST;
	else if (u->walks < WAIT_PATIENCE)
		return false;
	else if (fit <= p->wait_wanted / 2)
		p->wait_wanted = (uint32_t)fit;
	*u = (struct stack_use){ 0 };
	return true;
}

bool
pressure_used(struct pressure *p, struct stack_use *samples, struct stack_use *waits)
{
	bool cut = cuts(samples), chain = p->want.chain, changed;
	uint32_t size = cut ? STACK_LARGEST : p->wanted;

	if (p->given.fixed)
		return false;
	if (waits_used(p, waits))
		settle(p);
	if (!cut && samples->walks < p->patience)
		return false;
	if (cut && size == p->wanted && p->given.chain_may && samples->cut_in_fp * 2 > samples->cut)
		chain = true;
	if (!cut && fitting(samples->used) <= size / 2)
		size = fitting(samples->used);
	changed = size != p->wanted || chain != p->want.chain;
	*samples = (struct stack_use){ 0 };
	if (!changed && !cut)
		return false;
	p->patience *= changed && p->patience < PATIENCE_MOST ? 4 : 1;
	p->wanted = size;
	p->want.chain = chain;
	if (size > p->want.stack)   /* rings may have room for more by now */
		find_room(p);
	settle(p);
	return changed;
}

/* Notes how late the reader was. */
static void
note_late(struct pressure *p, uint64_t time)
{
	uint64_t late = p->fullest > woken(p) ? fills(p, p->fullest - woken(p)) : 0;

	p->worst = late > p->worst ? late : p->worst;
	if (++p->rounds < LATE_ROUNDS || time - p->noted < p->pause)
		return;
	p->late = p->worst;
	p->noted = time;
	p->worst = p->rounds = 0;
}

/* The BPF program reads half as much, and at last nothing.  That holds from the next sample on and needs no other events, so no
 * pause need be before it reads still less. */
static bool
less_deep(struct pressure *p)
{
	if (!p->want.deep)
		return false;
	p->want.deep = p->want.deep / 2 >= DEEP_LEAST / 4 ? p->want.deep / 2 : 0;
	return true;
}

static bool
more_deep(struct pressure *p)
{
	uint64_t more = p->want.deep ? p->want.deep * 2 : DEEP_LEAST / 4;

	if (p->want.deep == p->given.deep)
		return false;
	p->want.deep = more < p->given.deep ? more : p->given.deep;
	return true;
}

static bool
less_of_waits(struct pressure *p)
{
	uint32_t size = p->want.wait_stack;

	if (!p->given.waits || p->given.fixed || size < 2 * WAIT_LEAST)
		return false;
	p->wait_most = size / 4 < WAIT_LEAST ? WAIT_LEAST : size / 4;
	return true;
}

static bool
less_of_stacks(struct pressure *p, bool much)
{
	uint32_t less = p->want.stack / (much ? 8 : 2) & ~7u;

	if (p->given.fixed || p->want.stack <= STACK_LEAST)
		return false;
	p->most = less > STACK_LEAST ? less : STACK_LEAST;
	return true;
}

static bool
fewer(struct pressure *p, bool may)
{
	if (!may || p->want.slower == SLOWER_MOST)
		return false;
	p->want.slower++;
	return true;
}

uint64_t
pressure_budget(uint64_t ns, uint64_t samples)
{
	return ns / 1000000 * (BUDGET_SECOND / 1000) + samples * BUDGET_SAMPLE;
}

bool
pressure_judges(const struct pressure *p, uint64_t time)
{
	return time - p->judged >= BUDGET_EACH;
}

/* Takes fewer samples while the budget is overdrawn, and more once that fits.  What prof saved up, and what it owes, have a bound: neither
 * a long calm nor the many new files of a beginning says anything of now. */
static void
judge(struct pressure *p, const struct pressure_round *r)
{
	int64_t gain = (int64_t)pressure_budget(r->time - p->judged, r->samples - p->judged_samples);
	int64_t cost = r->cpu > p->judged_cpu ? (int64_t)(r->cpu - p->judged_cpu) : 0;   /* less: a helper has died */
	int64_t left = p->judged ? p->budget + gain - cost : BUDGET_FIRST;
	uint32_t of = p->want.one_of, less = of - (of + 3) / 4, more = (of * 3 + 1) / 2;

	p->budget = left > BUDGET_FIRST ? BUDGET_FIRST : left < -BUDGET_FIRST ? -BUDGET_FIRST : left;
	if (left < 0 && cost > gain)
		p->want.one_of = more < ONE_OF_MOST ? more : ONE_OF_MOST;
	else if (left > 0 && cost * of < gain * less)
		p->want.one_of = less;
	p->judged = r->time;
	p->judged_cpu = r->cpu;
	p->judged_samples = r->samples;
}

void
pressure_read(struct pressure *p, const struct pressure_round *r)
{
	bool dropped = r->dropped > p->dropped;

	if (pressure_judges(p, r->time))
		judge(p, r);
	p->fullest = r->fullest;
	p->deep = r->deep;
	p->threads = r->threads;
	p->nap = r->new ? NAP_LEAST : p->nap < NAP_MOST ? p->nap * 9 / 8 : NAP_MOST;
	note_late(p, r->time);
	if (p->fullest < PRESSING && !dropped) {
		if (r->time - p->pressed > 2 * p->pause && more_deep(p))
			p->pressed = r->time;
		return;
	}
	if (!(p->light && p->want.deep) && r->time - p->pressed <= PRESS_PAUSE)
		return;
	p->dropped = r->dropped;
	p->late = UINT64_MAX;
	p->light = false;
	if (less_of_waits(p) || (p->light = less_deep(p)) || less_of_stacks(p, dropped || p->fullest >= PRESSING_HARD))
		settle(p);
	else if (!fewer(p, r->may_slow))
		return;
	p->pause *= p->pause < LATE_MOST ? 2 : 1;
	p->pressed = r->time;
}

void
pressure_refused(struct pressure *p, const struct intake *is)
{
	p->want = *is;
}

void
pressure_awake(struct pressure *p, uint64_t ns, uint64_t ran)
{
	p->awake = p->awake * 7 / 8 + ns;
	p->ran = p->ran * 7 / 8 + ran;
}

int64_t
pressure_sleep(const struct pressure *p, uint64_t since, uint64_t calm, bool write)
{
	if (since < BEGINNING)
		return SLEEP_MOST / 10;
	return since < CALM_AFTER || calm < CALM_AFTER || write || p->given.stops ? SLEEP_MOST : SLEEP_CALM;
}

int64_t
pressure_nap(const struct pressure *p, uint32_t n)
{
	return p->nap * (p->want.one_of > 1 ? NAP_TIMES : 1) + (int64_t)n * NAP_EACH;
}

uint64_t
pressure_spare(const struct pressure *p, uint64_t period)
{
	const struct pressure_given *g = &p->given;
	uint64_t room;

	if (g->waits || (!g->first && p->fullest > FULL_FOR_MORE))   /* threads switch as often as they like */
		return 0;
	if (p->nap < NAP_LONG)   /* processes execute programs: the reader must open the next one's files soon */
		return 0;
	room = g->ring_bytes * period / g->events / sample_bytes(p);
	if (p->nap < NAP_MOST && room > NAP_MOST)
		room = NAP_MOST;
	if (g->first)
		return room;
	/* The reader gets less done in that time if others want the CPUs, too. */
	room = room / SPARE_PART * g->cpus / (g->cpus + p->threads);
	return p->awake < 1000 ? 0 : room / (p->awake / 1000) * (p->ran < p->awake ? p->ran / 1000 : p->awake / 1000);
}
