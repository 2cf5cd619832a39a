/* See python_lines.h.  CPython: Objects/lnotab_notes.txt of 3.9 and 3.10, InternalDocs/code_objects.md of 3.14. */
#include "python_lines.h"

#include "lib/cursor.h"

static uint32_t
by_lnotab(struct cursor *c, int64_t line, uint32_t at)
{
	uint32_t addr = 0;

	while (cur_left(c) >= 2) {
		addr += cur_u8(c);
		if (addr > at)
			break;
		line += (int8_t)cur_u8(c);
	}
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static uint32_t
by_linetable(struct cursor *c, int64_t line, uint32_t at)
{
	uint32_t addr = 0;

	while (cur_left(c) >= 2) {
		int8_t by;

		addr += cur_u8(c);
		by = (int8_t)cur_u8(c);
		if (by != INT8_MIN)
			line += by;
		if (addr > at)
			return by != INT8_MIN && line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
	}
	return 0;
}

static uint64_t
varint(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte = 64;

	for (unsigned shift = 0; byte & 64 && shift < 36; shift += 6) {
		byte = cur_u8(c);
		v |= (uint64_t)(byte & 63) << shift;
	}
	return v;
}

/* An entry begins with its kind and the number of two-byte instructions that it describes.  Of the rest only lines matter here:
 * bytes about columns have the top bit clear, and prof passes over them. */
static uint32_t
by_locations(struct cursor *c, int64_t line, uint32_t at)
{
	enum { NONE = 15, LONG = 14, NO_COLUMN = 13, ONE_LINE = 10 };
	uint32_t addr = 0;

	while (cur_left(c)) {
		uint8_t first = cur_u8(c), kind = first >> 3 & 15;
		uint64_t v;

		if (kind == LONG || kind == NO_COLUMN) {
			v = varint(c);
			line += v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
		} else if (kind >= ONE_LINE && kind < NO_COLUMN)
			line += kind - ONE_LINE;
		addr += ((first & 7) + 1) * 2u;
		if (addr > at)
			return kind != NONE && line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
		while (cur_left(c) && !(*c->pos & 128))
			cur_u8(c);
	}
	return 0;
}

uint32_t
python_line(const struct language_function *f, uint32_t at)
{
	static uint32_t (*const by[])(struct cursor *, int64_t, uint32_t) = { by_lnotab, by_linetable, by_locations };
	struct cursor c = cur_of(f->lines, f->nlines, false);

	return f->form < sizeof by / sizeof *by ? by[f->form](&c, f->line, at) : 0;
}
