/* What the kernel refused: the code that asked notes it for the code that tells the user. */
#ifndef SAMPLE_EVENTS_REFUSAL_H
#define SAMPLE_EVENTS_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

/* Which ways to measure prof tried, best first, and what the system said: an errno; 0 for a way that prof did not try, or that
 * works. */
struct ladder {
	bool ptrace;               /* prof uses ptrace */
	bool asked;                /* the user asked for ptrace */
	int cycles;                /* hardware cycles; EIO: the counter opens, but never interrupts */
	int kernel;                /* the kernel's side */
	int perf;                  /* perf_event_open at all */
	bool filtered;             /* a seccomp filter that was there before prof's own refused it */
};

/* Why prof could not open a capture.  The code that asks the kernel notes the answer; rights/refusal_words.h puts it into
 * words. */
struct refusal {
	enum refused {
		REFUSED_NOTHING,   /* the kernel refused nothing: the words say it all */
		REFUSED_EVENT,
		REFUSED_RING,      /* the kernel refused to map a ring, even the smallest */
		REFUSED_TRACE,
	} of;
	int err;                   /* an errno */
	unsigned event;            /* the event that it is about, from 1; 0: not known */
	int32_t pid;               /* the process or thread that it is about; 0: the first that the capture names, or the command; -1: the whole system */
	char what[256];            /* what prof tried and what the system said */
	char mend[256];            /* the one line that removes the cause, or "" */
	char last[256];            /* why ptrace could not stand in, or "" */
};

#endif
