/* See location.h.  An expression may be a whole program; prof takes those that compilers make for variables in registers and on the
 * stack.  A location list (DWARF 4 section 2.6.2, DWARF 5 section 7.29) has an expression for each piece of the code. */
#include "location.h"

#include "sym/dwarf/unit.h"

enum {
	DW_OP_addr = 0x03, DW_OP_deref = 0x06, DW_OP_plus_uconst = 0x23, DW_OP_reg0 = 0x50, DW_OP_breg0 = 0x70, DW_OP_regx = 0x90,
	DW_OP_fbreg, DW_OP_bregx, DW_OP_piece, DW_OP_call_frame_cfa = 0x9c, DW_OP_stack_value = 0x9f, DW_OP_addrx = 0xa1,
	DW_OP_entry_value = 0xa3, DW_OP_GNU_entry_value = 0xf3, DW_OP_GNU_addr_index = 0xfb
};
enum {
	DW_LLE_end_of_list, DW_LLE_base_addressx, DW_LLE_startx_endx, DW_LLE_startx_length, DW_LLE_offset_pair, DW_LLE_default_location,
	DW_LLE_base_address, DW_LLE_start_end, DW_LLE_start_length
};
enum { DW_FORM_addrx = 0x1b, DW_FORM_loclistx = 0x22 };

static const char nowhere[] = "it has no place there: the compiler removed it, or it begins later", noframe[] = "nothing describes its frame there";

struct reader {
	const struct entry *function;
	const struct call_frame *frame;
	uint64_t pc;
	bool listed;               /* the expression is of a location list */
	struct location *to;
};

/* ---- expressions ---- */

bool
location_follow(struct location *l)
{
	if (!l->in_register) {
		if (l->depth == LOCATION_DEPTH)
			return false;
		l->off[l->depth++] = l->add;
	}
	l->in_register = false;
	l->add = 0;
	return true;
}

static const char *expression(struct reader *, const struct entry *, enum attr);

/* An offset from the function's frame base. */
static const char *
on_frame(struct reader *r, int64_t off)
{
	struct location base = { 0 };
	struct reader of = { r->function, r->frame, r->pc, false, &base };
	const char *why = r->function && entry_has(r->function, AT_FRAME_BASE) ? NULL : noframe;

	of.function = NULL;   /* a frame base that needs a frame base is none */
	if (!why)
		why = expression(&of, r->function, AT_FRAME_BASE);
	if (why)
		return why;
	*r->to = base;
	r->to->in_register = false;
	r->to->add = (int64_t)((uint64_t)base.add + (uint64_t)off);
	r->to->entered = base.in_register || base.depth || off < 0;
	return NULL;
}

static const char *
first_operation(struct reader *r, struct cursor *c, uint8_t op)
{
	struct location *l = r->to;

	if ((op >= DW_OP_reg0 && op < DW_OP_breg0) || op == DW_OP_regx) {
		l->in_register = true;
		l->reg = op == DW_OP_regx ? cur_uleb(c) : (uint64_t)op - DW_OP_reg0;
		return NULL;
	}
	if ((op >= DW_OP_breg0 && op < DW_OP_regx) || op == DW_OP_bregx) {
		l->reg = op == DW_OP_bregx ? cur_uleb(c) : (uint64_t)op - DW_OP_breg0;
		l->add = cur_sleb(c);
		l->entered = !r->listed;
		return NULL;
	}
	switch (op) {
	case DW_OP_fbreg:
		return on_frame(r, cur_sleb(c));
	case DW_OP_call_frame_cfa:
		return r->frame->find && r->frame->find(r->frame->modules, r->frame->module, r->pc, &l->reg, &l->add) ? NULL : noframe;
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return "it is not on the stack, but at an address of its own";
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return "only its value at the function's beginning is known: set the probe there";
	}
	return "the compiler describes it by a computation";
}

static const char *
evaluate(struct reader *r, struct cursor c)
{
	const char *why;

	if (!cur_left(&c))
		return nowhere;
	if ((why = first_operation(r, &c, cur_u8(&c))))
		return why;
	while (cur_left(&c)) {
		uint64_t by;

		switch (cur_u8(&c)) {
		case DW_OP_deref:
			if (r->to->in_register || !location_follow(r->to))
				return "the compiler describes it by a computation";
			break;
		case DW_OP_plus_uconst:
			by = cur_uleb(&c);
			if (r->to->in_register)
				return "the compiler describes it by a computation";
			r->to->add = (int64_t)((uint64_t)r->to->add + by);
			break;
		case DW_OP_piece:
			return "it lies in several pieces";
		case DW_OP_stack_value:
			return "the program computes its value, and keeps it nowhere";
		default:
			return "the compiler describes it by a computation";
		}
	}
	return c.bad ? "its description is cut off" : NULL;
}

/* ---- lists ---- */

static uint64_t
indexed(const struct unit *u, uint64_t i)
{
	struct value v = { .form = DW_FORM_addrx, .u = i };
	uint64_t addr;

	return value_address(u, &v, &addr) ? addr : 0;
}

/* One entry of a list of DWARF 5: false at the end.  LO to HI: where EXPR is true. */
static bool
next_of_five(const struct unit *u, struct cursor *c, uint64_t *base, uint64_t *lo, uint64_t *hi, struct cursor *expr)
{
	unsigned size = u->address_size;
	uint8_t kind = cur_u8(c);

	*lo = *hi = 0;
	*expr = cur_of(NULL, 0, c->big);
	switch (kind) {
	case DW_LLE_base_addressx:
		*base = indexed(u, cur_uleb(c));
		return !c->bad;
	case DW_LLE_base_address:
		*base = cur_uint(c, size);
		return !c->bad;
	case DW_LLE_startx_endx:
		*lo = indexed(u, cur_uleb(c));
		*hi = indexed(u, cur_uleb(c));
		break;
	case DW_LLE_startx_length:
		*lo = indexed(u, cur_uleb(c));
		*hi = *lo + cur_uleb(c);
		break;
	case DW_LLE_offset_pair:
		*lo = *base + cur_uleb(c);
		*hi = *base + cur_uleb(c);
		break;
	case DW_LLE_default_location:
		*hi = UINT64_MAX;
		break;
	case DW_LLE_start_end:
		*lo = cur_uint(c, size);
		*hi = cur_uint(c, size);
		break;
	case DW_LLE_start_length:
		*lo = cur_uint(c, size);
		*hi = *lo + cur_uleb(c);
		break;
	default:
		return false;
	}
	*expr = cur_sub(c, cur_uleb(c));
	return !c->bad;
}

static bool
next_of_four(const struct unit *u, struct cursor *c, uint64_t *base, uint64_t *lo, uint64_t *hi, struct cursor *expr)
{
	unsigned size = u->address_size;
	uint64_t select = UINT64_MAX >> (64 - 8 * size), from = cur_uint(c, size), to = cur_uint(c, size);

	*lo = *hi = 0;
	*expr = cur_of(NULL, 0, c->big);
	if (c->bad || (!from && !to))
		return false;
	if (from == select) {
		*base = to;
		return true;
	}
	*lo = *base + from;
	*hi = *base + to;
	*expr = cur_sub(c, cur_u16(c));
	return !c->bad;
}

/* The offset of a list in .debug_loclists by its number. */
static bool
offset_of(struct unit *u, uint64_t i, uint64_t *off)
{
	struct cursor c = dwarf_section(u->dwarf, LOCLISTS);
	uint64_t base = u->offset_size == 8 ? 20 : 12;   /* behind the header: a split unit does not say where */
	struct entry root;

	if (entry_open(&root, u, u->root) && entry_has(&root, AT_LOCLISTS_BASE))
		base = root.at[AT_LOCLISTS_BASE].u;
	if (i > cur_left(&c))
		return false;
	cur_take(&c, base);
	cur_take(&c, i * u->offset_size);
	*off = base + cur_uint(&c, u->offset_size);
	return !c.bad;
}

static const char *
listed(struct reader *r, struct unit *u, const struct value *v)
{
	const struct unit *holder = u->skeleton ? u->skeleton : u;
	bool five = u->version >= 5;
	struct cursor c = dwarf_section(u->dwarf, five ? LOCLISTS : LOC), expr;
	uint64_t base = holder->low, off = v->u, lo, hi;

	if (u->skeleton && (!five || u->skeleton->dwarf->dwp == u->dwarf))
		return "its places are in split debug information";
	if (v->form == DW_FORM_loclistx && !offset_of(u, off, &off))
		return nowhere;
	cur_take(&c, off);
	r->listed = true;
	while (work_step(1) && (five ? next_of_five : next_of_four)(u, &c, &base, &lo, &hi, &expr))
		if (lo <= r->pc && r->pc < hi)
			return evaluate(r, expr);
	return nowhere;
}

static const char *
expression(struct reader *r, const struct entry *e, enum attr at)
{
	if (e->block[at].pos || e->block[at].bad)
		return evaluate(r, e->block[at]);
	return listed(r, e->unit, &e->at[at]);
}

const char *
location_of(const struct entry *variable, const struct entry *function, uint64_t pc, const struct call_frame *frame, struct location *l)
{
	struct reader r = { function, frame, pc, false, l };

	*l = (struct location){ 0 };
	if (entry_has(variable, AT_CONST_VALUE))
		return "the compiler made it a constant";
	return entry_has(variable, AT_LOCATION) ? expression(&r, variable, AT_LOCATION) : nowhere;
}
