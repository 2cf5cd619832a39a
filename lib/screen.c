/* See screen.h.  ECMA-48: a sequence of colour ends with a letter. */
#include "screen.h"

#include <string.h>

#include "columns.h"

/* What prof itself writes that is not ASCII, and what looks like it; anything else becomes question marks. */
static const struct {
	char glyph[5], ascii[2];
} ascii_of[] = {
	{ "\u2026", "~" }, { "\u2588", "#" }, { "\u2502", "|" }, { "\u251c", "|" }, { "\u2514", "`" }, { "\u2500", "-" },
	{ "\u2212", "-" }, { "\u2013", "-" }, { "\u00b7", "." }, { "\u00b5", "u" }, { "\u03bc", "u" },
	{ "\u258f", " " }, { "\u258e", " " }, { "\u258d", " " }, { "\u258c", "#" }, { "\u258b", "#" }, { "\u258a", "#" }, { "\u2589", "#" },
};

static void
put_ascii(struct screen *s, const char *glyph, unsigned columns)
{
	for (unsigned i = 0; i < sizeof ascii_of / sizeof *ascii_of; i++)
		if (strcmp(ascii_of[i].glyph, glyph) == 0) {
			sink_str(s->to, ascii_of[i].ascii);
			return;
		}
	for (; columns; columns--)
		sink_char(s->to, '?');
}

static void
put_glyph(struct screen *s, const char *glyph, size_t n)
{
	unsigned columns = columns_of(glyph);

	if (s->width && s->column + columns > s->width)
		return;
	s->column += columns;
	if (s->ascii && n > 1)
		put_ascii(s, glyph, columns);
	else
		sink_put(s->to, glyph, n);
}

static void
put_byte(struct screen *s, char c)
{
	if (s->escape || c == '\033') {
		s->escape = c == '\033' || !((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
		sink_char(s->to, c);
		return;
	}
	if (c == '\n') {
		s->column = 0;
		sink_char(s->to, c);
		return;
	}
	s->part[s->n++] = c;
	s->part[s->n] = 0;
	if ((unsigned char)*s->part >= 0xc0 && !utf8_len(s->part) && s->n < 4)   /* more of it is to come */
		return;
	put_glyph(s, s->part, s->n);
	s->n = 0;
}

/* Most text is ASCII, and goes on as it is. */
static size_t
put_plain(struct screen *s, const char *text, size_t most)
{
	size_t n = 0, room;

	while (n < most && text[n] >= ' ' && text[n] < 0x7f)
		n++;
	room = !s->width ? n : s->column < s->width ? s->width - s->column : 0;
	room = n < room ? n : room;
	sink_put(s->to, text, room);
	s->column += (unsigned)room;
	return n;
}

static void
drain(void *screen, const void *bytes, size_t n)
{
	struct screen *s = screen;
	size_t done;

	for (const char *p = bytes; n; p += done, n -= done)
		if (s->escape || s->n || !(done = put_plain(s, p, n))) {
			put_byte(s, *p);
			done = 1;
		}
}

void
screen_open(struct screen *s, struct sink *sink, struct sink *to, unsigned width, bool ascii)
{
	*s = (struct screen){ .to = to, .width = width, .ascii = ascii };
	sink_open_to(sink, drain, s);
}
