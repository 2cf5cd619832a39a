/* Tracepoints: SYSTEM:NAME[:MODIFIERS], both with * and ?.  Every occurrence is a sample. */
#include <ctype.h>
#include <linux/perf_event.h>

#include "event_named.h"
#include "tracefs.h"

/* A colon comes before any slash, and what follows is not the modifiers of an event that prof knows. */
static bool
claims(const char *name)
{
	const char *colon = name + strcspn(name, ":/");
	struct event e;

	return *colon == ':' && colon[1] && colon[1 + strspn(colon + 1, "ukhGHIDPp")] &&
	       !event_known(&e, (struct event_text){ name, (size_t)(colon - name) });
}

static bool
plain(const char *s)
{
	while (isalnum((unsigned char)*s) || (*s && strchr("_-*?", *s)))
		s++;
	return !*s;
}

static const char *
add(struct event_list *l, const char *system, const char *name, const char *shown, const char *entry, uint64_t id, const char *mods)
{
	struct event e = { .name = shown, .type = PERF_TYPE_TRACEPOINT, .config = id, .entry = entry, .each = true };
	size_t n = strlen(system) + 1, m = strlen(name);
	char *both = arena_alloc(l->arena, n + m + 1);

	if (!both)
		return "out of memory";
	memcpy(both, system, n);
	memcpy(both + n, name, m);
	e.system = both;
	return event_add(l, &e, mods);
}

/* Says that there is no such tracepoint, and names the nearest one. */
static const char *
unknown(struct event_list *l, const char *system, const char *name)
{
	const char *near = tracefs_near(system, name, l->arena), *enter;
	uint64_t id;

	/* As prof latency has it. */
	if (!strncmp(system, "syscalls", 7) && (enter = event_words(l->arena, "sys_enter_%s", name)) && tracefs_id("syscalls", enter, &id))
		near = event_words(l->arena, "syscalls:%s", enter);
	if ((l->says_more = near))
		return event_words(l->arena, "unknown event '%s:%s': did you mean '%s'?", system, name, near);
	return tracefs_names(system, l->arena) ? event_words(l->arena, "unknown event '%s:%s'; prof list '%s:*' shows which ones there are", system, name, system)
	                                       : event_words(l->arena, "unknown event '%s:%s'; prof list names the kernel's tracepoints", system, name);
}

static const char *
add_all(struct event_list *l, const char *system, const char *pattern, const char *entry, const char *mods)
{
	const char **s = tracefs_names(NULL, l->arena), *why = NULL;
	unsigned before = l->n;
	uint64_t id;

	for (; s && *s; s++) {
		const char **name = event_glob(system, *s) ? tracefs_names(*s, l->arena) : NULL;

		for (; name && *name && !why; name++)
			if (event_glob(pattern, *name) && tracefs_id(*s, *name, &id))
				why = add(l, *s, *name, event_words(l->arena, "%s:%s", *s, *name), entry, id, mods);
	}
	if (!why && l->n == before)
		return event_words(l->arena, "no tracepoint is called '%s:%s'; prof list shows which ones there are", system, pattern);
	return why;
}

static const char *
parse(struct event_list *l, const char *name)
{
	const char *colon = strchr(name, ':'), *system = arena_str(l->arena, name, (size_t)(colon - name)), *end, *one, *why;
	uint64_t id;

	end = colon + 1 + strcspn(colon + 1, ":");
	one = arena_str(l->arena, colon + 1, (size_t)(end - colon - 1));
	if (!system || !one)
		return "out of memory";
	if (!*system || !*one || !plain(system) || !plain(one))
		return event_unknown(l, (struct event_text){ name, strlen(name) });
	if ((why = tracefs_missing()))
		return event_words(l->arena, "event '%.80s': a tracepoint %s", name, why);
	end += *end == ':';
	if (strpbrk(system, "*?") || strpbrk(one, "*?"))
		return add_all(l, system, one, name, end);
	return tracefs_id(system, one, &id) ? add(l, system, one, name, NULL, id, end) : unknown(l, system, one);
}

const struct event_kind event_tracepoint = { .claims = claims, .parse = parse };
