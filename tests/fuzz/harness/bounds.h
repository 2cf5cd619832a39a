/* What one input may cost: steps of lib/work.h, bytes of lib/mem.h at their most, ns of CPU, each to begin with and for each byte of
 * the input.  A target that needs others than the usual ones has a `bounds` of its own. */
#ifndef TESTS_FUZZ_BOUNDS_H
#define TESTS_FUZZ_BOUNDS_H

#include <stdint.h>

struct bound {
	uint64_t first, byte;
};

struct bounds {
	struct bound steps, memory, ns;
};

extern const struct bounds bounds __attribute__((weak));

#endif
