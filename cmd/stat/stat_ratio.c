/* See stat_ratio.h.  A ratio is a row: perf's words, of perf stat(1). */
#include "stat_ratio.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* An event's name without its modifiers, and the event that it is a part of. */
static const struct ratio {
	const char *of, *by;
	double times;
	const char *words;
} ratios[] = {
	{ "instructions", "cycles", 1, "insn per cycle" },
	{ "branch-misses", "branches", 100, "% of all branches" },
	{ "cache-misses", "cache-references", 100, "% of all cache refs" },
	{ "L1-dcache-load-misses", "L1-dcache-loads", 100, "% of all L1-dcache accesses" },
	{ "L1-icache-load-misses", "L1-icache-loads", 100, "% of all L1-icache accesses" },
	{ "LLC-load-misses", "LLC-loads", 100, "% of all LL-cache accesses" },
	{ "dTLB-load-misses", "dTLB-loads", 100, "% of all dTLB cache accesses" },
	{ "iTLB-load-misses", "iTLB-loads", 100, "% of all iTLB cache accesses" },
	{ "stalled-cycles-frontend", "cycles", 100, "% frontend cycles idle" },
	{ "stalled-cycles-backend", "cycles", 100, "% backend cycles idle" },
};

/* Other names of the same events. */
static const char *const also[][2] = { { "cpu-cycles", "cycles" }, { "branch-instructions", "branches" } };

/* Whether E is called NAME, with whatever modifiers. */
static bool
is(const struct event *e, const char *name)
{
	size_t n = strcspn(e->name, ":/");

	for (unsigned i = 0; i < sizeof also / sizeof *also; i++)
		if (strlen(also[i][0]) == n && !strncmp(e->name, also[i][0], n))
			return !strcmp(also[i][1], name);
	return strlen(name) == n && !strncmp(e->name, name, n);
}

/* The value of the event of that name that counts the same sides as E, or NAN. */
static double
value_of(const struct stat_values *v, const char *name, const struct event *e)
{
	for (unsigned i = 0; i < v->n; i++)
		if (is(&v->event[i], name) && v->event[i].user == e->user && v->event[i].kernel == e->kernel)
			return v->value[i];
	return (double)NAN;
}

/* ns of the clock that was counted, or NAN. */
static double
clock_of(const struct stat_values *v)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->event[i].is_time && v->value[i] > 0)
			return v->value[i];
	return (double)NAN;
}

const char *
stat_ratio(const struct stat_values *v, unsigned e, double *ratio)
{
	const struct event *event = &v->event[e];
	double clock = clock_of(v), by, value = v->value[e];

	if (isnan(value) || event->unit)
		return NULL;
	if (event->is_time) {
		*ratio = v->seconds > 0 ? value / 1e9 / v->seconds : 0;
		return v->seconds > 0 ? "CPUs utilized" : NULL;
	}
	for (unsigned i = 0; i < sizeof ratios / sizeof *ratios; i++)
		if (is(event, ratios[i].of) && (by = value_of(v, ratios[i].by, event)) > 0) {
			*ratio = ratios[i].times * value / by;
			return ratios[i].words;
		}
	if (isnan(clock))
		return NULL;
	*ratio = value / clock;
	if (event->is_cycles)
		return "GHz";
	if (*ratio >= 1)
		return "G/sec";
	*ratio *= 1e3;
	if (*ratio >= 1)
		return "M/sec";
	*ratio *= 1e3;
	if (*ratio >= 1)
		return "K/sec";
	*ratio *= 1e3;
	return "/sec";
}
