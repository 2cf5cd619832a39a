/* Lines of perf script's text, taken apart.  Inside out/ only. */
#ifndef OUT_SCRIPT_LINE_H
#define OUT_SCRIPT_LINE_H

#include "lib/cursor.h"

/* A piece of the text. */
struct text {
	const char *s;
	size_t n;
};

struct frame {
	uint64_t address;
	struct text name, file;    /* of a symbol; and the file that it lies in */
	bool inlined;
};

/* The first line of a sample. */
struct head {
	struct text comm, event;
	int32_t pid, tid;
	uint64_t time, period;     /* ns; period 0: none is given */
	struct text rest;
};

struct text text_trim(struct text);
/* What stands before END, or from BEGIN on, within the text. */
struct text text_until(const struct text *, const char *end);
struct text text_from(const struct text *, const char *begin);
bool text_is(struct text, const char *);
bool text_begins(struct text, const char *);
bool text_ends(struct text, const char *);
/* Digits at the front of a text, which moves past them. */
bool text_number(struct text *, uint64_t *v);
/* Of a path, what is behind the last slash. */
struct text text_base_name(struct text path);

/* The next line without its end, false where there is none; or a look at it, its text NULL where there is none. */
bool line_next(struct cursor *, struct text *line);
struct text line_peek(const struct cursor *);
/* False where the line is none of a sample's first ones, or none of a frame. */
bool line_head(struct text line, struct head *);
bool line_frame(struct text line, struct frame *);
bool line_is_frame(struct text line);
bool line_has_address(struct text);
/* "  file.c:123": the number, or 0. */
uint32_t line_source(struct text line);
/* The lines of one address: inlined functions and the one that they are in, each perhaps with its source line; at most
 * MOST frames. */
struct text line_group(struct cursor *, unsigned most);

#endif
