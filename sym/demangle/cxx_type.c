/* C++ names parsed: types.  Itanium C++ ABI, section 5.1.5. */
#include "cxx.h"

#include <string.h>

uint32_t
cxx_decltype(struct cxx *c)
{
	uint32_t n;

	c->p += 2;
	n = cxx_expr(c);
	cxx_want(c, 'E');
	return cxx_text(c, K_WRAP, "decltype (", n);
}

/* Types up to the end; a single void means no types. */
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

/* A function type, behind its F. */
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

/* A function type, from its F on, or from the exception specification before it. */
static uint32_t
function_with_exceptions(struct cxx *c)
{
	uint32_t exceptions = 0;
	bool safe;

	if (cxx_eat2(c, "Do"))
		exceptions = cxx_fixed(c, " noexcept");
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

/* An array or vector, behind A or Dv: how many, of which type. */
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

/* A type _Float or bfloat, behind DF: how many bits. */
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

/* A _BitInt type, behind DB or DU. */
static uint32_t
bit_int(struct cxx *c, const char *name)
{
	uint32_t n = cxx_text(c, K_WRAP, name, cxx_at_digit(c) ? digits(c) : cxx_expr(c));

	cxx_want(c, '_');
	return n;
}

/* A type, behind its D.  *FRESH becomes false if substitutions do not count it. */
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
		return cxx_decltype(c);
	}
	return cxx_fail(c);
}

static const char *const builtins[26] = {
	"signed char", "bool", "char", "double", "long double", "float", "__float128", "unsigned char", "int", "unsigned int",
	NULL, "long", "unsigned long", "__int128", "unsigned __int128", NULL, NULL, NULL, "short", "unsigned short", NULL,
	"void", "wchar_t", "long long", "unsigned long long", "...",
};

/* T_, with arguments if it is a template; Ts, Te and Tu before a name tell how it was declared. */
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
	cxx_remember(c, n);
	with = cxx_template_args(c, n);
	if (!c->conversion || cxx_peek(c) == 'I')
		return with;
	cxx_back(c, &before);
	return n;
}

/* A type that begins with S; *FRESH becomes false if substitutions count it already, or never. */
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
		n = cxx_in_module(c, n);
	else if (cxx_peek(c) == 'I')
		n = cxx_template_args(c, n);
	else
		*fresh = false;
	return n;
}

/* Parses a type that has a letter of its own, and eats the letter; *FRESH as above. */
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
		n = cxx_flagged(c, K_CV, cv, at_function(c) ? function_with_exceptions(c) : cxx_type(c), 0);
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
	return fresh ? cxx_remember(c, n) : n;
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
