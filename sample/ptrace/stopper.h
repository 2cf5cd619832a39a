/* The stopper: a process of its own that holds the rights, stops threads for a moment and tells what they were at, as
 * records of perf's in a ring of perf's layout. */
#ifndef SAMPLE_PTRACE_STOPPER_H
#define SAMPLE_PTRACE_STOPPER_H

struct stopper;

/* Is the stopper, in a process that was forked for it. */
__attribute__((noreturn)) void stopper_run(const struct stopper *);

#endif
