/* What a thread waits for, in words. */
#ifndef CMD_STACK_WAITS_FOR_H
#define CMD_STACK_WAITS_FOR_H

#include <stdbool.h>

struct thread_stacks;
struct stack_thread;

/* What it waits for, by its state, its system call, and known functions that wait; NULL if nothing is known. */
const char *waits_for(struct thread_stacks *, const struct stack_thread *);
/* The name of its system call, or NULL. */
const char *waits_call(const struct stack_thread *);
/* The file that the call's first argument stands for, or NULL: most calls have no such argument. */
const char *waits_file(const struct stack_thread *);
/* Whether the kernel begins the call again after a stop, so that the program does not notice (signal(7), "Interruption of system
 * calls and library functions by stop signals").  LINE is as in /proc/PID/task/TID/syscall; FILE is the file of the call. */
bool waits_restarts(const char *line, const char *file);

#endif
