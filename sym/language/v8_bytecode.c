/* See v8_bytecode.h.  V8 keeps for a function's bytecode which of them stands for what in the source (src/objects/bytecode-array.h of V8 10 to
 * 14), and for baseline code where the instructions of each bytecode end (src/baseline/bytecode-offset-iterator.h).  How long a bytecode
 * is says a table of the program; the first two bytecodes only widen the operands of the next one. */
#include "v8_bytecode.h"

enum { LENGTH = 8, ELEMENTS = 16, PLACES_OLD = 32, PLACES_NEW = 24 /* where V8 keeps the places */, WIDENING = 2 };

/* Which bytecode the instruction stands for that is AT bytes into the code; -1: none, as where the function begins. */
static int32_t
number_of(struct v8_table *t, struct look *l, uint64_t ends, uint64_t at)
{
	struct cursor c = v8_table_read(t, l, ends, ELEMENTS, false);
	uint64_t end = 0;

	for (int32_t i = -1; c.pos < c.end; i++) {
		end += cur_uleb(&c) & UINT32_MAX;
		if (at < end)
			return c.bad ? -1 : i;
	}
	return -1;
}

/* Where bytecode NUMBER begins; UINT64_MAX: not known. */
static uint64_t
offset_of(struct v8_table *t, const struct v8_image *v, struct look *l, uint64_t bytes, int32_t number)
{
	struct cursor c = v8_table_read(t, l, bytes, v->at[V8_BYTES_DATA], true);
	size_t n = cur_left(&c), i = 0;

	for (; number > 0; number--) {
		unsigned wide = i + 1 < n && t->bytes[i] < WIDENING ? t->bytes[i] + 1U : 0;
		uint8_t size = i + 1 < n ? v->size[wide][t->bytes[i + (wide > 0)]] : 0;

		if (!size)
			return UINT64_MAX;
		i += size + (size_t)(wide > 0);
	}
	return number || i >= n ? UINT64_MAX : i;
}

uint64_t
v8_bytecode_place(struct v8_table *t, const struct v8_image *v, struct look *l, const struct v8_compiled *c, uint64_t at)
{
	uint64_t n, table;

	if (v8_type(l, c->bytes) != (uint32_t)v->at[V8_TYPE_BYTES] || !v8_member(l, c->bytes, LENGTH, &n) ||
	    !v8_member(l, c->bytes, v->at[V8_BYTES_WRAPPER] ? PLACES_NEW : PLACES_OLD, &table))
		return 0;
	at = c->lo ? offset_of(t, v, l, c->bytes, number_of(t, l, c->positions, at)) : at - (uint64_t)v->at[V8_BYTES_DATA] + 1;
	return at < n >> 32 ? v8_table_place(t, v, l, table, at) : 0;
}
