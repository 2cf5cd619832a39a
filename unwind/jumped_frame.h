/* Frames of code that was jumped to, and runs in the frame of the function that jumped: emulators' and interpreters' code, for
 * example, between a prologue and an epilogue that were made for all of it. */
#ifndef UNWIND_JUMPED_FRAME_H
#define UNWIND_JUMPED_FRAME_H

#include "job.h"

/* Steps out of F by the frame of such a function, if one is known or found. */
enum step step_jumped(struct job *, struct frame *);
/* Whether F is in a frame of a function that is known already; then its RULE.  So prof need not read the code. */
bool jumped_known(struct job *, const struct frame *, const struct module *, struct rule *);

#endif
