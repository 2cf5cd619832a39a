/* What a pprof profile measures: which of its types of samples prof takes, and how much one unit of a value is.
 *
 * From a file of another tool prof takes one type: the default one, else CPU time, else samples, else the last, as pprof
 * itself does.  A file of ours lists its events in its comments. */
#include "pprof_types.h"

#include "lib/text.h"
#include "lib/sink.h"

/* How many ns one UNIT is; 0 if it is no unit of time. */
static uint64_t
scale_of(const char *unit)
{
	static const struct { const char *unit; uint64_t ns; } scale[] = {
		{ "nanoseconds", 1 }, { "microseconds", 1000 }, { "milliseconds", 1000000 }, { "seconds", 1000000000 },
	};

	for (unsigned i = 0; i < sizeof scale / sizeof *scale; i++)
		if (strcmp(unit, scale[i].unit) == 0)
			return scale[i].ns;
	return 0;
}

/* "NAME, period N ns[, waiting]" of one of our comments; the name becomes a string of its own. */
static bool
read_event(struct reading *r, const char *s, struct event_info *e)
{
	static const char period[] = ", period ";
	const char *at = NULL;

	for (const char *p = s; (p = strstr(p, period)); p++)
		at = p;
	if (!at || !(e->name = arena_str(&r->arena, s, (size_t)(at - s))))
		return false;
	at += sizeof period - 1;
	if (!text_dec(&at, &e->period_ns) || !pprof_begins(at, " ns"))
		return false;
	e->waiting = strcmp(at + 3, ", waiting") == 0;
	return true;
}

/* The events as our comments tell them, if the types fit them. */
static bool
our_events(struct reading *r)
{
	uint32_t column = 0;

	for (uint32_t i = 0; i < r->comments; i++) {
		const char *s = pprof_text(r, r->comment[i]);
		struct measure *m = &r->measure[r->measures];
		bool time;

		if (!pprof_begins(s, "event: "))
			continue;
		*m = (struct measure){ .count = NONE, .value = column };
		if (r->measures == TYPES_MAX - 1)
			return false;
		if (!read_event(r, s + 7, &m->info))   /* the note of that name */
			continue;
		if ((time = m->info.period_ns > 0)) {
			m->count = column;
			m->value = ++column;
			m->scale = 1;
		}
		if (column >= r->types || (scale_of(pprof_text(r, r->type[column].unit)) == 1) != time)
			return false;
		column++;
		r->measures++;
	}
	return r->measures && column == r->types;
}

static uint32_t
type_named(struct reading *r, const char *name)
{
	for (uint32_t i = 0; i < r->types; i++)
		if (strcmp(pprof_text(r, r->type[i].name), name) == 0)
			return i;
	return NONE;
}

static uint32_t
choose_type(struct reading *r)
{
	uint32_t i = r->default_type ? type_named(r, pprof_text(r, r->default_type)) : NONE;

	if (i == NONE)
		i = type_named(r, "cpu");
	if (i == NONE)
		i = type_named(r, "samples");
	return i == NONE ? r->types - 1 : i;
}

/* If a length of time is not a multiple of the period, the period becomes 1 µs. */
static void
check_period(struct reading *r)
{
	const struct measure *m = r->measure;

	if ((uint64_t)r->value[m->value] * m->scale % m->info.period_ns)
		r->measure[0].info.period_ns = 1000;
}

/* The one measure of a file of another tool. */
static void
choose_measure(struct reading *r)
{
	uint32_t v = choose_type(r);
	const char *name = pprof_text(r, r->type[v].name), *unit = pprof_text(r, r->type[v].unit);
	uint64_t scale = scale_of(unit), period = times(r->period, scale_of(pprof_text(r, r->period_type.unit)));
	bool count = strcmp(unit, "count") == 0, samples = count && strcmp(name, "samples") == 0;
	struct measure *m = &r->measure[r->measures++];

	*m = (struct measure){ .info = { .name = name }, .value = v, .count = NONE, .scale = scale };
	if (!count && v && strcmp(pprof_text(r, r->type[v - 1].unit), "count") == 0)
		m->count = v - 1;
	if (scale) {
		m->info.waiting = strcmp(name, "wall") == 0 || strcmp(name, "delay") == 0;
		m->info.period_ns = period ? period : 1000;
		pprof_samples(r, NULL, check_period);
	} else if (samples)
		m->info.period_ns = period;
	else if (!count) {
		struct sink s;

		sink_open(&s, -1);
		sink_fmt(&s, "%.100s (%.100s)", name, unit);
		m->info.name = s.err ? name : arena_str(&r->arena, s.buf, s.len);
		sink_close(&s);
	}
}

void
pprof_measures(struct reading *r)
{
	if (!r->types) {
		pprof_fail(r, r->file.end, "the file names no types of samples");
		return;
	}
	if (!our_events(r)) {
		r->measures = 0;
		choose_measure(r);
	}
	for (uint32_t i = 0; !r->why && i < r->measures; i++) {
		struct measure *m = &r->measure[i];

		m->event = m->info.name ? profile_event(r->p, &m->info) : NONE;
		if (m->event == NONE)
			pprof_fail(r, r->here, "the file has too many events");
		if (m->info.period_ns == 1000)
			r->p->unit = UNIT_MICROSECONDS;
	}
}
