/* See stack_copy.h. */
#include "stack_copy.h"

#include "foreign.h"
#include "lib/clock.h"

enum { PIECE = 16 << 10, LEAST = 256 };

size_t
stack_copy(int32_t tid, uint64_t sp, uint8_t *to, size_t most, uint64_t end)
{
	size_t n = 0;

	for (size_t step = PIECE; n < most && step >= LEAST && (end == UINT64_MAX || clock_now() < end);) {
		step = most - n < step ? most - n : step;
		if (foreign_read(tid, sp + n, to + n, step) == step)
			n += step;
		else
			step /= 2;
	}
	return n;
}
