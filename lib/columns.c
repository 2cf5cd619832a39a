/* See columns.h.  Widths of characters: Unicode's East Asian Width, in coarse ranges. */
#include "columns.h"

#include <stdbool.h>
#include <string.h>

static const char replaced[] = "\xef\xbf\xbd", dots[] = "\xe2\x80\xa6";

/* The character at S: how many bytes, how many columns of a terminal, and whether prof may show it. */
struct glyph {
	unsigned bytes, columns;
	bool shown;
};

static struct glyph
glyph(const char *s)
{
	const unsigned char *b = (const unsigned char *)s;
	struct glyph g = { 1, 1, true };
	uint32_t c = *b;

	if (c >= 0x20 && c < 0x7f)
		return g;
	if ((g.bytes = utf8_len(s)) < 2) {
		g.shown = g.bytes && c >= 0x20 && c != 0x7f;
		g.bytes = 1;
		return g;
	}
	c &= 0xffu >> (g.bytes + 1);
	for (unsigned i = 1; i < g.bytes; i++)
		c = c << 6 | (b[i] & 0x3f);
	if (c < 0xa0 || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c >= 0xe0000)
		g.shown = false;
	else if ((c >= 0x300 && c < 0x370) || (c >= 0xfe00 && c < 0xfe10))
		g.columns = 0;
	else if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
	         (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
	         (c >= 0x1f300 && c < 0x1fb00) || c >= 0x20000)
		g.columns = 2;
	return g;
}

/* How many characters from S on are plain: a byte and a column each. */
static unsigned
plain(const char *s)
{
	unsigned n = 0;

	while ((unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x7f)
		n++;
	return n;
}

unsigned
columns_of(const char *s)
{
	unsigned n = plain(s);

	s += n;
	for (struct glyph g; *s; s += g.bytes) {
		g = glyph(s);
		n += g.columns;
	}
	return n;
}

static void
put_glyph(struct sink *out, const char *s, struct glyph g)
{
	sink_put(out, g.shown ? s : replaced, g.shown ? g.bytes : 3);
}

unsigned
columns_cut(struct sink *out, const char *s, unsigned width)
{
	unsigned all = columns_of(s), head = width / 2, tail = width ? width - 1 - head : 0, at = 0, took = 0;
	bool cut = false;

	if (!width || all <= width) {   /* mostly all of it at once */
		at = plain(s);
		sink_put(out, s, at);
		s += at;
		width = 0;
		took = at;
	}
	for (struct glyph g; *s; s += g.bytes, at += g.columns) {
		g = glyph(s);
		if (!width || at + g.columns <= head || (cut && all - at <= tail)) {
			put_glyph(out, s, g);
			took += g.columns;
		} else if (!cut) {
			sink_str(out, dots);
			took++;
			cut = true;
		}
	}
	return took;
}

void
columns_pad(struct sink *out, unsigned n)
{
	static const char blanks[] = "                                ";

	for (unsigned part; n; n -= part) {
		part = n < sizeof blanks - 1 ? n : (unsigned)sizeof blanks - 1;
		sink_put(out, blanks, part);
	}
}

void
columns_right(struct sink *out, const struct columns_cell *c, unsigned width)
{
	columns_pad(out, width > c->n ? width - c->n : 0);
	sink_put(out, c->text, c->n);
}

struct columns_cell
columns_number(uint64_t v, unsigned places)
{
	struct columns_cell c = { "", 0 };
	char *p = c.text + sizeof c.text, *const end = p;
	unsigned digit = 0;

	do {
		if (places && digit == places)
			*--p = '.';
		if (digit > places && (digit - places) % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + (v <= UINT32_MAX ? (uint32_t)v % 10 : v % 10));
		v = v <= UINT32_MAX ? (uint32_t)v / 10 : v / 10;   /* narrow divisions are much quicker */
		digit++;
	} while (v || digit <= places);
	c.n = (unsigned)(end - p);
	memmove(c.text, p, c.n);
	return c;
}
