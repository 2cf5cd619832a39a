/* See causes_words.h. */
#include "causes_words.h"

#include "lib/text.h"
#include "out/profile/profile_names.h"

/* prof tells a cause if it took at least this part of the time, in thousandths. */
enum { THROTTLED_TOLD = 5, PRESSURE_TOLD = 100, MEMORY_TOLD = 10, WAITED_TOLD = 100 };

/* As --stats has them. */
static const char *const names[CAUSES] = {
	[CAUSE_USAGE] = "cgroup_cpu_us",
	[CAUSE_PERIODS] = "cgroup_periods",
	[CAUSE_THROTTLED_PERIODS] = "cgroup_throttled_periods",
	[CAUSE_THROTTLED] = "cgroup_throttled_us",
	[CAUSE_CPU_SOME] = "pressure_cpu_some_us",
	[CAUSE_CPU_FULL] = "pressure_cpu_full_us",
	[CAUSE_MEMORY_SOME] = "pressure_memory_some_us",
	[CAUSE_MEMORY_FULL] = "pressure_memory_full_us",
	[CAUSE_IO_SOME] = "pressure_io_some_us",
	[CAUSE_IO_FULL] = "pressure_io_full_us",
	[CAUSE_MEMORY_HIGH] = "memory_high",
	[CAUSE_MEMORY_MAX] = "memory_max",
	[CAUSE_OOM] = "memory_oom",
	[CAUSE_OOM_KILL] = "memory_oom_kills",
};

static const struct stalled {
	const char *what;
	unsigned some, full;       /* causes */
	unsigned told;             /* from so many thousandths of the time on */
} pressure[] = {
	{ "CPU", CAUSE_CPU_SOME, CAUSE_CPU_FULL, 1001 },   /* told by throttling and waiting */
	{ "memory", CAUSE_MEMORY_SOME, CAUSE_MEMORY_FULL, MEMORY_TOLD },
	{ "I/O", CAUSE_IO_SOME, CAUSE_IO_FULL, PRESSURE_TOLD },
};

static const struct memory_event {
	unsigned cause;
	const char *before, *once, *often;
} memory_event[] = {
	{ CAUSE_OOM_KILL, "the kernel killed ", " process, because memory ran out", " processes, because memory ran out" },
	{ CAUSE_MEMORY_MAX, "the target's cgroup reached memory.max ", " time", " times" },
	{ CAUSE_MEMORY_HIGH, "the target's cgroup exceeded memory.high ", " time", " times" },
};

/* The share of ELAPSED, in thousandths. */
static unsigned
share(uint64_t us, uint64_t elapsed)
{
	uint64_t part = elapsed >= 1000 ? times(us, 1000) / (elapsed / 1000) : 0;

	return part < 1000 ? (unsigned)part : 1000;   /* the kernel adds to its totals later than time passes */
}

static void
put_time(struct sink *s, uint64_t ms)
{
	if (ms < 1000)
		sink_fmt(s, "%llu ms", (unsigned long long)ms);
	else
		sink_fmt(s, "%llu.%02llu s", (unsigned long long)ms / 1000, (unsigned long long)ms % 1000 / 10);
}

/* Adds "machine: I/O pressure 42%", or nothing; in parentheses, if something stands before it. */
static void
put_pressure(struct sink *s, const struct causes *c, uint64_t elapsed, bool all)
{
	const char *before = c->machine ? "machine: " : "cgroup: ";
	bool behind = s->len != 0, any = false;

	for (unsigned i = 0; i < sizeof pressure / sizeof *pressure; i++) {
		unsigned some = share(c->value[pressure[i].some], elapsed), full = share(c->value[pressure[i].full], elapsed);

		if (some < (all ? 1 : pressure[i].told))
			continue;
		sink_fmt(s, "%s%s%s pressure %u%%", any || !behind ? "" : " (", any ? ", " : before, pressure[i].what, (some + 5) / 10);
		if (all)
			sink_fmt(s, " (all threads %u%%)", (full + 5) / 10);
		any = true;
	}
	if (any && behind)
		sink_char(s, ')');
}

/* Adds sentences about what is worth a word, or about ALL that is not zero. */
static void
put(struct sink *s, const struct causes *c, uint64_t elapsed, uint64_t run_queue, bool all)
{
	if (all ? c->value[CAUSE_PERIODS] != 0 : share(c->value[CAUSE_THROTTLED], elapsed) >= THROTTLED_TOLD) {
		sink_str(s, "the target's CPU limit throttled it for ");
		put_time(s, (c->value[CAUSE_THROTTLED] + 500) / 1000);
		sink_fmt(s, ", in %llu of %llu period%s", (unsigned long long)c->value[CAUSE_THROTTLED_PERIODS],
		         (unsigned long long)c->value[CAUSE_PERIODS], plural(c->value[CAUSE_PERIODS]));
	}
	if (c->waited >= 500000 && (all || (c->waited > elapsed / 20 && c->waited / WAITED_TOLD >= (c->ran + c->waited) / 1000))) {
		sink_fmt(s, "%sthe target waited ", s->len ? "; " : "");
		put_time(s, ((run_queue > c->waited ? run_queue : c->waited) + 500000) / 1000000);
		sink_str(s, " for a CPU");
		if (run_queue > c->waited) {   /* prof could not ask any more how long threads waited that have ended */
			sink_str(s, ", as [run queue] shows");
		} else if (run_queue && !c->wakers) {   /* a woken thread waits for a CPU, too, but the time of its waking is not known then */
			sink_str(s, ": [run queue] shows ");
			put_time(s, (run_queue + 500000) / 1000000);
			sink_str(s, " of it, and with --wakers the rest");
		}
	}
	put_pressure(s, c, elapsed, all);
	for (unsigned i = 0; i < sizeof memory_event / sizeof *memory_event; i++) {
		const struct memory_event *e = &memory_event[i];
		unsigned long long n = c->value[e->cause];

		if (n)
			sink_fmt(s, "%s%s%llu%s", s->len ? "; " : "", e->before, n, n == 1 ? e->once : e->often);
	}
}

void
causes_words(struct sink *s, const struct causes *c, uint64_t elapsed, uint64_t run_queue)
{
	struct sink own;

	sink_open(&own, -1);
	put(&own, c, elapsed, run_queue, false);
	if (own.len && !own.err) {
		sink_str(s, "; ");
		sink_put(s, own.buf, own.len);
	}
	sink_close(&own);
}

void
causes_notes(const struct causes *c, uint64_t elapsed, struct profile *p)
{
	struct sink s;

	sink_open(&s, -1);
	put(&s, c, elapsed, 0, true);
	if (s.len) {
		sink_char(&s, 0);
		if (!s.err)
			profile_note(p, "in the way", s.buf);
	}
	sink_close(&s);
}

void
causes_fields(struct sink *s, const struct causes *c)
{
	for (unsigned i = 0; i < CAUSES; i++)
		if (c->known >> i & 1)
			sink_fmt(s, "  \"%s\": %llu,\n", names[i], (unsigned long long)c->value[i]);
	if (c->ran)
		sink_fmt(s, "  \"threads_ran_ns\": %llu,\n  \"threads_waited_ns\": %llu,\n", (unsigned long long)c->ran,
		         (unsigned long long)c->waited);
}
