/* The options for drawing flame graphs, for every command that writes them. */
#ifndef CMD_OPTIONS_PICTURE_H
#define CMD_OPTIONS_PICTURE_H

#include "out/profile/profile.h"
#include "options.h"

enum { PICTURE_TITLE = 400, PICTURE_WIDTH, PICTURE_MIN_WIDTH, PICTURE_COLORS, PICTURE_REVERSE, PICTURE_INVERTED };

#define PICTURE_OPTIONS \
	{ PICTURE_TITLE, "title=TEXT", "flame graphs: the title (the command)" }, \
	{ PICTURE_WIDTH, "width=PX", "flame graphs: the picture's width in pixels (1200)" }, \
	{ PICTURE_MIN_WIDTH, "min-width=PX", "flame graphs: leave out frames narrower than this (0.5)" }, \
	{ PICTURE_COLORS, "colors=HOW", "flame graphs: colours by kind, module, or hot, blue, green, grey (kind)" }, \
	{ PICTURE_REVERSE, "reverse", "flame graphs: begin with the functions that ran, callers above" }, \
	{ PICTURE_INVERTED, "inverted", "flame graphs: draw the outermost function on top" }

/* Takes an option with one of these ids; false after an error message. */
bool picture_take(struct picture *, const struct options *, int id);

#endif
