/* See causes.h. */
#include "causes_words.h"

#include <string.h>

/* What is worth a word: parts of the time, in thousandths. */
enum { THROTTLED_TOLD = 5, PRESSURE_TOLD = 100, MEMORY_TOLD = 10, WAITED_TOLD = 100 };

/* As --stats has them, each behind the other. */
static const char names[] = "cgroup_cpu_us\0cgroup_periods\0cgroup_throttled_periods\0cgroup_throttled_us\0"
                            "pressure_cpu_some_us\0pressure_cpu_full_us\0pressure_memory_some_us\0"
                            "pressure_memory_full_us\0"
                            "pressure_io_some_us\0pressure_io_full_us\0memory_high\0memory_max\0memory_oom\0memory_oom_kills";

static const struct pressure {
	char what[7];
	uint8_t some;              /* "full" is the cause behind it */
	uint16_t told;
} pressure[] = {
	{ "cpu", CAUSE_CPU_SOME, 1001 },   /* told by throttling and waiting */
	{ "memory", CAUSE_MEMORY_SOME, MEMORY_TOLD },
	{ "io", CAUSE_IO_SOME, PRESSURE_TOLD },
};

static const struct memory_event {
	uint8_t cause;
	char before[19], behind[29];
} memory_event[] = {
	{ CAUSE_OOM_KILL, "", " killed for want of memory" },
	{ CAUSE_MEMORY_MAX, "at memory.max ", " times" },
	{ CAUSE_MEMORY_HIGH, "above memory.high ", " times" },
};

/* Of ELAPSED, in thousandths. */
static unsigned
share(uint64_t us, uint64_t elapsed)
{
	return elapsed >= 1000 ? (unsigned)(times(us, 1000) / (elapsed / 1000)) : 0;
}

/* Behind BEFORE, what of it is worth a word; or ALL that is not nothing. */
static void
put(struct sink *s, const struct causes *c, uint64_t elapsed, const char *before, bool all)
{
	const char *comma = before;

	if (all ? c->value[CAUSE_PERIODS] != 0 : share(c->value[CAUSE_THROTTLED], elapsed) >= THROTTLED_TOLD) {
		sink_fmt(s, "%sthrottled for %llu ms in %llu of %llu periods", comma,
		         (unsigned long long)(c->value[CAUSE_THROTTLED] + 500) / 1000,
		         (unsigned long long)c->value[CAUSE_THROTTLED_PERIODS], (unsigned long long)c->value[CAUSE_PERIODS]);
		comma = ", ";
	}
	if (c->waited >= 500000 && (all || (c->waited > elapsed / 20 && c->waited / WAITED_TOLD >= (c->ran + c->waited) / 1000))) {
		sink_fmt(s, "%swaited %llu ms for a CPU", comma, (unsigned long long)(c->waited + 500000) / 1000000);
		comma = ", ";
	}
	for (unsigned i = 0; i < sizeof pressure / sizeof *pressure; i++) {
		unsigned some = share(c->value[pressure[i].some], elapsed), full = share(c->value[pressure[i].some + 1], elapsed);

		if (some < (all ? 1 : pressure[i].told))
			continue;
		sink_fmt(s, "%s%s pressure %u.%u%%", comma, pressure[i].what, some / 10, some % 10);
		if (all)
			sink_fmt(s, " (full %u.%u%%)", full / 10, full % 10);
		comma = ", ";
	}
	for (unsigned i = 0; i < sizeof memory_event / sizeof *memory_event; i++) {
		const struct memory_event *e = &memory_event[i];

		if (!c->value[e->cause])
			continue;
		sink_fmt(s, "%s%s%llu%s", comma, e->before, (unsigned long long)c->value[e->cause], e->behind);
		comma = ", ";
	}
}

void
causes_words(struct sink *s, const struct causes *c, uint64_t elapsed)
{
	put(s, c, elapsed, "; meanwhile ", false);
}

void
causes_notes(const struct causes *c, uint64_t elapsed, struct profile *p)
{
	struct sink s;

	sink_open(&s, -1);
	put(&s, c, elapsed, "", true);
	if (s.len) {
		sink_char(&s, 0);
		if (!s.err)
			profile_note(p, "meanwhile", s.buf);
	}
	sink_close(&s);
}

void
causes_fields(struct sink *s, const struct causes *c)
{
	const char *name = names;

	for (unsigned i = 0; i < CAUSES; i++, name += strlen(name) + 1)
		if (c->known >> i & 1)
			sink_fmt(s, "  \"%s\": %llu,\n", name, (unsigned long long)c->value[i]);
	if (c->ran)
		sink_fmt(s, "  \"threads_ran_ns\": %llu,\n  \"threads_waited_ns\": %llu,\n", (unsigned long long)c->ran,
		         (unsigned long long)c->waited);
}
