/* What session.c (a capture's life) and session_record.c (its records) share. */
#ifndef SAMPLE_SESSION_STATE_H
#define SAMPLE_SESSION_STATE_H

#include "wakeup.h"
#include "sample/events/opener.h"
#include "sample/events/priority.h"
#include "sample/ptrace/ptrace.h"
#include "sample/events/record.h"
#include "session.h"
#include "sample/waiting/wait.h"
#include "sample_weight.h"

#define NOT_YET UINT64_MAX   /* process.starting of a command before its exec */

struct tick {
	uint64_t time;
	bool busy;
};

struct session {
	struct arena arena;              /* the session itself */
	struct opener opener;
	struct tracer tracer;            /* where there is one, it stands in for the kernel */
	struct ladder ladder;
	struct watches watches;
	struct watches old;              /* before the last session_stack: closed, their samples may still come */
	struct processes *processes;
	struct modules *modules;
	struct threads found;            /* at the start */
	uint32_t sure;
	struct total closed[EVENTS_MAX]; /* counted by events closed since */
	struct session_counts counts;
	struct weights weights;
	struct waits waits;
	uint64_t first_event;            /* samples of event 0 */
	uint64_t born;                   /* threads that began under our eyes */
	uint64_t since, until;           /* when the events were on */
	uint64_t stirred;                /* when there was a record last */
	uint64_t new_id, new_since;      /* events from that id on count from that time on */
	uint64_t last_time;
	struct tick *ticked;             /* with --idle: when each CPU was sampled last, by number; else NULL */
	uint32_t wait_most;              /* of the stack of a wait, since a ring was filling up; 0: as asked for */
	uint64_t pressed;                /* when stacks were cut because a ring was filling up */
	uint64_t dropped, dropped_then;  /* records that found no room; and when stacks were cut last */
	uint64_t late;                   /* ns that the reader came late lately, at most; UINT64_MAX: not known */
	uint64_t worst, noted;           /* the same since then, */
	uint64_t late_pause;             /* ns that must have passed */
	uint32_t rounds;                 /* and times that rings were read */
	uint64_t woke, woke_cpu;         /* the last time, and prof's CPU time then */
	uint64_t awake, ran;             /* ns: all in all, and of it on a CPU */
	unsigned slower;                 /* so often the time between samples has become twice as long, for -F max, */
	uint64_t slowed;                 /* the last time then */
	int cpu_fd;                      /* tells the command's CPU time, or 0 */
	struct ends ends;
	struct priority priority;
	void (*sample)(void *ctx, const struct sample *);
	void *ctx;
};

/* What a record tells, to be called in the order of time: samples go to SAMPLE, all else to processes, modules, weights. */
void session_record(struct session *, const struct record *);
/* At the end, at time T: what CPUs slept since their last samples. */
void session_slept(struct session *, uint64_t t);

#endif
