/* See code_pages.h.  If prof compares a page with its process and it differs, prof forgets all rules for the code of that space;
 * the pages stay, with their new bytes. */
#include "code_pages.h"

#include <string.h>
#include <unistd.h>

#include "lib/asked_file.h"
#include "lib/index.h"

enum {
	PAGE = 4096,
	EDGE = 24,                /* bytes of the neighbours: no instruction is longer */
	SETS_LOG = 8, WAYS = 2,
	TOGETHER = 3,             /* pages that one message brings */
	CREDIT = 800,             /* messages that may come at once, */
	COMPARE_EVERY = 500000000,
	COMPARED_FEW = 64,        /* messages to compare with, while pages are missing for want of messages */
	BLANK_PAUSE = 1000000,    /* ns until prof looks again at bytes that were no code; longer each time that they still are none, */
	EMPTY_EVERY = 2000000000, /* and much longer if it could not read them */
	MISSED_PAUSE = 100000000, /* ns until prof makes rules again that it made without bytes */
	EXTENT_MOST = 32,         /* pages that a rule may be read from, to be kept */
};

#define PER_MESSAGE UINT64_C(4000000)   /* ns: in this time one more message may come */

struct code_page {
	uint64_t addr;
	uint64_t looked;          /* when prof last looked again at bytes that were no code, */
	uint32_t pause;           /* and for how long it does not look now, ns */
	uint64_t compared;
	uint64_t changed;         /* the number of this change among those of all pages */
	uint32_t epoch;           /* of its space, or its module, counted down from UINT32_MAX; 0: empty */
	uint32_t lo, hi;          /* the part of BYTES that prof could read; the page itself begins at EDGE */
	uint8_t barren;           /* the alignment at which no function begins in it, or 0: not known */
	uint8_t bytes[PAGE + 2 * EDGE];
};

enum { RUN = TOGETHER * PAGE + 2 * EDGE };

/* Pages near each other have different sets, because code is read up and down. */
static struct code_page *
set_of(struct code_pages *c, uint64_t page)
{
	uint64_t n = page / PAGE;

	return &c->page[(n + hash_u64(n >> SETS_LOG)) % (1 << SETS_LOG) * WAYS];
}

static struct code_page *
find(struct code_pages *c, uint64_t page, uint32_t epoch)
{
	struct code_page *p = set_of(c, page);

	for (unsigned i = 0; i < WAYS; i++)
		if (p[i].addr == page && p[i].epoch == epoch)
			return &p[i];
	return NULL;
}

/* The place where prof keeps that page, as the newest of its set. */
static struct code_page *
make_room(struct code_pages *c, uint64_t page, uint32_t epoch)
{
	struct code_page *p = set_of(c, page), *last = p + WAYS - 1;

	if (p[0].epoch && last->epoch == epoch && last->addr >= c->extent.lo && last->addr <= c->extent.hi)
		c->unread = true;   /* prof may read it again for the same rule, with other bytes */
	for (unsigned i = WAYS - 1; i; i--)
		if (p[0].epoch)
			p[i] = p[i - 1];
	p->addr = page;
	p->epoch = epoch;
	p->looked = p->compared = c->now;
	p->pause = BLANK_PAUSE;
	p->lo = p->hi = p->barren = 0;
	p->changed = ++c->changes;
	return p;
}

/* False at the memory cap. */
static bool
has_room(struct code_pages *c)
{
	if (!c->page && (c->page = arena_alloc(c->arena, (sizeof *c->page * WAYS << SETS_LOG) + RUN))) {
		c->run = (uint8_t *)(c->page + (WAYS << SETS_LOG));
		c->credit = CREDIT;
	}
	return c->page;
}

/* ---- of processes ---- */

static size_t
message(struct code_pages *c, struct space *s, uint64_t addr, size_t n)
{
	c->credit -= c->credit > 0;
	c->sent++;
	return s->read(s, addr, c->run, n);
}

/* Copies into P its part of RUN, which begins at FROM. */
static void
take(const struct code_pages *c, struct code_page *p, uint64_t from, size_t got)
{
	uint64_t begin = p->addr - EDGE, lo = from > begin ? from : begin, hi = from + got < begin + sizeof p->bytes ? from + got : begin + sizeof p->bytes;

	p->lo = p->hi = p->barren = 0;
	if (hi <= p->addr)
		return;
	p->lo = (uint32_t)(lo - begin);
	p->hi = (uint32_t)(hi - begin);
	memcpy(p->bytes + p->lo, c->run + (lo - from), p->hi - p->lo);
}

/* Reads PAGE, with its neighbours if prof can read them; from *FROM on. */
static size_t
read_around(struct code_pages *c, struct space *s, uint64_t page, uint64_t *from)
{
	size_t got;

	if (page >= 2 * PAGE) {
		if ((got = message(c, s, *from = page - PAGE - EDGE, RUN)) > PAGE + EDGE)
			return got;
		if ((got = message(c, s, *from = page - EDGE, RUN - PAGE)) > EDGE)
			return got;
	}
	return message(c, s, *from = page, RUN - PAGE - EDGE);   /* nothing is mapped before it */
}

static void
keep_neighbour(struct code_pages *c, const struct space *s, uint64_t page, uint64_t from, size_t got)
{
	struct code_page *p = set_of(c, page);

	if (page < from || page + PAGE > from + got || find(c, page, s->epoch))
		return;
	for (unsigned i = 0; i < WAYS; i++)
		if (p[i].epoch != s->epoch) {
			p[i] = (struct code_page){ .addr = page, .epoch = s->epoch, .looked = c->now, .compared = c->now, .pause = BLANK_PAUSE, .changed = ++c->changes };
			take(c, &p[i], from, got);
			return;
		}
}

static struct code_page *
fetch(struct code_pages *c, struct space *s, uint64_t page)
{
	struct code_page *p;
	uint64_t from;
	size_t got;

	if (!s->code_read)
		s->compared = s->renewed = c->now;
	s->code_read = true;
	if (!c->credit) {
		c->left++;
		c->missed = true;
		return NULL;
	}
	got = read_around(c, s, page, &from);
	p = make_room(c, page, s->epoch);
	take(c, p, from, got);
	if (page >= PAGE)
		keep_neighbour(c, s, page - PAGE, from, got);
	keep_neighbour(c, s, page + PAGE, from, got);
	return p;
}

static bool
empty(const struct code_page *p)
{
	return p->lo == p->hi;
}

/* Whether the bytes were not code when prof read them, or prof could not read the page at all: they may be code now. */
static bool
blank(const struct code_page *p, uint64_t at)
{
	uint64_t words[2];

	if (empty(p))
		return true;
	if (at < p->lo || at + sizeof words > p->hi)
		return false;
	memcpy(words, p->bytes + at, sizeof words);
	return !(words[0] | words[1]);
}

/* If the code has changed, prof forgets the old code when the next walk begins, not in the middle of this one. */
static void
fetch_again(struct code_pages *c, struct space *s, struct code_page *p, uint64_t at)
{
	uint64_t from = p->lo < EDGE ? p->addr - EDGE : p->addr;
	struct code_page old;
	size_t got;

	if (c->now - p->looked < p->pause || !c->credit)
		return;
	old = *p;
	p->looked = c->now;
	got = empty(p) ? read_around(c, s, p->addr, &from) : message(c, s, from, PAGE + 2 * EDGE - (size_t)(from - (p->addr - EDGE)));
	take(c, p, from, got);
	if (p->lo != old.lo || p->hi != old.hi || memcmp(p->bytes + p->lo, old.bytes + p->lo, p->hi - p->lo) != 0) {
		p->changed = ++c->changes;
		c->unread = true;   /* a rule that prof makes now may have old bytes, too */
	}
	if (empty(&old) && !empty(p))   /* rules were made without bytes */
		s->code_differs = true;
	for (uint32_t i = old.lo; i < old.hi; i++)
		if (old.bytes[i] && (i < p->lo || i >= p->hi || old.bytes[i] != p->bytes[i]))
			s->code_differs = true;
	p->pause = !blank(p, at) ? BLANK_PAUSE : p->pause < (empty(p) ? EMPTY_EVERY : COMPARE_EVERY) ? p->pause * 2 : p->pause;
}

/* ---- which pages a rule was read from ---- */

static void
note(struct code_pages *c, uint64_t page)
{
	c->extent.lo = page < c->extent.lo ? page : c->extent.lo;
	c->extent.hi = page > c->extent.hi ? page : c->extent.hi;
}

void
code_pages_note(struct code_pages *c)
{
	c->extent = (struct code_extent){ .lo = UINT64_MAX };
	c->unread = false;
}

void
code_pages_rely(struct code_pages *c, const struct code_extent *e)
{
	note(c, e->lo);
	note(c, e->hi);
}

bool
code_pages_covers(const struct code_extent *e, uint64_t addr)
{
	return addr >= e->lo && addr - e->lo < e->hi - e->lo + PAGE;
}

bool
code_pages_noted(const struct code_pages *c, struct code_extent *e)
{
	*e = c->extent;
	e->changes = c->changes;
	return !c->unread && e->lo <= e->hi && e->hi - e->lo < EXTENT_MOST * PAGE;
}

bool
code_pages_same(struct code_pages *c, const struct space *s, const struct code_extent *e)
{
	const struct code_page *p;

	if (!s || !c->page)
		return false;
	for (uint64_t page = e->lo; page <= e->hi; page += PAGE)
		if (!(p = find(c, page, s->epoch)) || p->changed > e->changes)
			return false;
	return true;
}

struct cursor
code_pages_of_space(struct code_pages *c, struct space *s, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), at = addr - page + EDGE;
	struct code_page *p;

	note(c, page);
	if (!s || !page || !s->read || !has_room(c) || (!(p = find(c, page, s->epoch)) && !(p = fetch(c, s, page)))) {
		c->unread = true;
		return cur_of(NULL, 0, false);
	}
	if (blank(p, at))
		fetch_again(c, s, p, at);
	return at < p->lo || at >= p->hi ? cur_of(NULL, 0, false) : cur_of(p->bytes + at, p->hi - (size_t)at, false);
}

uint8_t *
code_pages_barren(struct code_pages *c, const struct space *s, uint64_t page)
{
	struct code_page *p = s && c->page ? find(c, page, s->epoch) : NULL;

	note(c, page);
	return p ? &p->barren : NULL;
}

/* ---- whether it is still so ---- */

/* Takes P's bytes of now; whether they differ from the old ones. */
static bool
differs(struct code_pages *c, struct code_page *p, uint64_t from, size_t got)
{
	struct code_page old = *p;

	p->compared = c->now;
	take(c, p, from, got);
	if (empty(p)) {   /* prof cannot read it any more */
		*p = old;
		return false;
	}
	if (p->lo > old.lo)   /* prof did not read an edge this time */
		old.lo = p->lo;
	if (old.lo < p->lo || old.hi != p->hi || memcmp(old.bytes + p->lo, p->bytes + p->lo, p->hi - p->lo) != 0) {
		p->changed = ++c->changes;
		return true;
	}
	p->barren = old.barren;
	return false;
}

static struct code_page *
to_compare(struct code_pages *c, const struct space *s, uint64_t page)
{
	struct code_page *p = find(c, page, s->epoch);

	return p && p->compared != c->now && !empty(p) ? p : NULL;
}

/* Compares pages from P on, as long as prof keeps the next one, too. */
static bool
compare_from(struct code_pages *c, struct space *s, struct code_page *p)
{
	bool changed = false;

	do {
		uint64_t page = p->addr, from = p->lo < EDGE ? page - EDGE : page;
		size_t got = message(c, s, from, RUN - (size_t)(from - (page - EDGE)));

		do
			changed |= differs(c, p, from, got);
		while ((p = to_compare(c, s, page += PAGE)) && page + PAGE + EDGE <= from + got);
	} while (p);
	return changed;
}

static bool
has_changed(struct code_pages *c, struct space *s)
{
	const uint32_t before = c->sent, all = WAYS << SETS_LOG;
	bool changed = false;

	for (uint32_t n = 0; n < all && (!c->missed || c->sent - before < COMPARED_FEW); n++) {
		struct code_page *p = &c->page[c->next];

		c->next = (c->next + 1) % all;
		if (p->epoch == s->epoch && to_compare(c, s, p->addr) && !to_compare(c, s, p->addr - PAGE))
			changed |= compare_from(c, s, p);
		else if (p->epoch == s->epoch && empty(p) && c->credit > CREDIT / 2)   /* nobody may ask for it again: its rules are made */
			fetch_again(c, s, p, EDGE);
	}
	return changed;
}

/* Forgets the rules, but not the pages. */
static void
renew(struct code_pages *c, struct space *s)
{
	uint32_t old = s->epoch;

	space_renew(s);
	for (unsigned i = 0; i < WAYS << SETS_LOG; i++)
		if (c->page[i].epoch == old)
			c->page[i].epoch = s->epoch;
	c->missed = s->code_differs = false;
	s->renewed = c->now;
}

void
code_pages_compare(struct code_pages *c, struct space *s, uint64_t time)
{
	bool renews;

	c->now = time;
	if (!c->page || !s->read || !s->code_read)
		return;
	if (time > c->paid + PER_MESSAGE) {
		uint64_t n = (time - c->paid) / PER_MESSAGE;

		c->credit = n < CREDIT - c->credit ? c->credit + (uint32_t)n : CREDIT;
		c->paid = time - (time - c->paid) % PER_MESSAGE;
	}
	renews = s->code_differs || (c->missed && c->credit && time - s->renewed >= MISSED_PAUSE);
	if (time - s->compared >= COMPARE_EVERY) {
		s->compared = time;
		renews |= has_changed(c, s);
	}
	if (renews)
		renew(c, s);
}

/* ---- of files ---- */

struct cursor
code_pages_of_file(struct code_pages *c, const struct module *m, uint64_t vaddr)
{
	uint64_t page = vaddr & ~(uint64_t)(PAGE - 1), at = vaddr - page;
	struct code_page *p;
	struct cursor left;
	ssize_t n;

	if (!has_room(c))
		return elf_from(&m->elf, vaddr);
	p = find(c, page, UINT32_MAX - m->id);
	if (!p || at >= p->hi) {
		left = elf_from(&m->elf, vaddr);
		if (!cur_left(&left))
			return left;
		p = p ? p : make_room(c, page, UINT32_MAX - m->id);
		n = asked_file_read(m->file.fd, p->bytes, PAGE + EDGE, (uint64_t)(left.pos - m->file.data) - at);
		n = n < 0 || (uint64_t)n < at ? 0 : n;
		p->hi = (uint32_t)((uint64_t)n < at + cur_left(&left) ? (uint64_t)n : at + cur_left(&left));
	}
	return at < p->hi ? cur_of(p->bytes + at, p->hi - (size_t)at, false) : cur_of(NULL, 0, false);
}
