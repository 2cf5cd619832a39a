/* C++ names parsed: operators and expressions.  Itanium C++ ABI, sections 5.1.3 (operator encodings), 5.1.6 (expressions). */
#include "demangle_cxx.h"

#include <string.h>

/* Code, arity, text; in c++filt's words. */
static const char operators[] =
	"aN2&=\0" "aS2=\0" "aa2&&\0" "ad1&\0" "an2&\0" "at1alignof \0" "aw1co_await \0" "az1alignof \0" "cc2const_cast\0"
	"cl2()\0" "cm2,\0" "co1~\0" "dV2/=\0" "da1delete[] \0" "dc2dynamic_cast\0" "de1*\0" "dl1delete \0" "ds2.*\0" "dt2.\0"
	"dv2/\0" "eO2^=\0" "eo2^\0" "eq2==\0" "ge2>=\0" "gs1::\0" "gt2>\0" "ix2[]\0" "lS2<<=\0" "le2<=\0" "ls2<<\0" "lt2<\0"
	"mI2-=\0" "mL2*=\0" "mi2-\0" "ml2*\0" "mm1--\0" "na3new[]\0" "ne2!=\0" "ng1-\0" "nt1!\0" "nw3new\0" "nx1noexcept\0"
	"oR2|=\0" "oo2||\0" "or2|\0" "pL2+=\0" "pl2+\0" "pm2->*\0" "pp1++\0" "ps1+\0" "pt2->\0" "qu3?\0" "rM2%=\0" "rS2>>=\0"
	"rc2reinterpret_cast\0" "rm2%\0" "rs2>>\0" "sP1sizeof...\0" "sZ1sizeof...\0" "sc2static_cast\0" "ss2<=>\0"
	"st1sizeof \0" "sz1sizeof \0" "te1typeid \0" "ti1typeid \0" "tr0throw\0" "tw1throw \0";

/* The operator at the cursor, which moves past it; NULL for none. */
static const char *
operator_here(struct cxx *c)
{
	for (const char *op = operators; *op; op += strlen(op) + 1)
		if (cxx_eat2(c, op))
			return op + 2;
	return NULL;
}

uint32_t
cxx_operator(struct cxx *c)
{
	const char *op;
	uint32_t n;

	if (cxx_peek(c) == 'v' && cxx_digit(cxx_peek2(c))) {
		unsigned arity = (unsigned)(c->p[1] - '0');

		c->p += 2;
		n = cxx_node(c, K_VENDOR_OP, cxx_source_name(c), 0, 0);
		c->node[n].flag = (uint8_t)arity;
		return n;
	}
	cxx_eat2(c, "on");
	if (cxx_eat2(c, "cv")) {
		bool was = c->conversion;
		uint32_t type;

		/* Of T_ and two lists of arguments, the first is T_'s; a single one is the operator's. */
		c->conversion = true;
		type = cxx_type(c);
		c->conversion = was;
		return cxx_node(c, K_CONVERSION, type, 0, 0);
	}
	if (cxx_eat2(c, "li"))
		return cxx_node(c, K_LITERAL_OP, cxx_source_name(c), 0, 0);
	if (!(op = operator_here(c)))
		return cxx_fail(c);
	n = cxx_text(c, K_OPERATOR, op + 1, 0);
	c->node[n].flag = (uint8_t)(*op - '0');
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
		n = cxx_digit(cxx_peek(c)) ? maybe_template(c, cxx_source_name(c)) : cxx_type(c);
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
		uint32_t n = cxx_digit(cxx_peek(c)) ? maybe_template(c, cxx_source_name(c)) : cxx_type(c);

		return cxx_node(c, K_QUAL, scope, cxx_node(c, K_DTOR, n, 0, 0), 0);
	}
	cxx_eat2(c, "on");
	return maybe_template(c, cxx_unqualified(c, scope));
}

/* sr level+ E name, which substitutions do not count.  What looks like it may also be a type, a name and the
 * end of the expression: C->ambiguous, and the whole name is tried again where that turns out. */
static uint32_t
by_levels(struct cxx *c)
{
	struct cxx before = *c;
	uint32_t n = maybe_template(c, cxx_source_name(c));

	while (cxx_digit(cxx_peek(c)))
		n = maybe_template(c, cxx_node(c, K_QUAL, n, cxx_source_name(c), 0));
	if (cxx_peek(c) == 'E' && (cxx_digit(cxx_peek2(c)) || cxx_peek2(c) == 'o' || cxx_peek2(c) == 'd')) {
		c->ambiguous = true;
		c->p++;
		return in_scope(c, n);
	}
	cxx_back(c, &before);
	return 0;
}

/* Past sr: type name; N type level+ E name; or by levels. */
static uint32_t
scoped_name(struct cxx *c)
{
	uint32_t n;

	if (cxx_digit(cxx_peek(c)) && !c->by_types && (n = by_levels(c)))
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
	if (cxx_digit(cxx_peek(c)))
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

/* Past nw or na. */
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
	n = cxx_node(c, K_CAST, type, n, 0);
	c->node[n].flag = list;
	return n;
}

/* Past di, dx, dX: an initializer of a member, an element, a range of them. */
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

/* An operator with its operands. */
static uint32_t
operation(struct cxx *c)
{
	const char *code = c->p;
	uint32_t op = cxx_operator(c), a, b, n;
	bool postfix = false;

	if (c->bad)
		return 0;
	if (c->node[op].kind == K_CONVERSION)
		return cxx_fail(c);
	if (memcmp(code, "st", 2) == 0 || memcmp(code, "at", 2) == 0 || memcmp(code, "ti", 2) == 0) {
		b = cxx_type(c);
		return cxx_node(c, K_UNARY, op, cxx_node(c, K_PAREN, b, 0, 1), 0);
	}
	if (memcmp(code, "sc", 2) == 0 || memcmp(code, "cc", 2) == 0 || memcmp(code, "dc", 2) == 0 || memcmp(code, "rc", 2) == 0) {
		a = cxx_type(c);
		return cxx_node(c, K_NAMED_CAST, a, cxx_expr(c), op);
	}
	switch (c->node[op].flag) {
	case 0:
		return cxx_node(c, K_UNARY, op, 0, 0);
	case 1:
		if (memcmp(code, "pp", 2) == 0 || memcmp(code, "mm", 2) == 0)
			postfix = !cxx_eat(c, '_');
		n = cxx_node(c, K_UNARY, op, cxx_expr(c), 0);
		c->node[n].flag = postfix;
		return n;
	case 2:
		if (memcmp(code, "ix", 2) == 0) {
			a = cxx_expr(c);
			return cxx_node(c, K_INDEX, a, cxx_expr(c), 0);
		}
		a = cxx_expr(c);
		if (code[0] == 'd' && code[1] == 't')
			b = cxx_digit(cxx_peek(c)) || cxx_peek(c) == 'o' || cxx_peek(c) == 'd' ? base_name(c) : cxx_expr(c);
		else if (code[0] == 'p' && code[1] == 't')
			b = cxx_digit(cxx_peek(c)) || cxx_peek(c) == 'o' || cxx_peek(c) == 'd' ? base_name(c) : cxx_expr(c);
		else
			b = cxx_expr(c);
		return cxx_node(c, K_BINARY, op, a, b);
	case 3:
		if (code[0] == 'n')
			return new_expr(c, false);
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
	n = cxx_digit(cxx_peek(c)) ? base_name(c) : cxx_expr(c);
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

/* An operand: in parentheses unless it is simple. */
static void
operand(struct cxx *c, uint32_t n)
{
	enum kind kind = c->node[n].kind;
	bool simple = kind == K_NAME || kind == K_QUAL || kind == K_INIT || kind == K_FPARAM;

	if (!simple)
		text_char(c->out, '(');
	cxx_print(c, n);
	if (!simple)
		text_char(c->out, ')');
}

static void
print_operator(struct cxx *c, uint32_t op)
{
	if (c->node[op].kind == K_OPERATOR)
		text_str(c->out, c->node[op].s);
	else
		cxx_print(c, op);
}

/* The value of a literal with what C++ writes to give it that type. */
static void
print_literal(struct cxx *c, const struct node *n)
{
	static const char *const suffixed[][2] = { { "int", "" },   { "unsigned int", "u" }, { "long", "l" },
		                                   { "unsigned long", "ul" }, { "long long", "ll" }, { "unsigned long long", "ull" } };
	const struct node *type = &c->node[n->a];
	const char *t = type->kind == K_BUILTIN ? type->s : "";
	bool real = strstr(t, "float") || strstr(t, "double") || strstr(t, "_Float");

	if (!n->c) {
		bool quoted = type->kind == K_ARRAY;

		text_str(c->out, quoted ? "\"<" : strcmp(t, "decltype(nullptr)") == 0 ? "nullptr" : "");
		if (quoted || type->kind != K_BUILTIN)
			cxx_print(c, n->a);
		text_str(c->out, quoted ? ">\"" : "");
		return;
	}
	if (strcmp(t, "bool") == 0 && n->c == 1 && !n->flag && (*n->s == '0' || *n->s == '1')) {
		text_str(c->out, *n->s == '1' ? "true" : "false");
		return;
	}
	for (unsigned i = 0; i < sizeof suffixed / sizeof *suffixed; i++)
		if (strcmp(t, suffixed[i][0]) == 0) {
			text_str(c->out, n->flag ? "-" : "");
			text_put(c->out, n->s, n->c);
			text_str(c->out, suffixed[i][1]);
			return;
		}
	text_char(c->out, '(');
	cxx_print(c, n->a);
	text_str(c->out, n->flag ? ")-" : ")");
	text_str(c->out, real ? "[" : "");
	text_put(c->out, n->s, n->c);
	text_str(c->out, real ? "]" : "");
}

static void
print_unary(struct cxx *c, const struct node *n)
{
	const struct node *what = &c->node[n->b];
	const char *op = c->node[n->a].kind == K_OPERATOR ? c->node[n->a].s : "";

	if (n->flag) {
		operand(c, n->b);
		print_operator(c, n->a);
		return;
	}
	print_operator(c, n->a);
	if (!n->b)
		return;
	if (strcmp(op, "&") == 0 && what->kind == K_ENCODING && !what->flag && c->node[what->a].kind == K_QUAL)
		cxx_print(c, what->a);   /* the address of a function: without its parameters */
	else if (what->kind == K_PAREN)
		cxx_print(c, n->b);
	else if (strcmp(op, "noexcept") == 0) {
		text_char(c->out, '(');
		cxx_print(c, n->b);
		text_char(c->out, ')');
	} else
		operand(c, n->b);
}

static void
print_binary(struct cxx *c, const struct node *n)
{
	/* Not to be taken for the end of template arguments. */
	bool greater = c->node[n->a].kind == K_OPERATOR && strcmp(c->node[n->a].s, ">") == 0;

	text_str(c->out, greater ? "(" : "");
	operand(c, n->b);
	print_operator(c, n->a);
	operand(c, n->c);
	text_str(c->out, greater ? ")" : "");
}

static void
print_fold(struct cxx *c, const struct node *n)
{
	uint32_t save = c->pack;

	c->pack = WHOLE_PACK;
	text_char(c->out, '(');
	if (n->flag != 'l')
		operand(c, n->b);
	else
		text_str(c->out, "...");
	print_operator(c, n->a);
	if (n->flag == 'l')
		operand(c, n->b);
	else
		text_str(c->out, "...");
	if (n->c) {
		print_operator(c, n->a);
		operand(c, n->c);
	}
	text_char(c->out, ')');
	c->pack = save;
}

static void
print_new(struct cxx *c, const struct node *n)
{
	text_str(c->out, n->flag ? "::new " : "new ");
	if (n->a) {
		text_char(c->out, '(');
		cxx_print_list(c, n->a);
		text_str(c->out, ") ");
	}
	cxx_print(c, n->b);
	if (n->c)
		cxx_print(c, n->c);
}

static void
print_designated(struct cxx *c, const struct node *n)
{
	text_char(c->out, n->flag == 'i' ? '.' : '[');
	cxx_print(c, n->a);
	if (n->flag == 'X') {
		text_str(c->out, " ... ");
		cxx_print(c, n->b);
	}
	text_str(c->out, n->flag == 'i' ? "" : "]");
	if (c->node[n->c].kind == K_DESIGNATED)
		cxx_print(c, n->c);
	else {
		text_char(c->out, '=');
		operand(c, n->c);
	}
}

static void
print_requirement(struct cxx *c, const struct node *n)
{
	bool braces = n->flag == 'x' || n->b;

	text_char(c->out, ' ');
	text_str(c->out, n->flag == 'T' ? "typename " : n->flag == 'Q' ? "requires " : braces ? "{" : "");
	cxx_print(c, n->a);
	text_str(c->out, braces ? "}" : "");
	text_str(c->out, n->flag == 'x' ? " noexcept" : "");
	if (n->b) {
		text_str(c->out, " -> ");
		cxx_print(c, n->b);
	}
	text_char(c->out, ';');
}

static void
print_requires(struct cxx *c, const struct node *n)
{
	text_str(c->out, "requires");
	if (n->a) {
		text_str(c->out, " (");
		cxx_print_list(c, n->a);
		text_char(c->out, ')');
	}
	text_str(c->out, " {");
	for (uint32_t l = n->b; l; l = c->node[l].b)
		cxx_print(c, c->node[l].a);
	text_str(c->out, " }");
}

static void
print_count(struct cxx *c, const struct node *n)
{
	uint32_t list = n->a;

	if (!n->flag && !cxx_find_pack(c, n->a, &list))
		list = 0;
	text_num(c->out, cxx_list_size(c, list));
}

static void
print_call(struct cxx *c, const struct node *n)
{
	const struct node *f = &c->node[n->a];
	uint32_t what = n->a;

	if (f->kind == K_ENCODING)   /* by its name alone: the arguments say the rest */
		what = c->node[f->a].kind == K_MEMBER ? c->node[f->a].a : f->a;
	operand(c, what);
	text_char(c->out, '(');
	cxx_print_list(c, n->b);
	text_char(c->out, ')');
}

bool
cxx_print_expr(struct cxx *c, const struct node *n)
{
	switch ((enum kind)n->kind) {
	case K_PACK:
		operand(c, n->a);
		text_str(c->out, "...");
		break;
	case K_FPARAM:
		text_str(c->out, n->a ? "{parm#" : "this");
		if (n->a) {
			text_num(c->out, n->a);
			text_char(c->out, '}');
		}
		break;
	case K_LITERAL:
		print_literal(c, n);
		break;
	case K_UNARY:
		print_unary(c, n);
		break;
	case K_BINARY:
		print_binary(c, n);
		break;
	case K_TERNARY:
		operand(c, n->a);
		text_char(c->out, '?');
		operand(c, n->b);
		text_str(c->out, " : ");
		operand(c, n->c);
		break;
	case K_CAST:
		text_char(c->out, '(');
		cxx_print(c, n->a);
		text_char(c->out, ')');
		if (n->flag) {
			text_char(c->out, '(');
			cxx_print_list(c, n->b);
			text_char(c->out, ')');
		} else
			operand(c, n->b);
		break;
	case K_NAMED_CAST:
		print_operator(c, n->c);
		text_char(c->out, '<');
		cxx_print(c, n->a);
		text_str(c->out, ">(");
		cxx_print(c, n->b);
		text_char(c->out, ')');
		break;
	case K_CALL:
		print_call(c, n);
		break;
	case K_INDEX:
		operand(c, n->a);
		text_char(c->out, '[');
		cxx_print(c, n->b);
		text_char(c->out, ']');
		break;
	case K_INIT:
		if (n->a)
			cxx_print(c, n->a);
		text_char(c->out, '{');
		cxx_print_list(c, n->b);
		text_char(c->out, '}');
		break;
	case K_DESIGNATED:
		print_designated(c, n);
		break;
	case K_FOLD:
		print_fold(c, n);
		break;
	case K_NEW:
		print_new(c, n);
		break;
	case K_PAREN:
		text_char(c->out, '(');
		if (n->c)
			cxx_print(c, n->a);
		else
			cxx_print_list(c, n->a);
		text_char(c->out, ')');
		break;
	case K_GLOBAL:
		text_str(c->out, "::");
		cxx_print(c, n->a);
		break;
	case K_COUNT_OF:
		print_count(c, n);
		break;
	case K_REQUIRES:
		print_requires(c, n);
		break;
	case K_REQUIREMENT:
		print_requirement(c, n);
		break;
	default:
		return false;
	}
	return true;
}
