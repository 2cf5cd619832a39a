/* See v8_lines.h.  A line ends with \n, \r, \r\n, or one of Unicode's two (ECMA-262, Line Terminators). */
#include "v8_lines.h"

#include "lib/index.h"

static uint32_t
char_at(const uint8_t *p, uint32_t i, unsigned width)
{
	return width == 1 ? p[i] : p[2 * i] | (uint32_t)p[2 * i + 1] << 8;
}

/* Counts the ends of lines in N characters; behind them is one more. */
static uint32_t
count(const uint8_t *p, uint32_t n, unsigned width)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = char_at(p, i, width);

		lines += c == '\n' || (c == '\r' && char_at(p, i + 1, width) != '\n') || c == 0x2028 || c == 0x2029;
	}
	return lines;
}

/* Counts in N characters of piece K. */
static bool
count_piece(struct v8_lines *l, struct look *look, const struct v8_chars *c, uint32_t k, uint32_t n, uint32_t *lines)
{
	uint32_t first = k * V8_LINES_PIECE, more = first + n < c->n;
	size_t size = (size_t)(n + more) * c->width;

	l->bytes[size] = l->bytes[size + 1] = 0;
	if (size && !look_copy(look, c->at + (uint64_t)first * c->width, l->bytes, size))
		return false;
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
	}
	for (; s->n < k; s->n++, --*pieces) {
		if (!*pieces || !count_piece(l, look, &c, s->n, V8_LINES_PIECE, &lines))
			return 0;
		s->line[s->n + 1] = s->line[s->n] + lines;
	}
	return count_piece(l, look, &c, k, at % V8_LINES_PIECE, &lines) ? s->line[k] + lines + 1 : 0;
}
