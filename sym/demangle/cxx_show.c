/* C++ names printed: names and expressions, mostly by a format for each kind of node; in c++filt's words. */
#include "cxx.h"

#include <string.h>

/* %a %b %c: that child.  %A %B %C: that child as an operand.  %s: the node's text.  %n: one more than the number a.
 * %o: the operator a. */
static const char *const formats[K_KINDS] = {
	[K_BUILTIN] = "%s",
	[K_DEFAULT] = "{default arg#%n}::%b",
	[K_TAGGED] = "%a[abi:%b]",
	[K_FRIEND] = "%a[friend]",
	[K_MODULE] = "%a@%b",
	[K_CTOR] = "%a",
	[K_DTOR] = "~%a",
	[K_VENDOR_OP] = "operator %a",
	[K_LITERAL_OP] = "operator\"\" %a",
	[K_UNNAMED] = "{unnamed type#%n}",
	[K_BINDING] = "[%a]",
	[K_PREFIX] = "%s%a",
	[K_WRAP] = "%s%a)",
	[K_INFIX] = "%a%s%b",
	[K_CLONE] = "%a [clone %b]",
	[K_VECTOR] = "%b __vector(%a)",
	[K_ARGS] = "%a",
	[K_PACK] = "%A...",
	[K_TERNARY] = "%A?%B : %C",
	[K_CAST] = "(%a)%B",
	[K_CAST_LIST] = "(%a)(%b)",
	[K_NAMED_CAST] = "%o<%b>(%c)",
	[K_INDEX] = "%A[%b]",
	[K_INIT] = "%a{%b}",
	[K_PAREN] = "(%a)",
	[K_GLOBAL] = "::%a",
};

/* An operand: in parentheses unless it is simple. */
static void
operand(struct cxx *c, uint32_t n)
{
	enum kind kind = c->node[n].kind;
	bool simple = kind == K_NAME || kind == K_QUAL || kind == K_INIT || kind == K_FPARAM;

	cxx_put(c, simple ? "" : "(");
	cxx_print(c, n);
	cxx_put(c, simple ? "" : ")");
}

static void
print_operator(struct cxx *c, uint32_t op)
{
	if (c->node[op].kind == K_OPERATOR)
		cxx_put(c, c->node[op].s);
	else
		cxx_print(c, op);
}

void
cxx_emit(struct cxx *c, const struct node *n, const char *f)
{
	const uint32_t *child = &n->a;

	for (; *f && !c->bad; f++) {
		if (*f != '%') {
			cxx_putc(c, *f);
			continue;
		}
		f++;
		if (*f == 's')
			cxx_put(c, n->s);
		else if (*f == 'n')
			text_num(c->out, (uint64_t)n->a + 1);
		else if (*f == 'o')
			print_operator(c, n->a);
		else if (*f >= 'a')
			cxx_print(c, child[*f - 'a']);
		else
			operand(c, child[*f - 'A']);
	}
}

static void
operator_name(struct cxx *c, const char *text)
{
	size_t len = strlen(text);

	cxx_put(c, cxx_lower(*text) ? "operator " : "operator");
	text_put(c->out, text, len - (text[len - 1] == ' '));
}

/* The name of template parameter I that a lambda declares. */
static void
declared(struct cxx *c, char kind, uint32_t i)
{
	cxx_put(c, kind == 'n' ? "$N" : kind == 't' ? "$TT" : "$T");
	text_num(c->out, i);
}

static void
heads(struct cxx *c, uint32_t list, bool named)
{
	uint32_t i = 0;

	cxx_putc(c, '<');
	for (uint32_t l = list; l && cxx_enter(c); l = c->node[l].b, i++, c->depth--) {
		const struct node *n = &c->node[c->node[l].a];
		bool pack = n->flag == 'p';

		if (pack)
			n = &c->node[n->a];
		cxx_put(c, i ? ", " : "");
		if (n->flag == 't') {
			cxx_put(c, "template");
			heads(c, n->a, false);
			cxx_put(c, " class");
		} else if (n->flag == 'y')
			cxx_put(c, "typename");
		else
			cxx_print(c, n->a);
		cxx_put(c, pack ? "..." : "");
		if (named) {
			cxx_putc(c, ' ');
			declared(c, (char)n->flag, i);
		}
	}
	cxx_putc(c, '>');
}

static void
lambda(struct cxx *c, const struct node *n)
{
	uint32_t save = c->heads;

	c->heads = n->b;
	c->lambda++;
	cxx_put(c, "{lambda");
	if (n->b)
		heads(c, n->b, true);
	cxx_emit(c, n, "(%a)#");
	c->lambda--;
	c->heads = save;
	text_num(c->out, (uint64_t)n->c + 1);
	cxx_putc(c, '}');
}

void
cxx_print_lambda_param(struct cxx *c, const struct node *n)
{
	uint32_t found = cxx_list_item(c, c->heads, n->a);

	if (found) {
		const struct node *head = &c->node[found];

		declared(c, (char)(head->flag == 'p' ? c->node[head->a].flag : head->flag), n->a);
	} else
		cxx_emit(c, n, "auto:%n");
}

/* The value of a literal with what C++ writes to give it that type. */
static void
literal(struct cxx *c, const struct node *n)
{
	static const struct { const char *type, *suffix; } suffixed[] = {
		{ "int", "" }, { "unsigned int", "u" }, { "long", "l" }, { "unsigned long", "ul" }, { "long long", "ll" },
		{ "unsigned long long", "ull" },
	};
	const struct node *type = &c->node[n->a];
	const char *t = type->kind == K_BUILTIN ? type->s : "", *suffix = NULL;
	bool real = strstr(t, "loat") || strstr(t, "double");

	if (!n->c) {   /* a type of one value, or a string: the name does not hold its characters */
		cxx_emit(c, n, type->kind == K_ARRAY ? "\"<%a>\"" : "%a");
		return;
	}
	if (strcmp(t, "bool") == 0 && n->c == 1 && !n->flag && (*n->s == '0' || *n->s == '1')) {
		cxx_put(c, *n->s == '1' ? "true" : "false");
		return;
	}
	for (unsigned i = 0; i < sizeof suffixed / sizeof *suffixed; i++)
		if (strcmp(suffixed[i].type, t) == 0)
			suffix = suffixed[i].suffix;
	if (!suffix)
		cxx_emit(c, n, "(%a)");
	cxx_put(c, n->flag ? "-" : "");
	cxx_put(c, real ? "[" : "");
	text_put(c->out, n->s, n->c);
	cxx_put(c, real ? "]" : suffix ? suffix : "");
}

static void
unary(struct cxx *c, const struct node *n)
{
	const struct node *what = &c->node[n->b];
	const char *op = c->node[n->a].kind == K_OPERATOR ? c->node[n->a].s : "";

	if (n->flag || !n->b)
		cxx_emit(c, n, n->b ? "%B%o" : "%o");
	else if (strcmp(op, "&") == 0 && what->kind == K_ENCODING && !what->flag && c->node[what->a].kind == K_QUAL)
		cxx_emit(c, what, "&%a");   /* the address of a function: without its parameters */
	else if (what->kind == K_PAREN)
		cxx_emit(c, n, "%o%b");
	else
		cxx_emit(c, n, strcmp(op, "noexcept") == 0 ? "%o(%b)" : "%o%B");
}

static void
fold(struct cxx *c, const struct node *n)
{
	uint32_t save = c->pack;

	c->pack = WHOLE_PACK;
	cxx_emit(c, n, n->flag == 'l' ? "(...%o%B)" : n->flag == 'r' ? "(%B%o...)" : "(%B%o...%o%C)");
	c->pack = save;
}

static void
requirement(struct cxx *c, const struct node *n)
{
	const char *f = n->flag == 'T' ? " typename %a" : n->flag == 'Q' ? " requires %a"
	                : n->flag == 'X' && !n->b ? " %a" : " {%a}";

	cxx_emit(c, n, f);
	cxx_put(c, n->flag == 'x' ? " noexcept" : "");
	cxx_emit(c, n, n->b ? " -> %b;" : ";");
}

static void
requires(struct cxx *c, const struct node *n)
{
	cxx_emit(c, n, n->a ? "requires (%a) {" : "requires {");
	for (uint32_t l = n->b; l; l = c->node[l].b)
		cxx_print(c, c->node[l].a);
	cxx_put(c, " }");
}

static void
count(struct cxx *c, const struct node *n)
{
	uint32_t list = n->a;

	if (!n->flag && !cxx_find_pack(c, n->a, &list))
		list = 0;
	text_num(c->out, cxx_list_size(c, list));
}

static void
call(struct cxx *c, const struct node *n)
{
	const struct node *f = &c->node[n->a];
	uint32_t what = n->a;

	if (f->kind == K_ENCODING)   /* by its name alone: the arguments say the rest */
		what = c->node[f->a].kind == K_MEMBER ? c->node[f->a].a : f->a;
	operand(c, what);
	cxx_emit(c, n, "(%b)");
}

void
cxx_show(struct cxx *c, uint32_t index)
{
	const struct node *n = &c->node[index];
	bool chain;

	switch ((enum kind)n->kind) {
	case K_NAME:
		text_put(c->out, n->s, n->a);
		break;
	case K_OPERATOR:
		operator_name(c, n->s);
		break;
	case K_PARTITION:
		cxx_emit(c, n, n->a ? n->flag ? "%a:%b" : "%a.%b" : n->flag ? ":%b" : "%b");
		break;
	case K_LAMBDA:
		lambda(c, n);
		break;
	case K_LIST:
		cxx_print_list(c, index);
		break;
	case K_FPARAM:
		if (n->a)
			cxx_put(c, "{parm#");
		cxx_emit(c, &(struct node){ .a = n->a - 1 }, n->a ? "%n}" : "this");
		break;
	case K_LITERAL:
		literal(c, n);
		break;
	case K_UNARY:
		unary(c, n);
		break;
	case K_BINARY: {
		/* Nobody may take this ">" for the end of template arguments. */
		const struct node *op = &c->node[n->a];

		cxx_emit(c, n, op->kind == K_OPERATOR && strcmp(op->s, ">") == 0 ? "(%B%o%C)" : "%B%o%C");
		break;
	}
	case K_CALL:
		call(c, n);
		break;
	case K_DESIGNATED:
		cxx_emit(c, n, n->flag == 'i' ? ".%a" : n->flag == 'x' ? "[%a]" : "[%a ... %b]");
		chain = c->node[n->c].kind == K_DESIGNATED;
		cxx_emit(c, n, chain ? "%c" : "=%C");
		break;
	case K_FOLD:
		fold(c, n);
		break;
	case K_NEW:
		cxx_put(c, n->flag ? "::" : "");
		cxx_emit(c, n, n->a ? "new (%a) %b%c" : "new %b%c");
		break;
	case K_COUNT_OF:
		count(c, n);
		break;
	case K_REQUIRES:
		requires(c, n);
		break;
	case K_REQUIREMENT:
		requirement(c, n);
		break;
	default:
		if (n->kind < K_KINDS && formats[n->kind])
			cxx_emit(c, n, formats[n->kind]);
		else
			cxx_fail(c);
	}
}
