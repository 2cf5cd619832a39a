/* C++ names parsed: names and types.  Itanium C++ ABI, section 5.1 (mangling), and what GCC and clang have added. */
#include "demangle_cxx.h"

#include <string.h>

#include "../lib/mem.h"

/* What one name may cost: nodes beyond a count for its length, and steps of parsing and printing. */
enum { PARSE_BUDGET = 64 /* times the length */, PRINT_BUDGET = 1 << 18, LENGTH_MAX = 64 << 10 };

uint32_t
cxx_fail(struct cxx *c)
{
	c->bad = true;
	c->p = c->end;
	return 0;
}

char
cxx_peek(const struct cxx *c)
{
	return c->p < c->end ? *c->p : 0;
}

char
cxx_peek2(const struct cxx *c)
{
	return c->end - c->p > 1 ? c->p[1] : 0;
}

bool
cxx_at_digit(const struct cxx *c)
{
	return cxx_digit(cxx_peek(c));
}

bool
cxx_eat(struct cxx *c, char ch)
{
	if (cxx_peek(c) != ch || !ch)
		return false;
	c->p++;
	return true;
}

bool
cxx_eat2(struct cxx *c, const char *two)
{
	if (cxx_peek(c) != two[0] || cxx_peek2(c) != two[1])
		return false;
	c->p += 2;
	return true;
}

void
cxx_want(struct cxx *c, char ch)
{
	if (!cxx_eat(c, ch))
		cxx_fail(c);
}

void
cxx_back(struct cxx *c, const struct cxx *before)
{
	uint32_t budget = c->budget;
	bool ambiguous = c->ambiguous;

	*c = *before;
	c->budget = budget;
	c->ambiguous = ambiguous;
	if (!budget)
		cxx_fail(c);
}

bool
cxx_enter(struct cxx *c)
{
	if (c->bad || c->depth >= DEMANGLE_DEPTH || !c->budget) {
		cxx_fail(c);
		return false;
	}
	c->budget--;
	c->depth++;
	return true;
}

uint32_t
cxx_node(struct cxx *c, enum kind kind, uint32_t a, uint32_t b, uint32_t d)
{
	if (c->bad || c->nodes == c->nodes_max)
		return cxx_fail(c);
	c->node[c->nodes] = (struct node){ .kind = (uint8_t)kind, .a = a, .b = b, .c = d };
	return c->nodes++;
}

uint32_t
cxx_text(struct cxx *c, enum kind kind, const char *s, uint32_t a)
{
	uint32_t n = cxx_node(c, kind, a, 0, 0);

	c->node[n].s = s;
	return n;
}

static uint32_t
fixed_name(struct cxx *c, const char *s)
{
	return cxx_text(c, K_NAME, s, (uint32_t)strlen(s));
}

static uint32_t
flagged(struct cxx *c, enum kind kind, unsigned flag, uint32_t a, uint32_t b)
{
	uint32_t n = cxx_node(c, kind, a, b, 0);

	c->node[n].flag = (uint8_t)flag;
	return n;
}

static uint32_t
remember(struct cxx *c, uint32_t n)
{
	if (c->bad || c->subs == c->subs_max)
		return cxx_fail(c);
	c->sub[c->subs++] = n;
	return n;
}

void
cxx_append(struct cxx *c, struct list *l, uint32_t item)
{
	uint32_t n = cxx_node(c, K_LIST, item, 0, 0);

	if (l->last)
		c->node[l->last].b = n;
	else
		l->first = n;
	l->last = n;
}

uint32_t
cxx_list(struct cxx *c, uint32_t (*item)(struct cxx *), char end)
{
	struct list l = { 0 };

	while (!c->bad && !cxx_eat(c, end))
		cxx_append(c, &l, item(c));
	return l.first;
}

uint32_t
cxx_number(struct cxx *c)
{
	uint32_t v = 0;

	if (!cxx_at_digit(c))
		return cxx_fail(c);
	while (cxx_at_digit(c)) {
		if (v > UINT32_MAX / 16)
			return cxx_fail(c);
		v = v * 10 + (uint32_t)(*c->p++ - '0');
	}
	return v;
}

/* "_" is 0, "0_" is 1 and so on. */
static uint32_t
ordinal(struct cxx *c)
{
	uint32_t v = 0;

	if (cxx_peek(c) != '_')
		v = cxx_number(c) + 1;
	cxx_want(c, '_');
	return v;
}

/* "_" digit or "__" digits "_": which of several of that name; nobody prints it. */
static void
discriminator(struct cxx *c)
{
	if (!cxx_eat(c, '_'))
		return;
	if (cxx_eat(c, '_')) {
		cxx_number(c);
		cxx_want(c, '_');
	} else if (cxx_at_digit(c))
		cxx_number(c);
}

unsigned
cxx_cv(struct cxx *c)
{
	unsigned cv = cxx_eat(c, 'r') ? CV_RESTRICT : 0;

	if (cxx_eat(c, 'V'))
		cv |= CV_VOLATILE;
	if (cxx_eat(c, 'K'))
		cv |= CV_CONST;
	return cv;
}

uint32_t
cxx_source_name(struct cxx *c)
{
	uint32_t n = cxx_number(c);
	const char *s = c->p;

#ifndef PLANT_DEMANGLE
	if (!n || n > (size_t)(c->end - s))
		return cxx_fail(c);
#endif
	c->p += n;
	if (n >= 10 && memcmp(s, "_GLOBAL_", 8) == 0 && strchr("._$", s[8]) && s[9] == 'N')
		return c->last = fixed_name(c, "(anonymous namespace)");
	return c->last = cxx_text(c, K_NAME, s, n);
}

static uint32_t
tags(struct cxx *c, uint32_t name)
{
	while (cxx_eat(c, 'B')) {
		uint32_t last = c->last;

		name = cxx_node(c, K_TAGGED, name, cxx_source_name(c), 0);
		c->last = last;
	}
	return name;
}

/* W name, W P name, S_: a module that following names are attached to. */
static uint32_t
module_name(struct cxx *c, uint32_t module)
{
	while (cxx_eat(c, 'W')) {
		bool partition = cxx_eat(c, 'P');

		module = remember(c, flagged(c, K_PARTITION, partition, module, cxx_source_name(c)));
	}
	return module;
}

static uint32_t
ctor(struct cxx *c)
{
	bool inherited = cxx_eat(c, 'I');
	char kind = cxx_peek(c);

	if (kind < '1' || kind > '5')
		return cxx_fail(c);
	c->p++;
	if (inherited)
		cxx_type(c);   /* it sets the name */
	return cxx_node(c, K_CTOR, c->last, 0, 0);
}

static uint32_t
bound_name(struct cxx *c)
{
	cxx_eat(c, 'L');
	return cxx_source_name(c);
}

static uint32_t
dtor_or_binding(struct cxx *c)
{
	char kind = cxx_peek(c);

	if (cxx_eat(c, 'C'))
		return cxx_node(c, K_BINDING, cxx_list(c, bound_name, 'E'), 0, 0);
	if (kind < '0' || kind > '5')
		return cxx_fail(c);
	c->p++;
	return cxx_node(c, K_DTOR, c->last, 0, 0);
}

/* Whether a template parameter's declaration comes, as lambdas and constrained arguments have it. */
static bool
at_head(const struct cxx *c)
{
	char kind = cxx_peek2(c);

	return cxx_peek(c) == 'T' && kind && strchr("yntpk", kind);
}

static uint32_t
head(struct cxx *c)
{
	char kind = cxx_peek2(c);
	struct list l = { 0 };
	uint32_t a = 0, b = 0;

	if (!at_head(c) || !cxx_enter(c))
		return cxx_fail(c);
	c->p += 2;
	if (kind == 'n')
		a = cxx_type(c);
	else if (kind == 'k')
		a = cxx_name(c);
	else if (kind == 'p')
		a = head(c);
	else if (kind == 't') {
		while (!c->bad && at_head(c))
			cxx_append(c, &l, head(c));
		if (cxx_eat(c, 'Q'))
			cxx_expr(c);
		cxx_want(c, 'E');
		a = l.first;
	}
	c->depth--;
	return flagged(c, K_HEAD, (unsigned char)kind, a, b);
}

/* "U" is eaten: t for a type without a name, l for a lambda. */
static uint32_t
closure(struct cxx *c)
{
	struct list heads = { 0 };
	uint32_t params, n;

	if (cxx_eat(c, 't'))
		n = cxx_node(c, K_UNNAMED, ordinal(c), 0, 0);
	else {
		cxx_want(c, 'l');
		while (!c->bad && at_head(c))
			cxx_append(c, &heads, head(c));
		if (cxx_eat(c, 'Q'))
			cxx_expr(c);
		params = cxx_params(c);
		if (cxx_eat(c, 'Q'))
			cxx_expr(c);
		cxx_want(c, 'E');
		n = cxx_node(c, K_LAMBDA, params, heads.first, ordinal(c));
	}
	return n;
}

uint32_t
cxx_unqualified(struct cxx *c, uint32_t scope)
{
	bool befriended = scope && cxx_eat(c, 'F');
	uint32_t module = 0, n;
	char ch;

	module = module_name(c, 0);
	ch = cxx_peek(c);
	if (ch == 'L') {
		c->p++;
		n = cxx_source_name(c);
		discriminator(c);
	} else if (cxx_digit(ch))
		n = cxx_source_name(c);
	else if (cxx_lower(ch))
		n = cxx_operator(c);
	else if (cxx_eat(c, 'C'))
		n = ctor(c);
	else if (cxx_eat(c, 'D'))
		n = dtor_or_binding(c);
	else if (cxx_eat(c, 'U'))
		n = closure(c);
	else
		return cxx_fail(c);
	if (module)
		n = cxx_node(c, K_MODULE, n, module, 0);
	n = tags(c, n);
	if (befriended)
		n = cxx_node(c, K_FRIEND, n, 0, 0);
	return scope ? cxx_node(c, K_QUAL, scope, n, 0) : n;
}

static const struct {
	char letter;
	const char *class, *simple, *full;
} standard[] = {
	{ 'a', "allocator", "std::allocator", "std::allocator" },
	{ 'b', "basic_string", "std::basic_string", "std::basic_string" },
	{ 's', "basic_string", "std::string", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >" },
	{ 'i', "basic_istream", "std::istream", "std::basic_istream<char, std::char_traits<char> >" },
	{ 'o', "basic_ostream", "std::ostream", "std::basic_ostream<char, std::char_traits<char> >" },
	{ 'd', "basic_iostream", "std::iostream", "std::basic_iostream<char, std::char_traits<char> >" },
};

/* S_, S0_ ..., St, Sa and so on.  With PREFIX a constructor may follow. */
uint32_t
cxx_substitution(struct cxx *c, bool prefix)
{
	char ch = cxx_peek2(c);
	uint32_t n = 0;

	c->p += 2;
	if (ch == 't')
		return fixed_name(c, "std");
	for (unsigned i = 0; i < sizeof standard / sizeof *standard; i++)
		if (ch == standard[i].letter) {
			bool full = c->verbose || (prefix && (cxx_peek(c) == 'C' || cxx_peek(c) == 'D'));

			c->last = fixed_name(c, standard[i].class);
			return tags(c, fixed_name(c, full ? standard[i].full : standard[i].simple));
		}
	c->p--;
	if (ch != '_') {
		for (; cxx_digit(ch = cxx_peek(c)) || (ch >= 'A' && ch <= 'Z'); c->p++) {
			if (n > UINT32_MAX / 64)
				return cxx_fail(c);
			n = n * 36 + (uint32_t)(ch <= '9' ? ch - '0' : ch - 'A' + 10);
		}
		n++;
	}
	cxx_want(c, '_');
	return n < c->subs ? c->sub[n] : cxx_fail(c);
}

uint32_t
cxx_template_param(struct cxx *c)
{
	uint32_t level = 0;

	cxx_want(c, 'T');
	if (cxx_eat(c, 'L'))
		level = ordinal(c) + 1;
	return flagged(c, K_PARAM, level < 255 ? level : 255, ordinal(c), 0);
}

uint32_t
cxx_template_arg(struct cxx *c)
{
	uint32_t n;

	if (!cxx_enter(c))
		return 0;
	if (at_head(c)) {
		head(c);   /* what the parameter is declared as, where overloads differ in that alone */
		n = cxx_template_arg(c);
	} else if (cxx_eat(c, 'X')) {
		n = cxx_expr(c);
		cxx_want(c, 'E');
	} else if (cxx_peek(c) == 'L')
		n = cxx_literal(c);
	else if (cxx_eat(c, 'I') || cxx_eat(c, 'J'))
		n = cxx_node(c, K_ARGS, cxx_list(c, cxx_template_arg, 'E'), 0, 0);
	else
		n = cxx_type(c);
	c->depth--;
	return n;
}

/* NAME with the arguments that stand here. */
uint32_t
cxx_template_args(struct cxx *c, uint32_t name)
{
	uint32_t last = c->last, constraint = 0;
	bool conv = c->conversion;
	struct list l = { 0 };

	if (!cxx_eat(c, 'I') && !cxx_eat(c, 'J'))
		return cxx_fail(c);
	c->conversion = false;
	while (!c->bad && !cxx_eat(c, 'E')) {
		if (cxx_eat(c, 'Q'))
			constraint = cxx_expr(c);
		else
			cxx_append(c, &l, cxx_template_arg(c));
	}
	c->last = last;
	c->conversion = conv;
	return cxx_node(c, K_TEMPLATE, name, l.first, constraint);
}

static uint32_t
decltype_of(struct cxx *c)
{
	uint32_t n;

	c->p += 2;
	n = cxx_expr(c);
	cxx_want(c, 'E');
	return cxx_text(c, K_WRAP, "decltype (", n);
}

/* What may stand before "::", and the last name, up to the E. */
static uint32_t
prefix(struct cxx *c)
{
	uint32_t n = 0;

	while (!c->bad && !cxx_eat(c, 'E')) {
		char ch = cxx_peek(c), next = cxx_peek2(c);
		bool fresh = true;

		if (ch == 'I')
			n = n ? cxx_template_args(c, n) : cxx_fail(c);
		else if (ch == 'S' && !n) {
			n = cxx_substitution(c, true);
			fresh = false;
		} else if (ch == 'T' && !n)
			n = cxx_template_param(c);
		else if (ch == 'D' && (next == 't' || next == 'T') && !n)
			n = decltype_of(c);
		else if (ch == 'M' && n) {
			c->p++;
			fresh = false;
		} else
			n = cxx_unqualified(c, n);
		if (fresh && cxx_peek(c) != 'E')
			remember(c, n);
	}
	return n ? n : cxx_fail(c);
}

static uint32_t
nested(struct cxx *c)
{
	unsigned quals = cxx_eat(c, 'H') ? CV_THIS : cxx_cv(c);
	uint32_t n;

	if (cxx_eat(c, 'R'))
		quals |= CV_LREF;
	else if (cxx_eat(c, 'O'))
		quals |= CV_RREF;
	n = prefix(c);
	return quals ? flagged(c, K_MEMBER, quals, n, 0) : n;
}

/* "Z" is eaten: something inside a function. */
static uint32_t
local(struct cxx *c)
{
	uint32_t function = cxx_encoding(c), n, which = 0;
	unsigned quals = 0;
	bool in_default = false;

	cxx_want(c, 'E');
	if (cxx_eat(c, 's')) {
		discriminator(c);
		return cxx_node(c, K_LOCAL, function, fixed_name(c, "string literal"), 0);
	}
	if (cxx_eat(c, 'd')) {
		in_default = true;
		which = ordinal(c);
	}
	n = cxx_name(c);
	if (c->node[n].kind != K_LAMBDA && c->node[n].kind != K_UNNAMED)
		discriminator(c);
	if (c->node[n].kind == K_MEMBER) {   /* the whole function's, not the local name's */
		quals = c->node[n].flag;
		n = c->node[n].a;
	}
	if (in_default)
		n = cxx_node(c, K_DEFAULT, which, n, 0);
	n = cxx_node(c, K_LOCAL, function, n, 0);
	return quals ? flagged(c, K_MEMBER, quals, n, 0) : n;
}

/* What follows the name of a MODULE. */
static uint32_t
in_module(struct cxx *c, uint32_t module)
{
	module = module_name(c, module);
	return cxx_node(c, K_MODULE, cxx_unqualified(c, 0), module, 0);
}

uint32_t
cxx_name(struct cxx *c)
{
	uint32_t n;
	bool substituted = false;

	if (!cxx_enter(c))
		return 0;
	if (cxx_eat(c, 'N'))
		n = nested(c);
	else if (cxx_eat(c, 'Z'))
		n = local(c);
	else {
		if (cxx_peek(c) == 'S' && cxx_peek2(c) == 't')
			n = cxx_unqualified(c, cxx_substitution(c, false));
		else if (cxx_peek(c) == 'S') {
			n = cxx_substitution(c, false);
			substituted = c->node[n].kind != K_PARTITION;
			if (!substituted)
				n = in_module(c, n);
		} else
			n = cxx_unqualified(c, 0);
		if (cxx_peek(c) == 'I') {
			if (!substituted)
				remember(c, n);
			n = cxx_template_args(c, n);
		}
	}
	c->depth--;
	return n;
}

/* Types up to the end; a lone void is none. */
uint32_t
cxx_params(struct cxx *c)
{
	struct list l = { 0 };
	const char *start = c->p;

	for (;;) {
		char ch = cxx_peek(c);

		if (!ch || ch == 'E' || ch == '.' || ch == 'Q' || ((ch == 'R' || ch == 'O') && cxx_peek2(c) == 'E'))
			break;
		cxx_append(c, &l, cxx_type(c));
	}
	if (!l.first)
		return cxx_fail(c);
	return c->p - start == 1 && *start == 'v' ? 0 : l.first;
}

/* Past an F. */
static uint32_t
function_type(struct cxx *c, uint32_t exceptions, bool safe)
{
	unsigned flags = safe ? CV_SAFE : 0;
	uint32_t ret, n;

	cxx_want(c, 'F');
	cxx_eat(c, 'Y');
	ret = cxx_type(c);
	n = cxx_node(c, K_FUNCTION, ret, cxx_params(c), exceptions);
	if (cxx_eat(c, 'R'))
		flags |= CV_LREF;
	else if (cxx_eat(c, 'O'))
		flags |= CV_RREF;
	cxx_want(c, 'E');
	c->node[n].flag = (uint8_t)flags;
	return n;
}

/* From an F on, or from the exception specification before it. */
static uint32_t
function_with_exceptions(struct cxx *c)
{
	uint32_t exceptions = 0;
	bool safe;

	if (cxx_eat2(c, "Do"))
		exceptions = fixed_name(c, " noexcept");
	else if (cxx_eat2(c, "DO")) {
		exceptions = cxx_text(c, K_WRAP, " noexcept(", cxx_expr(c));
		cxx_want(c, 'E');
	} else if (cxx_eat2(c, "Dw"))
		exceptions = cxx_text(c, K_WRAP, " throw(", cxx_list(c, cxx_type, 'E'));
	safe = cxx_eat2(c, "Dx");
	return function_type(c, exceptions, safe);
}

static bool
at_function(const struct cxx *c)
{
	char next = cxx_peek2(c);

	return cxx_peek(c) == 'F' || (cxx_peek(c) == 'D' && next && strchr("oOwx", next));
}

/* Digits as they stand. */
static uint32_t
digits(struct cxx *c)
{
	const char *s = c->p;

	while (cxx_at_digit(c))
		c->p++;
	return cxx_text(c, K_NAME, s, (uint32_t)(c->p - s));
}

/* Past A or Dv: how many of what. */
static uint32_t
array(struct cxx *c, enum kind kind)
{
	uint32_t size = 0;

	if (cxx_at_digit(c))
		size = digits(c);
	else if (cxx_peek(c) != '_')
		size = cxx_expr(c);
	else if (kind == K_VECTOR) {
		c->p++;
		size = cxx_expr(c);
	}
	cxx_want(c, '_');
	return cxx_node(c, kind, size, cxx_type(c), 0);
}

/* Past DF: _Float and how many bits. */
static uint32_t
float_type(struct cxx *c)
{
	static const char *const names[] = { "16", "_Float16",   "32", "_Float32",   "64", "_Float64", "128", "_Float128",
		                             "32x", "_Float32x", "64x", "_Float64x", "128x", "_Float128x",
		                             "16b", "std::bfloat16_t" };
	const char *s = c->p;
	size_t n;

	cxx_number(c);
	if (!cxx_eat(c, 'x') && !cxx_eat(c, 'b'))
		cxx_want(c, '_');
	if (c->bad)
		return 0;
	n = (size_t)(c->p - s) - (c->p[-1] == '_');
	for (unsigned i = 0; i < sizeof names / sizeof *names; i += 2)
		if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0)
			return cxx_text(c, K_BUILTIN, names[i + 1], 0);
	return cxx_fail(c);
}

/* Past DB or DU. */
static uint32_t
bit_int(struct cxx *c, const char *name)
{
	uint32_t n = cxx_text(c, K_WRAP, name, cxx_at_digit(c) ? digits(c) : cxx_expr(c));

	cxx_want(c, '_');
	return n;
}

/* Past a D.  *FRESH becomes false where substitutions do not count it. */
static uint32_t
d_type(struct cxx *c, bool *fresh)
{
	static const char plain[] = "dfehsiuanc";
	static const char *const name[] = { "decimal64", "decimal32", "decimal128", "half", "char16_t", "char32_t", "char8_t",
		                            "auto", "decltype(nullptr)", "decltype(auto)" };
	char ch = cxx_peek(c);
	const char *at = ch ? strchr(plain, ch) : NULL;

	*fresh = false;
	c->p += ch != 0;
	if (at)
		return cxx_text(c, K_BUILTIN, name[at - plain], 0);
	if (ch == 'F')
		return float_type(c);
	if (ch == 'B')
		return bit_int(c, "_BitInt(");
	if (ch == 'U')
		return bit_int(c, "unsigned _BitInt(");
	if (ch == 'k' || ch == 'K') {
		uint32_t n = cxx_name(c);

		return cxx_text(c, K_POSTFIX, ch == 'k' ? " auto" : " decltype(auto)", n);
	}
	*fresh = true;
	if (ch == 'p')
		return cxx_node(c, K_PACK, cxx_type(c), 0, 0);
	if (ch == 'v')
		return array(c, K_VECTOR);
	if (ch == 't' || ch == 'T') {
		c->p -= 2;
		return decltype_of(c);
	}
	return cxx_fail(c);
}

static const char *const builtins[26] = {
	"signed char", "bool", "char", "double", "long double", "float", "__float128", "unsigned char", "int", "unsigned int",
	NULL, "long", "unsigned long", "__int128", "unsigned __int128", NULL, NULL, NULL, "short", "unsigned short", NULL,
	"void", "wchar_t", "long long", "unsigned long long", "...",
};

/* T_, with arguments where it is a template's; Ts, Te and Tu before a name say what it was declared as. */
static uint32_t
param_type(struct cxx *c)
{
	struct cxx before;
	uint32_t n, with;

	if (cxx_peek2(c) && strchr("seu", cxx_peek2(c))) {
		c->p += 2;
		return cxx_name(c);
	}
	n = cxx_template_param(c);
	if (cxx_peek(c) != 'I')
		return n;
	before = *c;
	remember(c, n);
	with = cxx_template_args(c, n);
	if (!c->conversion || cxx_peek(c) == 'I')
		return with;
	cxx_back(c, &before);
	return n;
}

/* A type that begins with S; *FRESH unless it is one that substitutions count already, or never. */
static uint32_t
s_type(struct cxx *c, bool *fresh)
{
	char next = cxx_peek2(c);
	bool seq = next == '_' || cxx_digit(next) || (next >= 'A' && next <= 'Z');
	uint32_t subs = c->subs, n;

	n = seq ? cxx_substitution(c, false) : cxx_name(c);
	if (!seq)
		*fresh = next == 't' || c->subs != subs || c->node[n].kind == K_TEMPLATE;
	else if (c->node[n].kind == K_PARTITION)
		n = in_module(c, n);
	else if (cxx_peek(c) == 'I')
		n = cxx_template_args(c, n);
	else
		*fresh = false;
	return n;
}

/* What has a letter of its own, which is eaten; *FRESH as above. */
static uint32_t
letter_type(struct cxx *c, char ch, bool *fresh)
{
	uint32_t n;

	switch (ch) {
	case 'P':
	case 'R':
	case 'O':
		return cxx_node(c, ch == 'P' ? K_POINTER : ch == 'R' ? K_LREF : K_RREF, cxx_type(c), 0, 0);
	case 'C':
	case 'G':
		return cxx_text(c, K_POSTFIX, ch == 'C' ? " _Complex" : " _Imaginary", cxx_type(c));
	case 'A':
		return array(c, K_ARRAY);
	case 'M':
		n = cxx_type(c);
		return cxx_node(c, K_MEMBER_PTR, n, cxx_type(c), 0);
	case 'U':
	case 'u':
		n = cxx_source_name(c);
		if (cxx_peek(c) == 'I')
			n = cxx_template_args(c, n);
		return ch == 'u' ? n : cxx_node(c, K_VENDOR_CV, cxx_type(c), n, 0);
	case 'D':
		return d_type(c, fresh);
	}
	*fresh = false;
	return cxx_lower(ch) && builtins[ch - 'a'] ? cxx_text(c, K_BUILTIN, builtins[ch - 'a'], 0) : cxx_fail(c);
}

static uint32_t
type_inner(struct cxx *c)
{
	char ch = cxx_peek(c), next = cxx_peek2(c);
	bool fresh = true;
	unsigned cv = cxx_cv(c);
	uint32_t n;

	if (cv)
		n = flagged(c, K_CV, cv, at_function(c) ? function_with_exceptions(c) : cxx_type(c), 0);
	else if (at_function(c))
		n = function_with_exceptions(c);
	else if (cxx_digit(ch) || ch == 'N' || ch == 'Z' || ch == 'W' || (ch == 'U' && (next == 't' || next == 'l')))
		n = cxx_name(c);
	else if (ch == 'S')
		n = s_type(c, &fresh);
	else if (ch == 'T')
		n = param_type(c);
	else {
		c->p += ch != 0;
		n = letter_type(c, ch, &fresh);
	}
	return fresh ? remember(c, n) : n;
}

uint32_t
cxx_type(struct cxx *c)
{
	uint32_t n;

	if (!cxx_enter(c))
		return 0;
	n = type_inner(c);
	c->depth--;
	return n;
}

/* h n _ or v n _ n _: by how much a thunk moves `this'. */
static void
call_offset(struct cxx *c)
{
	bool two = cxx_eat(c, 'v');

	if (!two)
		cxx_want(c, 'h');
	for (int i = 0; i <= two; i++) {
		cxx_eat(c, 'n');
		cxx_number(c);
		cxx_want(c, '_');
	}
}

/* Code, what follows (t: type, n: name, e: encoding, o: offset and encoding, b: two offsets, a: template argument,
 * m: module, v: type in type, r: temporary, c: clone), text. */
static const char specials[] =
	"TVtvtable for \0" "TTtVTT for \0" "TIttypeinfo for \0" "TSttypeinfo name for \0" "TFttypeinfo fn for \0"
	"TJtjava Class for \0" "Thonon-virtual thunk to \0" "Tvovirtual thunk to \0" "Tcbcovariant return thunk to \0"
	"THnTLS init function for \0" "TWnTLS wrapper function for \0" "TAatemplate parameter object for \0"
	"GVnguard variable for \0" "GAehidden alias for \0" "GIminitializer for module \0"
	"TCvconstruction vtable for \0" "GRrreference temporary #\0" "GTctransaction clone for \0";

/* TYPE number _ TYPE: the second in the first. */
static uint32_t
type_in_type(struct cxx *c)
{
	uint32_t whole = cxx_type(c), n;

	cxx_number(c);
	cxx_want(c, '_');
	n = cxx_text(c, K_INFIX, "-in-", cxx_type(c));
	c->node[n].b = whole;
	return n;
}

/* A temporary of a reference: NAME, then which, with or without the "_" of newer compilers. */
static uint32_t
temporary(struct cxx *c)
{
	uint32_t name = cxx_name(c), n;
	const char *s = c->p;

	while (cxx_at_digit(c) || (cxx_peek(c) >= 'A' && cxx_peek(c) <= 'Z'))
		c->p++;
	n = c->p > s ? cxx_text(c, K_NAME, s, (uint32_t)(c->p - s)) : fixed_name(c, "0");
	cxx_eat(c, '_');
	n = cxx_text(c, K_INFIX, " for ", n);
	c->node[n].b = name;
	return n;
}

static uint32_t
special(struct cxx *c)
{
	const char *sp = specials;
	uint32_t n;

	while (*sp && !cxx_eat2(c, sp))
		sp += strlen(sp) + 1;
	if (!*sp)
		return cxx_fail(c);
	switch (sp[2]) {
	case 't': n = cxx_type(c); break;
	case 'n': n = cxx_name(c); break;
	case 'a': n = cxx_template_arg(c); break;
	case 'm': n = module_name(c, 0); break;
	case 'v': n = type_in_type(c); break;
	case 'r': n = temporary(c); break;
	case 'o':
	case 'b':
		c->p -= sp[2] == 'o';   /* its second letter is the offset's kind */
		call_offset(c);
		if (sp[2] == 'b')
			call_offset(c);
		n = cxx_encoding(c);
		break;
	case 'c':
		if (cxx_eat(c, 'n'))
			return cxx_text(c, K_PREFIX, "non-transaction clone for ", cxx_encoding(c));
		c->p += cxx_peek(c) != 0; /* fallthrough */
	default: n = cxx_encoding(c);
	}
	return cxx_text(c, K_PREFIX, sp + 3, n);
}

/* Whether NAME, a function, carries its return type: templates do, constructors and conversions do not. */
static bool
has_return(const struct cxx *c, uint32_t name)
{
	const struct node *n = &c->node[name];

	while (n->kind == K_MEMBER || n->kind == K_LOCAL || n->kind == K_DEFAULT)
		n = &c->node[n->kind == K_MEMBER ? n->a : n->b];
	if (n->kind != K_TEMPLATE)
		return false;
	for (n = &c->node[n->a];; n = &c->node[n->kind == K_TAGGED || n->kind == K_FRIEND || n->kind == K_MODULE ? n->a : n->b])
		if (n->kind == K_CTOR || n->kind == K_DTOR || n->kind == K_CONVERSION)
			return false;
		else if (n->kind != K_QUAL && n->kind != K_LOCAL && n->kind != K_TAGGED && n->kind != K_FRIEND &&
		         n->kind != K_MODULE && n->kind != K_DEFAULT)
			return true;
}

/* A function with its parameters, or an object. */
uint32_t
cxx_encoding(struct cxx *c)
{
	uint32_t name, ret = 0, n = 0;

	if (!cxx_enter(c))
		return 0;
	if (cxx_peek(c) == 'G' || cxx_peek(c) == 'T')
		n = special(c);
	else {
		name = cxx_name(c);
		n = name;
		if (cxx_peek(c) && cxx_peek(c) != 'E') {
			unsigned quals = 0;

			cxx_eat(c, 'J');
			if (has_return(c, name))
				ret = cxx_type(c);
			if (c->node[name].kind == K_MEMBER) {
				quals = c->node[name].flag;
				name = c->node[name].a;
			}
			n = cxx_node(c, K_FUNCTION, ret, cxx_params(c), 0);
			n = flagged(c, K_ENCODING, quals, name, n);
			if (cxx_eat(c, 'Q'))
				c->node[n].c = cxx_expr(c);
		}
	}
	c->depth--;
	return n;
}

/* .part.0 .cold .llvm.123: a copy that the compiler made. */
static uint32_t
clone(struct cxx *c, uint32_t n)
{
	const char *s = c->p++;
	char ch = cxx_peek(c);

	if (!cxx_lower(ch) && ch != '_' && !cxx_digit(ch))
		return cxx_fail(c);
	if (!cxx_digit(ch))
		while (cxx_lower(ch = cxx_peek(c)) || ch == '_')
			c->p++;
	else
		c->p--;
	while (cxx_peek(c) == '.' && cxx_digit(cxx_peek2(c)))
		for (c->p++; cxx_at_digit(c); c->p++)
			;
	n = cxx_node(c, K_CLONE, n, cxx_text(c, K_NAME, s, (uint32_t)(c->p - s)), 0);
	return n;
}

static uint32_t
parse(struct cxx *c)
{
	uint32_t n;

	if (cxx_eat2(c, "_Z"))
		n = cxx_encoding(c);
	else {
		const char *text = c->p[9] == 'I' ? "global constructors keyed to " : "global destructors keyed to ";

		c->p += 11;
		n = cxx_eat2(c, "_Z") ? cxx_encoding(c) : cxx_text(c, K_NAME, c->p, (uint32_t)(c->end - c->p));
		if (c->node[n].kind == K_NAME)
			c->p = c->end;
		n = cxx_text(c, K_PREFIX, text, n);
	}
	while (!c->bad && cxx_peek(c) == '.')
		n = clone(c, n);
	return c->p < c->end ? cxx_fail(c) : n;
}

bool
cxx_demangle(struct text *out, const char *s, bool verbose)
{
	enum { SMALL = 256 };
	struct node few[SMALL * 2 + 16];
	uint32_t few_subs[SMALL], cap_nodes = 0, cap_subs = 0, n;
	struct cxx c = { .p = s, .verbose = verbose, .node = few, .sub = few_subs, .out = out };
	size_t len;

	if (memcmp(s, "_Z", 2) != 0 && (strncmp(s, "_GLOBAL_", 8) != 0 || !s[8] || !strchr("_.$", s[8]) ||
	                                (s[9] != 'I' && s[9] != 'D') || s[10] != '_'))
		return false;
	len = strnlen(s, LENGTH_MAX);
	c.end = s + len;
	c.nodes_max = 2 * (uint32_t)len + 16;
	c.subs_max = (uint32_t)len;
	if (len == LENGTH_MAX)
		return false;
	if (len > SMALL) {
		c.node = NULL;
		c.sub = NULL;
		if (!vec_room(&c.node, &cap_nodes, c.nodes_max, sizeof *c.node) ||
		    !vec_room(&c.sub, &cap_subs, c.subs_max, sizeof *c.sub))
			cxx_fail(&c);
	}
	if (!c.bad) {
		struct cxx again;

		c.node[0] = (struct node){ 0 };
		c.nodes = 1;
		c.budget = PARSE_BUDGET * ((uint32_t)len + 16);
		again = c;
		n = parse(&c);
		if (c.bad && c.ambiguous) {
			c = again;
			c.by_types = true;
			n = parse(&c);
		}
		c.depth = 0;
		c.budget = PRINT_BUDGET;
		if (!c.bad)
			cxx_print(&c, n);
	}
	if (len > SMALL) {
		vec_free(&c.node, &cap_nodes, sizeof *c.node);
		vec_free(&c.sub, &cap_subs, sizeof *c.sub);
	}
	return !c.bad && !out->full;
}
