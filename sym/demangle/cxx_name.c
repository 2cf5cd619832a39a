/* C++ names parsed: names, template arguments, substitutions.  Itanium C++ ABI, sections 5.1.2 to 5.1.4 and 5.1.7 to
 * 5.1.10. */
#include "cxx.h"

#include <string.h>

/* "_" digit or "__" digits "_": which of several with one name; it is not printed. */
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

uint32_t
cxx_source_name(struct cxx *c)
{
	uint32_t n = cxx_number(c);
	const char *s = c->p;

	if (!n || n > (size_t)(c->end - s))
		return cxx_fail(c);
	c->p += n;
	if (n >= 10 && memcmp(s, "_GLOBAL_", 8) == 0 && strchr("._$", s[8]) && s[9] == 'N')
		return c->last = cxx_fixed(c, "(anonymous namespace)");
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
uint32_t
cxx_module(struct cxx *c, uint32_t module)
{
	while (cxx_eat(c, 'W')) {
		bool partition = cxx_eat(c, 'P');

		module = cxx_remember(c, cxx_flagged(c, K_PARTITION, partition, module, cxx_source_name(c)));
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

/* Whether a template parameter's declaration comes next: lambdas and constrained arguments have such. */
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
	return cxx_flagged(c, K_HEAD, (unsigned char)kind, a, b);
}

/* "U" is eaten: t for a type without a name, l for a lambda. */
static uint32_t
closure(struct cxx *c)
{
	struct list heads = { 0 };
	uint32_t params, n;

	if (cxx_eat(c, 't'))
		n = cxx_node(c, K_UNNAMED, cxx_ordinal(c), 0, 0);
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
		n = cxx_node(c, K_LAMBDA, params, heads.first, cxx_ordinal(c));
	}
	return n;
}

uint32_t
cxx_unqualified(struct cxx *c, uint32_t scope)
{
	bool befriended = scope && cxx_eat(c, 'F');
	uint32_t module = 0, n;
	char ch;

	module = cxx_module(c, 0);
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
		return cxx_fixed(c, "std");
	for (unsigned i = 0; i < sizeof standard / sizeof *standard; i++)
		if (ch == standard[i].letter) {
			bool full = c->verbose || (prefix && (cxx_peek(c) == 'C' || cxx_peek(c) == 'D'));

			c->last = cxx_fixed(c, standard[i].class);
			return tags(c, cxx_fixed(c, full ? standard[i].full : standard[i].simple));
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
		level = cxx_ordinal(c) + 1;
	return cxx_flagged(c, K_PARAM, level < 255 ? level : 255, cxx_ordinal(c), 0);
}

uint32_t
cxx_template_arg(struct cxx *c)
{
	uint32_t n;

	if (!cxx_enter(c))
		return 0;
	if (at_head(c)) {
		head(c);   /* the declaration of the parameter, if overloads differ only in that */
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

/* Parses the parts before each "::", and the last name, up to the E. */
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
			n = cxx_decltype(c);
		else if (ch == 'M' && n) {
			c->p++;
			fresh = false;
		} else
			n = cxx_unqualified(c, n);
		if (fresh && cxx_peek(c) != 'E')
			cxx_remember(c, n);
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
	return quals ? cxx_flagged(c, K_MEMBER, quals, n, 0) : n;
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
		return cxx_node(c, K_LOCAL, function, cxx_fixed(c, "string literal"), 0);
	}
	if (cxx_eat(c, 'd')) {
		in_default = true;
		which = cxx_ordinal(c);
	}
	n = cxx_name(c);
	if (c->node[n].kind != K_LAMBDA && c->node[n].kind != K_UNNAMED)
		discriminator(c);
	if (c->node[n].kind == K_MEMBER) {   /* the qualifiers are the whole function's, not the local name's */
		quals = c->node[n].flag;
		n = c->node[n].a;
	}
	if (in_default)
		n = cxx_node(c, K_DEFAULT, which, n, 0);
	n = cxx_node(c, K_LOCAL, function, n, 0);
	return quals ? cxx_flagged(c, K_MEMBER, quals, n, 0) : n;
}

/* What follows the name of a MODULE. */
uint32_t
cxx_in_module(struct cxx *c, uint32_t module)
{
	module = cxx_module(c, module);
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
				n = cxx_in_module(c, n);
		} else
			n = cxx_unqualified(c, 0);
		if (cxx_peek(c) == 'I') {
			if (!substituted)
				cxx_remember(c, n);
			n = cxx_template_args(c, n);
		}
	}
	c->depth--;
	return n;
}
