/* The end of a stack if no frame shows it: threads and programs that just begin. */
#ifndef UNWIND_OUTERMOST_H
#define UNWIND_OUTERMOST_H

#include "job.h"

/* Whether F is a new thread's, on its own stack: it comes out of a system call with 0. */
bool outermost_just_made(struct job *, const struct frame *);
/* Whether F belongs to a new thread that still has the return address of its maker in the register.  All registers of F are
 * known. */
bool outermost_thread(struct job *, const struct frame *);
/* Whether sp points to the words that the kernel gives to a new program, and F is not the entry point's.  Then nobody has called,
 * whatever the return address's register holds (riscv64's musl goes on by jumps, and the kernel leaves the old value there). */
bool outermost_program(struct job *, const struct frame *);
/* Steps from code that shows no rule to a root.  Each frame has its return address on the stack, on machines where calls push
 * it.  So if the first word that may be a return address is a root's, no frame lies between. */
enum step outermost_last(struct job *, struct frame *);

#endif
