/* Looks into a process's memory: first at the copies from the moment, then at the memory as it is now, in a few large pieces.
 * Samples come in batches: a piece that was read for one, after the moments of all of them, is good for the next. */
#ifndef SYM_LANGUAGE_LOOK_H
#define SYM_LANGUAGE_LOOK_H

#include "language.h"

enum { LOOK_PIECE = 4096, LOOK_PIECES = 8, LOOK_ITEM = 1024, LOOKS = 4 };

struct look {
	const struct moment *moment;
	uint32_t reads;            /* reads that are still allowed */
	const struct space *space; /* whose pieces these are, */
	uint64_t since;            /* and since when they were read, ns */
	uint32_t n, turn;
	uint8_t joined[LOOK_ITEM]; /* of two pieces */
	struct { uint64_t lo; size_t n; uint8_t bytes[LOOK_PIECE]; } piece[LOOK_PIECES];
};

/* Of several processes, whose memory is kept for the next sample. */
struct looks {
	struct look look[LOOKS];
	uint32_t turn;             /* the next one to forget */
};

struct look *looks_of(struct looks *, const struct space *);
void look_begin(struct look *, const struct moment *, uint32_t reads);
/* The N bytes at ADDR, at most LOOK_ITEM of them, until the next call; or NULL. */
const uint8_t *look_at(struct look *, uint64_t addr, size_t n);
/* Copies N bytes, however many; false if they are not all there. */
bool look_copy(struct look *, uint64_t addr, void *to, size_t n);
bool look_word(struct look *, uint64_t addr, uint64_t *);
/* Reads a word as it is now, also if there is a copy. */
bool look_now(struct look *, uint64_t addr, uint64_t *);
/* Whether ADDR lies in the copy of the stack. */
bool look_in_stack(const struct look *, uint64_t addr);
/* Whether the N bytes at ADDR, at most a page, are as they were at the moment: copied then, or of a thread that has not run since. */
bool look_is_copied(const struct look *, uint64_t addr, size_t n);
/* Whether a register has a value in [FROM, UPTO]. */
bool look_in_registers(const struct look *, uint64_t from, uint64_t upto);

static inline uint64_t
look_u64(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t
look_u32(const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, sizeof v);
	return v;
}

#endif
