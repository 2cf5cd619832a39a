/* See v8_lines.h.  A line ends with \n, \r, \r\n, or one of Unicode's two (ECMA-262, Line Terminators). */
#include "v8_lines.h"

#include <string.h>

#include "lib/index.h"

static uint32_t
char_at(const uint8_t *p, uint32_t i, unsigned width)
{
	return width == 1 ? p[i] : p[2 * i] | (uint32_t)p[2 * i + 1] << 8;
}

/* The number of '\n' in eight characters; false if there is a '\r' among them. */
static bool
count_eight(const uint8_t *p, uint32_t *lines)
{
	uint64_t each = UINT64_C(0x0101010101010101), low = 0x7f * each, v, n, r;

	memcpy(&v, p, sizeof v);
	n = v ^ '\n' * each;
	r = v ^ '\r' * each;
	if (~(((r & low) + low) | r | low))
		return false;
	*lines += (uint32_t)((~(((n & low) + low) | n | low) >> 7) * each >> 56);
	return true;
}

/* Counts the ends of lines in N characters; behind them is one more. */
static uint32_t
count(const uint8_t *p, uint32_t n, unsigned width)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < n; i++) {
		for (; width == 1 && n - i > 8 && count_eight(p + i, &lines); i += 8)
			;
		uint32_t c = char_at(p, i, width);

		lines += c == '\n' || (c == '\r' && char_at(p, i + 1, width) != '\n') || c == 0x2028 || c == 0x2029;
	}
	return lines;
}

/* Counts in the first N characters of piece K, all of which are read: places that are asked for lie near each other. */
static bool
count_piece(struct v8_lines *l, struct look *look, struct v8_script *s, uint32_t k, uint32_t n, uint32_t *lines)
{
	const struct v8_chars *c = &s->source;
	uint32_t first = k * V8_LINES_PIECE, left = c->n - first, has = left < V8_LINES_PIECE + 1 ? left : V8_LINES_PIECE + 1;
	size_t size = (size_t)has * c->width;

	if (l->of != s || l->piece != k) {
		l->of = NULL;
		l->bytes[size] = l->bytes[size + 1] = 0;
		if (size && !look_copy(look, c->at + (uint64_t)first * c->width, l->bytes, size))
			return false;
		l->of = s;
		l->piece = k;
	}
	*lines = count(l->bytes, n, c->width);
	return true;
}

uint32_t
v8_line(struct v8_lines *l, struct look *look, const void *process, uint64_t source, uint32_t at, uint32_t *pieces)
{
	uint32_t k = at / V8_LINES_PIECE, lines;
	struct v8_script *s;
	struct v8_chars c;

	if (!v8_chars(look, source, &c) || at > c.n || k >= V8_LINES_PIECES)
		return 0;
	s = &l->script[hash_u64(c.at) % V8_LINES_SCRIPTS];
	if (s->process != process || s->source.at != c.at || s->source.n != c.n) {
		s->process = process;
		s->source = c;
		s->n = 0;
		s->line[0] = 0;
		l->of = NULL;
	}
	for (; s->n < k; s->n++, --*pieces) {
		if (!*pieces || !count_piece(l, look, s, s->n, V8_LINES_PIECE, &lines))
			return 0;
		s->line[s->n + 1] = s->line[s->n] + lines;
	}
	return count_piece(l, look, s, k, at % V8_LINES_PIECE, &lines) ? s->line[k] + lines + 1 : 0;
}
