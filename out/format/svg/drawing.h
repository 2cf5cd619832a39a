/* An SVG as it is being drawn.  Lengths are in tenths of a pixel.  Inside this folder only. */
#ifndef OUT_FORMAT_SVG_DRAWING_H
#define OUT_FORMAT_SVG_DRAWING_H

#include "lib/columns.h"
#include "flame.h"

enum {
	SIDE = 100, ROW = 180,     /* margins; a row's height */
	CHARACTER = 7230           /* a character's width, in hundredths of the font's size */
};

/* Frames side by side at one depth that are left out: from LO to HI, weights. */
struct thin {
	uint64_t lo, hi;
};

struct drawing {
	const struct profile *p;
	struct sink *out, text;
	struct flame *flame;       /* of each event that has samples */
	uint32_t flame_cap, flames;
	struct thin *thin;         /* of each depth */
	uint32_t *name;            /* of each label: its number among a picture's names, + 1 */
	const char **module;
	uint32_t thin_cap, name_cap, module_cap, modules;
	uint32_t width, height, colors;
	uint64_t period;           /* of the event at hand */
	uint32_t top;              /* of its picture */
	int64_t most;              /* the largest change */
	unsigned kinds;            /* a bit for each that is there */
};

#endif
