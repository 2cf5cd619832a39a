/* All events that there are here, by kind: for prof list. */
#ifndef SAMPLE_EVENTS_EVENT_CATALOGUE_H
#define SAMPLE_EVENTS_EVENT_CATALOGUE_H

#include "lib/mem.h"

struct event_entry {
	const char *kind;          /* "hardware", ... */
	const char *name;          /* as -e takes it; or a form, which stands for many */
	const char *what;          /* a description, or NULL */
	const char *refused;       /* why this user cannot open it here, as a try showed; or NULL */
	const char *system;        /* of a tracepoint, whose own name follows its NUL; else NULL */
	bool form;
};

/* Whether PATTERN means NAME, of that kind: as a glob, a part of the name, or the kind; NULL means all. */
bool event_matches(const char *pattern, const char *kind, const char *name);
/* Calls EACH for all events that PATTERN means, kind by kind.  NULL, or why the kernel's tracepoints are not among them. */
const char *event_catalogue(const char *pattern, void (*each)(void *ctx, const struct event_entry *), void *ctx, struct arena *);

#endif
