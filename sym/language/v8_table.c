/* See v8_table.h.  src/codegen/source-position-table.cc and source-position.h of V8 10 to 14: for each run of instructions, how much
 * farther it begins, and how far its place in the source is from the one before; signs are folded into the lowest bit.  A place is a
 * position in a source, and the number of an inlined call.  The first number also says whether a statement begins there: by its sign; from 14
 * on it has none, but two bits for that and for whether a debugger may stop there. */
#include "v8_table.h"

enum { LENGTH = 8, ELEMENTS = 16, MAJOR_OF_BITS = 14 };

struct cursor
v8_table_read(struct v8_table *t, struct look *l, uint64_t array, int32_t first, bool part)
{
	uint64_t n;

	if (!v8_member(l, array, LENGTH, &n) || !v8_is_number(n))
		return cur_of(t->bytes, 0, false);
	n >>= 32;
	n = n > V8_TABLE ? part ? V8_TABLE : 0 : n;
	if (!n || !look_copy(l, array - 1 + (uint64_t)first, t->bytes, (size_t)n))
		n = 0;
	return cur_of(t->bytes, (size_t)n, false);
}

static int64_t
signed_of(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

uint64_t
v8_table_place(struct v8_table *t, const struct v8_image *v, struct look *l, uint64_t table, uint64_t at)
{
	struct cursor c = v8_table_read(t, l, table, ELEMENTS, false);
	uint64_t place = 0, found = 0;
	int64_t begin = 0, more;

	while (c.pos < c.end) {
		more = (int64_t)cur_uleb(&c);
		more = v->major >= MAJOR_OF_BITS ? more >> 2 : signed_of((uint64_t)more);
		begin += (more < 0 ? ~more : more) & UINT32_MAX;
		place += (uint64_t)signed_of(cur_uleb(&c));
		if (c.bad || (uint64_t)begin > at)
			break;
		found = place;
	}
	return c.bad ? 0 : found;
}
