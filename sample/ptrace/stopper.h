/* The stopper: a separate process that has the rights.  It stops threads for a moment, and writes what they did as perf
 * records into a ring with perf's layout. */
#ifndef SAMPLE_PTRACE_STOPPER_H
#define SAMPLE_PTRACE_STOPPER_H

struct stopper;

/* Runs the stopper, in a process that was forked for it. */
__attribute__((noreturn)) void stopper_run(const struct stopper *);

#endif
