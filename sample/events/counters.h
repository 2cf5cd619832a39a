/* Counters for prof stat: prof counts these events, and does not sample them, on the threads of a target, on CPUs, or in
 * cgroups. */
#ifndef SAMPLE_EVENTS_COUNTERS_H
#define SAMPLE_EVENTS_COUNTERS_H

#include "event.h"
#include "refusal.h"

/* What a counter has counted; the ns for which it was on, and for which it really counted. */
struct count {
	uint64_t value, enabled, running;
};

/* Where a counter is: a thread, or (-1) all that runs on a CPU, in a cgroup if FD is not -1.  ROW: the row that its counts
 * belong to. */
struct counted {
	int32_t tid, cpu;
	int cgroup;
	uint32_t row;
};

struct counters {
	struct event *event;       /* without the kernel's side, where the kernel refuses that */
	unsigned nevent;
	bool inherit, on_exec, lent;
	struct counted *where;
	uint32_t n, cap, rows;
	int *fd;                   /* of event E at place W: [W * nevent + E]; -1: none */
	uint32_t nfd, cap_fd;
	uint32_t cap_err;
	int *err;                  /* by event: the errno why no place has it; 0: at least one has */
};

/* Adds a place; false at the memory cap. */
bool counters_at(struct counters *, const struct counted *);
/* Opens all events at all places, stopped.  Leaves out events that the machine does not have.  False with the reason. */
bool counters_open(struct counters *, struct refusal *);
void counters_enable(const struct counters *, bool on);
/* Adds the counts to COUNT, by row and then by event: [row * nevent + event]. */
void counters_read(const struct counters *, struct count *);
void counters_close(struct counters *);

#endif
