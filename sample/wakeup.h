/* Waiting: for rings that fill, for targets that end, for the caller's own descriptor. */
#ifndef SAMPLE_WAKEUP_H
#define SAMPLE_WAKEUP_H

#include "sample/events/capture.h"
#include "sample/events/ring.h"

struct wakeup {
	struct pollfd *poll;       /* rings, then pidfds, then the caller's */
	uint32_t npoll, cap_poll, rings;
	uint32_t samples;          /* of the rings: the first ones, which hold samples */
	int32_t *target;           /* targets that prof attached to, without a pidfd; 0: gone */
	uint32_t ntarget, cap_target;
	uint32_t alive;            /* of the targets */
	bool called;               /* the caller's own descriptor ended the last wait */
	bool attached;             /* prof attached to targets: the capture ends when they have ended */
	uint64_t looked, rested;   /* ns: when it last looked for targets, and ended its last rest where something was executed or mapped */
};

/* False at the memory cap. */
bool wakeup_init(struct wakeup *, const struct rings *, uint32_t samples, const struct capture *);
void wakeup_free(struct wakeup *);
/* Waits for any of them, or for NS.  False once all targets of an attach are gone. */
bool wakeup_wait(struct wakeup *, int extra, int64_t ns);
/* After that: waits NAP ns longer if a process has executed or mapped something, unless samples press. */
void wakeup_rest(struct wakeup *, int64_t nap);

#endif
