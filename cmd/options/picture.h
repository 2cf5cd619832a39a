/* The options that say how flame graphs are drawn, for every command that writes some. */
#ifndef CMD_PICTURE_H
#define CMD_PICTURE_H

#include "out/profile/profile.h"
#include "options.h"

enum { PICTURE_TITLE = 400, PICTURE_WIDTH, PICTURE_MIN_WIDTH, PICTURE_COLORS, PICTURE_REVERSE, PICTURE_INVERTED };

#define PICTURE_OPTIONS \
	{ PICTURE_TITLE, "title=TEXT", "flame graphs: what stands above (the command)" }, \
	{ PICTURE_WIDTH, "width=PX", "flame graphs: the still picture's width (1200)" }, \
	{ PICTURE_MIN_WIDTH, "min-width=PX", "flame graphs: narrower frames are left out (0.5)" }, \
	{ PICTURE_COLORS, "colors=HOW", "flame graphs: kind, module, hot, blue, green or grey (kind)" }, \
	{ PICTURE_REVERSE, "reverse", "flame graphs: by callers, from the functions that ran" }, \
	{ PICTURE_INVERTED, "inverted", "flame graphs: the outermost functions on top" }

/* Takes the option, whose id is one of these; false once it has said what is wrong with it. */
bool picture_take(struct picture *, const struct options *, int id);

#endif
