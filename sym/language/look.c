/* See look.h. */
#include "look.h"

#include <string.h>

#include "lib/clock.h"

enum { BELOW = 2048 };
#define TOGETHER UINT64_C(1000000)   /* ns: memory that was read at times farther apart may not fit together */

struct look *
looks_of(struct looks *l, const struct space *s)
{
	for (unsigned i = 0; i < LOOKS; i++)
		if (l->look[i].space == s)
			return &l->look[i];
	return &l->look[l->turn++ % LOOKS];
}

void
look_begin(struct look *l, const struct moment *m, uint32_t reads)
{
	uint64_t now = clock_now();

	l->moment = m;
	l->reads = reads;
	if (l->space == m->space && m->time <= l->since && now - l->since < TOGETHER)
		return;
	l->space = m->space;
	l->since = now;
	l->n = l->turn = 0;
}

static const struct piece *
piece(const struct moment *m, uint32_t i)
{
	return i ? &m->rest.piece[i - 1] : &m->stack;
}

static const uint8_t *
in_copy(const struct moment *m, uint64_t addr, size_t n)
{
	for (uint32_t i = 0; i <= m->rest.n; i++) {
		const struct piece *p = piece(m, i);

		if (addr - p->lo < p->size && p->size - (addr - p->lo) >= n)
			return p->bytes + (addr - p->lo);
	}
	return NULL;
}

/* As in_copy, but the bytes may lie in two copied pieces, one behind the other. */
static const uint8_t *
in_copies(struct look *l, uint64_t addr, size_t n)
{
	const uint8_t *p = in_copy(l->moment, addr, n), *rest;
	size_t first = (size_t)(-addr & (LOOK_PIECE - 1));

	if (p || first >= n || n > LOOK_ITEM)
		return p;
	p = in_copy(l->moment, addr, first);
	rest = in_copy(l->moment, addr + first, n - first);
	if (!p || !rest)
		return NULL;
	memcpy(l->joined, p, first);
	memcpy(l->joined + first, rest, n - first);
	return l->joined;
}

bool
look_in_stack(const struct look *l, uint64_t addr)
{
	const struct moment *m = l->moment;

	return addr >= m->sp[0] && (!m->sp[m->n] || addr < m->sp[m->n]);
}

/* A piece is a page, so no page comes twice; only where an item reaches beyond its page, a piece is of two. */
static const uint8_t *
read_at(struct look *l, uint64_t addr, size_t n)
{
	uint64_t lo, page = addr & ~(uint64_t)(LOOK_PIECE - 1);
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (addr - l->piece[i].lo < l->piece[i].n && l->piece[i].n - (addr - l->piece[i].lo) >= n)
			return l->piece[i].bytes + (addr - l->piece[i].lo);
	if (n > LOOK_ITEM || addr < LOOK_PIECE || addr > UINT64_MAX - 2 * LOOK_PIECE || !l->reads || !l->moment->space->read)
		return NULL;
	l->reads--;
	i = l->n < LOOK_PIECES ? l->n++ : l->turn++ % LOOK_PIECES;
	lo = addr - page + n <= LOOK_PIECE ? page : addr - BELOW;
	l->piece[i].lo = lo;
	l->piece[i].n = l->moment->space->read(l->moment->space, lo, l->piece[i].bytes, LOOK_PIECE);
	if (l->piece[i].n > LOOK_PIECE || l->piece[i].n < addr - lo || l->piece[i].n - (addr - lo) < n) {
		l->piece[i].n = l->piece[i].n > LOOK_PIECE ? 0 : l->piece[i].n;
		return NULL;
	}
	return l->piece[i].bytes + (addr - lo);
}

const uint8_t *
look_at(struct look *l, uint64_t addr, size_t n)
{
	const uint8_t *p = in_copies(l, addr, n);

	return p ? p : read_at(l, addr, n);
}

bool
look_copy(struct look *l, uint64_t addr, void *to, size_t n)
{
	const struct moment *m = l->moment;
	const uint8_t *p;

	if (n <= LOOK_ITEM) {
		if ((p = look_at(l, addr, n)))
			memcpy(to, p, n);
		return p;
	}
	if (!l->reads || !m->space->read)
		return false;
	l->reads--;
	return m->space->read(m->space, addr, to, n) == n;
}

bool
look_word(struct look *l, uint64_t addr, uint64_t *v)
{
	const uint8_t *p = look_at(l, addr, sizeof *v);

	*v = p ? look_u64(p) : 0;
	return p;
}

bool
look_now(struct look *l, uint64_t addr, uint64_t *v)
{
	const uint8_t *p = read_at(l, addr, sizeof *v);

	*v = p ? look_u64(p) : 0;
	return p;
}

bool
look_is_copied(const struct look *l, uint64_t addr, size_t n)
{
	return l->moment->still || (in_copy(l->moment, addr, 1) && in_copy(l->moment, addr + n - 1, 1));
}

bool
look_in_registers(const struct look *l, uint64_t from, uint64_t upto)
{
	const struct moment *m = l->moment;

	for (uint32_t i = 0; i < m->nreg; i++)
		if (m->reg[i] - from <= upto - from)
			return true;
	return false;
}
