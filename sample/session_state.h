/* What a session is made of.  Four files share it: engine opens it, session runs it, session_record takes records in, and
 * reopen opens events again. */
#ifndef SAMPLE_SESSION_STATE_H
#define SAMPLE_SESSION_STATE_H

#include <signal.h>

#include "sample/events/watches.h"
#include "sample/events/pressure.h"
#include "sample/events/priority.h"
#include "sample/events/record.h"
#include "sample/events/refusal.h"
#include "sample/events/sample.h"
#include "sample/ptrace/ptrace.h"
#include "sample/waiting/wait.h"
#include "sample_weight.h"
#include "session_counts.h"
#include "wakeup.h"

enum { COMING = 64 };

/* Which of the next samples prof takes: see stands_for. */
enum { TURNS = 64 };
struct turn {
	uint64_t n;
	uint32_t of, left, pick;
};

struct session {
	struct arena arena;              /* the session itself */
	struct opener opener;
	struct tracer tracer;            /* if there is a tracer, it stands in for the kernel */
	struct ladder ladder;
	struct watches watches;
	struct watches old;              /* before the last session_stack: closed, their samples may still come */
	struct processes *processes;
	struct modules *modules;
	struct threads found;            /* threads found at the start */
	uint32_t sure;
	struct total closed[EVENTS_MAX]; /* counts of events that prof has closed since */
	struct session_counts counts;
	struct weights weights;
	struct waits waits;
	uint64_t first_event;            /* samples of event 0 */
	uint64_t born;                   /* threads that prof saw begin */
	uint64_t since, until;           /* when the events were on */
	uint64_t stirred;                /* time of the last record */
	int32_t coming[COMING];          /* the last processes of which only session_ahead knows that targets have forked them */
	uint32_t ncoming;
	uint32_t places;                 /* processes_places, when prof last took in records */
	uint64_t looked_at_cgroup;       /* when prof last looked whether the cgroup is empty */
	uint64_t new_id, new_since;      /* events from that id on count from that time on */
	uint64_t last_time;
	uint64_t *ticked;                /* with --idle: when each CPU was sampled last, by number; else NULL */
	struct pressure pressure;
	uint64_t dropped;                /* records that found no room */
	uint64_t woke, woke_cpu;         /* when the reader woke last, and prof's CPU time then */
	unsigned slower;                 /* how many times prof doubled the time between samples, for -F max, */
	uint64_t slowed;                 /* and when it did so last */
	uint64_t came;                   /* samples that came at a rate, also those that prof left out */
	struct turn turn[TURNS];         /* by CPU: the parts of a sample have its turn */
	int cpu_fd;                      /* tells the command's CPU time, or 0 */
	uint64_t deadline;               /* of the capture, or 0 */
	sigset_t ends;                   /* signals that end it */
	bool stopped;                    /* events stopped at UNTIL, while prof read a file */
	struct wakeup wakeup;
	struct priority priority;
	void (*sample)(void *ctx, const struct sample *);
	void (*gone)(void *ctx, int32_t pid, bool executed, uint64_t time);   /* the capture's */
	void *ctx;
};

#endif
