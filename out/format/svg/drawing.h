/* The parts of an SVG's writer.  Lengths are in tenths of a pixel.  Inside out/ only. */
#ifndef OUT_SVG_H
#define OUT_SVG_H

#include "lib/columns.h"
#include "flame.h"

enum {
	SIDE = 100, ROW = 180,     /* margins; a row's height */
	CHARACTER = 7230           /* its width, of the font at its size: hundredths of that */
};

/* Colours from LO up to LO + SPAN, by red, green and blue. */
struct tint {
	uint8_t lo[3], span[3];
};
/* The kinds of functions, and what is no function: svg_tints has a tint for each. */
enum { TINT_ROOT = FUNCTION_INLINED + 1, TINTS };
extern const struct tint svg_tints[TINTS];
/* How colours are chosen: the first of picture_colors; more are palettes for everything. */
enum { BY_KIND, BY_MODULE, BY_PALETTE };

/* What was left out at one depth, side by side: from LO to HI, weights. */
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

/* svg_text.c.  Names are cut to WIDTH columns (0: as long as they are), made harmless and escaped. */
uint32_t svg_cut(const struct drawing *);
void svg_name(struct drawing *, const char *, unsigned width, bool json);
void svg_name_json(struct drawing *, const char *);
void svg_tenths(struct drawing *, uint64_t v);
void svg_amount(struct drawing *, uint64_t weight);
void svg_share(struct drawing *, uint64_t weight, uint64_t all);
void svg_delta_words(struct drawing *, int64_t delta);
/* Opens a <text> with more ATTRIBUTES. */
void svg_words(struct drawing *, uint32_t x, uint32_t y, const char *attributes);

/* svg_color.c.  Colours are 0xRRGGBB. */
unsigned svg_tint(const struct drawing *, const struct flame_frame *);
uint32_t svg_shade(const struct tint *, uint32_t hash);
uint32_t svg_delta_color(const struct drawing *, int64_t delta);
uint32_t svg_color(const struct drawing *, const struct flame_frame *);
void svg_put_color(struct drawing *, uint32_t color);

/* svg_frames.c: the still picture's frames of at least weight LEAST; returns how much was left out.
 * svg_data.c: the same and more for the script, and the script. */
uint64_t svg_frames(struct drawing *, const struct flame *, uint64_t least);
void svg_data(struct drawing *);

#endif
