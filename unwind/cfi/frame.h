/* A frame of a walk, and how a step out of it ends. */
#ifndef UNWIND_CFI_FRAME_H
#define UNWIND_CFI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum step {
	STEP_OK,
	STEP_ROOT,          /* there is no caller */
	STEP_OUTSIDE,       /* needs memory beyond the copy */
	STEP_UNKNOWN,       /* needs a register that is not known */
	STEP_BAD,           /* makes no sense */
	STEP_STUCK,         /* no progress */
	STEP_NONE,          /* prof found no way of stepping */
};

struct frame {
	uint64_t pc, sp, fp;
	bool fp_known;
	bool exact;               /* pc was interrupted, else it is a return address */
	bool jumped;              /* a signal frame lies behind: sp may be on another stack */
};

/* The address by which prof looks up the frame's code. */
static inline uint64_t
frame_at(const struct frame *f)
{
	return f->pc - !f->exact;
}

#endif
