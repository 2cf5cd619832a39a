/* How prof talks to its helpers: processes that hold events, because one process may not have descriptors for all. */
#ifndef SAMPLE_EVENTS_HELPERS_H
#define SAMPLE_EVENTS_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The count of an event over all of its threads and CPUs. */
struct total {
	uint64_t running;          /* ns of CPU time while it was on */
	uint64_t lost;
};

/* What a helper shall do with all of its events.  It answers with a struct total for each event of the capture. */
enum { HELPER_START = 'e', HELPER_STOP = 'd', HELPER_TOTAL = 't' };

struct helpers {
	struct helper *helper;
	uint32_t n, cap;
};

/* Whether prof may start one more helper. */
bool helpers_room(struct helpers *);
/* Adds a helper and its socket; PID is 0 if it is the child of another process. */
void helpers_add(struct helpers *, int fd, pid_t pid);
/* Tells all helpers, and adds their counts to TOTAL, if that is not NULL. */
void helpers_tell(const struct helpers *, char what, struct total *total);
/* Ends all helpers. */
void helpers_close(struct helpers *);

/* Reads or (OUT) writes all N bytes.  False if the other end is gone. */
bool helpers_move(int fd, void *bytes, size_t n, bool out);

#endif
