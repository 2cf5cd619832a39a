/* See queue.h.  Each record lies behind a head of its own, so that prof later finds those that stay in the order of their
 * places. */
#include "queue.h"

#include <string.h>

#include "lib/mem.h"

struct head {
	uint64_t time;
	uint32_t size;
	uint32_t gone;
};

static struct head
head_at(const struct queue *q, uint32_t at)
{
	struct head h;

	memcpy(&h, q->bytes + at, sizeof h);
	return h;
}

/* Moves what stays to the front. */
static void
close_up(struct queue *q)
{
	uint32_t to = 0;

	q->n = 0;
	for (uint32_t at = 0, all; at < q->nbytes; at += all) {
		struct head h = head_at(q, at);

		all = (uint32_t)sizeof h + h.size;
		if (h.gone)
			continue;
		memmove(q->bytes + to, q->bytes + at, all);
		q->item[q->n++] = (struct item){ h.time, to, 0 };
		to += all;
	}
	q->nbytes = to;
}

/* Passes on what is no newer than UPTO. */
static void
give(struct queue *q, uint64_t upto)
{
	uint32_t n = 0;

	sort_items(q->item, q->n);   /* without memory for sorting, in the order in which they came */
	for (; n < q->n && q->item[n].key <= upto; n++) {
		struct head h = head_at(q, q->item[n].a);

		q->late += h.time < q->given;
		q->given = h.time > q->given ? h.time : q->given;
		q->take(q->ctx, q->bytes + q->item[n].a + sizeof h, h.size);
		h.gone = 1;
		memcpy(q->bytes + q->item[n].a, &h, sizeof h);
	}
	if (n == q->n)
		q->n = q->nbytes = 0;
	else if (n)
		close_up(q);
}

bool
queue_add(struct queue *q, uint64_t time, const uint8_t *bytes, uint32_t n)
{
	struct head h = { .time = time, .size = (n + 7) & ~7u };

	if (q->nbytes >= QUEUE_BYTES) {
		sort_items(q->item, q->n);
		give(q, q->item[q->n / 2].key);
	}
	if (!vec_room(&q->bytes, &q->bytes_cap, (uint64_t)q->nbytes + sizeof h + h.size, 1) ||
	    !vec_room(&q->item, &q->cap, (uint64_t)q->n + 1, sizeof *q->item))
		return false;
	memset(q->bytes + q->nbytes + sizeof h + h.size - 8, 0, 8);
	memcpy(q->bytes + q->nbytes, &h, sizeof h);
	memcpy(q->bytes + q->nbytes + sizeof h, bytes, n);
	q->item[q->n++] = (struct item){ time, q->nbytes, 0 };
	q->nbytes += (uint32_t)sizeof h + h.size;
	q->newest = time > q->newest ? time : q->newest;
	return true;
}

void
queue_round(struct queue *q)
{
	give(q, q->round);
	q->round = q->newest;
}

void
queue_end(struct queue *q)
{
	give(q, UINT64_MAX);
}

void
queue_free(struct queue *q)
{
	vec_free(&q->bytes, &q->bytes_cap, 1);
	vec_free(&q->item, &q->cap, sizeof *q->item);
}
