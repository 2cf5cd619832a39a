/* Text in columns of a terminal.  What could drive it or turn a line around (controls, Unicode's bidirectional marks) is
 * shown as a replacement character.  Inside out/ only. */
#ifndef OUT_CELL_H
#define OUT_CELL_H

#include "sink.h"

struct cell {
	char text[32];
	unsigned n;
};

/* V with PLACES decimals and commas between thousands. */
struct cell number(uint64_t v, unsigned places);
void put_right(struct sink *, const struct cell *, unsigned width);
void pad(struct sink *, unsigned n);

unsigned columns(const char *);
/* A text in at most WIDTH columns (0: as long as it is), cut in the middle; returns the columns that it took. */
unsigned put_cut(struct sink *, const char *, unsigned width);

#endif
