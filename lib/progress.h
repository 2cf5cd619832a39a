/* One line on a terminal that says how far something has come; prof writes over it again and again. */
#ifndef LIB_PROGRESS_H
#define LIB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* ns between two of its texts. */
#define PROGRESS_PAUSE UINT64_C(500000000)

struct progress {
	bool on;
	uint64_t said;             /* when */
	unsigned columns;          /* that it has written on */
	int group;                 /* prof's, as the terminal knows it */
};

/* Off if stderr is not a terminal, and with -q and -v, which have their own lines; else the first text comes after FIRST
 * ns. */
void progress_open(struct progress *, uint64_t first);
/* Whether it is time for a new text. */
bool progress_due(const struct progress *);
/* prof does not wait for a terminal that takes no bytes now, or that belongs to another program. */
void progress_say(struct progress *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes the line empty again. */
void progress_close(struct progress *);

#endif
