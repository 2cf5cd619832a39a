/* /proc, wherever it is mounted. */
#ifndef LIB_PROC_H
#define LIB_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The /proc for all that prof reads of other processes: "/proc", unless --proc-root says so. */
enum { PROC_ROOT_MAX = 160, PROC_PATH_MAX = 256 };
extern const char *proc_root;
/* "PROC/PID/NAME" into a buffer of PROC_PATH_MAX, which it returns. */
__attribute__((format(printf, 3, 4))) const char *proc_path(char *path, int32_t pid, const char *name, ...);
/* Whether /proc is mounted there, and knows prof. */
bool proc_there(void);
/* The text of PROC/PID/NAME, as file_text. */
long proc_text(int32_t pid, const char *name, char *buf, size_t cap);

#endif
