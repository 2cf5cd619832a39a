/* See merge.h.  The heap gives runs in the order of time.  Where several threads run at once, that order alone would
 * be a mess of single samples, so it is kept from step to step only, and within a step threads stand one after another. */
#include "merge.h"

enum { PIECES_FIRST = 128, PIECES_MAX = 1 << 15, STEPS = 1000, STEP_PERIODS = 10 };

/* A thread's place in the merge: its next run and the reader behind it. */
struct lane {
	struct run_reader reader;
	struct run run;
	uint64_t period;
	bool waiting;
	uint64_t begin;             /* of the time that the run's first sample stands for */
	uint32_t number;
};

static bool
lane_next(struct lane *lane)
{
	const struct run *run = &lane->run;
	uint64_t length;

	if (!runs_next(&lane->reader, &lane->run))
		return false;
	length = times(run->first, lane->period);
	lane->begin = run->start > length ? run->start - length : 0;
	return true;
}

static bool
before(const struct lane *a, const struct lane *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->number < b->number;
}

static void
sift(struct merge *m, uint32_t i)
{
	struct lane moved = m->lane[i];
	uint32_t child;

	for (; (child = i * 2 + 1) < m->lanes; i = child) {
		if (child + 1 < m->lanes && before(&m->lane[child + 1], &m->lane[child]))
			child++;
		if (!before(&m->lane[child], &moved))
			break;
		m->lane[i] = m->lane[child];
	}
	m->lane[i] = moved;
}

bool
merge_open(struct merge *m, const struct profile *p, const uint32_t *thread, uint32_t n, const struct detail *detail)
{
	m->profile = p;
	m->period = 0;
	m->detail = *detail;
	m->lanes = m->pieces = m->at = 0;
	m->busy = m->drawn = 0;
	m->single = n == 1 || (n == 2 && p->thread[thread[0]].event != p->thread[thread[1]].event);
	m->have = false;
	m->step = detail->step;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t event = p->thread[thread[i]].event;

		if (event < p->nevent && p->event[event].period_ns > m->period)
			m->period = p->event[event].period_ns;
	}
	if (!m->step && !m->single && n) {
		m->step = p->end > p->start ? (p->end - p->start) / STEPS : 0;
		if (m->step < times(m->period, STEP_PERIODS))
			m->step = times(m->period, STEP_PERIODS);
	}
	if (!vec_room(&m->lane, &m->lane_cap, n, sizeof *m->lane) ||
	    !vec_room(&m->piece, &m->piece_cap, PIECES_FIRST, sizeof *m->piece))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct lane *lane = &m->lane[m->lanes];

		runs_open(&lane->reader, p, &p->thread[thread[i]]);
		lane->period = lane->reader.period;
		lane->waiting = p->thread[thread[i]].event < p->nevent && p->event[p->thread[thread[i]].event].waiting;
		lane->number = i;
		m->lanes += lane_next(lane);
	}
	for (uint32_t i = m->lanes / 2; i--;)
		sift(m, i);
	return true;
}

static void
cut_rare(const struct merge *m, struct piece *piece)
{
	struct node leaf = m->profile->tree.node[piece->node];
	uint32_t kept = m->detail.kept[piece->node];

	if (kept == piece->node || kept == leaf.parent)
		return;   /* there is nothing between the stack and its innermost function */
	piece->node = kept;
	piece->leaf = leaf.frame;
}

/* The next run in the order of time, or the gap before it.  A gap has at least half a period, because samples never come in
 * exact periods.  At a gap of a single thread its running sum also comes back to the clock. */
static bool
next_run(struct merge *m, struct piece *piece)
{
	uint64_t from = m->single ? m->drawn : m->busy;
	struct lane *first = m->lane;
	const struct run *run;

	if (!m->lanes)
		return false;
	run = &first->run;
	*piece = (struct piece){ .key = UINT64_MAX, .node = NODE_NONE, .leaf = UINT32_MAX };
	if (m->period && first->begin > m->busy && first->begin - m->busy > m->period / 2) {
		m->busy = first->begin;
		if (from < first->begin) {
			m->drawn = first->begin;
			piece->ns = first->begin - from;
			return true;
		}
	}
	piece->key = first->number;
	piece->node = run->node;
	if (m->detail.kept && run->node != NODE_NONE)
		cut_rare(m, piece);
	piece->waiting = first->waiting;
	piece->ns = first->period ? times(run->weight, first->period) : run->weight;
	m->drawn += piece->ns;
	if (run->start + run->span > m->busy)
		m->busy = run->start + run->span;
	if (!lane_next(first))
		*first = m->lane[--m->lanes];
	if (m->lanes)
		sift(m, 0);
	return true;
}

static bool
alike(const struct piece *a, const struct piece *b)
{
	return a->node == b->node && a->leaf == b->leaf && a->waiting == b->waiting;
}

/* Stable, by keys: runs of 1, 2, 4, … are merged from one half of the room into the other. */
static struct piece *
merge_sort(struct piece *from, struct piece *to, uint32_t n)
{
	for (uint32_t width = 1; width < n; width *= 2) {
		struct piece *other = from;

		for (uint32_t lo = 0; lo < n; lo += 2 * width) {
			uint32_t mid = lo + width < n ? lo + width : n, hi = mid + width < n ? mid + width : n;

			for (uint32_t i = lo, j = mid, k = lo; k < hi; k++)
				to[k] = i < mid && (j == hi || from[i].key <= from[j].key) ? from[i++] : from[j++];
		}
		from = to;
		to = other;
	}
	return from;
}

/* Sorts the step's pieces and makes equal neighbours one. */
static void
sort_pieces(struct merge *m)
{
	const struct piece *sorted = merge_sort(m->piece, m->piece + m->piece_cap / 2, m->pieces);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->pieces; i++)
		if (n && alike(&m->piece[n - 1], &sorted[i]))
			m->piece[n - 1].ns += sorted[i].ns;
		else
			m->piece[n++] = sorted[i];
	m->pieces = n;
}

/* In full detail a thread's pieces stand together, in their order.  In less detail stacks stand in the order of the tree, so
 * that neighbours share as many frames as they can.  Gaps come last. */
static uint64_t
sort_key(const struct merge *m, const struct piece *p)
{
	return p->key == UINT64_MAX || !m->detail.order ? p->key
	       : p->node == NODE_NONE                   ? UINT64_MAX - 1
	                                                : (uint64_t)m->detail.order[p->node] << 32 | p->leaf;
}

/* Makes room for another piece: it grows up to a limit, then joins equal pieces.  Sorting needs half of the room. */
static bool
piece_room(struct merge *m)
{
	uint32_t half = m->piece_cap / 2;

	if (m->pieces < half)
		return true;
	if (half < PIECES_MAX && vec_room(&m->piece, &m->piece_cap, 4ull * half, sizeof *m->piece))
		return true;
	if (m->detail.order)
		sort_pieces(m);
	return m->pieces <= half / 2;
}

/* Reads what begins within one step of time, as far as there is room; the rest is a step of its own. */
static void
fill_step(struct merge *m)
{
	uint64_t until = m->lanes ? (m->lane->begin / m->step + 1) * m->step : 0;

	m->at = m->pieces = 0;
	while (m->lanes && m->lane->begin < until && piece_room(m)) {
		struct piece *piece = &m->piece[m->pieces];

		next_run(m, piece);
		piece->key = sort_key(m, piece);
		if (m->pieces++ == 0 && piece->key == UINT64_MAX)
			break;   /* the gap before the step */
	}
	sort_pieces(m);
}

static bool
next_piece(struct merge *m, struct piece *piece)
{
	if (!m->step)
		return next_run(m, piece);
	if (m->at == m->pieces)
		fill_step(m);
	if (m->at == m->pieces)
		return false;
	*piece = m->piece[m->at++];
	return true;
}

bool
merge_next(struct merge *m, struct piece *piece)
{
	if (!m->have && !next_piece(m, &m->ahead))
		return false;
	*piece = m->ahead;
	while ((m->have = next_piece(m, &m->ahead)) && alike(&m->ahead, piece))
		piece->ns += m->ahead.ns;
	return true;
}

void
merge_free(struct merge *m)
{
	vec_free(&m->lane, &m->lane_cap, sizeof *m->lane);
	vec_free(&m->piece, &m->piece_cap, sizeof *m->piece);
}
