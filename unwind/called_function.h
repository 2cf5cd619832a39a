/* A frame that tells itself which function it is of. */
#ifndef UNWIND_CALLED_FUNCTION_H
#define UNWIND_CALLED_FUNCTION_H

#include "job.h"

/* The rule at VADDR of the frame that is to be stepped from, if this tells. */
bool called_function(struct job *, const struct frame *, struct module *, uint64_t vaddr, struct rule *);

#endif
