/* Frames that show which function they belong to. */
#ifndef UNWIND_CALLED_FUNCTION_H
#define UNWIND_CALLED_FUNCTION_H

#include "job.h"

/* The rule for frame F at VADDR, if the frame shows its function; else false. */
bool called_function(struct job *, const struct frame *, struct module *, uint64_t vaddr, struct rule *);

#endif
