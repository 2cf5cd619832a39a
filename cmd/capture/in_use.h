/* The memory that a program has not given back, by the stacks that allocated it: OpenTelemetry's probes otel_memory:alloc and
 * otel_memory:free, which tell of sampled allocations alone. */
#ifndef CMD_CAPTURE_IN_USE_H
#define CMD_CAPTURE_IN_USE_H

#include "lib/index.h"
#include "out/profile/profile.h"
#include "sample/events/event.h"

struct in_use {
	const struct event *frees; /* the event of otel_memory:free; NULL: prof keeps no allocations */
	struct allocation *allocation;
	uint32_t n, cap;
	struct index index;        /* by process and address */
	const int32_t *pid;        /* the targets: what one of them has not given back when it ends counts; NPID 0: there are none */
	unsigned npid;
	struct owner *owner;       /* processes that have allocated, and when their memory went away */
	uint32_t nowner, owner_cap;
	struct index owners;       /* by process */
	uint64_t unknown;          /* freed, but allocated before the capture */
	uint64_t left_out;         /* allocations for which there was no memory */
};

/* An allocation at ADDRESS, with its stack's node; THREAD is the profile's for FREES. */
void in_use_add(struct in_use *, int32_t pid, uint64_t address, uint64_t bytes, uint32_t thread, uint32_t node, uint64_t time);
void in_use_free(struct in_use *, int32_t pid, uint64_t address);
/* At TIME the process's memory went away: it ended, or it EXECUTED another program. */
void in_use_gone(struct in_use *, int32_t pid, bool executed, uint64_t time);
/* Adds what is still in use to the profile. */
void in_use_end(struct in_use *, struct profile *);

#endif
