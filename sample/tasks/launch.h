/* A command to profile: found as a shell finds it, forked, and held until events are open on it. */
#ifndef SAMPLE_TASKS_LAUNCH_H
#define SAMPLE_TASKS_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

/* A command, forked but not yet executed, so that prof can open events on it first. */
struct launch {
	pid_t pid;
	int go;                    /* write end: closing it without a byte ends the child unexecuted */
	int failed;                /* read end: errno of a failed exec, or EOF once it is done */
};

/* Whether ARGV[0] can be executed, as execvp would find it: 0, or 126 (cannot execute) or 127 (not found) with WHY in
 * words. */
int launch_check(char *const argv[], const char **why);
/* The file of a program by its name, as execvp would find it, into PATH, which has room for PATH_MAX bytes. */
bool launch_find(const char *name, char *path);
/* Forks the child; it waits.  It has prof's stdin and stdout, its environment, default signal actions and an unblocked
 * mask as prof was started with.  False with errno. */
bool launch_fork(struct launch *, char *const argv[]);
/* Lets it execute.  False with the errno of its exec. */
bool launch_go(struct launch *);
/* Ends a child that was never allowed to execute. */
void launch_drop(struct launch *);

#endif
