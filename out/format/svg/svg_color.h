/* The colours of a flame graph: by kind of function, by module, of one palette, or by what changed. */
#ifndef OUT_FORMAT_SVG_SVG_COLOR_H
#define OUT_FORMAT_SVG_SVG_COLOR_H

#include "drawing.h"

/* The words for --colors; ends with NULL. */
extern const char *const picture_colors[];

/* Colours from LO up to LO + SPAN, by red, green and blue. */
struct tint {
	uint8_t lo[3], span[3];
};
/* The kinds of functions, and of other frames: svg_tints has a tint for each. */
enum { TINT_ROOT = FUNCTION_INLINED + 1, TINT_SCRIPT, TINTS };
extern const struct tint svg_tints[TINTS];
/* How colours are chosen: the first words of picture_colors; each further word is a palette for all frames. */
enum { BY_KIND, BY_MODULE, BY_PALETTE };

/* Colours are 0xRRGGBB. */
unsigned svg_tint(const struct drawing *, const struct flame_frame *);
uint32_t svg_shade(const struct tint *, uint32_t hash);
uint32_t svg_delta_color(const struct drawing *, int64_t delta);
uint32_t svg_color(const struct drawing *, const struct flame_frame *);
void svg_put_color(struct drawing *, uint32_t color);

#endif
