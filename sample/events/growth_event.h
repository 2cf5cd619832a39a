/* What makes processes larger (--growth): mmap, mremap and brk at their return, in bytes of address space. */
#ifndef SAMPLE_EVENTS_GROWTH_EVENT_H
#define SAMPLE_EVENTS_GROWTH_EVENT_H

#include "event.h"
#include "probe_arg.h"

/* What of a return from a system call is needed: which call it was, and what it returned; and its arguments behind the first, which
 * the registers still hold. */
struct growth {
	struct trace_field number, result;
	struct probe_arg arg[2][3];    /* of prof's own kind of programs; of 32-bit ones */
};

/* Adds the event.  NULL, or what is wrong in words. */
const char *growth_event_add(struct event *event, unsigned *n, struct arena *);
/* By how many bytes the call made its process larger; 0: not at all.  RAW is the record of the tracepoint.  NARROW: of a 32-bit program
 * on a 64-bit kernel.  *BRK is where the heap ends, 0 if that is not known; it is kept up to date. */
uint64_t growth_event_bytes(const struct growth *, struct cursor raw, const struct probe_moment *, bool narrow, uint64_t *brk);
/* In what way it did, as a mark in a stack. */
const char *growth_event_way(const struct growth *, struct cursor raw, const struct probe_moment *, bool narrow);

#endif
