/* See annotate_columns.h. */
#include "annotate_columns.h"

unsigned
annotation_room(const struct annotation_writing *w, unsigned used)
{
	return !w->view->width ? 0 : w->view->width > used + 8 ? w->view->width - used : 8;
}

const char *
annotation_module(const struct annotation_writing *w)
{
	for (uint32_t i = 0; i < w->a->p->nfunction; i++)
		if (w->a->which[i] == w->a->chosen && *w->a->p->function[i].module)
			return w->a->p->function[i].module;
	return "";
}

void
annotation_shares(struct annotation_writing *w, const struct weight *weight)
{
	unsigned share = weight ? table_permille(weight->self, w->t.sum) : 0;

	if (!weight || !weight->total) {
		columns_pad(w->t.out, ANNOTATION_SHARES);
		return;
	}
	if (share)
		table_ink(&w->t, share >= 200 ? "31" : share >= 50 ? "33" : "32");
	table_percent(&w->t, weight->self);
	if (share)
		table_ink(&w->t, "0");
	table_percent(&w->t, weight->total);
}

bool
annotation_counts(const struct annotation_writing *w, const struct weight *weight)
{
	return weight->total && !table_below(weight->total, w->t.sum, w->view->min);
}

void
annotation_add_most(struct annotation_part *p, const struct weight *weight)
{
	if (weight->total > p->most.total)
		p->most.total = weight->total;
	p->most.self += weight->self;
}

int
annotation_by_most(const void *va, const void *vb, void *ctx)
{
	const struct annotation_part *a = va, *b = vb;

	(void)ctx;
	if (a->most.self != b->most.self)
		return a->most.self < b->most.self ? 1 : -1;
	if (a->most.total != b->most.total)
		return a->most.total < b->most.total ? 1 : -1;
	return (a->lo > b->lo) - (a->lo < b->lo);
}

void
annotation_gap(struct annotation_writing *w)
{
	columns_pad(w->t.out, ANNOTATION_SHARES);
	sink_str(w->t.out, "     ...\n");
}
