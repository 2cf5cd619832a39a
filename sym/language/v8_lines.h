/* Lines of a script's source, which V8 itself counts only when it needs them: prof counts them in the source, a piece at a time. */
#ifndef SYM_LANGUAGE_V8_LINES_H
#define SYM_LANGUAGE_V8_LINES_H

#include "v8_object.h"

enum { V8_LINES_PIECE = 8192, V8_LINES_PIECES = 1024, V8_LINES_SCRIPTS = 64 };

struct v8_script {
	const void *process;
	struct v8_chars source;
	uint32_t n;                                /* pieces that were counted */
	uint32_t line[V8_LINES_PIECES + 1];        /* ends of lines before each piece */
};

struct v8_lines {
	struct v8_script script[V8_LINES_SCRIPTS];
	struct v8_script *of;                      /* whose piece the bytes are, */
	uint32_t piece;                            /* and which one */
	uint8_t bytes[2 * (V8_LINES_PIECE + 1) + 2];   /* a piece, the character behind it, and an end */
};

/* The line of a place in the source, from 1 on; 0: not known.  It reads at most PIECES pieces, and takes those away; too few of them: ask again. */
uint32_t v8_line(struct v8_lines *, struct look *, const void *process, uint64_t source, uint32_t at, uint32_t *pieces);

#endif
