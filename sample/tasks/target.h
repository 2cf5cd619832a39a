/* The processes to profile, by number or by name, and what /proc says about them. */
#ifndef SAMPLE_TASKS_TARGET_H
#define SAMPLE_TASKS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The processes called NAME (comm, or the last part of argv[0] or of exe), newest first, prof itself left out; at most
 * MAX. Returns how many. */
unsigned target_named(const char *name, int32_t *pid, unsigned max);
/* Whether PID (a process) or TID (a thread) exists. */
bool target_pid_exists(int32_t pid);
bool target_tid_exists(int32_t tid, int32_t *pid);
/* When PID began, in the kernel's ticks; false where it is over. */
bool target_start(int32_t pid, uint64_t *start);
/* The ns of CPU that PID and the children that it has waited for have had, or 0.  *FD keeps the file open that tells it; it is
 * 0 at first. */
uint64_t target_cpu(int32_t pid, int *fd);
/* The owner of FILE in /proc/PID.  For "" it is the user of the process; for "maps" it is root if other processes of that user
 * may not look into it. */
bool target_owner(int32_t pid, const char *file, uid_t *uid);
/* The name of PID (its comm), into BUF; "?" if /proc does not tell. */
const char *target_comm(int32_t pid, char *buf, size_t n);

#endif
