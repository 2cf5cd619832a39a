/* See json.h. */
#include "json.h"

#include <string.h>

enum { NESTING_MAX = 64, EXPONENT_MAX = 10000 };

void
json_bad(struct cursor *c, const char *why)
{
	if (!c->bad)
		c->bad = why;
}

char
json_peek(struct cursor *c)
{
	while (!c->bad && c->pos < c->end && (*c->pos == ' ' || *c->pos == '\n' || *c->pos == '\t' || *c->pos == '\r'))
		c->pos++;
	return c->bad || c->pos == c->end ? 0 : (char)*c->pos;
}

/* Takes WANTED, which must be there. */
static bool
take(struct cursor *c, char wanted, const char *why)
{
	if (json_peek(c) != wanted) {
		json_bad(c, c->pos == c->end ? "the text ends too early" : why);
		return false;
	}
	c->pos++;
	return true;
}

struct json_list
json_open(struct cursor *c, char kind)
{
	take(c, kind, kind == '{' ? "this should be an object" : "this should be an array");
	return (struct json_list){ .close = kind == '{' ? '}' : ']' };
}

bool
json_next(struct cursor *c, struct json_list *list)
{
	char at = json_peek(c);

	if (at == list->close) {
		c->pos++;
		return false;
	}
	if (list->begun && !take(c, ',', "a comma or the end of the list is missing"))
		return false;
	if (!json_peek(c) || json_peek(c) == list->close)
		json_bad(c, c->pos == c->end ? "the text ends too early" : "nothing follows a comma");
	return list->begun = !c->bad;
}

/* The four digits of \uXXXX, or -1. */
static int
hex4(struct cursor *c)
{
	int v = 0;

	for (unsigned i = 0; i < 4; i++, c->pos++) {
		int d = c->pos == c->end ? 'x' : *c->pos;

		d = d >= '0' && d <= '9' ? d - '0' : (d | 32) >= 'a' && (d | 32) <= 'f' ? (d | 32) - 'a' + 10 : -1;
		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static void
put_utf8(struct sink *s, uint32_t v)
{
	unsigned more = v < 0x80 ? 0 : v < 0x800 ? 1 : v < 0x10000 ? 2 : 3;

	sink_char(s, (char)(more ? (0xf00 >> (more + 1) & 0xff) | v >> 6 * more : v));
	while (more--)
		sink_char(s, (char)(0x80 | (v >> 6 * more & 0x3f)));
}

/* Behind \u: a character, of one number or two.  NUL, which ends our strings, and half a pair become U+FFFD. */
static void
take_unicode(struct cursor *c, struct sink *text)
{
	struct cursor next;
	int v = hex4(c), low;

	if (v >= 0xd800 && v < 0xdc00) {
		next = *c;
		if (cur_left(&next) >= 6 && next.pos[0] == '\\' && next.pos[1] == 'u') {
			next.pos += 2;
			low = hex4(&next);
			if (low >= 0xdc00 && low < 0xe000) {
				v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
				*c = next;
			}
		}
	}
	if (v < 0)
		json_bad(c, "an escape is invalid");
	else
		put_utf8(text, v == 0 || (v >= 0xd800 && v < 0xe000) ? 0xfffd : (uint32_t)v);
}

static void
take_escape(struct cursor *c, struct sink *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char kind = c->pos < c->end ? (char)*c->pos : 0;
	const char *at = kind ? strchr(from, kind) : NULL;

	if (!at && kind != 'u') {
		json_bad(c, "an escape is invalid");
		return;
	}
	c->pos++;
	if (at)
		sink_char(text, to[at - from]);
	else
		take_unicode(c, text);
}

/* TEXT may be NULL: then it only skips the string. */
static void
take_string(struct cursor *c, struct sink *text)
{
	struct sink nowhere = { .err = 1 };

	take(c, '"', "this should be a string");
	while (!c->bad) {
		const uint8_t *from = c->pos;

		while (c->pos < c->end && *c->pos != '"' && *c->pos != '\\' && *c->pos >= 0x20)
			c->pos++;
		if (text)
			sink_put(text, from, (size_t)(c->pos - from));
		if (c->pos == c->end)
			json_bad(c, "a string does not end");
		else if (*c->pos < 0x20)
			json_bad(c, *c->pos ? "a string holds a control character" : "a string holds a NUL");
		else if (*c->pos++ == '"')
			break;
		else
			take_escape(c, text ? text : &nowhere);
	}
}

const char *
json_string(struct cursor *c, struct sink *text)
{
	text->len = 0;
	take_string(c, text);
	if (c->bad)
		text->len = 0;
	sink_char(text, 0);
	if (text->err)
		json_bad(c, "out of memory");
	return text->err ? "" : text->buf;
}

const char *
json_key(struct cursor *c, struct sink *text)
{
	const char *key = json_string(c, text);

	take(c, ':', "no colon follows a name");
	return key;
}

static bool
digit(const struct cursor *c)
{
	return c->pos < c->end && *c->pos >= '0' && *c->pos <= '9';
}

/* A number as far as prof has read it: V times ten to the EXPONENT. */
struct decimal {
	uint64_t v;
	int exponent;
	bool negative;
};

/* Reads digits, at least one.  Those that do not fit any more only make the number larger.  EACH is what one of them adds to the
 * exponent: 0 before the point, -1 behind it. */
static void
take_digits(struct cursor *c, struct decimal *d, int each)
{
	if (!digit(c))
		json_bad(c, "this should be a number");
	for (; digit(c); c->pos++)
		if (d->v < UINT64_MAX / 10 - 1) {
			d->v = d->v * 10 + (*c->pos - '0');
			d->exponent += each;
		} else if (d->exponent < EXPONENT_MAX)
			d->exponent += each + 1;
}

static void
take_exponent(struct cursor *c, struct decimal *d)
{
	bool negative = c->pos < c->end && *c->pos == '-';
	int v = 0;

	if (c->pos < c->end && (*c->pos == '-' || *c->pos == '+'))
		c->pos++;
	if (!digit(c))
		json_bad(c, "an exponent has no digits");
	for (; digit(c); c->pos++)
		v = v < EXPONENT_MAX ? v * 10 + (*c->pos - '0') : v;
	d->exponent += negative ? -v : v;
}

static struct decimal
take_number(struct cursor *c)
{
	struct decimal d = { .negative = json_peek(c) == '-' };

	if (c->bad)
		return d;
	c->pos += d.negative;
	take_digits(c, &d, 0);
	if (c->pos < c->end && *c->pos == '.') {
		c->pos++;
		take_digits(c, &d, -1);
	}
	if (c->pos < c->end && (*c->pos | 32) == 'e') {
		c->pos++;
		take_exponent(c, &d);
	}
	return d;
}

int64_t
json_number(struct cursor *c, unsigned places)
{
	struct decimal d;
	const uint8_t *begin;

	json_peek(c);   /* past the space */
	begin = c->pos;
	d = take_number(c);
	d.exponent += (int)places;
	for (; d.exponent < -1 && d.v; d.exponent++)
		d.v /= 10;
	if (d.exponent == -1)
		d.v = (d.v + 5) / 10;
	for (; d.exponent > 0 && d.v <= INT64_MAX; d.exponent--)
		if (__builtin_mul_overflow(d.v, 10, &d.v))
			d.v = UINT64_MAX;
		else if (!d.v)
			break;
	if (d.v > INT64_MAX) {
		c->pos = begin;
		json_bad(c, "a number is too large");
	}
	return c->bad ? 0 : d.negative ? -(int64_t)d.v : (int64_t)d.v;
}

static void
skip_word(struct cursor *c)
{
	static const char *const words[] = { "true", "false", "null" };

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (cur_left(c) >= n && memcmp(c->pos, words[i], n) == 0) {
			c->pos += n;
			return;
		}
	}
	json_bad(c, c->pos == c->end ? "the text ends too early" : "this is not a value");
}

void
json_skip(struct cursor *c)
{
	struct json_list list[NESTING_MAX];
	unsigned depth = 0;

	do {
		char at = json_peek(c);

		if (at == '[' || at == '{') {
			if (depth == NESTING_MAX) {
				json_bad(c, "lists are nested too deeply");
				return;
			}
			list[depth++] = json_open(c, at);
		} else if (at == '"')
			take_string(c, NULL);
		else if (at == '-' || (at >= '0' && at <= '9'))
			take_number(c);
		else
			skip_word(c);
		while (depth && !json_next(c, &list[depth - 1]) && !c->bad)
			depth--;
		if (depth && list[depth - 1].close == '}') {
			take_string(c, NULL);
			take(c, ':', "no colon follows a name");
		}
	} while (depth && !c->bad);
}
