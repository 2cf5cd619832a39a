/* Texts and numbers of an SVG.  All writing of names goes through here, which keeps XML, JSON and the direction of text
 * valid: XML 1.0 section 2.2, RFC 8259 section 7. */
#include "svg_text.h"

#include <string.h>

enum { CUT = 5 };   /* the still picture leaves out narrower frames, unless the user says otherwise */

uint32_t
svg_cut(const struct drawing *d)
{
	return d->p->picture.min_width ? d->p->picture.min_width : CUT;
}

/* The text for the character at S in XML or, if XML is around it, in a JSON string; NULL if the character needs none. */
static const char *
escape(const char *s, bool json)
{
	switch (*s) {
	case '&': return json ? "\\u0026" : "&amp;";
	case '<': return json ? "\\u003c" : "&lt;";
	case '>': return json ? "\\u003e" : "&gt;";
	case '"': return json ? "\\\"" : "&quot;";
	case '\\': return json ? "\\\\" : NULL;
	}
	/* U+FFFE and U+FFFF are no characters of XML */
	return memcmp(s, "\xef\xbf\xbe", 3) == 0 || memcmp(s, "\xef\xbf\xbf", 3) == 0 ? "\xef\xbf\xbd" : NULL;
}

/* A name in at most WIDTH columns (0: as long as it is), as columns.h cuts it and makes it harmless. */
void
svg_name(struct drawing *d, const char *s, unsigned width, bool json)
{
	const char *p, *other;

	d->text.len = 0;
	columns_cut(&d->text, s, width);
	sink_put(&d->text, "\0\0", 3);   /* escape looks three bytes ahead */
	for (p = d->text.err ? "" : d->text.buf; *p; p += other && *p == '\xef' ? 3 : 1) {
		if ((other = escape(p, json)))
			sink_str(d->out, other);
		else
			sink_char(d->out, *p);
	}
}

void
svg_name_json(struct drawing *d, const char *s)
{
	sink_char(d->out, '"');
	svg_name(d, s, 0, true);
	sink_char(d->out, '"');
}

void
svg_tenths(struct drawing *d, uint64_t v)
{
	sink_decimal(d->out, v, 1);
}

/* A weight as time or as a count. */
void
svg_amount(struct drawing *d, uint64_t weight)
{
	uint64_t ns = times(weight, d->period);
	struct columns_cell count = columns_number(weight, 0);

	if (!d->period)
		sink_put(d->out, count.text, count.n);
	else if (ns >= 1000000000)
		sink_decimal(d->out, (ns + 500000) / 1000000, 3);
	else if (ns >= 1000000)
		sink_decimal(d->out, (ns + 5000) / 10000, 2);
	else
		sink_decimal(d->out, (ns + 50) / 100, 1);
	sink_str(d->out, !d->period ? "" : ns >= 1000000000 ? " s" : ns >= 1000000 ? " ms" : " \u00b5s");
}

/* A share of the event's weight, in hundredths of a percent. */
void
svg_share(struct drawing *d, uint64_t weight, uint64_t all)
{
	for (; all > UINT64_MAX / 20000; all /= 2)
		weight /= 2;
	sink_decimal(d->out, all ? (weight * 10000 + all / 2) / all : 0, 2);
	sink_char(d->out, '%');
}

void
svg_delta_words(struct drawing *d, int64_t delta)
{
	sink_str(d->out, delta < 0 ? "\u2212" : "+");
	sink_decimal(d->out, (uint64_t)(delta < 0 ? -delta : delta), 3);
	sink_str(d->out, "% of all");
}

void
svg_words(struct drawing *d, uint32_t x, uint32_t y, const char *attributes)
{
	sink_str(d->out, "<text x=\"");
	svg_tenths(d, x);
	sink_str(d->out, "\" y=\"");
	svg_tenths(d, y);
	sink_char(d->out, '"');
	sink_str(d->out, attributes);
	sink_char(d->out, '>');
}
