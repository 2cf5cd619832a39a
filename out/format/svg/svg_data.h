/* The flame graph's frames as data, and the script that draws them again in a browser. */
#ifndef OUT_FORMAT_SVG_SVG_DATA_H
#define OUT_FORMAT_SVG_SVG_DATA_H

#include "drawing.h"

void svg_data(struct drawing *);

#endif
