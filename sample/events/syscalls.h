/* The machine's system calls, by number and by name. */
#ifndef SAMPLE_EVENTS_SYSCALLS_H
#define SAMPLE_EVENTS_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYSCALL_NAME = 40 };

/* Lines "NUMBER NAME"; made when prof is built. */
extern const char syscall_text[];

/* Goes through all of them: *AT is syscall_text at first.  False at the end. */
bool syscall_next(const char **at, uint32_t *number, char name[SYSCALL_NAME]);
/* Marks the system call NAME, or all ("*"), in WANTED, which has N bytes, one for each number.  False: there is none; then NEAR is the
 * nearest name, or "". */
bool syscalls_named(const char *name, uint8_t *wanted, uint32_t n, char near[SYSCALL_NAME]);
/* The name of NUMBER, or "syscall 999", into NAME. */
const char *syscall_name(uint32_t number, char name[SYSCALL_NAME]);

#endif
