/* C++ names parsed: operators and expressions.  Itanium C++ ABI, sections 5.1.3 (operator encodings) and 5.1.6
 * (expressions). */
#include "cxx.h"

#include <string.h>

/* Texts are c++filt's words.  Shapes: 0 1 2 3 operands, p: may stand behind, t: of a type, c: a cast,
 * m: a member's name may follow, i: an index, n: new. */
static const struct operator {
	char code[3], shape;
	const char *text;
} operators[] = {
	{ "aN", '2', "&=" }, { "aS", '2', "=" }, { "aa", '2', "&&" }, { "ad", '1', "&" }, { "an", '2', "&" },
	{ "at", 't', "alignof " }, { "aw", '1', "co_await " }, { "az", '1', "alignof " }, { "cc", 'c', "const_cast" },
	{ "cl", '2', "()" }, { "cm", '2', "," }, { "co", '1', "~" }, { "dV", '2', "/=" }, { "da", '1', "delete[] " },
	{ "dc", 'c', "dynamic_cast" }, { "de", '1', "*" }, { "dl", '1', "delete " }, { "ds", '2', ".*" },
	{ "dt", 'm', "." }, { "dv", '2', "/" }, { "eO", '2', "^=" }, { "eo", '2', "^" }, { "eq", '2', "==" },
	{ "ge", '2', ">=" }, { "gt", '2', ">" }, { "ix", 'i', "[]" }, { "lS", '2', "<<=" }, { "le", '2', "<=" },
	{ "ls", '2', "<<" }, { "lt", '2', "<" }, { "mI", '2', "-=" }, { "mL", '2', "*=" }, { "mi", '2', "-" },
	{ "ml", '2', "*" }, { "mm", 'p', "--" }, { "na", 'n', "new[]" }, { "ne", '2', "!=" }, { "ng", '1', "-" },
	{ "nt", '1', "!" }, { "nw", 'n', "new" }, { "nx", '1', "noexcept" }, { "oR", '2', "|=" }, { "oo", '2', "||" },
	{ "or", '2', "|" }, { "pL", '2', "+=" }, { "pl", '2', "+" }, { "pm", '2', "->*" }, { "pp", 'p', "++" },
	{ "ps", '1', "+" }, { "pt", 'm', "->" }, { "qu", '3', "?" }, { "rM", '2', "%=" }, { "rS", '2', ">>=" },
	{ "rc", 'c', "reinterpret_cast" }, { "rm", '2', "%" }, { "rs", '2', ">>" }, { "sP", '1', "sizeof..." },
	{ "sZ", '1', "sizeof..." }, { "sc", 'c', "static_cast" }, { "ss", '2', "<=>" }, { "st", 't', "sizeof " },
	{ "sz", '1', "sizeof " }, { "te", '1', "typeid " }, { "ti", 't', "typeid " }, { "tr", '0', "throw" },
	{ "tw", '1', "throw " },
	{ .text = NULL }
};

/* Reads the operator at the cursor; NULL if there is none. */
static const struct operator *
operator_here(struct cxx *c)
{
	for (const struct operator *op = operators; op->text; op++)
		if (cxx_eat2(c, op->code))
			return op;
	return NULL;
}

uint32_t
cxx_operator(struct cxx *c)
{
	const struct operator *op;
	uint32_t n;

	if (cxx_peek(c) == 'v' && cxx_digit(cxx_peek2(c))) {
		uint8_t arity = (uint8_t)c->p[1];

		c->p += 2;
		n = cxx_node(c, K_VENDOR_OP, cxx_source_name(c), 0, 0);
		c->node[n].flag = arity;
		return n;
	}
	cxx_eat2(c, "on");
	if (cxx_eat2(c, "cv")) {
		bool was = c->conversion;
		uint32_t type;

		/* If two lists of arguments follow T_, the first one is T_'s; a single one is the operator's. */
		c->conversion = true;
		type = cxx_type(c);
		c->conversion = was;
		return cxx_node(c, K_CONVERSION, type, 0, 0);
	}
	if (cxx_eat2(c, "li"))
		return cxx_node(c, K_LITERAL_OP, cxx_source_name(c), 0, 0);
	if (!(op = operator_here(c)))
		return cxx_fail(c);
	n = cxx_text(c, K_OPERATOR, op->text, 0);
	c->node[n].flag = (uint8_t)op->shape;
	return n;
}

/* L type value E, or L_Z encoding E. */
uint32_t
cxx_literal(struct cxx *c)
{
	uint32_t n, type;
	const char *s;

	cxx_want(c, 'L');
	if (cxx_eat2(c, "_Z") || cxx_eat(c, 'Z'))
		n = cxx_encoding(c);
	else {
		type = cxx_type(c);
		n = cxx_text(c, K_LITERAL, NULL, type);
		c->node[n].flag = cxx_eat(c, 'n');
		for (s = c->p; cxx_peek(c) && cxx_peek(c) != 'E'; c->p++)
			;
		c->node[n].s = s;
		c->node[n].c = (uint32_t)(c->p - s);
	}
	cxx_want(c, 'E');
	return n;
}

/* A name with arguments, if some follow. */
static uint32_t
maybe_template(struct cxx *c, uint32_t n)
{
	return cxx_peek(c) == 'I' ? cxx_template_args(c, n) : n;
}

/* What a dependent name ends with: a name, on OPERATOR or dn DESTRUCTOR. */
static uint32_t
base_name(struct cxx *c)
{
	uint32_t n;

	if (cxx_eat2(c, "dn")) {
		n = cxx_at_digit(c) ? maybe_template(c, cxx_source_name(c)) : cxx_type(c);
		return cxx_node(c, K_DTOR, n, 0, 0);
	}
	cxx_eat2(c, "on");
	return maybe_template(c, cxx_unqualified(c, 0));
}

/* A name in a scope: NAME, on OPERATOR or dn DESTRUCTOR, with its arguments. */
static uint32_t
in_scope(struct cxx *c, uint32_t scope)
{
	if (cxx_eat2(c, "dn")) {
		uint32_t n = cxx_at_digit(c) ? maybe_template(c, cxx_source_name(c)) : cxx_type(c);

		return cxx_node(c, K_QUAL, scope, cxx_node(c, K_DTOR, n, 0, 0), 0);
	}
	cxx_eat2(c, "on");
	return maybe_template(c, cxx_unqualified(c, scope));
}

/* sr level+ E name, which substitutions do not count.  The same text may also be a type, a name and the end of the
 * expression: this sets C->ambiguous, and if it turns out so, the parser tries the whole name again. */
static uint32_t
by_levels(struct cxx *c)
{
	struct cxx before = *c;
	uint32_t n = maybe_template(c, cxx_source_name(c));

	while (cxx_at_digit(c))
		n = maybe_template(c, cxx_node(c, K_QUAL, n, cxx_source_name(c), 0));
	if (cxx_peek(c) == 'E' && (cxx_digit(cxx_peek2(c)) || cxx_peek2(c) == 'o' || cxx_peek2(c) == 'd')) {
		c->ambiguous = true;
		c->p++;
		return in_scope(c, n);
	}
	cxx_back(c, &before);
	return 0;
}

/* A name in a scope, behind sr: type name; N type level+ E name; or by levels. */
static uint32_t
scoped_name(struct cxx *c)
{
	uint32_t n;

	if (cxx_at_digit(c) && !c->by_types && (n = by_levels(c)))
		return n;
	if (cxx_peek(c) == 'N' && !cxx_digit(cxx_peek2(c)) && cxx_peek2(c) != 'S') {
		c->p++;
		n = cxx_type(c);
		while (!c->bad && !cxx_eat(c, 'E'))
			n = maybe_template(c, cxx_node(c, K_QUAL, n, cxx_source_name(c), 0));
	} else
		n = cxx_type(c);
	return in_scope(c, n);
}

/* fp [cv] [n] _, or fL level p [cv] [n] _; "f" is eaten. */
static uint32_t
function_param(struct cxx *c)
{
	uint32_t n = 1;

	if (cxx_eat(c, 'L'))
		cxx_number(c);
	cxx_want(c, 'p');
	if (cxx_eat(c, 'T'))
		return cxx_node(c, K_FPARAM, 0, 0, 0);
	cxx_cv(c);
	if (cxx_at_digit(c))
		n = cxx_number(c) + 2;
	cxx_want(c, '_');
	return cxx_node(c, K_FPARAM, n, 0, 0);
}

static uint32_t
fold(struct cxx *c)
{
	char kind = *c->p++;
	uint32_t op = cxx_operator(c), a = cxx_expr(c), b = 0, n;

	if (kind == 'L' || kind == 'R')
		b = cxx_expr(c);
	n = cxx_node(c, K_FOLD, op, a, b);
	c->node[n].flag = (uint8_t)kind;
	return n;
}

/* A new expression, behind nw or na. */
static uint32_t
new_expr(struct cxx *c, bool global)
{
	uint32_t place = cxx_list(c, cxx_expr, '_'), type = cxx_type(c), init = 0, n;

	if (cxx_eat2(c, "pi"))
		init = cxx_node(c, K_PAREN, cxx_list(c, cxx_expr, 'E'), 0, 0);
	else if (cxx_peek(c) == 'i' && cxx_peek2(c) == 'l')
		init = cxx_expr(c);
	else
		cxx_want(c, 'E');
	n = cxx_node(c, K_NEW, place, type, init);
	c->node[n].flag = global;
	return n;
}

/* (TYPE)EXPR, or with "_" a list. */
static uint32_t
cast(struct cxx *c)
{
	uint32_t type = cxx_type(c), n;
	bool list = cxx_eat(c, '_');

	n = list ? cxx_list(c, cxx_expr, 'E') : cxx_expr(c);
	return cxx_node(c, list ? K_CAST_LIST : K_CAST, type, n, 0);
}

/* Behind di, dx, dX: an initializer of a member, an element, a range of elements. */
static uint32_t
designated(struct cxx *c, char kind)
{
	uint32_t a = kind == 'i' ? cxx_source_name(c) : cxx_expr(c), b = kind == 'X' ? cxx_expr(c) : 0;
	uint32_t n = cxx_node(c, K_DESIGNATED, a, b, cxx_expr(c));

	c->node[n].flag = (uint8_t)kind;
	return n;
}

/* A concept, perhaps with arguments. */
static uint32_t
constraint(struct cxx *c)
{
	return cxx_name(c);
}

static uint32_t
requirement(struct cxx *c)
{
	char kind = cxx_peek(c);
	uint32_t n, a, b = 0;

	c->p += kind != 0;
	if (kind == 'X') {
		a = cxx_expr(c);
		if (cxx_eat(c, 'N'))
			kind = 'x';
		if (cxx_eat(c, 'R'))
			b = constraint(c);
	} else if (kind == 'T')
		a = cxx_type(c);
	else if (kind == 'Q')
		a = cxx_expr(c);
	else
		return cxx_fail(c);
	n = cxx_node(c, K_REQUIREMENT, a, b, 0);
	c->node[n].flag = (uint8_t)kind;
	return n;
}

static uint32_t
requires_expr(struct cxx *c)
{
	uint32_t params = 0;
	struct list l = { 0 };

	if (*c->p++ == 'Q')
		while (!c->bad && !cxx_eat(c, '_'))
			cxx_append(c, &l, cxx_type(c));
	if (l.first && !(c->node[c->node[l.first].a].kind == K_BUILTIN && !c->node[l.first].b &&
	                 strcmp(c->node[c->node[l.first].a].s, "void") == 0))
		params = l.first;
	return cxx_node(c, K_REQUIRES, params, cxx_list(c, requirement, 'E'), 0);
}

/* What follows "." or "->". */
static uint32_t
member(struct cxx *c)
{
	char ch = cxx_peek(c);

	return cxx_at_digit(c) || (cxx_peek2(c) == 'n' && (ch == 'o' || ch == 'd')) ? base_name(c) : cxx_expr(c);
}

/* An operator with its operands. */
static uint32_t
operation(struct cxx *c)
{
	uint32_t op = cxx_operator(c), a, b = 0, n;
	char shape = (char)c->node[op].flag;

	switch (shape) {
	case 'n':
		return new_expr(c, false);
	case '0':
		return cxx_node(c, K_UNARY, op, 0, 0);
	case 't':
		return cxx_node(c, K_UNARY, op, cxx_node(c, K_PAREN, cxx_type(c), 0, 0), 0);
	case 'p':
		b = !cxx_eat(c, '_'); /* fallthrough */
	case '1':
		n = cxx_node(c, K_UNARY, op, cxx_expr(c), 0);
		c->node[n].flag = (uint8_t)b;
		return n;
	case 'c':
		a = cxx_type(c);
		return cxx_node(c, K_NAMED_CAST, op, a, cxx_expr(c));
	case 'm':
		a = cxx_expr(c);
		return cxx_node(c, K_BINARY, op, a, member(c));
	case '2':
	case 'i':
		a = cxx_expr(c);
		b = cxx_expr(c);
		return shape == 'i' ? cxx_node(c, K_INDEX, a, b, 0) : cxx_node(c, K_BINARY, op, a, b);
	case '3':
		a = cxx_expr(c);
		b = cxx_expr(c);
		return cxx_node(c, K_TERNARY, a, b, cxx_expr(c));
	}
	return cxx_fail(c);
}

static uint32_t
global_scope(struct cxx *c)
{
	uint32_t n;

	if (cxx_eat2(c, "nw") || cxx_eat2(c, "na"))
		return new_expr(c, true);
	n = cxx_at_digit(c) ? base_name(c) : cxx_expr(c);
	return cxx_node(c, K_GLOBAL, n, 0, 0);
}

static uint32_t
call(struct cxx *c)
{
	uint32_t f = cxx_expr(c);

	return cxx_node(c, K_CALL, f, cxx_list(c, cxx_expr, 'E'), 0);
}

static uint32_t
count_of(struct cxx *c, bool list)
{
	uint32_t n = list ? cxx_list(c, cxx_template_arg, 'E') : cxx_peek(c) == 'T' ? cxx_template_param(c) : cxx_expr(c);

	n = cxx_node(c, K_COUNT_OF, n, 0, 0);
	c->node[n].flag = list;
	return n;
}

static uint32_t
expr_inner(struct cxx *c)
{
	char ch = cxx_peek(c), next = cxx_peek2(c);
	uint32_t n;

	if (ch == 'L')
		return cxx_literal(c);
	if (ch == 'T')
		return cxx_template_param(c);
	if (ch == 'f' && (next == 'p' || (next == 'L' && c->end - c->p > 2 && cxx_digit(c->p[2])))) {
		c->p++;
		return function_param(c);
	}
	if (ch == 'f' && next && strchr("lrLR", next)) {
		c->p++;
		return fold(c);
	}
	if (ch == 'r' && (next == 'q' || next == 'Q')) {
		c->p++;
		return requires_expr(c);
	}
	if (cxx_eat2(c, "sr"))
		return scoped_name(c);
	if (cxx_eat2(c, "sp"))
		return cxx_node(c, K_PACK, cxx_expr(c), 0, 0);
	if (cxx_eat2(c, "sZ"))
		return count_of(c, false);
	if (cxx_eat2(c, "sP"))
		return count_of(c, true);
	if (cxx_eat2(c, "cl") || cxx_eat2(c, "cp"))
		return call(c);
	if (cxx_eat2(c, "cv"))
		return cast(c);
	if (cxx_eat2(c, "gs"))
		return global_scope(c);
	if (cxx_eat2(c, "il"))
		return cxx_node(c, K_INIT, 0, cxx_list(c, cxx_expr, 'E'), 0);
	if (cxx_eat2(c, "tl")) {
		n = cxx_type(c);
		return cxx_node(c, K_INIT, n, cxx_list(c, cxx_expr, 'E'), 0);
	}
	if (ch == 'd' && next && strchr("ixX", next)) {
		c->p += 2;
		return designated(c, next);
	}
	if (cxx_eat(c, 'u')) {
		n = cxx_source_name(c);
		return cxx_node(c, K_CALL, n, cxx_list(c, cxx_template_arg, 'E'), 0);
	}
	if (cxx_digit(ch) || (ch == 'o' && next == 'n') || (ch == 'd' && next == 'n'))
		return base_name(c);
	return ch == 'S' || ch == 'N' || ch == 'Z' ? cxx_name(c) : operation(c);
}

uint32_t
cxx_expr(struct cxx *c)
{
	uint32_t n;

	if (!cxx_enter(c))
		return 0;
	n = expr_inner(c);
	c->depth--;
	return n;
}
