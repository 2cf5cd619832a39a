/* Roots of processes, kept open with their mount namespaces, so that files are still found by their paths when the
 * process that mapped them is gone. */
#ifndef SAMPLE_ROOTS_H
#define SAMPLE_ROOTS_H

#include <stdint.h>

struct roots {
	struct root *root;         /* by number - 1 */
	uint32_t n, cap;
	uint64_t looked;
};

/* The number of PID's root, or OTHERWISE where that cannot be told any more.  0: none. */
uint32_t roots_of(struct roots *, int32_t pid, uint32_t otherwise, uint64_t now);
/* A descriptor of that root, or -1. */
int roots_fd(const struct roots *, uint32_t number);
/* Lets go of those that no process was seen with for some seconds: whoever unmounts them must not wait for prof. */
void roots_tidy(struct roots *, uint64_t now);
void roots_free(struct roots *);

#endif
