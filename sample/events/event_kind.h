/* A kind of events: how its names are read.  Each kind is a file with a row of the table in event_list.c. */
#ifndef SAMPLE_EVENTS_EVENT_KIND_H
#define SAMPLE_EVENTS_EVENT_KIND_H

#include <string.h>

#include "event.h"

/* A piece of what the user wrote. */
struct event_text {
	const char *s;
	size_t n;
};

static inline bool
event_text_is(struct event_text t, const char *s)
{
	return strlen(s) == t.n && !strncmp(t.s, s, t.n);
}

/* Where the events of a list go. */
struct event_list {
	struct event *event;       /* EVENTS_MAX of them */
	unsigned n;
	struct arena *arena;
	const char *more;          /* modifiers of the group */
	uint8_t weight, group;     /* what each event gets that the list adds now */
	bool says_more;            /* what is wrong says more than that there is no such event: mostly the nearest name */
};

struct event_kind {
	const char *prefix;        /* "mem:"; NULL: CLAIMS tells */
	bool (*claims)(const char *name);
	bool whole;                /* slashes have no meaning in its names, and no terms stand between them */
	/* Reads one name, with its prefix and all that follows it, to the end of the string, and adds its events with
	 * event_add: more than one where it has a glob.  NULL if all is well, else what is wrong, in words. */
	const char *(*parse)(struct event_list *, const char *name);
};

extern const struct event_kind event_breakpoint, event_pmu, event_tracepoint, event_probe, event_named;

/* Adds a copy of the event, with MODIFIERS read ("" for none).  NULL if all is well, else what is wrong. */
const char *event_add(struct event_list *, const struct event *, const char *modifiers);
/* Words in the arena. */
const char *event_words(struct arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Terms that any event may have between slashes: name, period, freq.  False if KEY is none of them; else WHY is NULL or what is
 * wrong. */
bool event_common_term(struct event *, struct event_text key, struct event_text value, struct arena *, const char **why);
/* The next term of T, which it takes off: key, or key=value; a value that is not there has no S. */
bool event_next_term(struct event_text *t, struct event_text *key, struct event_text *value);
bool event_number(struct event_text, uint64_t *);
/* Whether NAME matches a pattern with * and ?. */
bool event_glob(const char *pattern, const char *name);

#endif
