/* See answer.h.  A wait takes at most half of what is left for all waits, so that together they end; a short one is free. */
#include "answer.h"

#include <errno.h>
#include <poll.h>

#include "clock.h"

enum { MISSED_MOST = 12, SOON = 50000000 /* ns */ };

static uint64_t left = UINT64_C(3000000000), least = 50000000;
static unsigned missed;
static volatile uint64_t soon;   /* when the wait ends, or 0 */

bool
answer_comes(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t from = clock_now(), until = from + (left / 2 > least ? left / 2 : least), t = from;
	int n;

	soon = 0;
	do {
		uint64_t end = soon && soon < until ? soon : until;

		n = poll(&p, 1, end > t ? (int)((end - t) / 1000000) + 1 : 0);
		t = clock_now();
	} while (n < 0 && errno == EINTR);
	if (t - from > least)
		left -= t - from < left ? t - from : left;
	missed += !n;
	return n;   /* an error (poll's limit of descriptors) is no reason to give up */
}

void
answer_hurry(void)
{
	soon = clock_now() + SOON;
}

unsigned
answer_missed(void)
{
	return missed;
}

bool
answer_hopeless(void)
{
	return missed >= MISSED_MOST;
}

void
answer_patience(uint64_t all, uint64_t one)
{
	left = all;
	least = one;
}
