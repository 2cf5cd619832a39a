/* The codes of a walk, and the kernel's own chain of return addresses. */
#ifndef UNWIND_CHAIN_H
#define UNWIND_CHAIN_H

#include "job.h"

enum { FRAMES_MAX = 1 << 16 };   /* of one walk, most of them elided */

void walk_begin(struct walk *);
/* What is beyond max_stack goes round in RING, which walk_unroll puts in order at the end. */
void walk_push_deep(const struct unwinder *, struct walk *, uint32_t code, uint32_t *ring);
void walk_unroll(const struct unwinder *, struct walk *, uint32_t ring);

static inline void
walk_push(const struct unwinder *u, struct walk *w, uint32_t code, uint32_t *ring)
{
	if (__builtin_expect(w->n < u->max_stack, 1))
		w->code[w->n++] = code;
	else
		walk_push_deep(u, w, code, ring);
}

/* The link of the frame-pointer chain, as the kernel followed it, that is the frame with that FP: the caller's return
 * address is the chain's next one.  0 where it is none. */
uint32_t chain_link(const struct job *, uint64_t leaf_fp, uint64_t fp, uint32_t n);
/* Goes on by the chain from I on, as far as it leads through code that keeps frame pointers. */
enum walk_end chain_splice(struct job *, const uint64_t *chain, uint32_t i, uint32_t n);
/* As unwind_chain. */
void chain_walk(struct unwinder *, struct space *, const uint64_t *chain, uint32_t nchain, struct walk *);

#endif
