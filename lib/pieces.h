/* Pieces of a process's memory, as they were copied. */
#ifndef LIB_PIECES_H
#define LIB_PIECES_H

#include <stdint.h>

struct piece {
	uint64_t lo, size;
	const uint8_t *bytes;
};

/* The pieces are in no order; if prof copied a page twice, both copies are the same. */
struct pieces {
	const struct piece *piece;
	uint32_t n;
};

/* A stack that a walk went through: where it was first, how far up it went, or would have gone, and the sp of the last frame
 * before that. */
struct walked {
	uint64_t sp, end, last;
};

#endif
