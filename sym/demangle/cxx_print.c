/* C++ names printed as binutils' c++filt prints them.  A type has a left part and a right part, between which the
 * name declared would stand: int (* | )[3].  T_ is looked up while printing, in the template that is being printed:
 * in a substitution T_ may mean another argument than at its first place. */
#include "cxx.h"

#include <string.h>

static void left(struct cxx *, uint32_t);
static void right(struct cxx *, uint32_t);

void
cxx_put(struct cxx *c, const char *s)
{
	text_str(c->out, s);
}

void
cxx_putc(struct cxx *c, char ch)
{
	text_char(c->out, ch);
}

/* Walking a list costs less than printing. */
static void
spend(struct cxx *c, uint32_t steps)
{
	if (c->budget > steps / 16)
		c->budget -= steps / 16;
	else {
		c->budget = 0;
		cxx_fail(c);
	}
}

uint32_t
cxx_list_item(struct cxx *c, uint32_t list, uint32_t i)
{
	uint32_t k = 0;

	for (; list && k < i; k++)
		list = c->node[list].b;
	spend(c, k);
	return c->node[list].a;
}

uint32_t
cxx_list_size(struct cxx *c, uint32_t list)
{
	uint32_t n = 0, steps = 0;

	for (; list; list = c->node[list].b, steps++) {
		const struct node *item = &c->node[c->node[list].a];

		/* Counts like c++filt: an expansion has as many items as its pack, and none if it is not a pack. */
		if (item->kind == K_PACK) {
			uint32_t inner;

			if (cxx_find_pack(c, item->a, &inner) && cxx_enter(c)) {
				n += cxx_list_size(c, inner);
				c->depth--;
			}
		} else
			n++;
	}
	spend(c, steps);
	return n;
}

/* The arguments of the template at LEVEL, counted from the outermost, of NAME and the templates around it. */
static uint32_t
level_args(struct cxx *c, uint32_t name, unsigned level)
{
	uint32_t found[16], pending = 0, steps = 0;
	unsigned n = 0;

	for (; name && n < 16; steps++) {
		const struct node *p = &c->node[name];

		switch ((enum kind)p->kind) {
		case K_TEMPLATE:
			found[n++] = p->b;   /* fallthrough */
		case K_QUAL:
		case K_MEMBER:
		case K_ENCODING:
			name = p->a;
			break;
		case K_LOCAL:
			pending = p->a;   /* fallthrough */
		case K_DEFAULT:
			name = p->b;
			break;
		default:
			name = pending;
			pending = 0;
		}
	}
	spend(c, steps);
	return level < n ? found[n - 1 - level] : 0;
}

/* What the template parameter P stands for in SCOPE. */
static uint32_t
argument(struct cxx *c, const struct node *p, const struct scope *scope)
{
	uint32_t args = !scope ? 0 : scope->name ? level_args(c, scope->name, p->flag) : scope->args;
	uint32_t n = cxx_list_item(c, args, p->a);

	return n ? n : cxx_fail(c);
}

/* N, or what it stands for if it is a template parameter; then *SCOPE is the place to read that in. */
static uint32_t
resolve(struct cxx *c, uint32_t n, const struct scope **scope)
{
	while (c->node[n].kind == K_PARAM && !c->lambda && !c->bad) {
		n = argument(c, &c->node[n], *scope);
		if (c->node[n].kind == K_ARGS && c->pack != WHOLE_PACK)
			n = cxx_list_item(c, c->node[n].a, c->pack);
		if (*scope)
			*scope = (*scope)->outer;
	}
	return n;
}

/* What N is for a declarator around it: a function, an array, or anything else. */
static enum kind
shape(struct cxx *c, uint32_t n)
{
	const struct scope *scope = c->scope;

	for (;;) {
		n = resolve(c, n, &scope);
		switch ((enum kind)c->node[n].kind) {
		case K_CV:
		case K_VENDOR_CV:
		case K_POSTFIX:
			n = c->node[n].a;
			break;
		default:
			return c->node[n].kind;
		}
	}
}

/* Whether N, a type, has a right part. */
static bool
has_right(struct cxx *c, uint32_t n)
{
	const struct scope *scope = c->scope;

	for (;;) {
		n = resolve(c, n, &scope);
		switch ((enum kind)c->node[n].kind) {
		case K_FUNCTION:
		case K_ARRAY:
			return true;
		case K_MEMBER_PTR:
			n = c->node[n].b;
			break;
		case K_POINTER:
		case K_LREF:
		case K_RREF:
		case K_CV:
		case K_VENDOR_CV:
		case K_POSTFIX:
			n = c->node[n].a;
			break;
		default:
			return false;
		}
	}
}

/* Prints items with commas between them.  Like c++filt, it keeps commas before empty packs, and drops those behind them. */
void
cxx_print_list(struct cxx *c, uint32_t list)
{
	uint32_t end = c->out->n;

	for (uint32_t l = list; l && !c->bad; l = c->node[l].b) {
		uint32_t before;

		if (l != list)
			cxx_put(c, ", ");
		before = c->out->n;
		cxx_print(c, c->node[l].a);
		if (c->out->n != before)
			end = c->out->n;
	}
	if (!c->out->full && end < c->out->n)
		c->out->n = c->trimmed = end;
}

bool
cxx_find_pack(struct cxx *c, uint32_t n, uint32_t *list)
{
	/* Which of a, b, c are nodes to look into. */
	static const uint8_t kids[] = {
		[K_QUAL] = 3, [K_LOCAL] = 3, [K_TEMPLATE] = 3, [K_FRIEND] = 1, [K_MODULE] = 1, [K_CONVERSION] = 1, [K_MEMBER] = 1,
		[K_ENCODING] = 3, [K_PREFIX] = 1, [K_WRAP] = 1, [K_INFIX] = 3, [K_POINTER] = 1, [K_LREF] = 1, [K_RREF] = 1,
		[K_CV] = 1,
		[K_POSTFIX] = 1, [K_VENDOR_CV] = 3, [K_MEMBER_PTR] = 3, [K_ARRAY] = 3, [K_VECTOR] = 3, [K_FUNCTION] = 7,
		[K_ARGS] = 1, [K_LIST] = 1, [K_UNARY] = 2, [K_BINARY] = 6, [K_TERNARY] = 7, [K_CAST] = 3, [K_CAST_LIST] = 3,
		[K_NAMED_CAST] = 6,
		[K_CALL] = 3, [K_INDEX] = 3, [K_INIT] = 3, [K_DESIGNATED] = 4, [K_FOLD] = 6, [K_NEW] = 7, [K_PAREN] = 1,
		[K_GLOBAL] = 1, [K_LITERAL] = 1, [K_DTOR] = 1, [K_KINDS] = 0,
	};
	bool found = false;

	if (!n || !cxx_enter(c))
		return false;
	for (; n && !found && !c->bad; n = c->node[n].kind == K_LIST ? c->node[n].b : 0) {
		const struct node *p = &c->node[n];
		unsigned mask = kids[p->kind];

		if (p->kind == K_PARAM) {
			const struct node *arg = c->lambda ? p : &c->node[argument(c, p, c->scope)];

			found = arg->kind == K_ARGS;
			if (found)
				*list = arg->a;
			break;
		}
		found = ((mask & 1) && cxx_find_pack(c, p->a, list)) || ((mask & 2) && cxx_find_pack(c, p->b, list)) ||
		        ((mask & 4) && cxx_find_pack(c, p->c, list));
	}
	c->depth--;
	return found;
}

static void
pack(struct cxx *c, uint32_t index)
{
	uint32_t list, size, save = c->pack, n = c->node[index].a;

	if (c->lambda || !cxx_find_pack(c, n, &list)) {
		cxx_show(c, index);
		return;
	}
	size = cxx_list_size(c, list);
	for (c->pack = 0; c->pack < size && !c->bad && !c->out->full; c->pack++) {
		if (c->pack)
			cxx_put(c, ", ");
		cxx_print(c, n);
	}
	c->pack = save;
}

static void
cv(struct cxx *c, unsigned flags)
{
	static const char *const words[] = { " const", " volatile", " restrict", " &", " &&", " transaction_safe" };

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (flags & 1u << i)
			cxx_put(c, words[i]);
}

/* The template whose arguments T_ means in the function NAME, or 0. */
static uint32_t
template_of(const struct cxx *c, uint32_t name)
{
	const struct node *n = &c->node[name];

	while (n->kind == K_MEMBER || n->kind == K_LOCAL || n->kind == K_DEFAULT)
		n = &c->node[name = n->kind == K_MEMBER ? n->a : n->b];
	return n->kind == K_TEMPLATE ? name : 0;
}

/* The constraint of function NAME.  Compilers disagree on what T_ is in it.  A name without the constraint is better than no
 * name. */
static void
requires(struct cxx *c, uint32_t name, uint32_t constraint)
{
	struct scope scope = { c->scope, 0, name };
	const struct scope *save = c->scope;
	uint32_t end = c->out->n, pack_save = c->pack;
	unsigned depth = c->depth;

	if (!constraint || c->bad || c->brief)
		return;
	c->scope = &scope;
	cxx_put(c, " requires ");
	cxx_print(c, constraint);
	c->scope = save;
	if (!c->bad || !c->budget || c->out->full)
		return;
	c->bad = false;
	c->out->n = end;
	c->pack = pack_save;
	c->depth = depth;
}

static void
encoding(struct cxx *c, const struct node *n, bool with_return)
{
	uint32_t template = template_of(c, n->a);
	struct scope scope = { c->scope, c->node[template].b, 0 };
	const struct node *f = &c->node[n->b];
	uint32_t ret = with_return && !c->brief ? f->a : 0;

	if (template)
		c->scope = &scope;
	if (ret) {
		left(c, ret);
		if (!has_right(c, ret))
			cxx_putc(c, ' ');
	}
	cxx_print(c, n->a);
	cxx_putc(c, '(');
	if (n->flag & CV_THIS)
		cxx_put(c, "this ");
	cxx_print_list(c, f->b);
	cxx_putc(c, ')');
	cv(c, n->flag);
	if (ret)
		right(c, ret);
	requires(c, n->a, c->node[template].c);
	requires(c, n->a, n->c);
	c->scope = scope.outer;
}

static void
template(struct cxx *c, uint32_t n)
{
	uint32_t save = c->current;

	c->current = n;
	cxx_print(c, c->node[n].a);
	c->current = save;
	if (text_last(c->out) == '<')
		cxx_putc(c, ' ');
	cxx_putc(c, '<');
	if (!c->brief)
		cxx_print_list(c, c->node[n].b);
	/* c++filt's habit, and its slip: it remembers the comma that it took back. */
	if (text_last(c->out) == '>' && !c->brief && c->trimmed != c->out->n)
		cxx_putc(c, ' ');
	cxx_putc(c, '>');
}

static void
conversion(struct cxx *c, const struct node *n)
{
	struct scope scope = { c->scope, c->node[c->current].b, 0 };
	uint32_t save = c->current;

	if (c->current)
		c->scope = &scope;
	c->current = 0;
	cxx_put(c, "operator ");
	cxx_print(c, n->a);
	c->scope = scope.outer;
	c->current = save;
}

/* Prints nodes that are no types, and depend on the template that is being printed. */
static void
name(struct cxx *c, uint32_t index)
{
	const struct node *n = &c->node[index];

	switch ((enum kind)n->kind) {
	case K_LOCAL:
	case K_QUAL:
		if (c->node[n->a].kind == K_ENCODING)
			encoding(c, &c->node[n->a], false);
		else
			cxx_print(c, n->a);
		cxx_emit(c, n, "::%b");
		break;
	case K_TEMPLATE:
		template(c, index);
		break;
	case K_CONVERSION:
		conversion(c, n);
		break;
	case K_MEMBER:
		cxx_print(c, n->a);
		cv(c, n->flag);
		break;
	case K_ENCODING:
		encoding(c, n, true);
		break;
	case K_PACK:
		pack(c, index);
		break;
	default:
		cxx_show(c, index);
	}
}

/* The target of a pointer or reference N; *OP: the text for N, or NULL if N is a reference to a reference, because the inner
 * one writes it.  Moves c->scope to where the target is to be read. */
static uint32_t
target(struct cxx *c, const struct node *n, const char **op)
{
	uint32_t to = n->a;

	*op = n->kind == K_POINTER ? "*" : n->kind == K_LREF ? "&" : "&&";
	while (n->kind != K_POINTER && !c->bad) {
		const struct scope *scope = c->scope;
		const struct node *t = &c->node[resolve(c, to, &scope)];

		if (t->kind == K_LREF || (t->kind == K_RREF && n->kind == K_RREF)) {
			*op = NULL;
			break;
		}
		if (t->kind != K_RREF)
			break;
		c->scope = scope;
		to = t->a;
	}
	return to;
}

/* Prints what opens around a pointer to a function or an array. */
static void
open_paren(struct cxx *c, enum kind to)
{
	if (to == K_ARRAY)
		cxx_put(c, " (");
	else if (to == K_FUNCTION)
		cxx_putc(c, '(');
}

static void
left_param(struct cxx *c, const struct node *n, void (*side)(struct cxx *, uint32_t))
{
	const struct scope *save = c->scope;
	uint32_t arg = argument(c, n, save);

	if (c->node[arg].kind == K_ARGS && c->pack != WHOLE_PACK) {
		arg = cxx_list_item(c, c->node[arg].a, c->pack);
		if (!arg)
			cxx_fail(c);
	}
	if (!c->bad) {
		c->scope = save->outer;
		side(c, arg);
	}
	c->scope = save;
}

static void
left_inner(struct cxx *c, uint32_t index)
{
	const struct node *n = &c->node[index];
	const struct scope *scope = c->scope;
	const char *op;
	uint32_t to;
	unsigned outer = c->cv;

	if (n->kind != K_CV && n->kind != K_PARAM)
		c->cv = 0;
	switch ((enum kind)n->kind) {
	case K_POINTER:
	case K_LREF:
	case K_RREF:
		to = target(c, n, &op);
		left(c, to);
		if (op) {
			open_paren(c, shape(c, to));
			cxx_put(c, op);
		}
		c->scope = scope;
		break;
	case K_MEMBER_PTR:
		left(c, n->b);
		open_paren(c, shape(c, n->b));
		if (text_last(c->out) != '(')
			cxx_putc(c, ' ');
		cxx_print(c, n->a);
		cxx_put(c, "::*");
		break;
	case K_CV:
		c->cv |= n->flag;
		left(c, n->a);
		if (shape(c, n->a) != K_FUNCTION)
			cv(c, n->flag & ~outer);
		break;
	case K_POSTFIX:
		left(c, n->a);
		cxx_put(c, n->s);
		break;
	case K_VENDOR_CV:
		left(c, n->a);
		cxx_putc(c, ' ');
		cxx_print(c, n->b);
		break;
	case K_ARRAY:
		left(c, n->b);
		break;
	case K_FUNCTION:
		left(c, n->a);
		if (!has_right(c, n->a))
			cxx_putc(c, ' ');
		break;
	case K_PARAM:
		if (c->lambda)
			cxx_print_lambda_param(c, n);
		else
			left_param(c, n, left);
		break;
	default:
		name(c, index);
	}
	c->cv = outer;
}

static void
right_inner(struct cxx *c, uint32_t index)
{
	const struct node *n = &c->node[index];
	const struct scope *scope = c->scope;
	const char *op;
	uint32_t to;
	unsigned flags;

	switch ((enum kind)n->kind) {
	case K_POINTER:
	case K_LREF:
	case K_RREF:
		to = target(c, n, &op);
		if (op && (shape(c, to) == K_FUNCTION || shape(c, to) == K_ARRAY))
			cxx_putc(c, ')');
		right(c, to);
		c->scope = scope;
		break;
	case K_MEMBER_PTR:
		if (shape(c, n->b) == K_FUNCTION || shape(c, n->b) == K_ARRAY)
			cxx_putc(c, ')');
		right(c, n->b);
		break;
	case K_CV:
		if (shape(c, n->a) == K_FUNCTION)
			c->this_cv |= n->flag;
		right(c, n->a);
		break;
	case K_POSTFIX:
	case K_VENDOR_CV:
		right(c, n->a);
		break;
	case K_ARRAY:
		if (text_last(c->out) != ']')
			cxx_putc(c, ' ');
		cxx_putc(c, '[');
		if (n->a)
			cxx_print(c, n->a);
		cxx_putc(c, ']');
		right(c, n->b);
		break;
	case K_FUNCTION:
		flags = c->this_cv | n->flag;
		c->this_cv = 0;
		cxx_putc(c, '(');
		cxx_print_list(c, n->b);
		cxx_putc(c, ')');
		cv(c, flags & ~(unsigned)CV_SAFE);
		if (n->c)
			cxx_print(c, n->c);
		cv(c, flags & CV_SAFE);
		right(c, n->a);
		break;
	case K_PARAM:
		if (!c->lambda)
			left_param(c, n, right);
		break;
	default:
		break;
	}
}

static void
left(struct cxx *c, uint32_t n)
{
	if (c->out->full || !cxx_enter(c))
		return;
	left_inner(c, n);
	c->depth--;
}

static void
right(struct cxx *c, uint32_t n)
{
	if (c->out->full || !cxx_enter(c))
		return;
	right_inner(c, n);
	c->depth--;
}

void
cxx_print(struct cxx *c, uint32_t n)
{
	unsigned this_cv = c->this_cv;

	if (!n)   /* an empty list, or a part that may be missing */
		return;
	c->this_cv = 0;
	left(c, n);
	right(c, n);
	c->this_cv = this_cv;
}
