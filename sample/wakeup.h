/* Waiting: for rings that fill, for targets that end, for the caller's own descriptor. */
#ifndef SAMPLE_ENDS_H
#define SAMPLE_ENDS_H

#include "sample/events/ring.h"
#include "session.h"

struct ends {
	struct pollfd *poll;       /* rings, then pidfds, then the caller's */
	uint32_t npoll, cap_poll, rings;
	uint32_t samples;          /* of the rings: the first ones, which hold samples */
	int32_t *target;           /* attached to, without a pidfd; 0: gone */
	uint32_t ntarget, cap_target;
	uint32_t alive;            /* of the targets */
	bool attached;             /* there are such whose end ends the capture */
	uint64_t looked;
	long nap;                  /* ns of rest where something was executed */
};

/* False at the memory cap. */
bool ends_init(struct ends *, const struct rings *, uint32_t samples, const struct capture *);
void ends_free(struct ends *);
/* Something NEW was found where programs come from, or not: says how urgent the next one is. */
void ends_urgent(struct ends *, bool new);
/* Whether it is urgent. */
bool ends_hurry(const struct ends *);
/* Waits for any of them, or NS.  False once all targets of an attach are gone. */
bool ends_wait(struct ends *, int extra, int64_t ns);

#endif
