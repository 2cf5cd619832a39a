/* What the script of an SVG and svg_read.c get: names and frames as JSON; and the script itself (svg/, packed). */
#include "svg_data.h"
#include "svg_color.h"
#include "svg_text.h"
#include "out/format/pages.h"

#include <errno.h>
#include <string.h>

static uint32_t
module_number(struct drawing *d, const char *module)
{
	uint32_t i;

	for (i = 0; i < d->modules; i++)
		if (d->module[i] == module || strcmp(d->module[i], module) == 0)
			return i;
	if (!vec_room(&d->module, &d->module_cap, (uint64_t)i + 1, sizeof *d->module))
		return 0;
	d->module[d->modules++] = module;
	return i;
}

/* The frames' names, each once: name, kind, colour, module, line. */
static void
put_names(struct drawing *d, const struct flame *f)
{
	uint32_t n = 0, labels = f->wides + d->p->nthread + 1;

	if (!vec_room(&d->name, &d->name_cap, labels, sizeof *d->name)) {
		sink_fail(d->out, ENOMEM);
		return;
	}
	memset(d->name, 0, labels * sizeof *d->name);
	sink_str(d->out, "\"names\":[");
	for (uint32_t i = 0; i < f->n; i++) {
		const struct flame_frame *frame = &f->frame[i];
		const struct function *fn = frame->function == UINT32_MAX ? NULL : &d->p->function[frame->function];

		if (!frame->name || d->name[frame->label])
			continue;
		sink_char(d->out, n ? ',' : ' ');
		svg_name_json(d, frame->name);
		sink_fmt(d->out, ",%u,%u,%u,%u\n", svg_tint(d, frame), (unsigned)svg_color(d, frame),
		         fn ? module_number(d, fn->module) : module_number(d, ""), fn && d->p->lines ? fn->line : 0);
		d->name[frame->label] = ++n;
	}
	sink_str(d->out, "],\n");
}

/* Frames as numbers: the name's number, or -1 for what is left out; the weight; the number of levels up from a callee of the
 * frame before; and with deltas the delta and the colour. */
static void
put_numbers(struct drawing *d, const struct flame *f)
{
	uint32_t depth = 0;

	sink_str(d->out, "\"frames\":[");
	for (uint32_t i = 0; i < f->n; i++) {
		const struct flame_frame *frame = &f->frame[i];

		sink_str(d->out, i ? "," : "");
		if (frame->name)
			sink_u64(d->out, d->name[frame->label] - 1);
		else
			sink_str(d->out, "-1");
		sink_char(d->out, ',');
		sink_u64(d->out, frame->weight);
		sink_char(d->out, ',');
		sink_u64(d->out, depth - frame->depth);
		if (d->p->delta)
			sink_fmt(d->out, ",%d,%u", (int)frame->delta, (unsigned)svg_color(d, frame));
		if (i % 16 == 15)
			sink_char(d->out, '\n');
		depth = frame->depth + 1;
	}
	sink_str(d->out, "]}");
}

void
svg_data(struct drawing *d)
{
	const struct picture *pic = &d->p->picture;
	struct pages pages;

	sink_fmt(d->out, "<script type=\"application/json\">{\"inverted\":%u,\"reverse\":%u,\"delta\":%u,\"min\":%u,\"lines\":%u,\"pids\":%u,\"threads\":%u",
	         pic->inverted, pic->reverse, d->p->delta != NULL, svg_cut(d), d->p->lines, d->p->by_process, d->p->by_thread);
	if (d->p->command && *d->p->command) {
		sink_str(d->out, ",\"command\":");
		svg_name_json(d, d->p->command);
	}
	sink_str(d->out, ",\n\"panels\":[");
	for (uint32_t i = 0; i < d->flames; i++) {
		const struct flame *f = &d->flame[i];
		const struct event_info *e = &d->p->event[f->event];

		sink_str(d->out, i ? ",\n{\"event\":" : "\n{\"event\":");
		svg_name_json(d, e->name);
		sink_fmt(d->out, ",\"period\":%llu,\"waiting\":%u,\"least\":%llu,", (unsigned long long)e->period_ns, e->waiting,
		         (unsigned long long)f->least);
		put_names(d, f);
		put_numbers(d, f);
	}
	sink_str(d->out, "],\n\"modules\":[");
	for (uint32_t i = 0; i < d->modules; i++) {
		sink_str(d->out, i ? "," : "");
		svg_name_json(d, d->module[i]);
	}
	sink_str(d->out, "]}</script>\n<script><![CDATA[\n");
	if (!pages_open(&pages))
		sink_fail(d->out, ENOMEM);
	sink_str(d->out, pages.part[SVG_BOOT]);
	pages_pack(&pages, d->out, SVG_VIEW, SVG_VIEW);
	sink_str(d->out, "`);\n]]></script>\n");
	pages_close(&pages);
}
