/* Rust's v0 names, RFC 2603 with what rustc has added since: paths and types. */
#include "rust_v0.h"

#include <string.h>

static void
generic_arg(struct rust *r)
{
	if (rust_eat(r, 'L'))
		rust_lifetime(r, rust_base62(r));
	else if (rust_eat(r, 'K'))
		rust_constant(r, false);
	else
		rust_type(r);
}

unsigned
rust_items(struct rust *r, void (*item)(struct rust *))
{
	unsigned n = 0;

	for (; !r->bad && !rust_eat(r, 'E'); n++) {
		rust_put(r, n ? ", " : "");
		item(r);
	}
	return n;
}

/* A nested path, behind its N. */
static void
nested(struct rust *r, bool in_value)
{
	char ns = rust_next(r);
	uint64_t which;
	struct ident id;

	if (!((ns >= 'a' && ns <= 'z') || (ns >= 'A' && ns <= 'Z'))) {
		rust_fail(r);
		return;
	}
	rust_path(r, in_value, false);
	which = rust_tagged62(r, 's');
	id = rust_identifier(r);
	if (ns >= 'a') {
		if (id.n || id.puny_n) {
			rust_put(r, "::");
			rust_put_ident(r, &id);
		}
		return;
	}
	rust_put(r, "::{");
	if (ns == 'C')
		rust_put(r, "closure");
	else if (ns == 'S')
		rust_put(r, "shim");
	else
		rust_put(r, (char[]){ ns, 0 });
	if (id.n || id.puny_n) {
		rust_put(r, ":");
		rust_put_ident(r, &id);
	}
	rust_put(r, "#");
	rust_put_num(r, which);
	rust_put(r, "}");
}

static void
impl_path(struct rust *r)
{
	bool was = r->quiet;

	r->quiet = true;
	rust_tagged62(r, 's');
	rust_path(r, false, false);
	r->quiet = was;
}

static void
crate(struct rust *r)
{
	uint64_t hash = rust_tagged62(r, 's');
	struct ident id = rust_identifier(r);

	rust_put_ident(r, &id);
	if (r->verbose) {
		rust_put(r, "[");
		rust_put_hex(r, hash);
		rust_put(r, "]");
	}
}

bool
rust_path(struct rust *r, bool in_value, bool open)
{
	char tag = rust_next(r);
	bool opened = false;
	uint32_t back;
	bool quiet;

	if (!rust_enter(r))
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
		rust_put(r, "<");
		rust_type(r);
		if (tag != 'M') {
			rust_put(r, " as ");
			rust_path(r, false, false);
		}
		rust_put(r, ">");
		break;
	case 'I':
		rust_path(r, in_value, false);
		rust_put(r, in_value ? "::<" : "<");
		quiet = r->quiet;
		r->quiet |= r->brief;
		rust_items(r, generic_arg);
		r->quiet = quiet;
		if (open)
			opened = true;
		else
			rust_put(r, ">");
		break;
	case 'B':
		back = rust_follow(r);
		if (!r->quiet)
			opened = rust_path(r, in_value, open);
		rust_come_back(r, back);
		break;
	default:
		rust_fail(r);
	}
	r->depth--;
	return opened;
}

const char *
rust_basic(char tag)
{
	static const char *const names[26] = { "i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		                               "i32",
		                               "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL, "i64",
		                               "u64", "!" };

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* A function pointer, behind its F. */
static void
fn_type(struct rust *r)
{
	uint64_t bound = rust_binder(r);

	rust_put(r, rust_eat(r, 'U') ? "unsafe " : "");
	if (rust_eat(r, 'K')) {
		rust_put(r, "extern \"");
		if (rust_eat(r, 'C'))
			rust_put(r, "C");
		else {
			struct ident id = rust_identifier(r);

			for (uint32_t i = 0; i < id.n && !r->bad; i++)
				rust_put(r, (char[]){ id.s[i] == '_' ? '-' : id.s[i], 0 });
			if (id.puny || !id.n)
				rust_fail(r);
		}
		rust_put(r, "\" ");
	}
	rust_put(r, "fn(");
	rust_items(r, rust_type);
	rust_put(r, ")");
	if (!rust_eat(r, 'u')) {
		rust_put(r, " -> ");
		rust_type(r);
	}
	r->lifetimes -= bound;
}

/* A trait with its associated types: Iterator<Item = u8>. */
static void
dyn_trait(struct rust *r)
{
	bool open = rust_path(r, false, true), quiet = r->quiet;

	while (rust_eat(r, 'p')) {
		struct ident id = rust_identifier(r);

		rust_put(r, !open ? "<" : r->brief ? "" : ", ");
		open = true;
		r->quiet |= r->brief;
		rust_put_ident(r, &id);
		rust_put(r, " = ");
		rust_type(r);
		r->quiet = quiet;
	}
	rust_put(r, open ? ">" : "");
}

/* A dyn type, behind its D. */
static void
dyn_type(struct rust *r)
{
	uint64_t bound, index;

	rust_put(r, "dyn ");
	bound = rust_binder(r);
	for (unsigned n = 0; !r->bad && !rust_eat(r, 'E'); n++) {
		rust_put(r, n ? " + " : "");
		dyn_trait(r);
	}
	r->lifetimes -= bound;
	if (!rust_eat(r, 'L'))
		rust_fail(r);
	else if ((index = rust_base62(r))) {
		rust_put(r, " + ");
		rust_lifetime(r, index);
	}
}

/* Behind a W: the values that a type is restricted to. */
static void
pattern(struct rust *r)
{
	unsigned n = 0;

	if (!rust_enter(r))
		return;
	if (rust_eat(r, 'R')) {
		rust_constant(r, false);
		rust_put(r, "..=");
		rust_constant(r, false);
	} else if (rust_eat(r, 'O')) {
		for (; !r->bad && !rust_eat(r, 'E'); n++) {
			rust_put(r, n ? " | " : "");
			pattern(r);
		}
	} else if (rust_eat(r, 'N'))
		rust_put(r, "!null");
	else
		rust_fail(r);
	r->depth--;
}

void
rust_type(struct rust *r)
{
	char tag = rust_next(r);
	uint64_t index;
	uint32_t back;

	if (!rust_enter(r))
		return;
	switch (tag) {
	case 'R':
	case 'Q':
		rust_put(r, "&");
		if (rust_eat(r, 'L') && (index = rust_base62(r))) {
			rust_lifetime(r, index);
			rust_put(r, " ");
		}
		rust_put(r, tag == 'Q' ? "mut " : "");
		rust_type(r);
		break;
	case 'P':
	case 'O':
		rust_put(r, tag == 'P' ? "*const " : "*mut ");
		rust_type(r);
		break;
	case 'A':
	case 'S':
		rust_put(r, "[");
		rust_type(r);
		if (tag == 'A') {
			rust_put(r, "; ");
			rust_constant(r, true);
		}
		rust_put(r, "]");
		break;
	case 'T':
		rust_put(r, "(");
		rust_put(r, rust_items(r, rust_type) == 1 ? ",)" : ")");
		break;
	case 'F':
		fn_type(r);
		break;
	case 'D':
		dyn_type(r);
		break;
	case 'W':
		rust_type(r);
		rust_put(r, " is ");
		pattern(r);
		break;
	case 'B':
		back = rust_follow(r);
		if (!r->quiet)
			rust_type(r);
		rust_come_back(r, back);
		break;
	default:
		if (rust_basic(tag))
			rust_put(r, rust_basic(tag));
		else if (!r->bad) {
			r->p--;
			rust_path(r, false, false);
		}
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
	rust_path(&r, true, false);
	if (!r.bad && r.p < r.n) {   /* the crate that instantiated it */
		r.quiet = true;
		rust_path(&r, false, false);
	}
	return !r.bad && r.p == r.n;
}
