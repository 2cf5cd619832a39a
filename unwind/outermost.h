/* Where a stack ends though no frame says so: threads and programs as they begin. */
#ifndef UNWIND_OUTERMOST_H
#define UNWIND_OUTERMOST_H

#include "job.h"

/* A thread that has just been made, on its own stack: it comes out of a system call with 0. */
bool outermost_just_made(struct job *, const struct frame *);
/* Whether F, whose registers are all known, is of a new thread that still has its maker's return address in the register. */
bool outermost_thread(struct job *, const struct frame *);
/* Whether what the kernel gives to a program, its words, lies right at sp, and F is not the entry point's: nobody has called
 * then, whatever was in the return address's register (riscv64's musl goes on by jumps, and the kernel leaves there what was). */
bool outermost_program(struct job *, const struct frame *);
/* A step from code whose instructions do not tell, to a root: each frame has its return address on the stack, so that none
 * lies between where the first word that may be one is a root's.  (Where calls push it.) */
enum step outermost_last(struct job *, struct frame *);

#endif
