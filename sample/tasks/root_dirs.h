/* Roots of processes, kept open with their mount namespaces, so that files are still found by their paths when the
 * process that mapped them is gone. */
#ifndef SAMPLE_TASKS_ROOT_DIRS_H
#define SAMPLE_TASKS_ROOT_DIRS_H

#include <stdbool.h>
#include <stdint.h>

struct root_dirs {
	struct root *root;         /* by number - 1 */
	uint32_t n, cap;
	uint64_t looked;
};

/* The number of PID's root, or OTHERWISE if prof cannot tell that any more.  0: none. */
uint32_t root_dirs_of(struct root_dirs *, int32_t pid, uint32_t otherwise, uint64_t now);
/* Whether that root is open, and prof saw a process have it a short time ago. */
bool root_dirs_fresh(const struct root_dirs *, uint32_t number, uint64_t now);
/* A descriptor of that root, or -1. */
int root_dirs_fd(const struct root_dirs *, uint32_t number);
/* Lets go of roots that no process had for some seconds: whoever unmounts them must not wait for prof. */
void root_dirs_tidy(struct root_dirs *, uint64_t now);
/* How many roots prof has seen. */
uint32_t root_dirs_seen(const struct root_dirs *);
void root_dirs_free(struct root_dirs *);

#endif
