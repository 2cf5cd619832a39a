/* See function_start.h. */
#include "function_start.h"

#include <string.h>

enum {
	PAGE = 4096,
	START_PAGES = 16,     /* in which a function's beginning is looked for */
	ARGUMENTS = 16,       /* bytes of what stores arguments, before the frame is made */
	ASSEMBLY = 128, ALIGNED = 16,
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

/* Finds the last beginning before P + *END, and sets *END to it; LEFT bytes may be read. */
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

/* Whether the way from AT to START is straight, and a push of no frame's registers comes first. */
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

/* START, or where a function begins that stores arguments first that came in registers: not far before. */
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
		struct cursor c = code_bytes(src, m, page);
		uint64_t end = at - page + 1;

		if (cur_left(&c) < end)
			return false;
		if (last_beginning(src->arch, c.pos, cur_left(&c), align, &end)) {
			for (unsigned push = 1; push && src->arch->push_before; end -= push)
				push = src->arch->push_before(c.pos + end, end);
			*start = src->arch->decode_other ? with_arguments(src, m, page + end) : page + end;
			return true;
		}
	}
	return false;
}

bool
function_aligned(struct code_source *src, const struct module *m, uint64_t vaddr, uint64_t *start)
{
	for (uint64_t at = vaddr & ~(uint64_t)(ALIGNED - 1); vaddr - at < ASSEMBLY && at >= ALIGNED; at -= ALIGNED) {
		struct cursor c = code_bytes(src, m, at - 4);
		uint32_t before = cur_u32(&c);

		*start = at;
		if (!c.bad && (before == 0 || before == 0xbf00bf00 || before == 0x8000f3af))
			return true;
	}
	return false;
}
