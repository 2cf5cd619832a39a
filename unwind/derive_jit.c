/* The bytes of code without a file, as its process has them now: what derive.c reads there.  Pages are kept, and compared
 * with the process's once in a while: where one has changed, all that was known of the space's code is forgotten. */
#include "rule.h"

#include <string.h>

enum {
	PAGE = 4096,
	EDGE = 16,                /* bytes of the neighbours: no instruction is longer */
	PAGES_LOG = 7,            /* that are kept */
	COMPARE_EVERY = 500000000,
};

struct jit_page {
	uint64_t addr;
	uint32_t epoch;           /* of its space; 0: empty */
	uint32_t lo, hi;          /* what of BYTES could be read; of the page itself it begins at EDGE */
	uint8_t bytes[PAGE + 2 * EDGE];
};

static void
fetch(struct space *s, struct jit_page *p)
{
	p->epoch = s->epoch;
	p->lo = 0;
	p->hi = p->addr < EDGE ? 0 : (uint32_t)s->read(s, p->addr - EDGE, p->bytes, sizeof p->bytes);
	if (p->hi <= EDGE) {   /* nothing is mapped before it */
		p->lo = EDGE;
		p->hi = EDGE + (uint32_t)s->read(s, p->addr, p->bytes + EDGE, sizeof p->bytes - EDGE);
	}
}

struct cursor
derive_jit_code(struct unwinder *u, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), at = addr - page + EDGE;
	struct space *s = u->space;
	struct jit_page *p;

	if (!s || !s->read ||
	    (!u->jit_page && !(u->jit_page = arena_alloc(&u->arena, sizeof *u->jit_page << PAGES_LOG))))
		return cur_of(NULL, 0, false);
	p = &u->jit_page[hash_u64(addr / PAGE) >> (32 - PAGES_LOG)];
	if (p->addr != page || p->epoch != s->epoch) {
		p->addr = page;
		fetch(s, p);
	}
	return at < p->lo || at >= p->hi ? cur_of(NULL, 0, false) : cur_of(p->bytes + at, p->hi - (size_t)at, false);
}

static bool
changed(struct space *s, const struct jit_page *p)
{
	struct jit_page now = { .addr = p->addr };

	fetch(s, &now);
	return now.hi > now.lo && (now.lo != p->lo || now.hi != p->hi || memcmp(now.bytes + p->lo, p->bytes + p->lo, p->hi - p->lo) != 0);
}

void
unwinder_compare(struct unwinder *u, struct space *s, uint64_t time)
{
	if (!u->jit_page || !s->read || time - s->compared < COMPARE_EVERY)
		return;
	s->compared = time;
	for (unsigned i = 0; i < 1 << PAGES_LOG; i++)
		if (u->jit_page[i].epoch == s->epoch && changed(s, &u->jit_page[i])) {
			space_renew(s);
			return;
		}
}
