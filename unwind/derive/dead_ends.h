/* Code of processes from which prof found no way to a return.  Large compiled functions leave by jumps to the runtime, and prof meets many
 * addresses in them: it follows their ways once. */
#ifndef UNWIND_DERIVE_DEAD_ENDS_H
#define UNWIND_DERIVE_DEAD_ENDS_H

#include "flow.h"

struct dead_ends;

/* What of a state makes a difference; NO_DEAD_END: prof does not keep what it finds in that state. */
enum { NO_DEAD_END = 0 };
uint8_t dead_ends_state(const struct flow *);
/* What prof knows around ADDR, as long as that code is the same; NULL if nothing. */
const struct dead_ends *dead_ends_around(struct code_source *, uint64_t addr);
/* Whether nothing was found from AT on, in that STATE; BY_FP becomes true if code there may use fp as the base of a frame. */
bool dead_ends_has(const struct dead_ends *, uint64_t at, uint8_t state, bool *by_fp);
/* Adds the N places AT, each with its state, from which prof has followed all ways.  KNOWN: what prof knew there before, or NULL. */
void dead_ends_add(struct code_source *, const struct dead_ends *known, const uint64_t *at, const uint8_t *state, unsigned n, bool by_fp);

#endif
