/* Text for a terminal: no line is wider than the terminal; if that knows only ASCII, this replaces other characters. */
#ifndef LIB_SCREEN_H
#define LIB_SCREEN_H

#include <stdbool.h>

#include "sink.h"

struct screen {
	struct sink *to;
	unsigned width;            /* columns; 0: no limit */
	bool ascii;
	unsigned column;           /* of the line at hand */
	bool escape;               /* within a sequence of colour, which takes no column */
	unsigned n;                /* bytes of a character that is not whole yet */
	char part[5];
};

/* SINK writes by way of SCREEN to TO.  Close it first. */
void screen_open(struct screen *, struct sink *sink, struct sink *to, unsigned width, bool ascii);

#endif
