/* Rust's v0 names: RFC 2603, with what rustc has added since. */
#include "demangle.h"
#include "demangle_rust.h"

#include <string.h>

#include "../lib/file.h"

enum { RUST_BUDGET = 1 << 17 };

struct rust {
	const char *s;        /* what backward references count from */
	uint32_t n, p;        /* its length, and where we are */
	struct text *out;
	uint64_t lifetimes;   /* bound so far by for<...> */
	uint32_t budget;
	unsigned depth;
	bool bad, verbose, quiet;   /* quiet: parsed, not printed */
	bool brief;                 /* DEMANGLE_SHORT */
};

static void type(struct rust *);
static void constant(struct rust *, bool in_value);
static bool path(struct rust *, bool in_value, bool open);

static void
fail(struct rust *r)
{
	r->bad = true;
	r->p = r->n;
}

static char
peek(const struct rust *r)
{
	return r->p < r->n ? r->s[r->p] : 0;
}

static char
next(struct rust *r)
{
	char c = peek(r);

	if (c)
		r->p++;
	else
		fail(r);
	return c;
}

static bool
eat(struct rust *r, char c)
{
	bool is = peek(r) == c;

	r->p += is;
	return is;
}

/* One step deeper; with every return true, LEAVE. */
static bool
enter(struct rust *r)
{
	if (r->bad || r->out->full || r->depth == DEMANGLE_DEPTH || !r->budget) {
		fail(r);
		return false;
	}
	r->depth++;
	r->budget--;
	return true;
}

static void
put(struct rust *r, const char *s)
{
	if (!r->quiet && !r->bad)
		text_str(r->out, s);
}

static void
put_num(struct rust *r, uint64_t v)
{
	if (!r->quiet && !r->bad)
		text_num(r->out, v);
}

static void
put_hex(struct rust *r, uint64_t v)
{
	char d[17], *p = d + 16;

	*p = 0;
	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	put(r, p);
}

/* "_" is 0, "0_" is 1, in base 62. */
static uint64_t
base62(struct rust *r)
{
	uint64_t v = 0;

	if (eat(r, '_'))
		return 0;
	while (!eat(r, '_')) {
		char c = next(r);
		uint64_t d = (uint64_t)(c >= '0' && c <= '9'   ? c - '0'
		                        : c >= 'a' && c <= 'z' ? c - 'a' + 10
		                        : c >= 'A' && c <= 'Z' ? c - 'A' + 36
		                                               : 62);

		if (r->bad || d == 62 || __builtin_mul_overflow(v, 62, &v) || __builtin_add_overflow(v, d, &v)) {
			fail(r);
			return 0;
		}
	}
	if (v == UINT64_MAX)
		fail(r);
	return v + 1;
}

/* With a tag before it, or 0 where there is none. */
static uint64_t
tagged62(struct rust *r, char tag)
{
	uint64_t v = eat(r, tag) ? base62(r) : UINT64_MAX;

	return v + 1;
}

static struct ident
identifier(struct rust *r)
{
	struct ident id = { 0 };
	bool puny = eat(r, 'u');
	uint32_t n = 0;

	if (!(peek(r) >= '0' && peek(r) <= '9'))
		fail(r);
	if (!eat(r, '0'))
		while (peek(r) >= '0' && peek(r) <= '9' && n < 1u << 20)
			n = n * 10 + (uint32_t)(r->s[r->p++] - '0');
	eat(r, '_');   /* where the name itself begins like a number goes on */
	if (r->bad || n > r->n - r->p) {
		fail(r);
		return id;
	}
	id.s = r->s + r->p;
	id.n = n;
	r->p += n;
	if (puny) {
		id.puny_n = n;
		while (id.puny_n && id.s[id.puny_n - 1] != '_')
			id.puny_n--;
		id.puny = id.s + id.puny_n;
		id.n = id.puny_n ? id.puny_n - 1 : 0;
		id.puny_n = n - id.puny_n;
		if (!id.puny_n)
			fail(r);
	}
	return id;
}

static void
put_ident(struct rust *r, const struct ident *id)
{
	if (r->quiet || r->bad)
		return;
	if (!id->puny) {
		text_put(r->out, id->s, id->n);
		return;
	}
	if (rust_punycode(r->out, id))
		return;
	text_str(r->out, "punycode{");
	if (id->n) {
		text_put(r->out, id->s, id->n);
		text_char(r->out, '-');
	}
	text_put(r->out, id->puny, id->puny_n);
	text_char(r->out, '}');
}

/* Past a B: goes on at what it refers to; what it returns must be given back as r->p. */
static uint32_t
follow(struct rust *r)
{
	uint32_t at = r->p - 1;
	uint64_t to = base62(r);
	uint32_t back = r->p;

	if (r->bad || to >= at)
		fail(r);
	else
		r->p = (uint32_t)to;
	return back;
}

static void
come_back(struct rust *r, uint32_t p)
{
	r->p = r->bad ? r->n : p;
}

/* 'a is the outermost that is bound; 0 is none. */
static void
lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->lifetimes - index;
	char name[2] = { (char)('a' + depth % 26), 0 };

	put(r, "'");
	if (!index)
		put(r, "_");
	else if (index > r->lifetimes)
		fail(r);
	else if (depth < 26)
		put(r, name);
	else {
		put(r, "_");
		put_num(r, depth);
	}
}

/* for<'a, 'b>, where there is one; what it returns must be taken off r->lifetimes. */
static uint64_t
binder(struct rust *r)
{
	uint64_t n = tagged62(r, 'G');

	if (!n)
		return 0;
	if (n > r->n || r->lifetimes > UINT32_MAX) {
		fail(r);
		return 0;
	}
	put(r, "for<");
	for (uint64_t i = 0; i < n && !r->out->full; i++) {
		put(r, i ? ", " : "");
		r->lifetimes++;
		lifetime(r, 1);
	}
	put(r, "> ");
	return n;
}

static void
generic_arg(struct rust *r)
{
	if (eat(r, 'L'))
		lifetime(r, base62(r));
	else if (eat(r, 'K'))
		constant(r, false);
	else
		type(r);
}

/* Items up to the E, with commas; how many. */
static unsigned
items(struct rust *r, void (*item)(struct rust *))
{
	unsigned n = 0;

	for (; !r->bad && !eat(r, 'E'); n++) {
		put(r, n ? ", " : "");
		item(r);
	}
	return n;
}

/* Past an N. */
static void
nested(struct rust *r, bool in_value)
{
	char ns = next(r);
	uint64_t which;
	struct ident id;

	if (!((ns >= 'a' && ns <= 'z') || (ns >= 'A' && ns <= 'Z'))) {
		fail(r);
		return;
	}
	path(r, in_value, false);
	which = tagged62(r, 's');
	id = identifier(r);
	if (ns >= 'a') {
		if (id.n || id.puny_n) {
			put(r, "::");
			put_ident(r, &id);
		}
		return;
	}
	put(r, "::{");
	if (ns == 'C')
		put(r, "closure");
	else if (ns == 'S')
		put(r, "shim");
	else
		put(r, (char[]){ ns, 0 });
	if (id.n || id.puny_n) {
		put(r, ":");
		put_ident(r, &id);
	}
	put(r, "#");
	put_num(r, which);
	put(r, "}");
}

static void
impl_path(struct rust *r)
{
	bool was = r->quiet;

	r->quiet = true;
	tagged62(r, 's');
	path(r, false, false);
	r->quiet = was;
}

static void
crate(struct rust *r)
{
	uint64_t hash = tagged62(r, 's');
	struct ident id = identifier(r);

	put_ident(r, &id);
	if (r->verbose) {
		put(r, "[");
		put_hex(r, hash);
		put(r, "]");
	}
}

/* With OPEN, generic arguments are left without their ">"; true if they are. */
static bool
path(struct rust *r, bool in_value, bool open)
{
	char tag = next(r);
	bool opened = false;
	uint32_t back;
	bool quiet;

	if (!enter(r))
		return false;
	switch (tag) {
	case 'C':
		crate(r);
		break;
	case 'N':
		nested(r, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		if (tag != 'Y')
			impl_path(r);
		put(r, "<");
		type(r);
		if (tag != 'M') {
			put(r, " as ");
			path(r, false, false);
		}
		put(r, ">");
		break;
	case 'I':
		path(r, in_value, false);
		put(r, in_value ? "::<" : "<");
		quiet = r->quiet;
		r->quiet |= r->brief;
		items(r, generic_arg);
		r->quiet = quiet;
		if (open)
			opened = true;
		else
			put(r, ">");
		break;
	case 'B':
		back = follow(r);
		if (!r->quiet)
			opened = path(r, in_value, open);
		come_back(r, back);
		break;
	default:
		fail(r);
	}
	r->depth--;
	return opened;
}

static const char *
basic(char tag)
{
	static const char *const names[26] = { "i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		                               "i32",
		                               "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL, "i64",
		                               "u64", "!" };

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* Past an F. */
static void
fn_type(struct rust *r)
{
	uint64_t bound = binder(r);

	put(r, eat(r, 'U') ? "unsafe " : "");
	if (eat(r, 'K')) {
		put(r, "extern \"");
		if (eat(r, 'C'))
			put(r, "C");
		else {
			struct ident id = identifier(r);

			for (uint32_t i = 0; i < id.n && !r->bad; i++)
				put(r, (char[]){ id.s[i] == '_' ? '-' : id.s[i], 0 });
			if (id.puny || !id.n)
				fail(r);
		}
		put(r, "\" ");
	}
	put(r, "fn(");
	items(r, type);
	put(r, ")");
	if (!eat(r, 'u')) {
		put(r, " -> ");
		type(r);
	}
	r->lifetimes -= bound;
}

/* A trait with its associated types: Iterator<Item = u8>. */
static void
dyn_trait(struct rust *r)
{
	bool open = path(r, false, true), quiet = r->quiet;

	while (eat(r, 'p')) {
		struct ident id = identifier(r);

		put(r, !open ? "<" : r->brief ? "" : ", ");
		open = true;
		r->quiet |= r->brief;
		put_ident(r, &id);
		put(r, " = ");
		type(r);
		r->quiet = quiet;
	}
	put(r, open ? ">" : "");
}

/* Past a D. */
static void
dyn_type(struct rust *r)
{
	uint64_t bound, index;

	put(r, "dyn ");
	bound = binder(r);
	for (unsigned n = 0; !r->bad && !eat(r, 'E'); n++) {
		put(r, n ? " + " : "");
		dyn_trait(r);
	}
	r->lifetimes -= bound;
	if (!eat(r, 'L'))
		fail(r);
	else if ((index = base62(r))) {
		put(r, " + ");
		lifetime(r, index);
	}
}

/* Past a W: the values that a type is restricted to. */
static void
pattern(struct rust *r)
{
	unsigned n = 0;

	if (!enter(r))
		return;
	if (eat(r, 'R')) {
		constant(r, false);
		put(r, "..=");
		constant(r, false);
	} else if (eat(r, 'O')) {
		for (; !r->bad && !eat(r, 'E'); n++) {
			put(r, n ? " | " : "");
			pattern(r);
		}
	} else if (eat(r, 'N'))
		put(r, "!null");
	else
		fail(r);
	r->depth--;
}

static void
type(struct rust *r)
{
	char tag = next(r);
	uint64_t index;
	uint32_t back;

	if (!enter(r))
		return;
	switch (tag) {
	case 'R':
	case 'Q':
		put(r, "&");
		if (eat(r, 'L') && (index = base62(r))) {
			lifetime(r, index);
			put(r, " ");
		}
		put(r, tag == 'Q' ? "mut " : "");
		type(r);
		break;
	case 'P':
	case 'O':
		put(r, tag == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'A':
	case 'S':
		put(r, "[");
		type(r);
		if (tag == 'A') {
			put(r, "; ");
			constant(r, true);
		}
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, items(r, type) == 1 ? ",)" : ")");
		break;
	case 'F':
		fn_type(r);
		break;
	case 'D':
		dyn_type(r);
		break;
	case 'W':
		type(r);
		put(r, " is ");
		pattern(r);
		break;
	case 'B':
		back = follow(r);
		if (!r->quiet)
			type(r);
		come_back(r, back);
		break;
	default:
		if (basic(tag))
			put(r, basic(tag));
		else if (!r->bad) {
			r->p--;
			path(r, false, false);
		}
	}
	r->depth--;
}

/* Hex digits up to "_": how many after leading zeros, from *S on; their value where they are at most 16. */
static uint32_t
hex(struct rust *r, const char **s, uint64_t *v)
{
	uint32_t n;

	while (peek(r) == '0' && r->p + 1 < r->n && r->s[r->p + 1] != '_')
		r->p++;
	*s = r->s + r->p;
	for (n = 0, *v = 0; !eat(r, '_'); n++) {
		char c = next(r);

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
			fail(r);
			return 0;
		}
		*v = *v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (!n)
		fail(r);
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
		put(r, "\\u{");
		put_hex(r, c);
		put(r, "}");
	} else
		text_utf8(r->out, c);
}

/* The bytes of a string, two hex digits each. */
static void
string(struct rust *r)
{
	uint32_t start = r->p, pending = 0, more = 0;

	put(r, "\"");
	while (!eat(r, '_') && !r->bad) {
		const char pair[3] = { next(r), next(r), 0 }, *p = pair;
		uint64_t v;

		if (r->bad || !text_hex(&p, &v) || p != pair + 2 ||
		    (more ? (v & 0xc0) != 0x80 : v >= 0x80 && (v < 0xc2 || v > 0xf4))) {
			fail(r);
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
		fail(r);
	put(r, "\"");
}

static void
integer(struct rust *r, char tag)
{
	const char *s;
	uint64_t v;
	uint32_t n;

	if (strchr("aslxni", tag) && eat(r, 'n'))
		put(r, "-");
	n = hex(r, &s, &v);
	if (n > 16 && !r->quiet && !r->bad) {
		text_str(r->out, "0x");
		text_put(r->out, s, n);
	} else
		put_num(r, v);
}

/* A field of a constant: name: value. */
static void
field(struct rust *r)
{
	struct ident id;

	tagged62(r, 's');
	id = identifier(r);
	put_ident(r, &id);
	put(r, ": ");
	constant(r, true);
}

static void
element(struct rust *r)
{
	constant(r, true);
}

/* Past a V: a structure or a variant of an enumeration. */
static void
structure(struct rust *r)
{
	path(r, true, false);
	switch (next(r)) {
	case 'U':
		break;
	case 'T':
		put(r, "(");
		items(r, element);
		put(r, ")");
		break;
	case 'S':
		put(r, " { ");
		items(r, field);
		put(r, " }");
		break;
	default:
		fail(r);
	}
}

/* IN_VALUE: as a part of another value, where no braces are needed around it. */
static void
constant(struct rust *r, bool in_value)
{
	char tag = next(r);
	bool typed = r->verbose && tag && strchr("hmytojaslxnibc", tag), braces = !in_value && tag && strchr("eRQATV", tag);
	const char *s;
	uint32_t back;
	uint64_t v;

	if (!enter(r))
		return;
	if (tag == 'R' && peek(r) == 'e')
		braces = false;
	put(r, braces ? "{" : "");
	switch (tag) {
	case 'p':
		put(r, "_");
		break;
	case 'h': case 'm': case 'y': case 't': case 'o': case 'j':
	case 'a': case 's': case 'l': case 'x': case 'n': case 'i':
		integer(r, tag);
		break;
	case 'b':
		if (hex(r, &s, &v) != 1 || v > 1)
			fail(r);
		put(r, v ? "true" : "false");
		break;
	case 'c':
		if (hex(r, &s, &v) > 6 || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
			fail(r);
		put(r, "'");
		put_escaped(r, (uint32_t)v, '\'');
		put(r, "'");
		break;
	case 'e':
		put(r, "*");
		string(r);
		break;
	case 'R':
		if (eat(r, 'e')) {
			string(r);
			break;
		} /* fallthrough */
	case 'Q':
		put(r, tag == 'R' ? "&" : "&mut ");
		constant(r, true);
		break;
	case 'A':
		put(r, "[");
		items(r, element);
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, items(r, element) == 1 ? ",)" : ")");
		break;
	case 'V':
		structure(r);
		break;
	case 'B':
		back = follow(r);
		if (!r->quiet)
			constant(r, in_value);
		come_back(r, back);
		break;
	default:
		fail(r);
	}
	put(r, braces ? "}" : "");
	if (typed) {
		put(r, ": ");
		put(r, basic(tag));
	}
	r->depth--;
}

bool
rust_v0(struct text *out, const char *s, unsigned flags)
{
	struct rust r = { .s = s, .n = (uint32_t)strcspn(s, "."), .out = out, .verbose = flags & DEMANGLE_VERBOSE, .brief = flags & DEMANGLE_SHORT, .budget = RUST_BUDGET };

	if (!(*s >= 'A' && *s <= 'Z') || r.n > TEXT_MAX)
		return false;
	for (uint32_t i = 0; i < r.n; i++)
		if (!(s[i] == '_' || (s[i] >= '0' && s[i] <= '9') || ((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z')))
			return false;
	path(&r, true, false);
	if (!r.bad && r.p < r.n) {   /* the crate that instantiated it */
		r.quiet = true;
		path(&r, false, false);
	}
	return !r.bad && r.p == r.n;
}
