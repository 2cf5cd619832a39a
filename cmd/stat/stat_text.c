/* See stat_text.h.  perf-stat(1): "CSV FORMAT", "JSON FORMAT". */
#include "stat_text.h"

#include <stdio.h>
#include <string.h>

#include "lib/columns.h"

void
stat_text_name(char *name, size_t size, const struct event *e)
{
	snprintf(name, size, "%s%s", e->name, !e->kernel && e->user && !e->sides_given ? ":u" : "");
}

static const char *
unit_of(const struct event *e)
{
	return e->is_time ? "msec" : e->unit ? e->unit : "";
}

/* The value as prof shows it: clocks in ms; what has a unit by its scale. */
static double
shown(const struct stat_line *l)
{
	return l->event->is_time ? l->value / 1e6 : l->event->unit && l->event->scale > 0 ? l->value * l->event->scale : l->value;
}

static const char *
missing(const struct stat_line *l)
{
	return l->supported ? "<not counted>" : "<not supported>";
}

static void
value_words(char *text, size_t size, const struct stat_line *l)
{
	if (!l->counted)
		snprintf(text, size, "%s", missing(l));
	else if (l->event->is_time || l->event->unit)
		snprintf(text, size, "%.2f", shown(l));
	else
		snprintf(text, size, "%.0f", l->value);
}

static void
put_text(struct sink *out, const struct stat_line *l)
{
	char value[64], name[256];

	value_words(value, sizeof value, l);
	if (l->counted && !l->event->is_time && !l->event->unit) {
		struct columns_cell cell = columns_number((uint64_t)(l->value + 0.5), 0);

		snprintf(value, sizeof value, "%.*s", (int)(cell.n < sizeof cell.text ? cell.n : sizeof cell.text), cell.text);
	}
	stat_text_name(name, sizeof name, l->event);
	if (l->time)
		sink_fmt(out, "%16s ", l->time);
	if (l->row)
		sink_fmt(out, "%-20s ", l->row);
	sink_fmt(out, "%18s %-4s ", value, unit_of(l->event));
	if (!l->counted || (!l->of && l->deviation < 0 && l->share > 99.99)) {
		sink_fmt(out, "%s\n", name);
		return;
	}
	sink_fmt(out, "%-32s ", name);
	if (l->of)
		sink_fmt(out, l->of[0] == '%' ? "# %7.2f%%%-25s" : "# %8.3f %-25s", l->ratio, l->of + (l->of[0] == '%'));
	else
		sink_fmt(out, "%36s", "");
	if (l->deviation >= 0)
		sink_fmt(out, " ( +-%6.2f%% )", l->deviation);
	if (l->share <= 99.99)
		sink_fmt(out, "  (%.2f%%)", l->share);
	sink_char(out, '\n');
}

static void
put_csv(struct sink *out, const struct stat_line *l, const char *sep)
{
	char value[64], name[256];

	value_words(value, sizeof value, l);
	stat_text_name(name, sizeof name, l->event);
	if (l->time)
		sink_fmt(out, "%16s%s", l->time, sep);
	if (l->row)
		sink_fmt(out, "%s%s", l->row, sep);
	sink_fmt(out, "%s%s%s%s%s%s", value, sep, unit_of(l->event), sep, name, sep);
	if (l->deviation >= 0)
		sink_fmt(out, "%.2f%%%s", l->deviation, sep);
	sink_fmt(out, "%llu%s%.2f%s", (unsigned long long)l->running, sep, l->share, sep);
	if (l->counted && l->of)
		sink_fmt(out, "%.3f%s%s", l->ratio, sep, l->of);
	else
		sink_str(out, sep);
	sink_char(out, '\n');
}

static void
put_json(struct sink *out, const struct stat_line *l)
{
	char name[256];

	stat_text_name(name, sizeof name, l->event);
	sink_char(out, '{');
	if (l->time)
		sink_fmt(out, "\"interval\" : %s, ", l->time + strspn(l->time, " "));
	if (l->row) {
		sink_str(out, "\"of\" : ");
		sink_json(out, l->row);
		sink_str(out, ", ");
	}
	if (l->counted)
		sink_fmt(out, "\"counter-value\" : \"%f\"", shown(l));
	else
		sink_fmt(out, "\"counter-value\" : \"%s\"", missing(l));
	sink_fmt(out, ", \"unit\" : \"%s\", \"event\" : ", unit_of(l->event));
	sink_json(out, name);
	if (l->deviation >= 0)
		sink_fmt(out, ", \"variance\" : %.2f", l->deviation);
	sink_fmt(out, ", \"event-runtime\" : %llu, \"pcnt-running\" : %.2f", (unsigned long long)l->running, l->share);
	if (l->counted && l->of)
		sink_fmt(out, ", \"metric-value\" : %f, \"metric-unit\" : \"%s\"", l->ratio, l->of);
	sink_str(out, "}\n");
}

void
stat_text_line(struct sink *out, const struct stat_plan *p, const struct stat_line *l)
{
	if (p->as == STAT_CSV)
		put_csv(out, l, p->separator);
	else if (p->as == STAT_JSON)
		put_json(out, l);
	else
		put_text(out, l);
}
