/* Reading prof's own flame graphs back; for format_svg.  Inside out/ only. */
#ifndef OUT_FORMAT_SVG_SVG_READ_H
#define OUT_FORMAT_SVG_SVG_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

bool svg_is(struct cursor);
const char *svg_read(struct profile *, struct cursor *);

#endif
