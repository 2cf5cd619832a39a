/* Text in columns of a terminal.  prof shows a replacement character for what could drive it or turn a line around
 * (controls, Unicode's bidirectional marks). */
#ifndef LIB_COLUMNS_H
#define LIB_COLUMNS_H

#include "sink.h"

struct columns_cell {
	char text[32];
	unsigned n;
};

/* V with PLACES decimals and commas between thousands. */
struct columns_cell columns_number(uint64_t v, unsigned places);
void columns_right(struct sink *, const struct columns_cell *, unsigned width);
void columns_pad(struct sink *, unsigned n);

unsigned columns_of(const char *);
/* A text in at most WIDTH columns (0: as long as it is), cut in the middle; returns the columns that it took. */
unsigned columns_cut(struct sink *, const char *, unsigned width);

#endif
