/* See rust_v0.h: the values that generic arguments have. */
#include "rust_v0.h"

#include <string.h>

#include "lib/text.h"

/* Reads hex digits up to "_".  Returns how many there are after leading zeros, from *S on; gives their value if they are at
 * most 16. */
static uint32_t
hex(struct rust *r, const char **s, uint64_t *v)
{
	uint32_t n;

	while (rust_peek(r) == '0' && r->p + 1 < r->n && r->s[r->p + 1] != '_')
		r->p++;
	*s = r->s + r->p;
	for (n = 0, *v = 0; !rust_eat(r, '_'); n++) {
		char c = rust_next(r);

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
			rust_fail(r);
			return 0;
		}
		*v = *v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (!n)
		rust_fail(r);
	return n;
}

static void
put_escaped(struct rust *r, uint32_t c, char quote)
{
	static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
	const char *at = c && c < 128 ? strchr(plain, (char)c) : NULL;

	if (r->quiet || r->bad)
		return;
	if (at)
		text_put(r->out, (char[]){ '\\', letters[at - plain] }, 2);
	else if (c == (unsigned char)quote)
		text_put(r->out, (char[]){ '\\', quote }, 2);
	else if (c < 0x20 || c == 0x7f) {
		rust_put(r, "\\u{");
		rust_put_hex(r, c);
		rust_put(r, "}");
	} else
		text_utf8(r->out, c);
}

/* The bytes of a string, two hex digits each. */
static void
string(struct rust *r)
{
	uint32_t start = r->p, pending = 0, more = 0;

	rust_put(r, "\"");
	while (!rust_eat(r, '_') && !r->bad) {
		const char pair[3] = { rust_next(r), rust_next(r), 0 }, *p = pair;
		uint64_t v;

		if (r->bad || !text_hex(&p, &v) || p != pair + 2 ||
		    (more ? (v & 0xc0) != 0x80 : v >= 0x80 && (v < 0xc2 || v > 0xf4))) {
			rust_fail(r);
			return;
		}
		if (more) {
			pending = pending << 6 | (uint32_t)(v & 0x3f);
			more--;
		} else if (v >= 0x80) {
			more = v < 0xe0 ? 1 : v < 0xf0 ? 2 : 3;
			pending = (uint32_t)v & (0x3fu >> more);
		} else
			pending = (uint32_t)v;
		if (!more)
			put_escaped(r, pending, '"');
	}
	if (more || start == r->p)
		rust_fail(r);
	rust_put(r, "\"");
}

static void
integer(struct rust *r, char tag)
{
	const char *s;
	uint64_t v;
	uint32_t n;

	if (strchr("aslxni", tag) && rust_eat(r, 'n'))
		rust_put(r, "-");
	n = hex(r, &s, &v);
	if (n > 16 && !r->quiet && !r->bad) {
		text_str(r->out, "0x");
		text_put(r->out, s, n);
	} else
		rust_put_num(r, v);
}

/* A field of a constant: name: value. */
static void
field(struct rust *r)
{
	struct ident id;

	rust_tagged62(r, 's');
	id = rust_identifier(r);
	rust_put_ident(r, &id);
	rust_put(r, ": ");
	rust_constant(r, true);
}

static void
element(struct rust *r)
{
	rust_constant(r, true);
}

/* Behind a V: a structure or a variant of an enumeration. */
static void
structure(struct rust *r)
{
	rust_path(r, true, false);
	switch (rust_next(r)) {
	case 'U':
		break;
	case 'T':
		rust_put(r, "(");
		rust_items(r, element);
		rust_put(r, ")");
		break;
	case 'S':
		rust_put(r, " { ");
		rust_items(r, field);
		rust_put(r, " }");
		break;
	default:
		rust_fail(r);
	}
}

void
rust_constant(struct rust *r, bool in_value)
{
	char tag = rust_next(r);
	bool typed = r->verbose && tag && strchr("hmytojaslxnibc", tag), braces = !in_value && tag && strchr("eRQATV", tag);
	const char *s;
	uint32_t back;
	uint64_t v;

	if (!rust_enter(r))
		return;
	if (tag == 'R' && rust_peek(r) == 'e')
		braces = false;
	rust_put(r, braces ? "{" : "");
	switch (tag) {
	case 'p':
		rust_put(r, "_");
		break;
	case 'h': case 'm': case 'y': case 't': case 'o': case 'j':
	case 'a': case 's': case 'l': case 'x': case 'n': case 'i':
		integer(r, tag);
		break;
	case 'b':
		if (hex(r, &s, &v) != 1 || v > 1)
			rust_fail(r);
		rust_put(r, v ? "true" : "false");
		break;
	case 'c':
		if (hex(r, &s, &v) > 6 || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
			rust_fail(r);
		rust_put(r, "'");
		put_escaped(r, (uint32_t)v, '\'');
		rust_put(r, "'");
		break;
	case 'e':
		rust_put(r, "*");
		string(r);
		break;
	case 'R':
		if (rust_eat(r, 'e')) {
			string(r);
			break;
		} /* fallthrough */
	case 'Q':
		rust_put(r, tag == 'R' ? "&" : "&mut ");
		rust_constant(r, true);
		break;
	case 'A':
		rust_put(r, "[");
		rust_items(r, element);
		rust_put(r, "]");
		break;
	case 'T':
		rust_put(r, "(");
		rust_put(r, rust_items(r, element) == 1 ? ",)" : ")");
		break;
	case 'V':
		structure(r);
		break;
	case 'B':
		back = rust_follow(r);
		if (!r->quiet)
			rust_constant(r, in_value);
		rust_come_back(r, back);
		break;
	default:
		rust_fail(r);
	}
	rust_put(r, braces ? "}" : "");
	if (typed) {
		rust_put(r, ": ");
		rust_put(r, rust_basic(tag));
	}
	r->depth--;
}
