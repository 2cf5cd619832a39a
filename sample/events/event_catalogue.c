/* See event_catalogue.h.  prof tries to open each event, but only one of the tracepoints: to open one takes the kernel up to 20
 * ms, and rights are the same for all. */
#include "event_catalogue.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "event_list.h"
#include "event_named.h"
#include "event_pmu.h"
#include "lib/dir.h"
#include "lib/file.h"
#include "tracefs.h"

struct catalogue {
	const char *pattern;
	void (*each)(void *ctx, const struct event_entry *);
	void *ctx;
	struct arena *arena;
	struct event event[EVENTS_MAX];
};

bool
event_matches(const char *pattern, const char *kind, const char *name)
{
	if (!pattern || !strcmp(pattern, kind))
		return true;
	return strpbrk(pattern, "*?") ? event_glob(pattern, name) : strstr(name, pattern) != NULL;
}

static const char *
tried(struct catalogue *c, const char *name)
{
	unsigned n = 0;
	const char *why = event_parse(c->event, &n, name, c->arena);

	return why ? why : event_try(&c->event[0]);
}

static void
tell(struct catalogue *c, const char *kind, const char *name, const char *what)
{
	if (event_matches(c->pattern, kind, name))
		c->each(c->ctx, &(struct event_entry){ .kind = kind, .name = name, .what = what, .refused = tried(c, name) });
}

/* Events that have names of their own: hardware first, then caches, then software. */
static void
named(struct catalogue *c)
{
	const char *name[EVENT_NAMES_MAX];
	unsigned generic = event_all_names(name, c->arena), software = 0;
	struct event e;

	while (event_known(&e, (struct event_text){ name[software], strlen(name[software]) }) && e.type == 0 /* hardware */)
		software++;
	for (unsigned i = 0; i < software; i++)
		tell(c, "hardware", name[i], NULL);
	for (unsigned i = generic; name[i]; i++)
		tell(c, "cache", name[i], NULL);
	for (unsigned i = software; i < generic; i++)
		tell(c, "software", name[i], NULL);
}

/* What sysfs says of a PMU's own event: its terms, and its unit. */
static const char *
described(struct catalogue *c, const char *dir)
{
	char terms[256], path[320], unit[32] = "";

	if (file_text(AT_FDCWD, dir, terms, sizeof terms) < 0)
		return NULL;
	terms[strcspn(terms, "\n")] = 0;
	snprintf(path, sizeof path, "%s.unit", dir);
	if (file_text(AT_FDCWD, path, unit, sizeof unit) < 0)
		*unit = 0;
	unit[strcspn(unit, "\n")] = 0;
	return event_words(c->arena, *unit ? "%s, in %s" : "%s", terms, unit);
}

static void
pmus(struct catalogue *c)
{
	const char **pmu = dir_names(AT_FDCWD, EVENT_DEVICES, c->arena), **event;
	char path[256];

	for (; pmu && *pmu; pmu++) {
		snprintf(path, sizeof path, "%s/%.60s/events", EVENT_DEVICES, *pmu);
		for (event = dir_names(AT_FDCWD, path, c->arena); event && *event; event++) {
			if (strchr(*event, '.'))   /* the unit or scale of another */
				continue;
			snprintf(path, sizeof path, "%s/%.60s/events/%.60s", EVENT_DEVICES, *pmu, *event);
			tell(c, "pmu", event_words(c->arena, "%s/%s/", *pmu, *event), described(c, path));
		}
	}
}

static const char *
tracepoints(struct catalogue *c)
{
	const char *why = tracefs_missing(), *refused = NULL, **system, **name;
	bool known = false;

	for (system = why ? NULL : tracefs_names(NULL, c->arena); system && *system; system++)
		for (name = tracefs_names(*system, c->arena); name && *name; name++) {
			const char *full = event_words(c->arena, "%s:%s", *system, *name);
			struct event_entry e = { .kind = "tracepoint", .name = full };
			uint64_t id;

			if (!event_matches(c->pattern, e.kind, full) || !tracefs_id(*system, *name, &id))
				continue;
			if (!known)
				refused = tried(c, full);
			known = true;
			e.refused = refused;
			e.system = event_words(c->arena, "%s:%s", *system, *name);
			if (strlen(*system) < strlen(e.system))
				((char *)(uintptr_t)e.system)[strlen(*system)] = 0;
			c->each(c->ctx, &e);
		}
	return why;
}

static void
forms(struct catalogue *c)
{
	static const char *const form[][3] = {
		{ "raw", "rNNN", "the number of a hardware event, in hexadecimal" },
		{ "raw", "PMU/TERM=N,.../", "by the terms of /sys/bus/event_source/devices/PMU/format" },
		{ "breakpoint", "mem:ADDRESS[/LENGTH][:rwx]", "reads, writes or execution of an address" },
	};

	for (unsigned i = 0; i < sizeof form / sizeof *form; i++)
		if (event_matches(c->pattern, form[i][0], form[i][1]))
			c->each(c->ctx, &(struct event_entry){ .kind = form[i][0], .name = form[i][1], .what = form[i][2], .form = true });
}

const char *
event_catalogue(const char *pattern, void (*each)(void *ctx, const struct event_entry *), void *ctx, struct arena *a)
{
	struct catalogue *c = arena_alloc(a, sizeof *c);

	if (!c)
		return "out of memory";
	*c = (struct catalogue){ .pattern = pattern, .each = each, .ctx = ctx, .arena = a };
	named(c);
	pmus(c);
	forms(c);
	return tracepoints(c);
}
