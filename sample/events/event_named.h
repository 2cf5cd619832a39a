/* The generic events' names. */
#ifndef SAMPLE_EVENTS_EVENT_NAMED_H
#define SAMPLE_EVENTS_EVENT_NAMED_H

#include "event_kind.h"

enum { EVENT_NAMES_MAX = 128 };

/* The Ith of the generic names, of hardware and software, or NULL. */
const char *event_generic(unsigned i);
/* All generic names, and the usual names of cache events behind them, into NAME (EVENT_NAMES_MAX, and a NULL at the end);
 * returns how many are generic. */
unsigned event_all_names(const char **name, struct arena *);
/* Whether it is the name of a generic event; then sets that event's type and config. */
bool event_known(struct event *, struct event_text);
/* The words for a name that no kind of events knows, with the nearest. */
const char *event_unknown(struct event_list *, struct event_text);

#endif
