/* The bytes of code that derive.c reads page by page: of code without a file, as its process has them now, and of large files,
 * of which it looks at little in many places.  Pages are kept; those of processes are compared with the process's once in a
 * while: where one has changed, all that was known of the space's code is forgotten. */
#include "unwind/cfi/step_rule.h"

#include <string.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	EDGE = 24,                /* bytes of the neighbours: no instruction is longer */
	PAGES_LOG = 8,            /* that are kept */
	COMPARE_EVERY = 500000000,
};

#define AT_ONCE UINT64_MAX   /* of a space's COMPARED */

struct code_page {
	uint64_t addr;
	uint32_t epoch;           /* of its space, or counted down from UINT32_MAX its module; 0: empty */
	uint32_t lo, hi;          /* what of BYTES could be read; of the page itself it begins at EDGE */
	uint8_t bytes[PAGE + 2 * EDGE];
};

static void
fetch(struct space *s, struct code_page *p)
{
	p->epoch = s->epoch;
	p->lo = 0;
	p->hi = p->addr < EDGE ? 0 : (uint32_t)s->read(s, p->addr - EDGE, p->bytes, sizeof p->bytes);
	if (p->hi <= EDGE) {   /* nothing is mapped before it */
		p->lo = EDGE;
		p->hi = EDGE + (uint32_t)s->read(s, p->addr, p->bytes + EDGE, sizeof p->bytes - EDGE);
	}
}

/* No code when it was read: it may be some by now. */
static bool
blank(const struct code_page *p, uint64_t at)
{
	uint64_t words[2];

	if (at < p->lo || at + sizeof words > p->hi)
		return false;
	memcpy(words, p->bytes + at, sizeof words);
	return !(words[0] | words[1]);
}

/* What was there and is another now is forgotten at the next walk's beginning, not in the middle of this one. */
static void
fetch_again(struct space *s, struct code_page *p)
{
	const struct code_page old = *p;

	fetch(s, p);
	for (uint32_t i = old.lo; i < old.hi; i++)
		if (old.bytes[i] && (i < p->lo || i >= p->hi || old.bytes[i] != p->bytes[i]))
			s->compared = AT_ONCE;
}

/* Where that page is to be, if it is; NULL at the memory cap. */
static struct code_page *
page_of(struct unwinder *u, uint64_t page)
{
	if (!u->code_page && !(u->code_page = arena_alloc(&u->arena, sizeof *u->code_page << PAGES_LOG)))
		return NULL;
	return &u->code_page[hash_u64(page / PAGE) >> (32 - PAGES_LOG)];
}

struct cursor
derive_jit_code(struct unwinder *u, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), at = addr - page + EDGE;
	struct space *s = u->space;
	struct code_page *p;

	if (!s || !s->read || !(p = page_of(u, page)))
		return cur_of(NULL, 0, false);
	if (p->addr != page || p->epoch != s->epoch) {
		p->addr = page;
		fetch(s, p);
	} else if (blank(p, at))
		fetch_again(s, p);
	return at < p->lo || at >= p->hi ? cur_of(NULL, 0, false) : cur_of(p->bytes + at, p->hi - (size_t)at, false);
}

struct cursor
derive_file_code(struct unwinder *u, const struct module *m, uint64_t vaddr)
{
	uint64_t page = vaddr & ~(uint64_t)(PAGE - 1), at = vaddr - page;
	struct code_page *p = page_of(u, page);
	struct cursor c;
	ssize_t n;

	if (!p)
		return elf_from(&m->elf, vaddr);
	if (p->addr != page || p->epoch != UINT32_MAX - m->id || at >= p->hi) {
		c = elf_from(&m->elf, vaddr);
		if (!cur_left(&c))
			return c;
		n = pread(m->file.fd, p->bytes, PAGE + EDGE, (off_t)((uint64_t)(c.pos - m->file.data) - at));
		n = n < 0 || (uint64_t)n < at ? 0 : n;
		p->addr = page;
		p->epoch = UINT32_MAX - m->id;
		p->hi = (uint32_t)((uint64_t)n < at + cur_left(&c) ? (uint64_t)n : at + cur_left(&c));
	}
	return at < p->hi ? cur_of(p->bytes + at, p->hi - (size_t)at, false) : cur_of(NULL, 0, false);
}

static bool
changed(struct space *s, const struct code_page *p)
{
	struct code_page now = { .addr = p->addr };

	fetch(s, &now);
	return now.hi > now.lo && (now.lo != p->lo || now.hi != p->hi || memcmp(now.bytes + p->lo, p->bytes + p->lo, p->hi - p->lo) != 0);
}

void
unwinder_compare(struct unwinder *u, struct space *s, uint64_t time)
{
	bool known = s->compared == AT_ONCE;

	if (!u->code_page || !s->read || (!known && time - s->compared < COMPARE_EVERY))
		return;
	s->compared = time;
	if (known) {
		space_renew(s);
		return;
	}
	for (unsigned i = 0; i < 1 << PAGES_LOG; i++)
		if (u->code_page[i].epoch == s->epoch && changed(s, &u->code_page[i])) {
			space_renew(s);
			return;
		}
}
