/* Frames of code that runs in the frame of a function that it did not make: an interpreter's loop, or what gives a language's code a
 * piece of the thread's stack. */
#ifndef UNWIND_HOSTED_FRAME_H
#define UNWIND_HOSTED_FRAME_H

#include "job.h"

/* The rule for F, in code of MODULE at VADDR that nothing describes, if it runs in such a frame.  NONE: it does not, or prof cannot
 * tell; OUTSIDE: it may, but that frame ends beyond the copy of the stack. */
enum step hosted_rule(struct job *, const struct frame *f, struct module *, uint64_t vaddr, struct rule *);
/* Steps out of F by such a rule. */
enum step step_hosted(struct job *, struct frame *f);
/* The function of the space that jumps to code which changes stacks, or NULL; and whether RA follows a call of K's function by its
 * address as linked. */
const struct jumper *hosted_switches(struct job *);
bool hosted_called(struct job *, const struct jumper *k, uint64_t ra);

#endif
