/* What searches in processes' memory may cost in sum: a process can make prof search again and again. */
#ifndef SYM_LANGUAGE_ALLOWANCE_H
#define SYM_LANGUAGE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed, it has all that it may have.  A piece is about 1 us of work. */
struct allowance {
	uint64_t time;             /* ns, of the last question */
	uint32_t spent;
};

enum { ALLOWANCE_MOST = 1 << 15, ALLOWANCE_SHARED = 1 << 21, ALLOWANCE_EACH = 4000 /* ns */ };

/* Spends N of MOST; false if nothing is left. */
static inline bool
allowance_spend(struct allowance *a, uint32_t most, uint64_t time, uint32_t n)
{
	uint64_t back = time > a->time ? (time - a->time) / ALLOWANCE_EACH : 0;

	a->time += back * ALLOWANCE_EACH;
	a->spent = back < a->spent ? a->spent - (uint32_t)back : 0;
	if (a->spent >= most)
		return false;
	a->spent += n;
	return true;
}

#endif
