/* See code_source.h.  prof reads page by page: code without a file, as its process has it now, and large files, because prof
 * needs few bytes in many places of these.  It keeps the pages.  It compares those of a process with the process once in a
 * while; if one has changed, it forgets all that it knew about the code of that space. */
#include "code_source.h"

#include <string.h>
#include <unistd.h>

#include "lib/asked_file.h"
#include "sym/module/symtab.h"

enum {
	FUNCTION_MAX = 1 << 16,
	AROUND = 64,              /* bytes before an address that may tell which instruction set it is of */
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

/* Whether the bytes were not code when prof read them, so that they may be code now. */
static bool
blank(const struct code_page *p, uint64_t at)
{
	uint64_t words[2];

	if (at < p->lo || at + sizeof words > p->hi)
		return false;
	memcpy(words, p->bytes + at, sizeof words);
	return !(words[0] | words[1]);
}

/* If the code has changed, prof forgets the old code when the next walk begins, not in the middle of this one. */
static void
fetch_again(struct space *s, struct code_page *p)
{
	const struct code_page old = *p;

	fetch(s, p);
	for (uint32_t i = old.lo; i < old.hi; i++)
		if (old.bytes[i] && (i < p->lo || i >= p->hi || old.bytes[i] != p->bytes[i]))
			s->compared = AT_ONCE;
}

/* The place for that page; NULL at the memory cap. */
static struct code_page *
page_of(struct code_source *src, uint64_t page)
{
	if (!src->page && !(src->page = arena_alloc(src->arena, sizeof *src->page << PAGES_LOG)))
		return NULL;
	return &src->page[hash_u64(page / PAGE) >> (32 - PAGES_LOG)];
}

static struct cursor
jit_bytes(struct code_source *src, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), at = addr - page + EDGE;
	struct space *s = src->space;
	struct code_page *p;

	if (!s || !s->read || !(p = page_of(src, page)))
		return cur_of(NULL, 0, false);
	if (p->addr != page || p->epoch != s->epoch) {
		p->addr = page;
		fetch(s, p);
	} else if (blank(p, at))
		fetch_again(s, p);
	return at < p->lo || at >= p->hi ? cur_of(NULL, 0, false) : cur_of(p->bytes + at, p->hi - (size_t)at, false);
}

static struct cursor
file_bytes(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	uint64_t page = vaddr & ~(uint64_t)(PAGE - 1), at = vaddr - page;
	struct code_page *p = page_of(src, page);
	struct cursor c;
	ssize_t n;

	if (!p)
		return elf_from(&m->elf, vaddr);
	if (p->addr != page || p->epoch != UINT32_MAX - m->id || at >= p->hi) {
		c = elf_from(&m->elf, vaddr);
		if (!cur_left(&c))
			return c;
		n = asked_file_read(m->file.fd, p->bytes, PAGE + EDGE, (uint64_t)(c.pos - m->file.data) - at);
		n = n < 0 || (uint64_t)n < at ? 0 : n;
		p->addr = page;
		p->epoch = UINT32_MAX - m->id;
		p->hi = (uint32_t)((uint64_t)n < at + cur_left(&c) ? (uint64_t)n : at + cur_left(&c));
	}
	return at < p->hi ? cur_of(p->bytes + at, p->hi - (size_t)at, false) : cur_of(NULL, 0, false);
}

/* ---- what is there ---- */

struct cursor
code_bytes(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	if (m->kind == MODULE_JIT)
		return jit_bytes(src, vaddr);
	if (m->bad || m->elf.machine != src->arch->machine)
		return cur_of(NULL, 0, false);
	return m->file.fd ? file_bytes(src, m, vaddr) : elf_from(&m->elf, vaddr);
}

bool
code_after_call(struct code_source *src, struct module *m, uint64_t vaddr)
{
	for (unsigned back = vaddr % src->arch->align ? 0 : 8; src->arch->after_call && back > 1; back--) {   /* code may begin right before the call */
		struct cursor c = code_bytes(src, m, vaddr - back);

		if (cur_left(&c) >= back)
			return src->arch->after_call(c.pos + back, back);
	}
	return false;
}

bool
code_function(struct code_source *src, struct module *m, uint64_t vaddr, uint64_t *lo, uint64_t *hi)
{
	struct symbol s;

	if (!symtab_find(src->modules, m, vaddr, &s) || vaddr < s.lo || vaddr - s.lo > FUNCTION_MAX)
		return false;
	*lo = s.lo;
	*hi = s.hi > vaddr ? s.hi : vaddr + 1;
	return true;
}

bool
code_other(struct code_source *src, struct module *m, uint64_t vaddr)
{
	unsigned at = vaddr & 3;
	struct symbol s;
	struct cursor c;

	if (!src->arch->decode_other)
		return false;
	if (at == 1 || at == 2)   /* instructions of four bytes would be aligned, and their last byte is the fourth */
		return true;
	if (symtab_find(src->modules, m, vaddr, &s))
		return s.thumb;
	for (at = AROUND; at; at -= 4) {
		c = code_bytes(src, m, (vaddr & ~(uint64_t)3) - at);
		if (cur_left(&c) > at)
			break;
	}
	c = code_bytes(src, m, (vaddr & ~(uint64_t)3) - at);
	return src->arch->is_other(c.pos, cur_left(&c), at);
}

void
code_decode(struct code_source *src, struct module *m, uint64_t vaddr, struct insn *i)
{
	struct cursor c = code_bytes(src, m, vaddr);

	(code_other(src, m, vaddr) ? src->arch->decode_other : src->arch->decode)(c.pos, cur_left(&c), i);
}

/* ---- whether it is still so ---- */

static bool
changed(struct space *s, const struct code_page *p)
{
	struct code_page now = { .addr = p->addr };

	fetch(s, &now);
	return now.hi > now.lo && (now.lo != p->lo || now.hi != p->hi || memcmp(now.bytes + p->lo, p->bytes + p->lo, p->hi - p->lo) != 0);
}

void
code_compare(struct code_source *src, struct space *s, uint64_t time)
{
	bool known = s->compared == AT_ONCE;

	if (!src->page || !s->read || (!known && time - s->compared < COMPARE_EVERY))
		return;
	s->compared = time;
	if (known) {
		space_renew(s);
		return;
	}
	for (unsigned i = 0; i < 1 << PAGES_LOG; i++)
		if (src->page[i].epoch == s->epoch && changed(s, &src->page[i])) {
			space_renew(s);
			return;
		}
}
