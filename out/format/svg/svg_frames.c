/* The still picture's frames: <rect> and <text>, cut to fit as they are written, with what browsers show as a tooltip. */
#include "svg_frames.h"
#include "svg_color.h"
#include "svg_text.h"

#include <errno.h>

static uint64_t
place(const struct drawing *d, const struct flame *f, uint64_t weight)
{
	uint64_t total = f->total, inner = d->width - 2 * SIDE;

	for (; total > UINT64_MAX / (inner + 1); total /= 2)
		weight /= 2;
	return total ? weight * inner / total : 0;
}

static uint32_t
row_of(const struct drawing *d, const struct flame *f, uint32_t depth)
{
	return d->top + ROW * (d->p->picture.inverted ? depth : f->depth - depth);
}

static void
put_rect(struct drawing *d, const struct flame *f, uint32_t depth, uint64_t lo, uint64_t hi, uint32_t color)
{
	uint64_t x = place(d, f, lo), wide = place(d, f, hi) - x;

	sink_str(d->out, "<rect x=\"");
	svg_tenths(d, SIDE + x);
	sink_str(d->out, "\" y=\"");
	svg_tenths(d, row_of(d, f, depth));
	sink_str(d->out, "\" width=\"");
	svg_tenths(d, wide > 15 ? wide - 5 : wide);   /* a thin line between neighbours */
	sink_str(d->out, "\" height=\"17\" fill=\"");
	svg_put_color(d, color);
	sink_str(d->out, wide >= 100 ? "\" rx=\"1.5\"/>" : "\"/>");
}

static void
put_thin(struct drawing *d, const struct flame *f, uint32_t depth, uint64_t least)
{
	struct thin *t = &d->thin[depth];

	if (t->hi - t->lo >= least && t->hi > t->lo) {
		put_rect(d, f, depth, t->lo, t->hi, 0xdddddd);
		sink_char(d->out, '\n');
	}
	t->lo = t->hi = 0;
}

/* With --lines it distinguishes functions. */
static void
put_line(struct drawing *d, const struct function *f)
{
	if (f && d->p->lines && f->line)
		sink_fmt(d->out, ":%u", f->line);
}

static void
put_tooltip(struct drawing *d, const struct flame *f, const struct flame_frame *frame)
{
	const struct function *fn = frame->function == UINT32_MAX ? NULL : &d->p->function[frame->function];

	sink_str(d->out, "<title>");
	svg_name(d, frame->name, 0, false);
	put_line(d, fn);
	if (fn && *fn->module) {
		sink_str(d->out, " (");
		svg_name(d, fn->module, 0, false);
		sink_char(d->out, ')');
	}
	sink_str(d->out, "&#10;");
	svg_amount(d, frame->weight);
	sink_str(d->out, ", ");
	svg_share(d, frame->weight, f->total);
	if (d->p->delta) {
		sink_str(d->out, ", ");
		svg_delta_words(d, frame->delta);
	}
	sink_str(d->out, "</title>");
}

/* A frame's name in ROOM columns, with its line if there is room for it, too. */
static void
put_label(struct drawing *d, const struct flame_frame *frame, unsigned room)
{
	const struct function *fn = frame->function == UINT32_MAX ? NULL : &d->p->function[frame->function];
	unsigned line = 0;

	for (uint32_t v = fn && d->p->lines ? fn->line : 0; v; v /= 10)
		line += line ? 1 : 2;
	if (columns_of(frame->name) + line <= room) {
		svg_name(d, frame->name, 0, false);
		put_line(d, fn);
	} else {
		svg_name(d, frame->name, room, false);
	}
}

static void
put_frame(struct drawing *d, const struct flame *f, const struct flame_frame *frame)
{
	uint64_t x = place(d, f, frame->at), end = frame->at + frame->weight, wide = place(d, f, end) - x;
	unsigned room = wide > 60 ? (unsigned)((wide - 60) * 100 / CHARACTER) : 0;

	if (wide < 15) {
		put_rect(d, f, frame->depth, frame->at, end, svg_color(d, frame));
		return;
	}
	sink_str(d->out, "<g>");
	put_tooltip(d, f, frame);
	put_rect(d, f, frame->depth, frame->at, end, svg_color(d, frame));
	if (room >= 3) {
		sink_str(d->out, "<text x=\"");
		svg_tenths(d, SIDE + x + 30);
		sink_str(d->out, "\" y=\"");
		svg_tenths(d, row_of(d, f, frame->depth) + 128);
		sink_str(d->out, "\">");
		put_label(d, frame, room);
		sink_str(d->out, "</text>");
	}
	sink_str(d->out, "</g>");
}

/* Draws the frames that are wide enough, and grey where narrower ones stand side by side.  Returns the weight of the narrower
 * ones. */
uint64_t
svg_frames(struct drawing *d, const struct flame *f, uint64_t least)
{
	uint64_t left_out = 0;
	uint32_t shown = 0;        /* deeper frames lie within a frame that is left out */

	if (!vec_room(&d->thin, &d->thin_cap, (uint64_t)f->depth + 1, sizeof *d->thin))
		sink_fail(d->out, ENOMEM);
	for (uint32_t i = 0; !d->out->err && i < f->n; i++) {
		const struct flame_frame *frame = &f->frame[i];
		struct thin *thin;

		if (frame->depth > shown)
			continue;
		if (frame->name && frame->weight >= least && frame->depth <= f->depth) {
			put_frame(d, f, frame);
			sink_char(d->out, '\n');
			shown = frame->depth + 1;
			continue;
		}
		shown = frame->depth;
		left_out += frame->weight;
		if (frame->depth > f->depth)
			continue;
		thin = &d->thin[frame->depth];
		if (thin->hi != frame->at || thin->hi == thin->lo) {
			put_thin(d, f, frame->depth, least);
			thin->lo = frame->at;
		}
		thin->hi = frame->at + frame->weight;
	}
	for (uint32_t depth = 0; !d->out->err && depth <= f->depth; depth++)
		put_thin(d, f, depth, least);
	return left_out;
}
