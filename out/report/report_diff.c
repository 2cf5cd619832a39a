/* See report_diff.h. */
#include "report_diff.h"

#include <stdlib.h>
#include <string.h>

#include "lib/columns.h"
#include "table.h"

/* A terminal with fewer columns than that is narrow. */
enum { NARROW = 76 };

/* The share of W in ALL, in parts of SHARE. */
static int64_t
share(uint64_t w, uint64_t all)
{
	for (; all > UINT64_MAX / SHARE; all /= 2)
		w /= 2;
	return all ? (int64_t)(w * SHARE / all) : 0;
}

static bool
add_item(struct diff *d, const struct words *words)
{
	if (!vec_room(&d->item, &d->cap, (uint64_t)d->n + 1, sizeof *d->item))
		return false;
	d->item[d->n++] = (struct difference){ .words = *words };
	return true;
}

static void
set_shares(struct difference *item, unsigned which, const struct rows *rows, const struct row_weight *weight)
{
	item->self[which] = share(weight->self, rows->sum);
	item->total[which] = share(weight->total, rows->sum);
}

/* Makes one item for each row of AFTER, then for each row that only BEFORE has. */
static bool
join(struct diff *d)
{
	const struct rows *before = &d->rows[BEFORE];
	struct rows *after = &d->rows[AFTER];

	for (uint32_t i = 0; i < after->n; i++) {
		if (!add_item(d, &after->words[i]))
			return false;
		set_shares(&d->item[i], AFTER, after, &after->weight[i]);
	}
	for (uint32_t i = 0; i < before->n; i++) {
		uint32_t at = rows_find(after, &before->words[i]);

		if (at == INDEX_NONE && !add_item(d, &before->words[i]))
			return false;
		set_shares(&d->item[at == INDEX_NONE ? d->n - 1 : at], BEFORE, before, &before->weight[i]);
	}
	return true;
}

static bool
add_rows(struct rows *rows, const struct profile *p, uint64_t *sum, const char **unit, bool *time)
{
	uint32_t *thread = NULL, cap = 0, event = p->nthread ? p->thread[0].event : 0;
	uint64_t period = event < p->nevent ? p->event[event].period_ns : 0;
	bool ok = rows_open(rows, p, BY_NAME) && vec_room(&thread, &cap, p->nthread, sizeof *thread);

	for (uint32_t i = 0; ok && i < p->nthread; i++)
		thread[i] = i;
	if (ok)
		rows_add(rows, thread, p->nthread);
	*unit = event < p->nevent ? p->event[event].name : "samples";
	*sum = period ? times(rows->sum, period) : rows->sum;
	*time = period != 0;
	vec_free(&thread, &cap, sizeof *thread);
	return ok;
}

bool
diff_open(struct diff *d, const struct profile *const *profile)
{
	bool ok = true;

	*d = (struct diff){ 0 };
	for (unsigned which = BEFORE; which <= AFTER; which++)
		ok = add_rows(&d->rows[which], profile[which], &d->sum[which], &d->unit[which], &d->time) && ok;
	return ok && join(d);
}

void
diff_free(struct diff *d)
{
	rows_free(&d->rows[BEFORE]);
	rows_free(&d->rows[AFTER]);
	vec_free(&d->item, &d->cap, sizeof *d->item);
}

int64_t
diff_growth(const struct diff *d)
{
	uint64_t a = d->sum[BEFORE], b = d->sum[AFTER], by = a > b ? a - b : b - a;

	for (; by > UINT64_MAX / SHARE; by /= 2)
		a /= 2;
	if (!a)
		return b ? INT64_MAX : 0;
	by = by * SHARE / a;
	return b < d->sum[BEFORE] ? -(int64_t)by : by > INT64_MAX ? INT64_MAX : (int64_t)by;
}

static int
by_key(const void *va, const void *vb)
{
	const struct difference *a = va, *b = vb;
	int64_t x = a->key < 0 ? -a->key : a->key, y = b->key < 0 ? -b->key : b->key;

	return x != y ? (x < y) - (x > y) : strcmp(a->words.name, b->words.name);
}

/* Writes a percentage with two decimals; with its sign if it is a CHANGE. */
static void
put_share(struct sink *out, int64_t v, bool change, unsigned width)
{
	uint64_t parts = (uint64_t)(v < 0 ? -v : v);
	struct columns_cell c = columns_number(parts / 100000 + (parts % 100000 >= 50000), 2);

	if (change && v) {
		memmove(c.text + 1, c.text, c.n);
		c.text[0] = v < 0 ? '-' : '+';
		c.n++;
	}
	c.text[c.n++] = '%';
	columns_right(out, &c, width);
}

/* How many figures stand behind the change: two, or fewer where the first name needs their room. */
static unsigned
figures_beside(const struct table *t, const struct words *first)
{
	unsigned wanted = columns_of(first->name) + (unsigned)strlen(row_suffix(first)), width = t->how.width, figures = 2;

	if (width >= NARROW && wanted > width / 2)
		wanted = width / 2;
	while (width && figures && 12 + 10 * figures + wanted > width)
		figures--;
	return figures;
}

static void
put_item(const struct table *t, const struct difference *d, const int64_t *v, unsigned figures)
{
	table_ink(t, d->key > 0 ? "31" : "34");
	put_share(t->out, d->key, true, 10);
	table_ink(t, "0");
	if (figures > 1)
		put_share(t->out, v[BEFORE], false, 10);
	if (figures)
		put_share(t->out, v[AFTER], false, 10);
	columns_pad(t->out, 2);
	table_name(t, &d->words, !t->how.width ? 0 : t->how.width > 12 + 10 * figures ? t->how.width - 12 - 10 * figures : 1);
	sink_char(t->out, '\n');
}

static void
put_part(const struct table *t, struct diff *d, bool total)
{
	int64_t least = (int64_t)(t->how.min ? t->how.min : 1) * (SHARE / 10000);
	uint32_t shown = 0;
	unsigned figures;

	for (uint32_t i = 0; i < d->n; i++) {
		const int64_t *v = total ? d->item[i].total : d->item[i].self;

		d->item[i].key = v[AFTER] - v[BEFORE];
	}
	if (d->n)
		qsort(d->item, d->n, sizeof *d->item, by_key);
	sink_char(t->out, '\n');
	table_ink(t, "2");
	figures = d->n ? figures_beside(t, &d->item[0].words) : 2;
	sink_fmt(t->out, "%10s%*s%*s  function", total ? "total" : "self", figures > 1 ? 10 : 0, figures > 1 ? "before" : "",
	         figures ? 10 : 0, figures ? "after" : "");
	table_ink(t, "0");
	sink_char(t->out, '\n');
	for (; shown < d->n && (!t->how.top || shown < t->how.top); shown++) {
		const struct difference *item = &d->item[shown];

		if ((item->key < 0 ? -item->key : item->key) < least)
			break;
		put_item(t, item, total ? item->total : item->self, figures);
	}
	if (!shown)
		sink_fmt(t->out, "%10s\n", "no change");
}

static void
put_sum(const struct table *t, const struct diff *d, unsigned which, const char *name)
{
	struct columns_cell c = d->time ? columns_number(d->sum[which] / 1000000, 3) : columns_number(d->sum[which], 0);

	columns_cut(t->out, name, 0);
	sink_str(t->out, ": ");
	table_ink(t, "1");
	sink_put(t->out, c.text, c.n);
	table_ink(t, "0");
	sink_char(t->out, ' ');
	columns_cut(t->out, d->time ? "s" : d->unit[which], 0);
}

void
diff_write(struct sink *out, struct diff *d, const struct report *how, const char *const *name)
{
	struct table t = { .out = out, .how = *how };
	int64_t growth = diff_growth(d);

	put_sum(&t, d, AFTER, name[AFTER]);
	sink_str(out, how->width && how->width < NARROW ? ";\nbefore, " : "; before, ");
	put_sum(&t, d, BEFORE, name[BEFORE]);
	if (growth != INT64_MAX) {
		sink_str(out, "; ");
		put_share(out, growth, true, 0);
	}
	sink_char(out, '\n');
	put_part(&t, d, false);
	put_part(&t, d, true);
}

/* What each node of AFTER's tree of rows weighed in BEFORE, with what it calls. */
static bool
weigh_before(struct diff *d, uint64_t **weight, uint32_t *cap)
{
	const struct rows *before = &d->rows[BEFORE];
	struct rows *after = &d->rows[AFTER];
	uint32_t *node = NULL, node_cap = 0, n = after->tree.n;
	bool ok = vec_room(weight, cap, n, sizeof **weight) && vec_room(&node, &node_cap, before->tree.n, sizeof *node);

	for (uint32_t i = 0; ok && i < before->tree.n; i++) {
		struct node at = before->tree.node[i];
		uint32_t parent = at.parent == NODE_NONE ? NODE_NONE : node[at.parent];
		uint32_t row = rows_find(after, &before->words[at.frame]);

		node[i] = INDEX_NONE - 1;   /* AFTER has no such stack */
		if (row == INDEX_NONE || parent == INDEX_NONE - 1)
			continue;
		node[i] = tree_node(&after->tree, parent, row);
		ok = node[i] != NODE_NONE;
		if (node[i] < n)
			(*weight)[node[i]] += before->total[i];
	}
	vec_free(&node, &node_cap, sizeof *node);
	return ok;
}

bool
diff_deltas(struct diff *d, struct profile *after)
{
	const struct rows *rows = &d->rows[AFTER];
	uint64_t *before = NULL;
	uint32_t cap = 0;
	bool ok = weigh_before(d, &before, &cap) && vec_room(&after->delta, &after->delta_cap, after->tree.n, sizeof *after->delta);

	for (uint32_t i = 0; ok && i < after->tree.n; i++) {
		uint32_t node = rows->node[i];

		int64_t change = share(rows->total[node], rows->sum) - share(before[node], d->rows[BEFORE].sum);

		after->delta[i] = (int32_t)(change / (SHARE / 100000));
	}
	vec_free(&before, &cap, sizeof *before);
	return ok;
}
