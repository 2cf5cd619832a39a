/* The codes of a walk, and the kernel's own chain of return addresses. */
#ifndef UNWIND_CHAIN_H
#define UNWIND_CHAIN_H

#include "job.h"

enum { FRAMES_MAX = 1 << 16 };   /* of one walk, most of them elided */

void walk_begin(struct walk *);
/* Codes beyond max_stack go into a ring; RING is the next place in it.  walk_unroll puts them in order at the end. */
void walk_push_deep(const struct unwinder *, struct walk *, uint32_t code, uint64_t sp, uint32_t *ring);
void walk_unroll(const struct unwinder *, struct walk *, uint32_t ring);
/* The code that came last. */
uint32_t walk_last(const struct unwinder *, const struct walk *, uint32_t ring);

static inline void
walk_push(const struct unwinder *u, struct walk *w, uint32_t code, uint64_t sp, uint32_t *ring)
{
	if (__builtin_expect(w->n < u->max_stack, 1)) {
		w->sp[w->n] = sp;
		w->code[w->n++] = code;
	} else {
		walk_push_deep(u, w, code, sp, ring);
	}
}

/* The index in the kernel's chain of the frame with that FP: the next address in the chain is the caller's return address.  0
 * if the chain does not have this frame. */
uint32_t chain_link(const struct job *, uint64_t leaf_fp, uint64_t fp, uint32_t n);
/* Continues the walk by the chain from I on, as long as the code keeps frame pointers. */
enum walk_end chain_splice(struct job *, const uint64_t *chain, uint32_t i, uint32_t n);
/* Does the work of unwind_chain. */
void chain_walk(struct unwinder *, struct space *, const uint64_t *chain, uint32_t nchain, uint64_t link, struct walk *);

#endif
