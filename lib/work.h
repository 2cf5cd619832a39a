/* Work on files that nobody trusts.  Their size bounds its steps and memory.  A step is a read by the cursor, or one round of
 * a loop that reads without one.  At the bound, all cursors are at their end until work_end: readers find less, and
 * return. */
#ifndef LIB_WORK_H
#define LIB_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What reading one file may take, kept with it; all zero to begin with. */
struct work {
	uint64_t left;             /* steps */
	int64_t held;              /* bytes of memory that are kept of it */
	uint64_t bytes;            /* of it, and of files that it leads to */
	uint64_t used;             /* ns of CPU, where a clock looks at it */
	uint64_t waited;           /* ns that others were waited for, who read it */
	const char *over;          /* why it was given up, or NULL */
	bool begun;
};

/* From here until work_end all reading counts for W, also that of other files.  Each call grants some more steps, so that a
 * question about known things always gets an answer. */
void work_begin(struct work *w);
void work_end(void);
/* Allows the work for BYTES more. */
void work_allow(uint64_t bytes);
/* Ends the work in progress, and says WHY; a signal handler may call it. */
void work_stop(const char *why);
/* Whether that, or too little memory, ended what is being worked on: what was read is not all. */
bool work_over(void);

/* While another process is asked about a file: nothing that is ours is in use meanwhile. */
void work_wait(bool on);

/* For a watchdog that interrupts now and then: whether it interrupts work on a file, or a wait for it; ends that work if it
 * takes too long; ns of CPU that the work may take for each byte, beside some seconds. */
bool work_busy(void);
void work_look(void);
void work_patience(uint64_t ns_byte);

/* Steps that may still be taken. */
extern uint64_t work_left;

/* Takes N steps; false where it is over. */
static inline bool
work_step(uint64_t n)
{
	if (n <= work_left) {
		work_left -= n;
		return true;
	}
	work_stop("needs far more time to read than a file of its size should");
	return false;
}

#endif
