#include "clock.h"

uint64_t
clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t
clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
