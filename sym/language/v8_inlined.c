/* See v8_inlined.h.  src/objects/deoptimization-data.h of V8 10 to 14: the number of an inlined call (see v8_table.c) tells its function and the
 * place of the call. */
#include "v8_inlined.h"

#include "lib/index.h"

enum { LENGTH = 8, ELEMENTS = 16, CALL = 16 /* bytes */, CALL_SHIFT = 31, CALL_MOST = 0xffff, COST = 64 /* bytes, for 1 us */ };
#define LOOK_AGAIN UINT64_C(1000000000)   /* ns: if nothing was found; */
#define GOOD UINT64_C(10000000000)        /* else */

static bool
element(struct look *l, uint64_t array, uint64_t i, uint64_t *v)
{
	uint64_t n;

	return v8_member(l, array, LENGTH, &n) && v8_is_number(n) && i < n >> 32 && v8_member(l, array, (int32_t)(ELEMENTS + 8 * i), v);
}

/* The function of inlined call NUMBER (from 1 on), and the place of the call. */
static bool
call_of(const struct v8_image *v, struct look *l, const struct v8_compiled *c, uint64_t number, uint64_t *shared, uint64_t *place)
{
	uint64_t calls, literals, n, function;

	if (!element(l, c->data, (uint64_t)v->at[V8_DEOPT_INLINED], &calls) || !element(l, c->data, (uint64_t)v->at[V8_DEOPT_LITERALS], &literals) ||
	    !v8_member(l, calls, LENGTH, &n) || number * CALL > n >> 32 || !v8_member(l, calls, (int32_t)(ELEMENTS + (number - 1) * CALL), place) ||
	    !v8_member(l, calls, (int32_t)(ELEMENTS + (number - 1) * CALL + 8), &function))
		return false;
	*shared = c->shared;
	return (uint32_t)function == UINT32_MAX || element(l, literals, (uint32_t)function, shared);
}

/* Each call that was inlined has a greater number than the one that it was inlined into. */
static bool
find(struct v8_places *p, struct v8_codes *codes, const struct v8_image *v, struct look *l, const struct v8_compiled *c, struct v8_place *to, bool *again)
{
	uint64_t at = to->pc - c->lo, shared, number, before = CALL_MOST + 1, place;
	const struct v8_function *f;
	uint32_t line;

	place = c->bytes ? v8_bytecode_place(&p->table, v, l, c, at) : v8_table_place(&p->table, v, l, c->positions, at);
	while (to->n < V8_INLINED) {
		number = place >> CALL_SHIFT & CALL_MOST;
		if (!place || place & 1 || number >= before)
			return false;
		shared = c->shared;
		line = v8_place_position(place);
		if (number && !call_of(v, l, c, number, &shared, &place))
			return false;
		if (!(f = v8_function_at(codes, v, l, to->process, shared)))
			return false;
		line = line && !f->native ? v8_code_line(codes, v, l, to->process, f->seen[V8_SCRIPT], line - 1, again) : 0;
		to->codes[to->n++] = languages_place(codes->languages, f->code, line);
		if (!number)
			return true;
		before = number;
	}
	return false;
}

const struct v8_place *
v8_place_at(struct v8_places *p, struct v8_codes *codes, const struct v8_image *v, struct look *l, const void *process, const struct v8_compiled *c, uint64_t pc)
{
	struct v8_place *place = &p->place[hash_u64(pc ^ c->code << 20 ^ (uintptr_t)process) % V8_PLACES];
	struct v8_place now = { process, pc, c->code, c->shared, c->positions, l->moment->time, { 0 }, 0 };
	bool known = place->process == process && place->pc == pc && place->code == c->code && place->shared == c->shared && place->positions == c->positions;
	bool again = false;

	if ((!known || l->moment->time - place->looked > (place->n ? GOOD : LOOK_AGAIN)) &&
	    languages_may_search(codes->languages, languages_allowance(codes->languages), l->moment->time, V8_TABLE / COST / 8)) {
		if (!find(p, codes, v, l, c, &now, &again))
			now.n = 0;
		if (now.n || !known)
			*place = now;
		if (again)
			place->looked = 0;
		known = true;
	}
	return known && place->n ? place : NULL;
}
