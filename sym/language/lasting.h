/* Frames of a thread that stay: those that prof found each time that it looked lately, and before the sample already.  If nobody
 * copied a thread's frames at the moment of a sample, only these are sure to be as they were then. */
#ifndef SYM_LANGUAGE_LASTING_H
#define SYM_LANGUAGE_LASTING_H

#include "languages.h"

enum { LASTING_MOST = 128 };

/* A frame as it was read: where, and of which function. */
struct lasting_frame {
	uint64_t addr;
	uint64_t since;            /* ns: from when on it and all frames further out were the same, */
	uint32_t function;
	uint32_t times;            /* and how often */
};

struct lasting {
	uint64_t time;             /* ns */
	uint32_t n;
	struct lasting_frame frame[LASTING_MOST];   /* outermost first */
};

/* Keeps N frames of a thread, innermost first, at ADDR each.  Returns how many of the outermost ones last, and did at MOMENT.  AT is
 * where the thread's frames are kept, NULL at first. */
uint32_t lasting_frames(struct lasting **at, struct languages *, const uint64_t *addr, const struct language_frame *, uint32_t n, uint64_t moment);
uint32_t lasting_function(const struct languages *, uint32_t code);

#endif
