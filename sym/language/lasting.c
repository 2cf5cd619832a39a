/* See lasting.h. */
#include "lasting.h"

#include "lib/clock.h"

/* A frame lasts if it was there TIMES times, each so many ns after the one before. */
enum { TIMES = 6 };
#define BETWEEN UINT64_C(2000000)

uint32_t
lasting_function(const struct languages *l, uint32_t code)
{
	return (uint32_t)(languages_native(l, code)->vaddr >> 32);
}

uint32_t
lasting_frames(struct lasting **at, struct languages *l, const uint64_t *addr, const struct language_frame *frame, uint32_t n, uint64_t moment)
{
	uint32_t last = 0, kept = n < LASTING_MOST ? n : LASTING_MOST;
	uint64_t time = clock_now();
	struct lasting *c;
	bool same = true, later;

	if (!(c = *at) && !(c = *at = languages_keep(l, sizeof *c)))
		return 0;
	later = time - c->time >= BETWEEN;
	for (uint32_t i = 0; i < kept; i++) {
		struct lasting_frame now = { addr[n - 1 - i], time, lasting_function(l, frame[n - 1 - i].code), 0 };

		same = same && i < c->n && c->frame[i].addr == now.addr && c->frame[i].function == now.function;
		if (same) {
			now.since = c->frame[i].since;
			now.times = c->frame[i].times + later;
		}
		c->frame[i] = now;
		last += now.times >= TIMES && now.since < moment;
	}
	c->n = kept;
	c->time = later ? time : c->time;
	return last;
}
