/* Puts records in the order of time.  perf writes the rings of CPUs one after the other.  Once it has gone round, all that
 * comes is at least as new as what came in the round before. */
#ifndef SAMPLE_PERFDATA_QUEUE_H
#define SAMPLE_PERFDATA_QUEUE_H

#include "lib/sort.h"

#include <stddef.h>

enum { QUEUE_BYTES = 24 << 20 };   /* bytes that wait at most: beyond that the older half goes on, although some older record may still come */

struct queue {
	uint8_t *bytes;
	struct item *item;         /* key: the time; a: where in BYTES; b: its size */
	uint32_t nbytes, bytes_cap, n, cap;
	uint64_t newest, round;    /* the newest time so far, and by the end of the last round */
	uint64_t given, late;      /* the newest that went on, and how many came later than a newer one went on */
	void (*take)(void *ctx, const uint8_t *bytes, uint32_t n);
	void *ctx;
};

/* False at the memory cap. */
bool queue_add(struct queue *, uint64_t time, const uint8_t *bytes, uint32_t n);
/* A round is over; the whole recording is over. */
void queue_round(struct queue *);
void queue_end(struct queue *);
void queue_free(struct queue *);

#endif
