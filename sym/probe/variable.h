/* Local variables and parameters of functions, by DWARF, as arguments in perf's words. */
#ifndef SYM_PROBE_VARIABLE_H
#define SYM_PROBE_VARIABLE_H

#include "location.h"

/* Writes where VARIABLE ("x", "p->x.y", "p:string") lies when the code at *PC is about to run: "+8(+0(%#5)):s32"; %#5 is a register
 * by DWARF's number.  BEGINS: *PC is a function's first instruction.  If the function makes its frame first, *PC becomes the place
 * behind that.  False, with WHY in words. */
bool variable_find(const struct call_frame *, const char *variable, bool begins, uint64_t *pc, char *words, size_t nwords, char *why, size_t nwhy);

#endif
