/* Work on files that nobody trusts.  Their size bounds its steps and memory.  A step is a read by the cursor, or one round of
 * a loop that reads without one.  At the bound, all cursors are at their end until work_end: readers find less, and
 * return. */
#ifndef LIB_WORK_H
#define LIB_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bound on the time and memory for reading one file, kept with the file; all zero at first. */
struct work {
	uint64_t left;             /* steps */
	int64_t held;              /* bytes of memory that prof keeps of it */
	uint64_t bytes;            /* of it, and of files that it leads to */
	uint64_t used;             /* ns of CPU, where a clock looks at it */
	uint64_t waited;           /* ns of waits for others that read it */
	const char *over;          /* why prof gave it up, or NULL */
	bool begun;
};

/* From here until work_end all reading counts for W, also that of other files.  Each call grants some more steps, so that a
 * question about known things always gets an answer. */
void work_begin(struct work *w);
void work_end(void);
/* Allows the work for BYTES more; only the steps of it, and no memory. */
void work_allow(uint64_t bytes);
void work_allow_steps(uint64_t bytes);
/* Ends the work in progress, and says WHY; a signal handler may call it. */
void work_stop(const char *why);
/* Whether the bound, or too little memory, ended the work in progress: then prof has not read all. */
bool work_over(void);

/* While prof asks another process about a file: it uses nothing of its own meanwhile. */
void work_wait(bool on);

/* For a watchdog that interrupts now and then: whether it interrupts work on a file, or a wait for it; ends that work if it
 * takes too long; ns of CPU that the work may take for each byte, beside some seconds. */
bool work_busy(void);
void work_look(void);
void work_patience(uint64_t ns_byte);

/* Steps that prof may still take. */
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
