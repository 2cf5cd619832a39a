/* C++ names parsed: the basics of the parser, functions, and names that the compiler gives.  Itanium C++ ABI, section 5.1
 * (mangling), and what GCC and clang have added. */
#include "demangle.h"
#include "cxx.h"

#include <string.h>

#include "lib/mem.h"

/* The bounds of the work for one name: steps of parsing for its length, steps of printing, and its length. */
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

uint32_t
cxx_fixed(struct cxx *c, const char *s)
{
	return cxx_text(c, K_NAME, s, (uint32_t)strlen(s));
}

uint32_t
cxx_flagged(struct cxx *c, enum kind kind, unsigned flag, uint32_t a, uint32_t b)
{
	uint32_t n = cxx_node(c, kind, a, b, 0);

	c->node[n].flag = (uint8_t)flag;
	return n;
}

uint32_t
cxx_remember(struct cxx *c, uint32_t n)
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
uint32_t
cxx_ordinal(struct cxx *c)
{
	uint32_t v = 0;

	if (cxx_peek(c) != '_')
		v = cxx_number(c) + 1;
	cxx_want(c, '_');
	return v;
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

/* What a code stands for, and what follows it (t: type, n: name, e: encoding, o: offset and encoding, b: two offsets, a: template argument,
 * m: module, v: type in type, r: temporary, c: clone). */
static const struct special {
	char code[3], behind;
	const char *text;
} specials[] = {
	{ "TV", 't', "vtable for " }, { "TT", 't', "VTT for " }, { "TI", 't', "typeinfo for " },
	{ "TS", 't', "typeinfo name for " }, { "TF", 't', "typeinfo fn for " }, { "TJ", 't', "java Class for " },
	{ "Th", 'o', "non-virtual thunk to " }, { "Tv", 'o', "virtual thunk to " },
	{ "Tc", 'b', "covariant return thunk to " }, { "TH", 'n', "TLS init function for " },
	{ "TW", 'n', "TLS wrapper function for " }, { "TA", 'a', "template parameter object for " },
	{ "GV", 'n', "guard variable for " }, { "GA", 'e', "hidden alias for " }, { "GI", 'm', "initializer for module " },
	{ "TC", 'v', "construction vtable for " }, { "GR", 'r', "reference temporary #" },
	{ "GT", 'c', "transaction clone for " },
	{ .text = NULL }
};

/* TYPE number _ TYPE: the second type within the first. */
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

/* A temporary of a reference: NAME, then its number, with or without the "_" of newer compilers. */
static uint32_t
temporary(struct cxx *c)
{
	uint32_t name = cxx_name(c), n;
	const char *s = c->p;

	while (cxx_at_digit(c) || (cxx_peek(c) >= 'A' && cxx_peek(c) <= 'Z'))
		c->p++;
	n = c->p > s ? cxx_text(c, K_NAME, s, (uint32_t)(c->p - s)) : cxx_fixed(c, "0");
	cxx_eat(c, '_');
	n = cxx_text(c, K_INFIX, " for ", n);
	c->node[n].b = name;
	return n;
}

static uint32_t
special(struct cxx *c)
{
	const struct special *sp = specials;
	uint32_t n;

	while (sp->text && !cxx_eat2(c, sp->code))
		sp++;
	if (!sp->text)
		return cxx_fail(c);
	switch (sp->behind) {
	case 't': n = cxx_type(c); break;
	case 'n': n = cxx_name(c); break;
	case 'a': n = cxx_template_arg(c); break;
	case 'm': n = cxx_module(c, 0); break;
	case 'v': n = type_in_type(c); break;
	case 'r': n = temporary(c); break;
	case 'o':
	case 'b':
		c->p -= sp->behind == 'o';   /* its second letter is the offset's kind */
		call_offset(c);
		if (sp->behind == 'b')
			call_offset(c);
		n = cxx_encoding(c);
		break;
	case 'c':
		if (cxx_eat(c, 'n'))
			return cxx_text(c, K_PREFIX, "non-transaction clone for ", cxx_encoding(c));
		c->p += cxx_peek(c) != 0; /* fallthrough */
	default: n = cxx_encoding(c);
	}
	return cxx_text(c, K_PREFIX, sp->text, n);
}

/* Whether the function NAME is mangled with its return type: templates are, constructors and conversions are not. */
static bool
has_return(const struct cxx *c, uint32_t name)
{
	const struct node *n = &c->node[name];

	while (n->kind == K_MEMBER || n->kind == K_LOCAL || n->kind == K_DEFAULT)
		n = &c->node[n->kind == K_MEMBER ? n->a : n->b];
	if (n->kind != K_TEMPLATE)
		return false;
	for (n = &c->node[n->a];;)
		switch ((enum kind)n->kind) {
		case K_CTOR:
		case K_DTOR:
		case K_CONVERSION:
			return false;
		case K_TAGGED:
		case K_FRIEND:
		case K_MODULE:
			n = &c->node[n->a];
			break;
		case K_QUAL:
		case K_LOCAL:
		case K_DEFAULT:
			n = &c->node[n->b];
			break;
		default:
			return true;
		}
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
			n = cxx_flagged(c, K_ENCODING, quals, name, n);
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
cxx_demangle(struct text *out, const char *s, unsigned flags)
{
	enum { SMALL = 256 };
	struct node few[SMALL * 2 + 16];
	uint32_t few_subs[SMALL], cap_nodes = 0, cap_subs = 0, n;
	struct cxx c = { .p = s, .verbose = flags & DEMANGLE_VERBOSE, .brief = flags & DEMANGLE_SHORT, .node = few, .sub = few_subs, .out = out };
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
