/* Languages whose frames do not lie in the C stack, and do not point there: a frame that the interpreter was entered with is marked, and
 * each entry is one call of one function of the interpreter's.  So the frames are groups, each with an entry as its outermost frame,
 * and groups are paired with calls. */
#ifndef SYM_LANGUAGE_CALLS_H
#define SYM_LANGUAGE_CALLS_H

#include "lasting.h"
#include "look.h"

enum { CALLS_MOST = 1024, CALLS_FRAMES = LANGUAGE_FRAMES - 1 /* and one for what is left out */ };

struct calls_room {
	struct looks looks;
	uint64_t addr[LANGUAGE_FRAMES];    /* of the frames in the stack, */
	uint32_t group[LANGUAGE_FRAMES];   /* and which entry they belong to, from the innermost one */
	struct language_frame frame[LANGUAGE_FRAMES];
	uint32_t native[CALLS_MOST];       /* frames of the interpreter's function */
};

/* The question for one sample. */
struct calls {
	const struct language *language;
	struct languages *languages;
	const struct moment *moment;
	struct language_stack *to;
	struct look *look;
	struct calls_room *room;
	struct lasting **chain;    /* where the thread's frames are kept */
	uint32_t groups, natives;
	uint32_t copied;           /* innermost frames that were copied at the moment */
	bool all_copied;
	bool counted;              /* the calls are known */
	bool broken;               /* the frames do not reach the end */
};

/* False at the memory cap.  Reads at most READS pieces of memory. */
bool calls_begin(struct calls *, const struct language *, struct languages *, const struct moment *, struct language_stack *, uint32_t reads);
/* Finds the calls of the function [lo, hi) of MODULE, as linked; once. */
void calls_find(struct calls *, const struct module *, uint64_t lo, uint64_t hi);
/* Whether the interpreter itself was interrupted. */
bool calls_innermost(const struct calls *);
/* Adds the frame at ADDR to the group of the next entry. */
void calls_push(struct calls *, uint64_t addr, uint32_t code);
/* The same for a frame that was copied, but its function is gone; false if it was not copied. */
bool calls_push_doubt(struct calls *, uint64_t addr);
/* The frame is read; ENTRY: with it the interpreter was entered. */
void calls_framed(struct calls *, bool entry);
/* Puts the frames in the places of their calls.  SURE tells whether a register leads to the innermost function, which the interpreter runs. */
void calls_settle(struct calls *, bool (*sure)(const void *), const void *context);
/* The thread's state is gone, as after the process's end: nothing tells what its calls ran. */
void calls_doubt(struct calls *);

#endif
