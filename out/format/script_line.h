/* Lines of perf script's text, taken apart.  Inside out/ only. */
#ifndef OUT_FORMAT_SCRIPT_LINE_H
#define OUT_FORMAT_SCRIPT_LINE_H

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
	uint64_t time, period;     /* ns; period 0: the line has none */
	bool timeless;             /* the line has no time (perf script -F can leave it out) */
	struct text rest;
};

struct text text_trim(struct text);
/* The part of a text before END, or from BEGIN on. */
struct text text_until(const struct text *, const char *end);
struct text text_from(const struct text *, const char *begin);
bool text_is(struct text, const char *);
bool text_begins(struct text, const char *);
bool text_ends(struct text, const char *);
/* Digits at the front of a text, which moves past them. */
bool text_number(struct text *, uint64_t *v);
/* The part of a path after the last slash. */
struct text text_base_name(struct text path);

/* line_next reads the next line, without its end; false if there is none.  line_peek only looks at it; the text is NULL if
 * there is none. */
bool line_next(struct cursor *, struct text *line);
struct text line_peek(const struct cursor *);
/* False if the line does not begin a sample, or is not a frame.  NEXT: the line after it, or a text of NULL. */
bool line_head(struct text line, struct head *);
bool line_head_timeless(struct text line, struct text next, struct head *);
bool line_frame(struct text line, struct frame *);
bool line_is_frame(struct text line);
bool line_has_address(struct text);
/* "  file.c:123": the number, or 0. */
uint32_t line_source(struct text line);
/* The lines of one address: inlined functions and the one that they are in, each perhaps with its source line; at most
 * MOST frames. */
struct text line_group(struct cursor *, unsigned most);

#endif
