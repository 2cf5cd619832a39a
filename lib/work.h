/* Work on files that nobody vouches for, bounded by what they hold: steps and memory.  A step is a read by the cursor, or one round
 * of a loop that reads without one.  Where the bound is reached, all cursors are at their end until work_end: readers find less, and
 * come back. */
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

/* From here on until work_end what is read is W's; a file that is looked at meanwhile is part of it.  Each time some steps more
 * are granted, so that a question about what is known already can always be answered. */
void work_begin(struct work *w);
void work_end(void);
/* BYTES more are to be read. */
void work_allow(uint64_t bytes);
/* It is over for what is being worked on, and WHY; a signal handler may call it. */
void work_stop(const char *why);
/* Whether that, or too little memory, ended what is being worked on: what was read is not all. */
bool work_over(void);

/* While another process is asked about a file: nothing that is ours is in use meanwhile. */
void work_wait(bool on);

/* For a watchdog, which interrupts now and then: whether what is interrupted is work on a file, or waiting for it; that it has to end
 * where it takes too long; and ns of CPU that it may take for each byte, beside some seconds. */
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
