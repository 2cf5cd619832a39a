/* See table.h. */
#include "table.h"

#include <string.h>

unsigned
table_permille(uint64_t w, uint64_t all)
{
	for (; all > UINT64_MAX / 2000; all /= 2)
		w /= 2;
	return all ? (unsigned)((w * 1000 + all / 2) / all) : 0;
}

bool
table_below(uint64_t w, uint64_t all, unsigned min)
{
	for (; all > UINT64_MAX / 20000; all /= 2)
		w /= 2;
	return w * 10000 < all * min;
}

struct columns_cell
table_amount(const struct table *t, uint64_t weight)
{
	uint64_t ns = times(weight, t->period);
	bool ms = times(t->sum, t->period) < 1000000000;
	struct columns_cell c = t->period ? columns_number((ns + (ms ? 5000 : 500000)) / (ms ? 10000 : 1000000), ms ? 2 : 3)
	                          : columns_number(weight, 0);

	if (t->period) {
		memcpy(c.text + c.n, ms ? " ms" : " s", 3);
		c.n += ms ? 3 : 2;
	}
	return c;
}

void
table_ink(const struct table *t, const char *code)
{
	if (t->how.colour)
		sink_fmt(t->out, "\033[%sm", code);
}

void
table_percent(const struct table *t, uint64_t weight)
{
	struct columns_cell c = columns_number(table_permille(weight, t->sum), 1);

	columns_right(t->out, &c, 6);
	sink_char(t->out, '%');
}

void
table_name(const struct table *t, const struct words *r, unsigned room)
{
	const char *behind = row_suffix(r);
	unsigned suffix = (unsigned)strlen(behind);

	table_ink(t, r->kind == FUNCTION_KERNEL ? "35" : r->kind == FUNCTION_MARK ? "2" : "1");
	columns_cut(t->out, r->name, room > suffix ? room - suffix : room ? 1 : 0);
	sink_put(t->out, behind, suffix);
	table_ink(t, "0");
}

bool
table_has_samples(const struct table *t)
{
	return !t->p->timeless || t->period != 1000 || t->rows.samples != t->sum;
}
