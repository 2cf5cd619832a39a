/* See event_list.h.  The first kind of the table that claims a name reads it. */
#include "event_list.h"

#include <linux/perf_event.h>

#include "event_kind.h"
#include "lib/nearest.h"
#include "tracefs.h"

static const struct event_kind *const kinds[] = { &event_breakpoint, &event_probe, &event_tracepoint, &event_pmu, &event_named };

static bool
is_of(const struct event_kind *k, const char *name)
{
	return k->prefix ? !strncmp(name, k->prefix, strlen(k->prefix)) : k->claims(name);
}

static const char *
parse(struct event_list *l, const char *name)
{
	unsigned i = 0;

	while (!is_of(kinds[i], name))   /* the last takes all */
		i++;
	return kinds[i]->parse(l, name);
}

/* Where the first name of LIST ends: commas within brackets, and within the slashes of PMU/terms/, belong to it. */
static const char *
end_of(const char *list)
{
	bool prefixed = false, terms = false;
	int depth = 0;

	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		prefixed |= (kinds[i]->prefix || kinds[i]->whole) && is_of(kinds[i], list);
	for (; *list && (depth > 0 || terms || (*list != ',' && *list != '}')); list++) {
		terms ^= *list == '/' && !prefixed;
		depth += *list == '(' || *list == '<';
		depth -= *list == ')' || *list == '>';
	}
	return list;
}

/* Moves LIST behind the first name. */
static const char *
parse_one(struct event_list *l, const char **list)
{
	const char *end = end_of(*list), *name;

	if (end == *list)
		return "the list of events has an empty name";
	name = arena_str(l->arena, *list, (size_t)(end - *list));
	*list = end;
	return name ? parse(l, name) : "out of memory";
}

/* {a,b}, and modifiers that all of them get: LIST stands behind the bracket. */
static const char *
parse_group(struct event_list *l, const char **list)
{
	const char *end = strchr(*list, '}'), *why;
	size_t n;

	if (!end)
		return "a group of events needs } at its end";
	if (end[1] == ':') {
		n = strcspn(end + 2, ",");
		if (!(l->more = arena_str(l->arena, end + 2, n)))
			return "out of memory";
		end += 1 + n;
	}
	do {
		if ((why = parse_one(l, list)))
			return why;
		l->weight++;
	} while (*(*list)++ == ',');
	l->weight--;
	*list = end + 1;
	return NULL;
}

static const char *
parse_list(struct event_list *l, unsigned *n, const char *list)
{
	uint8_t groups = 0;
	const char *why;

	for (unsigned i = 0; i < *n; i++) {
		groups = l->event[i].group > groups ? l->event[i].group : groups;
		l->weight = (uint8_t)(l->event[i].weight + 1);
	}
	for (;; list++, l->weight++) {
		if (l->weight == UINT8_MAX)
			return "too many events";
		l->group = 0;
		l->more = "";
		if (*list == '{') {
			list++;
			l->group = ++groups;
			why = parse_group(l, &list);
		} else {
			why = parse_one(l, &list);
		}
		if (why)
			return why;
		*n = l->n;
		if (*list != ',')
			return *list ? "the list of events has an extra bracket or word" : NULL;
	}
}

const char *
event_parse(struct event *event, unsigned *n, const char *list, struct arena *a)
{
	struct event_list l = { .event = event, .n = *n, .arena = a };

	return parse_list(&l, n, list);
}

const char *
event_why_none(const char *list, struct arena *a)
{
	struct event_list l = { .event = arena_alloc(a, EVENTS_MAX * sizeof *l.event), .arena = a };
	unsigned n = 0;
	const char *why = l.event ? parse_list(&l, &n, list) : NULL;

	return l.says_more ? why : NULL;
}

const char *
event_filter(struct event *event, unsigned n, const char *filter, struct arena *a)
{
	if (!n || event[n - 1].type != PERF_TYPE_TRACEPOINT || event[n - 1].growth)
		return "write --filter after its tracepoint: -e sched:sched_switch --filter 'prev_pid > 1'";
	for (unsigned i = n; i-- && event[i].weight == event[n - 1].weight;) {
		const char *why;

		event[i].filter = filter;
		if ((why = event_try(&event[i])))
			return event_words(a, "--filter '%.80s' of %s: %s", filter, event[i].name, why);
	}
	return NULL;
}

/* A format file is at most so long. */
enum { FORMAT_BYTES = 16384 };

/* Takes the names of all fields, to find the one that the user meant. */
static const char *
no_field(const struct event *e, const char *text, const char *field, struct arena *a)
{
	const char *names[64], *near;
	struct trace_field f;
	unsigned n = 0;

	while (n < 63 && trace_format_next(&text, &f))
		if ((names[n] = arena_str(a, f.name, strlen(f.name))))
			n++;
	names[n] = NULL;
	near = nearest(field, names, "");
	return event_words(a, "--leaf %s: %s has no such field%s%s; prof list -v %s shows its fields", field, e->name, near ? "; did you mean " : "",
	                   near ? near : "", e->name);
}

const char *
event_leaf(struct event *event, unsigned n, const char *field, struct arena *a)
{
	const char *name;
	unsigned found = 0;
	char *text = arena_alloc(a, FORMAT_BYTES);

	if (n && event[n - 1].probe) {
		event[n - 1].probe_leaf = field;
		return NULL;
	}
	if (!n || event[n - 1].type != PERF_TYPE_TRACEPOINT || event[n - 1].growth)
		return "write --leaf after the tracepoint that has the field: -e sched:sched_switch --leaf next_comm";
	for (unsigned i = n; text && i-- && event[i].weight == event[n - 1].weight;) {
		name = event[i].system + strlen(event[i].system) + 1;
		found += tracefs_format(event[i].system, name, text, FORMAT_BYTES) && trace_format_find(text, field, &event[i].leaf);
	}
	return found ? NULL : !text ? "out of memory" : no_field(&event[n - 1], text, field, a);
}
