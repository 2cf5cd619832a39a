/* What prof and the stopper share: memory, the questions and answers on the socket, and what the stopper gets when it
 * starts. */
#ifndef SAMPLE_PTRACE_STOPPER_DESK_H
#define SAMPLE_PTRACE_STOPPER_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/events/capture.h"
#include "sample/events/deep_program.h"
#include "stopper_emit.h"

enum { PAUSES = 512, STACK_MOST = 63 << 10 };   /* a sample's length must fit in 16 bits */

/* The shared memory. */
struct desk {
	uint32_t stack_size;       /* bytes of stack to copy with a sample, from now on */
	uint64_t ticks, stops;     /* how often it looked, and how many threads it stopped for a sample */
	uint64_t on_ns;            /* for how long it sampled */
	uint64_t used;             /* ns of CPU that it took itself */
	uint64_t longest;          /* ns that a thread was paused for at most */
	uint32_t paused[PAUSES];   /* how many pauses took so many us; the last: longer */
};

/* Questions on its socket, and the answers. */
struct request {
	enum request_what { REQUEST_ATTACH, REQUEST_ON, REQUEST_OFF } what;
	int32_t pid;
};
struct reply {
	int32_t err;               /* 0 or an errno; EBUSY: another process traces it */
	int32_t pid;               /* the process that ERR is about; EBUSY: the one that traces */
};

/* What the stopper gets when it starts. */
struct stopper {
	const struct capture *capture;
	uint64_t freq;
	unsigned ncpu;
	struct desk *desk;
	const struct deep_told *told;   /* shared, too: where interpreters' frames are */
	int socket;
	int32_t prof;              /* it ends with that process */
	bool lent;                 /* prof's rights come from its file */
	struct emit out;
};

#endif
