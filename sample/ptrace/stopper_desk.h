/* What prof and the stopper have in common: memory of both, what is asked and answered over the socket, and what the stopper is
 * told when it starts. */
#ifndef SAMPLE_PTRACE_STOPPER_DESK_H
#define SAMPLE_PTRACE_STOPPER_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/events/capture.h"
#include "stopper_emit.h"

enum { PAUSES = 512, STACK_MOST = 63 << 10 };   /* a sample's length must fit in 16 bits */

/* Memory of both. */
struct desk {
	uint32_t stack_size;       /* bytes copied with a sample, from now on */
	uint64_t ticks, stops;     /* how often it looked, and how many threads it stopped for a sample */
	uint64_t on_ns;            /* for how long it did */
	uint64_t used;             /* ns of CPU that it took itself */
	uint64_t longest;          /* ns that a thread was paused for at most */
	uint32_t paused[PAUSES];   /* how many for so many us; the last: for longer */
};

/* What is asked of it over its socket, and what it says to that. */
struct request {
	enum request_what { REQUEST_ATTACH, REQUEST_ON, REQUEST_OFF } what;
	int32_t pid;
};
struct reply {
	int32_t err;               /* 0 or an errno; EBUSY: another one traces it */
	int32_t pid;               /* whom that concerns; EBUSY: who does */
};

/* What it is told. */
struct stopper {
	const struct capture *capture;
	uint64_t freq;
	unsigned ncpu;
	struct desk *desk;
	int socket;
	int32_t prof;              /* it ends with that process */
	bool lent;                 /* whose rights are those of its file */
	struct emit out;
};

#endif
