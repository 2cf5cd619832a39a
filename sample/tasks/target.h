/* Whom to profile: a command to launch, processes by pid or by name; and what they are called. */
#ifndef SAMPLE_TARGET_H
#define SAMPLE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A command, forked but not yet executed, so that events can be opened on it first. */
struct launch {
	pid_t pid;
	int go;                    /* write end: closing it without a byte ends the child unexecuted */
	int failed;                /* read end: errno of a failed exec, or EOF once it is done */
};

/* Whether ARGV[0] can be executed, as execvp would find it: 0, or 126 (cannot execute) or 127 (not found) with WHY in
 * words. */
int launch_check(char *const argv[], const char **why);
/* Forks the child; it waits.  It has prof's stdin and stdout, its environment, default signal actions and an unblocked
 * mask as prof was started with.  False with errno. */
bool launch_fork(struct launch *, char *const argv[]);
/* Lets it execute. 0, or the errno of its exec. */
int launch_go(struct launch *);
/* Ends a child that was never let go. */
void launch_drop(struct launch *);

/* The processes called NAME (comm, or the last part of argv[0] or of exe), newest first, prof itself left out; at most
 * MAX. Returns how many. */
unsigned target_named(const char *name, int32_t *pid, unsigned max);
/* Whether PID (a process) or TID (a thread) exists. */
bool target_pid_exists(int32_t pid);
bool target_tid_exists(int32_t tid, int32_t *pid);
/* When PID began, in the kernel's ticks; false where it is over. */
bool target_start(int32_t pid, uint64_t *start);
/* The ns of CPU that PID and the children that it has waited for have had, or 0.  *FD keeps open what tells it: 0 at first. */
uint64_t target_cpu(int32_t pid, int *fd);
/* Who owns FILE of /proc/PID: of "" its user, of "maps" root where others of that user may not look into it. */
bool target_owner(int32_t pid, const char *file, uid_t *uid);
/* What PID is called (its comm), into BUF; "?" where it cannot be told. */
const char *target_comm(int32_t pid, char *buf, size_t n);

#endif
