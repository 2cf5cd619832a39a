/* A flame graph as SVG 1.1: a still picture of <rect> and <text>, which needs no script and no style sheet.  prof cuts the
 * names to fit when it writes them.  Behind the picture stand the frames as JSON, also narrower ones, for the script that
 * makes it interactive. */
#include "out/format/format.h"
#include "drawing.h"
#include "svg_color.h"
#include "svg_data.h"
#include "svg_frames.h"
#include "svg_read.h"
#include "svg_text.h"

#include <errno.h>
#include <string.h>

enum {
	WIDTH = 1200, HEAD = 560, FOOT = 240, LEGEND = 140,
	FINER = 16,                /* so many times narrower are the narrowest frames of the script */
	SPIKES = 200,              /* a row with less than the total divided by this is left out, too */
	FRAMES_MAX = 60000
};

static const char *const kind_names[TINTS] = {
	[FUNCTION_USER] = "user", [FUNCTION_KERNEL] = "kernel", [FUNCTION_JIT] = "JIT", [FUNCTION_MARK] = "marker",
	[FUNCTION_INLINED] = "inlined",
};

/* The language of interpreted functions, if it is one. */
static const char *
language_name(const struct profile *p)
{
	const char *name = NULL, *also;

	for (uint32_t i = 0; i < p->nfunction; i++)
		if ((also = profile_language(p->function[i].module))) {
			if (name && strcmp(name, also))
				return "interpreted";
			name = also;
		}
	return name ? name : "interpreted";
}

static const char *
note(const struct profile *p, const char *key)
{
	for (unsigned i = 0; i < p->nnote; i++)
		if (strcmp(p->note[i].key, key) == 0)
			return p->note[i].value;
	return NULL;
}

/* The subject of an event's picture: "1.244 s in 1,244 samples of cpu-clock". */
static void
put_sum(struct drawing *d, const struct flame *f, const struct event_info *e)
{
	struct columns_cell samples = columns_number(f->samples, 0);

	svg_amount(d, f->total);
	sink_str(d->out, e->waiting ? " waiting, " : e->period_ns ? " on CPU, " : " in ");
	sink_put(d->out, samples.text, samples.n);
	sink_str(d->out, f->samples == 1 ? " sample of " : " samples of ");
	svg_name(d, e->name, 40, false);
	if (d->p->picture.reverse)
		sink_str(d->out, "; by callers");
}

static void
put_head(struct drawing *d)
{
	const struct profile *p = d->p;
	const char *title = p->picture.title ? p->picture.title : p->command && *p->command ? p->command : "flame graph";
	const char *host = note(p, "host");
	unsigned room = (d->width - 2 * SIDE) / 101;

	sink_str(d->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"");
	svg_tenths(d, d->width);
	sink_str(d->out, "\" height=\"");
	svg_tenths(d, d->height);
	sink_str(d->out, "\" viewBox=\"0 0 ");
	svg_tenths(d, d->width);
	sink_char(d->out, ' ');
	svg_tenths(d, d->height);
	sink_str(d->out, "\" font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace\" "
	         "font-size=\"12\" fill=\"#1c1c1c\">\n<title>");
	svg_name(d, title, 0, false);
	sink_str(d->out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	svg_words(d, SIDE, 250, " font-size=\"16\" font-weight=\"bold\"");
	svg_name(d, title, room, false);
	sink_str(d->out, "</text>\n");
	svg_words(d, SIDE, 440, " fill=\"#666\"");
	if (d->flames == 1) {
		d->period = p->event[d->flame->event].period_ns;
		put_sum(d, d->flame, &p->event[d->flame->event]);
	} else {
		sink_str(d->out, d->flames ? "several events" : "no samples");
	}
	if (host && d->width >= 6000) {
		sink_str(d->out, " \u00b7 ");
		svg_name(d, host, 24, false);
	}
	sink_str(d->out, "</text>\n");
}

/* What colours mean, from X on; returns where it ends. */
static uint32_t
put_key(struct drawing *d, uint32_t x, uint32_t y, uint32_t color, const char *words)
{
	sink_str(d->out, "<rect x=\"");
	svg_tenths(d, x);
	sink_str(d->out, "\" y=\"");
	svg_tenths(d, y - 100);
	sink_str(d->out, "\" width=\"11\" height=\"11\" rx=\"2\" fill=\"");
	svg_put_color(d, color);
	sink_str(d->out, "\"/>");
	svg_words(d, x + 160, y, "");
	sink_str(d->out, words);
	sink_str(d->out, "</text>\n");
	return x + 160 + (uint32_t)strlen(words) * CHARACTER / 100 + 180;
}

static void
put_legend(struct drawing *d, uint32_t y)
{
	uint32_t x = SIDE;

	sink_str(d->out, "<g class=\"legend\" fill=\"#555\">\n");
	if (d->p->delta) {
		x = put_key(d, x, y, svg_delta_color(d, d->most), "more than before");
		put_key(d, x, y, svg_delta_color(d, -d->most), "less");
	}
	for (unsigned tint = 0; !d->p->delta && d->colors == BY_KIND && tint < TINTS; tint++)
		if (tint != TINT_ROOT && d->kinds & 1u << tint)
			x = put_key(d, x, y, svg_shade(&svg_tints[tint], 0x80000000), tint == TINT_SCRIPT ? language_name(d->p) : kind_names[tint]);
	if (!d->p->delta && d->colors == BY_MODULE) {
		svg_words(d, x, y, "");
		sink_str(d->out, "colours: one for each module</text>\n");
	}
	sink_str(d->out, "</g>\n");
}

/* The last line of an event's picture, which says what the picture does not show. */
static void
put_left_out(struct drawing *d, const struct flame *f, uint64_t left_out, uint32_t y)
{
	svg_words(d, SIDE, y, " class=\"cut\" fill=\"#888\" font-size=\"11\"");
	if (left_out) {
		sink_str(d->out, "the innermost frames of ");
		svg_share(d, left_out, f->total);
		sink_str(d->out, " are too narrow to draw (");
		svg_tenths(d, svg_cut(d));
		sink_str(d->out, " px): grey, or left out");
	}
	sink_str(d->out, "</text>\n");
}

/* The weight of the narrowest frame in the still picture. */
static uint64_t
least_of(const struct drawing *d, uint64_t total)
{
	uint64_t inner = d->width - 2 * SIDE, cut = svg_cut(d);

	return total > UINT64_MAX / 20000 ? total / inner * cut : (total * cut + inner - 1) / inner;
}

static uint32_t
panel_height(const struct flame *f)
{
	return ROW * (f->depth + 1) + FOOT;
}

/* An event's picture, from Y on. */
static void
put_panel(struct drawing *d, const struct flame *f, uint32_t y)
{
	uint64_t left_out;

	d->period = d->p->event[f->event].period_ns;
	d->top = y;
	sink_str(d->out, "<g class=\"panel\">\n");
	if (d->flames > 1) {
		svg_words(d, SIDE, y + 140, " font-weight=\"bold\"");
		put_sum(d, f, &d->p->event[f->event]);
		sink_str(d->out, "</text>\n");
		d->top += ROW + 40;
	}
	sink_str(d->out, "<g class=\"frames\">\n");
	left_out = svg_frames(d, f, least_of(d, f->total));
	sink_str(d->out, "</g>\n");
	put_left_out(d, f, left_out, d->top + ROW * (f->depth + 1) + 130);
	sink_str(d->out, "</g>\n");
}

/* Finds kinds and the largest change; and the deepest row that holds more than a few spikes, at which the picture ends. */
static bool
look(struct drawing *d, struct flame *f)
{
	uint64_t *row = NULL, least = least_of(d, f->total);
	uint32_t cap = 0, shown = 0;

	if (!vec_room(&row, &cap, (uint64_t)f->depth + 1, sizeof *row))
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct flame_frame *frame = &f->frame[i];
		int64_t size = frame->delta < 0 ? -frame->delta : frame->delta;

		if (frame->depth <= shown && frame->depth <= f->depth) {
			row[frame->depth] += frame->weight;
			shown = frame->depth + (frame->name && frame->weight >= least);
		}
		if (frame->name)
			d->kinds |= 1u << svg_tint(d, frame);
		if (size > d->most)
			d->most = size;
	}
	while (f->depth > 1 && row[f->depth] < f->total / SPIKES)
		f->depth--;
	vec_free(&row, &cap, sizeof *row);
	return true;
}

/* The frames of each event that has samples. */
static bool
make_flames(struct drawing *d)
{
	const struct profile *p = d->p;

	for (uint32_t event = 0; event < p->nevent; event++) {
		uint64_t total = 0;

		for (uint32_t i = 0; i < p->nthread; i++)
			total += p->thread[i].event == event ? p->thread[i].weight : 0;
		if (!total)
			continue;
		if (!vec_room(&d->flame, &d->flame_cap, (uint64_t)d->flames + 1, sizeof *d->flame) ||
		    !flame_make(&d->flame[d->flames++], p, event, least_of(d, total) / FINER, FRAMES_MAX) ||
		    !look(d, &d->flame[d->flames - 1]))
			return false;
		d->height += panel_height(&d->flame[d->flames - 1]);
	}
	d->height += d->flames > 1 ? d->flames * (ROW + 40) : 0;
	return true;
}

static void
choose(struct drawing *d)
{
	const struct picture *pic = &d->p->picture;

	d->width = (pic->width ? pic->width : WIDTH) * 10;
	d->height = HEAD + LEGEND + 120;
	for (unsigned i = 0; pic->colors && picture_colors[i]; i++)
		if (strcmp(picture_colors[i], pic->colors) == 0)
			d->colors = i;
}

static void
put_picture(struct drawing *d)
{
	uint32_t y = HEAD;

	put_head(d);
	for (uint32_t i = 0; i < d->flames; i++) {
		put_panel(d, &d->flame[i], y);
		y += panel_height(&d->flame[i]) + (d->flames > 1 ? ROW + 40 : 0);
	}
	put_legend(d, y + LEGEND);
	svg_data(d);
	sink_str(d->out, "</svg>\n");
}

static void
svg_write(struct sink *out, const struct profile *p)
{
	struct drawing d = { .p = p, .out = out };

	sink_open(&d.text, -1);
	choose(&d);
	if (make_flames(&d))
		put_picture(&d);
	else
		sink_fail(out, ENOMEM);
	for (uint32_t i = 0; i < d.flames; i++)
		flame_free(&d.flame[i]);
	vec_free(&d.flame, &d.flame_cap, sizeof *d.flame);
	vec_free(&d.thin, &d.thin_cap, sizeof *d.thin);
	vec_free(&d.name, &d.name_cap, sizeof *d.name);
	vec_free(&d.module, &d.module_cap, sizeof *d.module);
	if (sink_close(&d.text))
		sink_fail(out, ENOMEM);
}

const struct format format_svg = {
	.name = "svg",
	.suffixes = ".svg",
	.what = "a flame graph: a picture anywhere, interactive in a browser",
	.write = svg_write,
	.is = svg_is,
	.read = svg_read,
	.text = true,
	.threadless = true,
};
