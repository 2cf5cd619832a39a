/* See text_out.h.  Names of D (dlang.org/spec/abi.html, "Name Mangling"), printed as binutils' c++filt does: functions with their parameters, without
 * the type that they return.  Names from before D 2.077, whose template arguments have lengths, stay as
 * they are, and those with numbers of floating point, arrays or structs as template arguments. */
#include "demangle.h"
#include "text_out.h"

#include <string.h>

/* A copied byte is a small part of a step. */
enum { STEPS_MAX = 1 << 12, DEPTH_MAX = 64, COPIED = 256, DIGITS_MAX = 10 };

struct dlang {
	struct text *t;
	const char *s, *p, *end;
	uint32_t steps;
	uint16_t depth;
	bool bad, brief;
};

static void type(struct dlang *);
static void identifier(struct dlang *);
static void qualified(struct dlang *, bool whole);
static void mangled(struct dlang *);
static void value(struct dlang *, char kind);

static char
peek(const struct dlang *d)
{
	return d->p < d->end && !d->bad ? *d->p : 0;
}

static char
take(struct dlang *d)
{
	char c = peek(d);

	d->p += c != 0;
	d->bad |= !c;
	return c;
}

static bool
eat(struct dlang *d, const char *s)
{
	size_t n = strlen(s);

	if (d->bad || (size_t)(d->end - d->p) < n || memcmp(d->p, s, n) != 0)
		return false;
	d->p += n;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
enter(struct dlang *d)
{
	d->bad |= ++d->steps > STEPS_MAX || d->depth >= DEPTH_MAX || d->t->full;
	d->depth++;
	return !d->bad;
}

/* A number of which each unit is a byte or more of the name. */
static uint32_t
number(struct dlang *d)
{
	uint32_t n = 0;

	d->bad |= !is_digit(peek(d));
	for (unsigned digits = 0; is_digit(peek(d)) && !d->bad; digits++) {
		n = n * 10 + (uint32_t)(*d->p++ - '0');
		d->bad |= n > TEXT_MAX || digits == DIGITS_MAX;
	}
	return n;
}

/* The text of a letter in a list of them: "afirst\0bsecond\0".  NULL if it is not there. */
static const char *
text_of(const char *list, char letter)
{
	for (; *list; list += strlen(list) + 1)
		if (*list == letter)
			return list + 1;
	return NULL;
}

/* Puts what was written from TO on behind what was written from FROM on. */
static void
swap(struct dlang *d, uint32_t from, uint32_t to)
{
	struct text part = { 0 };

	if (d->t->full || d->t->n < to || to < from)
		return;
	text_put(&part, d->t->s + from, to - from);
	d->steps += (d->t->n - from) / COPIED;
	if (part.n == to - from && !part.full) {
		memmove(d->t->s + from, d->t->s + to, d->t->n - to);
		d->t->n -= to - from;
		text_put(d->t, part.s, part.n);
	}
	vec_free(&part.s, &part.cap, 1);
}

/* Where the back reference at Q leads, and the first place behind it; NULL if it leads nowhere. */
static const char *
referred(struct dlang *d, const char *q, const char **behind)
{
	uint64_t n = 0;

	for (const char *p = q + 1; p < d->end && n <= TEXT_MAX; p++) {
		if (*p >= 'a' && *p <= 'z') {
			n = n * 26 + (uint64_t)(*p - 'a');
			*behind = p + 1;
			return n && n <= (uint64_t)(q - d->s) ? q - n : NULL;
		}
		if (*p < 'A' || *p > 'Z')
			break;
		n = n * 26 + (uint64_t)(*p - 'A');
	}
	return NULL;
}

/* Follows the back reference here; WHAT reads what is there. */
static void
refer(struct dlang *d, void (*what)(struct dlang *))
{
	const char *behind = NULL, *to = referred(d, d->p, &behind);

	if (!to) {
		d->bad = true;
		return;
	}
	d->p = to;
	what(d);
	d->p = behind;
}

static bool
at_template(const struct dlang *d, const char *p)
{
	return d->end - p > 3 && p[0] == '_' && p[1] == '_' && (p[2] == 'T' || p[2] == 'U');
}

static bool
at_symbol(struct dlang *d)
{
	const char *behind, *to;

	if (peek(d) != 'Q')
		return is_digit(peek(d)) || (!d->bad && at_template(d, d->p));
	return (to = referred(d, d->p, &behind)) && is_digit(*to);
}

static void
symbol_argument(struct dlang *d)
{
	if (eat(d, "_D"))
		mangled(d);
	else
		qualified(d, false);
}

static void
value_argument(struct dlang *d)
{
	const char *behind, *to = peek(d) == 'Q' ? referred(d, d->p, &behind) : NULL;
	uint32_t from = d->t->n;
	char kind = to ? *to : peek(d);

	type(d);
	if (peek(d) != 'S')   /* a struct's value has its type before it */
		d->t->n = from;
	value(d, kind);
}

static void
template(struct dlang *d)
{
	uint32_t from, n;

	d->p += 3;
	identifier(d);
	text_str(d->t, "!(");
	from = d->t->n;
	for (unsigned i = 0; !d->bad && !eat(d, "Z"); i++) {
		if (i)
			text_str(d->t, ", ");
		d->bad |= ++d->steps > STEPS_MAX;
		eat(d, "H");
		switch (take(d)) {
		case 'T': type(d); break;
		case 'V': value_argument(d); break;
		case 'S': symbol_argument(d); break;
		case 'X':
			n = number(d);
			if (d->bad || n > (size_t)(d->end - d->p)) {
				d->bad = true;
				break;
			}
			text_put(d->t, d->p, n);
			d->p += n;
			d->steps += n / COPIED;
			break;
		default: d->bad = true;
		}
	}
	if (d->brief && !d->t->full)
		d->t->n = from;
	text_char(d->t, ')');
}

/* A parent that stands there only to make names different: __S1. */
static bool
is_invented(const char *p, uint32_t n)
{
	if (n < 4 || memcmp(p, "__S", 3) != 0)
		return false;
	for (uint32_t i = 3; i < n; i++)
		if (!is_digit(p[i]))
			return false;
	return true;
}

/* An identifier with its length before it. */
static void
length_name(struct dlang *d)
{
	uint32_t n = number(d);

	if (d->bad || !n || n > (size_t)(d->end - d->p)) {
		d->bad = true;
		return;
	}
	if (at_template(d, d->p)) {
		const char *end = d->p + n;

		template(d);
		d->bad |= d->p != end;
		return;
	}
	d->p += n;
	if (is_invented(d->p - n, n)) {
		identifier(d);
		return;
	}
	if (n == 6 && !memcmp(d->p - n, "__ctor", n))
		text_str(d->t, "this");
	else if (n == 6 && !memcmp(d->p - n, "__dtor", n))
		text_str(d->t, "~this");
	else
		text_put(d->t, d->p - n, n);
}

static void
identifier(struct dlang *d)
{
	if (enter(d)) {
		if (peek(d) == 'Q')
			refer(d, length_name);
		else if (at_template(d, d->p))
			template(d);
		else
			length_name(d);
	}
	d->depth--;
}

static void
modifiers(struct dlang *d)
{
	for (; !d->bad; d->bad |= ++d->steps > STEPS_MAX)
		if (eat(d, "x"))
			text_str(d->t, " const");
		else if (eat(d, "y"))
			text_str(d->t, " immutable");
		else if (eat(d, "O"))
			text_str(d->t, " shared");
		else if (eat(d, "Ng"))
			text_str(d->t, " inout");
		else
			return;
}

static bool
at_function(const struct dlang *d)
{
	char c = peek(d);

	return c && strchr("FUVWRY", c);
}

static void
parameter(struct dlang *d)
{
	const char *way;

	if (eat(d, "M"))
		text_str(d->t, "scope ");
	if (eat(d, "Nk"))
		text_str(d->t, "return ");
	if ((way = text_of("Iin \0Jout \0Kref \0Llazy \0", peek(d)))) {
		text_str(d->t, way);
		if (*d->p++ == 'I' && eat(d, "K"))
			text_str(d->t, "ref ");
	}
	type(d);
}

/* A function's type without what it returns: (int, char[]).  SHOWN: with its convention and attributes, as types have them. */
static void
parameters(struct dlang *d, bool shown)
{
	const char *text;
	uint32_t from = d->t->n, to;

	if (!(text = text_of("F\0Uextern(C) \0Wextern(Windows) \0Vextern(Pascal) \0Rextern(C++) \0Yextern(Objective-C) \0", take(d)))) {
		d->bad = true;
		return;
	}
	text_str(d->t, text);
	if (!shown)
		d->t->n = from;
	from = d->t->n;
	while (peek(d) == 'N' && d->end - d->p > 1) {
		text = text_of("apure \0bnothrow \0cref \0d@property \0e@trusted \0f@safe \0i@nogc \0jreturn \0lscope \0m@live \0", d->p[1]);
		if (!text)
			break;   /* a parameter's */
		text_str(d->t, text);
		d->p += 2;
	}
	if (!shown)
		d->t->n = from;
	to = d->t->n;
	text_char(d->t, '(');
	for (unsigned i = 0; !d->bad; i++) {
		if (eat(d, "X")) {
			text_str(d->t, "...");
			break;
		}
		if (eat(d, "Y")) {
			text_str(d->t, i ? ", ..." : "...");
			break;
		}
		if (eat(d, "Z"))
			break;
		if (i)
			text_str(d->t, ", ");
		parameter(d);
	}
	text_char(d->t, ')');
	if (shown) {   /* what it returns, parameters, attributes */
		text_char(d->t, ' ');
		swap(d, from, to);
		to = d->t->n;
		type(d);
		swap(d, from, to);
	}
}

/* TEXT x ): const(x). */
static void
wrapped(struct dlang *d, const char *text)
{
	text_str(d->t, text);
	type(d);
	text_char(d->t, ')');
}

static void
function_type(struct dlang *d)
{
	parameters(d, true);
}

static void
delegate(struct dlang *d)
{
	uint32_t from = d->t->n, to;

	modifiers(d);
	to = d->t->n;
	if (peek(d) == 'Q')
		refer(d, function_type);
	else
		function_type(d);
	text_str(d->t, "delegate");
	swap(d, from, to);
}

static void
symbol(struct dlang *d)
{
	qualified(d, false);
}

static void
type_letter(struct dlang *d)
{
	static const char basic[] = "vvoid\0gbyte\0hubyte\0sshort\0tushort\0iint\0kuint\0llong\0mulong\0ffloat\0ddouble\0ereal\0bbool\0achar\0uwchar\0"
	                            "wdchar\0ntypeof(null)\0oifloat\0pidouble\0jireal\0qcfloat\0rcdouble\0ccreal\0Oshared(\0xconst(\0yimmutable(\0";
	uint32_t from = d->t->n, to, n;
	const char *at = d->p, *behind, *p, *text;
	char c = take(d);

	if ((text = text_of(basic, c))) {
		text_str(d->t, text);
		if (text[strlen(text) - 1] == '(') {
			type(d);
			text_char(d->t, ')');
		}
		return;
	}
	switch (c) {
	case 'N':
		switch (take(d)) {
		case 'g': wrapped(d, "inout("); break;
		case 'h': wrapped(d, "__vector("); break;
		case 'n': text_str(d->t, "typeof(*null)"); break;
		default: d->bad = true;
		}
		break;
	case 'A':
		type(d);
		text_str(d->t, "[]");
		break;
	case 'G':
		p = d->p;
		while (is_digit(peek(d)))
			d->p++;
		behind = d->p;
		type(d);
		text_char(d->t, '[');
		text_put(d->t, p, (size_t)(behind - p));
		text_char(d->t, ']');
		break;
	case 'H':
		text_char(d->t, '[');
		type(d);
		text_char(d->t, ']');
		to = d->t->n;
		type(d);
		swap(d, from, to);
		break;
	case 'P':
		if (!at_function(d)) {
			type(d);
			text_char(d->t, '*');
			break;
		}
		function_type(d);
		text_str(d->t, "function");
		break;
	case 'F': case 'U': case 'W': case 'V': case 'R': case 'Y':
		d->p = at;
		function_type(d);
		text_str(d->t, "function");
		break;
	case 'C': case 'S': case 'E': case 'T': case 'I': symbol(d); break;
	case 'D': delegate(d); break;
	case 'B':
		text_str(d->t, "Tuple!(");
		n = number(d);
		for (uint32_t i = 0; i < n && !d->bad; i++) {
			if (i)
				text_str(d->t, ", ");
			type(d);
		}
		text_char(d->t, ')');
		break;
	case 'z':
		c = take(d);
		d->bad |= c != 'i' && c != 'k';
		text_str(d->t, c == 'i' ? "cent" : "ucent");
		break;
	case 'Q':
		d->p = at;
		refer(d, type);
		break;
	default: d->bad = true;
	}
}

static void
type(struct dlang *d)
{
	if (enter(d))
		type_letter(d);
	d->depth--;
}

static unsigned
hex_digit(struct dlang *d)
{
	char c = take(d);

	if (is_digit(c))
		return (unsigned)(c - '0');
	c |= 32;
	d->bad |= c < 'a' || c > 'f';
	return (unsigned)(c - 'a' + 10) & 15;
}

static void
character(struct dlang *d, unsigned c)
{
	static const char digits[] = "0123456789abcdef";

	if (c >= ' ' && c < 127) {
		text_char(d->t, (char)c);
	} else if (c == '\n') {
		text_str(d->t, "\\n");
	} else {
		text_str(d->t, "\\x");
		text_char(d->t, digits[c >> 4 & 15]);
		text_char(d->t, digits[c & 15]);
	}
}

static void
string(struct dlang *d, char kind)
{
	uint32_t n = number(d);

	d->bad |= !eat(d, "_");
	text_char(d->t, '"');
	while (n-- && !d->bad) {
		unsigned c = hex_digit(d) << 4;

		character(d, c | hex_digit(d));
	}
	text_char(d->t, '"');
	if (kind != 'a')
		text_char(d->t, kind);
}

static void
integer(struct dlang *d, char kind)
{
	const char *from = d->p;
	uint32_t n = 0;

	d->bad |= !is_digit(peek(d));
	while (is_digit(peek(d)))
		n = n < 1000 ? n * 10 + (uint32_t)(*d->p++ - '0') : (d->p++, n);
	if (d->bad)
		return;
	if (kind == 'b' && n < 2) {
		text_str(d->t, n ? "true" : "false");
	} else if (kind == 'a' && n < 256) {
		text_char(d->t, '\'');
		character(d, n);
		text_char(d->t, '\'');
	} else {
		text_put(d->t, from, (size_t)(d->p - from));
		text_str(d->t, kind == 'h' || kind == 't' || kind == 'k' ? "u" : kind == 'l' ? "L" : kind == 'm' ? "uL" : "");
	}
}

static void
value_letter(struct dlang *d, char kind)
{
	char c = peek(d);

	if (is_digit(c)) {
		integer(d, kind);
		return;
	}
	switch (take(d)) {
	case 'n': text_str(d->t, "null"); break;
	case 'N':
		text_char(d->t, '-');   /* fall through */
	case 'i': integer(d, kind); break;
	case 'a': case 'w': case 'd': string(d, c); break;
	case 'f':
		d->bad |= !eat(d, "_D");
		mangled(d);
		break;
	default: d->bad = true;
	}
}

static void
value(struct dlang *d, char kind)
{
	if (enter(d))
		value_letter(d, kind);
	d->depth--;
}

/* The parameters behind a function's name; what is a variable's type stays.  WHOLE: with the modifiers of "this". */
static void
function_behind(struct dlang *d, bool whole)
{
	struct text mods = { 0 }, *t = d->t;
	const char *from = d->p;
	uint32_t written = t->n;

	if (eat(d, "M")) {
		d->t = &mods;
		modifiers(d);
		d->t = t;
	}
	if (at_function(d))
		parameters(d, false);
	else
		d->bad = true;
	if (whole && !mods.full)
		text_put(t, mods.s ? mods.s : "", mods.n);
	vec_free(&mods.s, &mods.cap, 1);
	if (d->steps <= STEPS_MAX && (d->bad || d->p == d->end)) {
		d->bad = false;
		d->p = from;
		if (!t->full)
			t->n = written;
	}
}

static void
qualified(struct dlang *d, bool whole)
{
	unsigned n = 0;

	if (!enter(d)) {
		d->depth--;
		return;
	}
	do {
		while (peek(d) == '0')   /* without a name */
			d->p++;
		if (n++)
			text_char(d->t, '.');
		identifier(d);
		if (peek(d) == 'M' || at_function(d))
			function_behind(d, whole);
	} while (at_symbol(d));
	d->depth--;
}

/* What comes behind _D: a name, then its type, which is not shown, or a Z. */
static void
mangled(struct dlang *d)
{
	uint32_t shown;

	qualified(d, true);
	if (eat(d, "Z"))
		return;
	shown = d->t->n;
	type(d);
	if (!d->t->full)
		d->t->n = shown;
}

bool
dlang_demangle(struct text *out, const char *s, unsigned flags)
{
	const char *dot = strchr(s, '.');
	struct dlang d = { .t = out, .s = s, .p = s + 2, .end = dot ? dot : s + strlen(s), .brief = flags & DEMANGLE_SHORT };

	if (s[0] != '_' || s[1] != 'D')
		return false;
	if (!strcmp(s, "_Dmain")) {
		text_str(out, "D main");
		return true;
	}
	mangled(&d);
	return !d.bad && d.p == d.end && (!dot || text_clones(out, dot));
}
