/* The frames of the still picture. */
#ifndef OUT_FORMAT_SVG_SVG_FRAMES_H
#define OUT_FORMAT_SVG_SVG_FRAMES_H

#include "drawing.h"

/* Draws the frames with at least weight LEAST; returns the weight of the others. */
uint64_t svg_frames(struct drawing *, const struct flame *, uint64_t least);

#endif
