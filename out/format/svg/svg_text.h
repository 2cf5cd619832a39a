/* Text in an SVG: names, shares, amounts. */
#ifndef OUT_FORMAT_SVG_SVG_TEXT_H
#define OUT_FORMAT_SVG_SVG_TEXT_H

#include "drawing.h"

/* Writes a name, cut to WIDTH columns (0: whole), made harmless and escaped. */
uint32_t svg_cut(const struct drawing *);
void svg_name(struct drawing *, const char *, unsigned width, bool json);
void svg_name_json(struct drawing *, const char *);
void svg_tenths(struct drawing *, uint64_t v);
void svg_amount(struct drawing *, uint64_t weight);
void svg_share(struct drawing *, uint64_t weight, uint64_t all);
void svg_delta_words(struct drawing *, int64_t delta);
/* Opens a <text> with more ATTRIBUTES. */
void svg_words(struct drawing *, uint32_t x, uint32_t y, const char *attributes);

#endif
