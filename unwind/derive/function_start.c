/* See function_start.h. */
#include "function_start.h"

#include <string.h>

enum {
	PAGE = 4096,
	START_PAGES = 16,     /* in which prof looks for a function's beginning */
	ARGUMENTS = 16,       /* bytes of code that stores arguments, before it makes the frame */
	ASSEMBLY = 128, BUILTIN = 1024, ALIGNED = 16,
	PART = 1024, PART_PAGES = 8,   /* bytes before an address in which a part of a function begins; pages before it in which the others lie */
	PAGE_TAKES = 128,     /* to search a page takes as long as to follow so many instructions */
};

static bool
has_byte(uint64_t word, uint8_t byte)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t x = word ^ ones * byte;

	return (x - ones) & ~x & ones << 7;
}

/* Whether a mark of beginnings is among the 8 bytes. */
static bool
marked(const struct arch *a, const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return has_byte(word, a->marks[0]) || has_byte(word, a->marks[1]);
}

static bool
may_begin(const struct arch *a, uint8_t byte)
{
	return !a->marks[0] || byte == a->first[0] || byte == a->first[1] || byte == a->first[2];
}

/* Finds the last beginning before P + *END, and sets *END to it; it may read LEFT bytes. */
static bool
last_beginning(const struct arch *a, const uint8_t *p, uint64_t left, unsigned align, uint64_t *end)
{
	bool behind = true;   /* what is next to the word may have the mark */

	while (*end) {
		unsigned n = *end >= 8 && a->marks[0] ? 8 : 1;

		if (n == 8) {
			bool here = marked(a, p + *end - 8), either = here || behind;

			behind = here;
			if (!either) {
				*end -= 8;
				continue;
			}
		}
		while (n--)
			if (--*end % align == 0 && may_begin(a, p[*end]) && a->prologue(p + *end, left - *end))
				return true;
	}
	return false;
}

/* Whether the way from AT to START is straight, and begins with a push without the return address. */
static bool
leads_to(struct code_source *src, struct module *m, uint64_t at, uint64_t start)
{
	struct cursor c = code_bytes(src, m, at);
	struct insn i;

	if (!src->arch->prologue(c.pos, cur_left(&c)))
		return false;
	code_decode(src, m, at, &i);
	if (i.op != INSN_SAVE || i.ra_at != NO_SLOT)
		return false;
	for (at += i.len; at < start; at += i.len) {
		code_decode(src, m, at, &i);
		if (i.op != INSN_PLAIN)
			return false;
	}
	return at == start;
}

/* START, or the beginning of a function, not far before, that first stores its arguments from registers. */
static uint64_t
with_arguments(struct code_source *src, struct module *m, uint64_t start)
{
	unsigned step = code_other(src, m, start) ? 2 : 4;

	for (unsigned back = step; back <= ARGUMENTS && back < start; back += step)
		if (leads_to(src, m, start - back, start))
			return start - back;
	return start;
}

bool
function_start(struct code_source *src, struct module *m, uint64_t vaddr, uint64_t *start)
{
	uint64_t at = vaddr, page = vaddr & ~(uint64_t)(PAGE - 1);
	unsigned align = src->arch->decode_other && !code_other(src, m, vaddr) ? 4 : src->arch->align;

	for (unsigned n = 0; src->arch->prologue && n < START_PAGES && page; n++, at = page - 1, page -= PAGE) {
		bool whole = n && m->kind == MODULE_JIT;
		uint8_t *barren = whole ? code_pages_barren(&src->pages, src->space, page) : NULL;
		struct cursor c;
		uint64_t end = at - page + 1;

		if (barren && *barren == align)   /* else prof would search code that no compiler made again for each address */
			continue;
		c = code_bytes(src, m, page);
		if (cur_left(&c) < end)
			return false;
		src->followed += PAGE_TAKES;
		if (last_beginning(src->arch, c.pos, cur_left(&c), align, &end)) {
			for (unsigned push = 1; push && src->arch->push_before; end -= push)
				push = src->arch->push_before(c.pos + end, end);
			*start = src->arch->decode_other ? with_arguments(src, m, page + end) : page + end;
			return true;
		}
		if (whole && (barren = code_pages_barren(&src->pages, src->space, page)))
			*barren = (uint8_t)align;
	}
	return false;
}

bool
function_aligned(struct code_source *src, const struct module *m, uint64_t vaddr, uint64_t *start)
{
	uint32_t between = src->arch->between;

	for (uint64_t at = vaddr & ~(uint64_t)(ALIGNED - 1); vaddr - at < (between ? BUILTIN : ASSEMBLY) && at >= ALIGNED; at -= ALIGNED) {
		struct cursor c = code_bytes(src, m, at - 4);
		uint32_t before = cur_u32(&c);

		*start = at;
		if (!c.bad && (between ? before == between : before == 0 || before == 0xbf00bf00 || before == 0x8000f3af))
			return true;
	}
	return false;
}

bool
function_behind_zeros(struct code_source *src, const struct module *m, uint64_t vaddr, uint64_t *start)
{
	for (uint64_t at = vaddr & ~(uint64_t)(ALIGNED - 1); vaddr - at < ASSEMBLY && at >= ALIGNED; at -= ALIGNED) {
		struct cursor c = code_bytes(src, m, at - 8);
		uint64_t before = cur_u64(&c);

		*start = at;
		if (!c.bad && !before)
			return true;
	}
	return false;
}

bool
function_part(struct code_source *src, struct module *m, uint64_t vaddr, uint64_t *start)
{
	uint64_t page = vaddr & ~(uint64_t)(PAGE - 1), lo = vaddr > PART ? vaddr - PART : 1, last = 0;
	struct insn i;

	for (unsigned n = 0; src->arch->called && n < PART_PAGES && page; n++, page -= PAGE) {
		struct cursor c = code_bytes(src, m, page);
		uint64_t at;

		if (!cur_left(&c))
			break;
		src->followed += PAGE_TAKES;
		if ((at = src->arch->called(c.pos, cur_left(&c), page, lo, vaddr)) > last)
			last = at;
	}
	*start = last;
	if (!last)
		return false;
	code_decode(src, m, last, &i);
	return i.op == INSN_POP;
}
