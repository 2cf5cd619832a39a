/* Probes: uprobe:FILE:FUNCTION and its kind.  prof knows which places that means once it knows the target: probe_events.h. */
#include <linux/perf_event.h>

#include "event_kind.h"
#include "probe.h"

static const char *
parse(struct event_list *l, const char *name)
{
	struct probe *p = arena_alloc(l->arena, sizeof *p);
	struct event e = { .name = name, .type = PERF_TYPE_MAX, .each = true, .probe = p };
	const char *why = p ? probe_parse(p, name, l->arena) : "out of memory";

	return why ? event_words(l->arena, "event '%.80s': %s", name, why) : event_add(l, &e, "");
}

const struct event_kind event_probe = { .claims = probe_is, .whole = true, .parse = parse };
