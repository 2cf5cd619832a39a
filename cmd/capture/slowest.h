/* The slowest of the calls that samples tell of (prof latency -o): each with its stack, its length as its weight. */
#ifndef CMD_CAPTURE_SLOWEST_H
#define CMD_CAPTURE_SLOWEST_H

#include "out/profile/profile.h"

struct slowest {
	uint32_t most;             /* how many are kept */
	const char *(*name)(void *ctx, uint32_t site);   /* of what was called */
	void *ctx;
	struct slow_call *call;
	uint32_t n, cap;
	uint64_t left_out;         /* calls for which there was no memory */
};

/* A call that took NS until TIME; THREAD is the profile's, NODE that of its stack. */
void slowest_add(struct slowest *, uint64_t ns, uint64_t time, uint32_t thread, uint32_t node);
/* Adds those that are kept to the profile, in µs. */
void slowest_end(struct slowest *, struct profile *);

#endif
