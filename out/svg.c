/* A flame graph as SVG 1.1: a still picture of <rect> and <text> that needs neither script nor style sheet, cut to fit as
 * it is written; and behind it the frames as JSON, with more of them, for the script that makes it interactive (svg/view.js).
 *
 * Lengths are in tenths of a pixel.  Nothing of a name is written but through put_text and put_json, which keep XML, JSON
 * and the direction of text whole. */
#include "cell.h"
#include "flame.h"
#include "format.h"

#include <errno.h>
#include <string.h>

static const unsigned char boot[] = {
#include "svg/boot.js.h"
};
static const unsigned char view[] = {
#include "svg/view.js.h"
};

enum {
	WIDTH = 1200, SIDE = 100, ROW = 180, HEAD = 560, FOOT = 240, LEGEND = 140,
	CHARACTER = 7230,          /* its width, of the font at its size: hundredths of that */
	CUT = 5,                   /* narrower frames are left out of the still picture, if nothing else is said */
	FINER = 16,                /* the script has frames that are narrower by that */
	SPIKES = 200,              /* rows that hold less than that part of all are left out, too */
	FRAMES_MAX = 60000
};

/* Colours from LO up to LO + SPAN, by red, green and blue. */
struct tint {
	uint8_t lo[3], span[3];
};

enum { TINT_ROOT = FUNCTION_INLINED + 1, TINTS };

static const struct tint kinds[TINTS] = {
	[FUNCTION_USER] = { { 240, 138, 62 }, { 12, 72, 34 } },   [FUNCTION_KERNEL] = { { 138, 162, 222 }, { 38, 36, 28 } },
	[FUNCTION_JIT] = { { 142, 196, 104 }, { 34, 24, 30 } },   [FUNCTION_MARK] = { { 190, 190, 190 }, { 12, 12, 12 } },
	[FUNCTION_INLINED] = { { 120, 198, 186 }, { 34, 22, 26 } }, [TINT_ROOT] = { { 222, 218, 210 }, { 10, 10, 10 } },
};
static const char *const kind_names[TINTS] = {
	[FUNCTION_USER] = "user", [FUNCTION_KERNEL] = "kernel", [FUNCTION_JIT] = "JIT", [FUNCTION_MARK] = "marker",
	[FUNCTION_INLINED] = "inlined",
};
static const struct tint palettes[] = {
	{ { 226, 90, 40 }, { 28, 130, 30 } },     /* hot */
	{ { 120, 160, 215 }, { 50, 50, 35 } },    /* blue */
	{ { 130, 185, 110 }, { 50, 45, 40 } },    /* green */
	{ { 175, 175, 175 }, { 50, 50, 50 } },    /* grey */
};
enum { BY_KIND, BY_MODULE, BY_PALETTE };
const char *const picture_colors[] = { "kind", "module", "hot", "blue", "green", "grey", NULL };

/* What was left out at one depth, side by side: from LO to HI, weights. */
struct thin {
	uint64_t lo, hi;
};

struct drawing {
	const struct profile *p;
	struct sink *out, text;
	struct flame *flame;       /* of each event that has samples */
	uint32_t flame_cap, flames;
	struct thin *thin;         /* of each depth */
	uint32_t *name;            /* of each label: its number among a picture's names, + 1 */
	const char **module;
	uint32_t thin_cap, name_cap, module_cap, modules;
	uint32_t width, height, colors;
	uint64_t period;           /* of the event at hand */
	uint32_t top;              /* of its picture */
	int64_t most;              /* the largest change */
	unsigned kinds;            /* a bit for each that is there */
};

static uint32_t
cut_of(const struct drawing *d)
{
	return d->p->picture.min_width ? d->p->picture.min_width : CUT;
}

/* ---- text ---- */

/* What stands for the character at S in XML or, where XML is around it, in a JSON string; NULL where it is itself. */
static const char *
escape(const char *s, bool json)
{
	switch (*s) {
	case '&': return json ? "\\u0026" : "&amp;";
	case '<': return json ? "\\u003c" : "&lt;";
	case '>': return json ? "\\u003e" : "&gt;";
	case '"': return json ? "\\\"" : "&quot;";
	case '\\': return json ? "\\\\" : NULL;
	}
	/* U+FFFE and U+FFFF are no characters of XML */
	return memcmp(s, "\xef\xbf\xbe", 3) == 0 || memcmp(s, "\xef\xbf\xbf", 3) == 0 ? "\xef\xbf\xbd" : NULL;
}

/* A name in at most WIDTH columns (0: as long as it is), as cell.h cuts it and makes it harmless. */
static void
put_name(struct drawing *d, const char *s, unsigned width, bool json)
{
	const char *p, *other;

	d->text.len = 0;
	put_cut(&d->text, s, width);
	sink_put(&d->text, "\0\0", 3);   /* escape looks three bytes ahead */
	for (p = d->text.err ? "" : d->text.buf; *p; p += other && *p == '\xef' ? 3 : 1) {
		if ((other = escape(p, json)))
			sink_str(d->out, other);
		else
			sink_char(d->out, *p);
	}
}

static void
put_name_json(struct drawing *d, const char *s)
{
	sink_char(d->out, '"');
	put_name(d, s, 0, true);
	sink_char(d->out, '"');
}

static void
put_tenths(struct drawing *d, uint64_t v)
{
	sink_decimal(d->out, v, 1);
}

/* A weight as time or as a count. */
static void
put_amount(struct drawing *d, uint64_t weight)
{
	uint64_t ns = times(weight, d->period);
	struct cell count = number(weight, 0);

	if (!d->period)
		sink_put(d->out, count.text, count.n);
	else if (ns >= 1000000000)
		sink_decimal(d->out, (ns + 500000) / 1000000, 3);
	else if (ns >= 1000000)
		sink_decimal(d->out, (ns + 5000) / 10000, 2);
	else
		sink_decimal(d->out, (ns + 50) / 100, 1);
	sink_str(d->out, !d->period ? "" : ns >= 1000000000 ? " s" : ns >= 1000000 ? " ms" : " \u00b5s");
}

/* A share of the event's weight, in hundredths of a percent. */
static void
put_share(struct drawing *d, uint64_t weight, uint64_t all)
{
	for (; all > UINT64_MAX / 20000; all /= 2)
		weight /= 2;
	sink_decimal(d->out, all ? (weight * 10000 + all / 2) / all : 0, 2);
	sink_char(d->out, '%');
}

static void
put_delta(struct drawing *d, int64_t delta)
{
	sink_str(d->out, delta < 0 ? "\u2212" : "+");
	sink_decimal(d->out, (uint64_t)(delta < 0 ? -delta : delta), 3);
	sink_str(d->out, "% of all");
}

/* ---- colours ---- */

/* FNV-1a: the same for the same name, in every profile and version. */
static uint32_t
name_hash(const char *s)
{
	uint32_t h = 0x811c9dc5;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193;
	h ^= h >> 15;
	return h * 0x2c1b3c6d;
}

static uint32_t
in_tint(const struct tint *t, uint32_t hash)
{
	uint32_t color = 0;

	for (unsigned i = 0; i < 3; i++)   /* the three channels move together, but for a little */
		color = color << 8 | (t->lo[i] + t->span[i] * ((hash >> 24) * 3 + (hash >> (8 + 4 * i) & 0xff)) / (4 * 255));
	return color;
}

static unsigned
tint_of(const struct drawing *d, const struct flame_frame *f)
{
	return f->function == UINT32_MAX ? TINT_ROOT : (unsigned)d->p->function[f->function].kind;
}

/* Twelve hues around the circle. */
static struct tint
module_tint(const char *module)
{
	static const uint8_t wave[12] = { 240, 236, 222, 196, 166, 146, 138, 146, 166, 196, 222, 236 };
	unsigned hue = (name_hash(module) >> 8) % 12;

	return (struct tint){ { wave[hue], wave[(hue + 8) % 12], wave[(hue + 4) % 12] }, { 14, 14, 14 } };
}

/* From white to red for what has grown, to blue for what has shrunk. */
static uint32_t
delta_color(const struct drawing *d, int64_t delta)
{
	uint64_t size = (uint64_t)(delta < 0 ? -delta : delta), most = (uint64_t)d->most, level = 0;
	uint32_t pale;

	while (level < 160 && most && (level + 1) * (level + 1) * most <= 160 * 160 * size)   /* its root: small ones show, too */
		level++;
	pale = (uint32_t)(238 - level);
	return delta > 0 ? (uint32_t)(238 + level / 16) << 16 | pale << 8 | pale : pale << 16 | (pale + (uint32_t)level / 3) << 8 | (uint32_t)(238 + level / 16);
}

static uint32_t
color_of(const struct drawing *d, const struct flame_frame *f)
{
	unsigned tint = tint_of(d, f);
	struct tint by_module;

	if (d->p->delta)
		return delta_color(d, f->delta);
	if (tint == TINT_ROOT || tint == FUNCTION_MARK || d->colors == BY_KIND)
		return in_tint(&kinds[tint], name_hash(f->name));
	if (d->colors == BY_MODULE) {
		by_module = module_tint(d->p->function[f->function].module);
		return in_tint(&by_module, name_hash(f->name));
	}
	return in_tint(&palettes[d->colors - BY_PALETTE], name_hash(f->name));
}

static void
put_color(struct drawing *d, uint32_t color)
{
	sink_fmt(d->out, "#%06x", (unsigned)color);
}

/* ---- the still picture ---- */

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
	put_tenths(d, SIDE + x);
	sink_str(d->out, "\" y=\"");
	put_tenths(d, row_of(d, f, depth));
	sink_str(d->out, "\" width=\"");
	put_tenths(d, wide > 15 ? wide - 5 : wide);   /* a thin line between neighbours */
	sink_str(d->out, "\" height=\"17\" fill=\"");
	put_color(d, color);
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

/* With --lines functions are told apart by it. */
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
	put_name(d, frame->name, 0, false);
	put_line(d, fn);
	if (fn && *fn->module) {
		sink_str(d->out, " (");
		put_name(d, fn->module, 0, false);
		sink_char(d->out, ')');
	}
	sink_str(d->out, "&#10;");
	put_amount(d, frame->weight);
	sink_str(d->out, ", ");
	put_share(d, frame->weight, f->total);
	if (d->p->delta) {
		sink_str(d->out, ", ");
		put_delta(d, frame->delta);
	}
	sink_str(d->out, "</title>");
}

/* A frame's name in ROOM columns, with its line where that finds room, too. */
static void
put_label(struct drawing *d, const struct flame_frame *frame, unsigned room)
{
	const struct function *fn = frame->function == UINT32_MAX ? NULL : &d->p->function[frame->function];
	unsigned line = 0;

	for (uint32_t v = fn && d->p->lines ? fn->line : 0; v; v /= 10)
		line += line ? 1 : 2;
	if (columns(frame->name) + line <= room) {
		put_name(d, frame->name, 0, false);
		put_line(d, fn);
	} else {
		put_name(d, frame->name, room, false);
	}
}

static void
put_frame(struct drawing *d, const struct flame *f, const struct flame_frame *frame)
{
	uint64_t x = place(d, f, frame->at), end = frame->at + frame->weight, wide = place(d, f, end) - x;
	unsigned room = wide > 60 ? (unsigned)((wide - 60) * 100 / CHARACTER) : 0;

	if (wide < 15) {
		put_rect(d, f, frame->depth, frame->at, end, color_of(d, frame));
		return;
	}
	sink_str(d->out, "<g>");
	put_tooltip(d, f, frame);
	put_rect(d, f, frame->depth, frame->at, end, color_of(d, frame));
	if (room >= 3) {
		sink_str(d->out, "<text x=\"");
		put_tenths(d, SIDE + x + 30);
		sink_str(d->out, "\" y=\"");
		put_tenths(d, row_of(d, f, frame->depth) + 128);
		sink_str(d->out, "\">");
		put_label(d, frame, room);
		sink_str(d->out, "</text>");
	}
	sink_str(d->out, "</g>");
}

/* The frames that are wide enough, and grey where those that are not stand side by side; how much that is in all. */
static uint64_t
put_frames(struct drawing *d, const struct flame *f, uint64_t least)
{
	uint64_t left_out = 0;
	uint32_t shown = 0;        /* frames further in are within one that is left out */

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

/* ---- around it ---- */

static void
put_words(struct drawing *d, uint32_t x, uint32_t y, const char *attributes)
{
	sink_str(d->out, "<text x=\"");
	put_tenths(d, x);
	sink_str(d->out, "\" y=\"");
	put_tenths(d, y);
	sink_char(d->out, '"');
	sink_str(d->out, attributes);
	sink_char(d->out, '>');
}

static const char *
note(const struct profile *p, const char *key)
{
	for (unsigned i = 0; i < p->nnote; i++)
		if (strcmp(p->note[i].key, key) == 0)
			return p->note[i].value;
	return NULL;
}

/* What an event's picture is of: "1.244 s in 1,244 samples of cpu-clock". */
static void
put_sum(struct drawing *d, const struct flame *f, const struct event_info *e)
{
	struct cell samples = number(f->samples, 0);

	put_amount(d, f->total);
	sink_str(d->out, e->waiting ? " waiting, " : e->period_ns ? " on CPU, " : " in ");
	sink_put(d->out, samples.text, samples.n);
	sink_str(d->out, f->samples == 1 ? " sample of " : " samples of ");
	put_name(d, e->name, 40, false);
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
	put_tenths(d, d->width);
	sink_str(d->out, "\" height=\"");
	put_tenths(d, d->height);
	sink_str(d->out, "\" viewBox=\"0 0 ");
	put_tenths(d, d->width);
	sink_char(d->out, ' ');
	put_tenths(d, d->height);
	sink_str(d->out, "\" font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace\" "
	         "font-size=\"12\" fill=\"#1c1c1c\">\n<title>");
	put_name(d, title, 0, false);
	sink_str(d->out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_words(d, SIDE, 250, " font-size=\"16\" font-weight=\"bold\"");
	put_name(d, title, room, false);
	sink_str(d->out, "</text>\n");
	put_words(d, SIDE, 440, " fill=\"#666\"");
	if (d->flames == 1) {
		d->period = p->event[d->flame->event].period_ns;
		put_sum(d, d->flame, &p->event[d->flame->event]);
	} else {
		sink_str(d->out, d->flames ? "several events" : "no samples");
	}
	if (host && d->width >= 6000) {
		sink_str(d->out, " \u00b7 ");
		put_name(d, host, 24, false);
	}
	sink_str(d->out, "</text>\n");
}

/* What colours mean, from X on; returns where it ends. */
static uint32_t
put_key(struct drawing *d, uint32_t x, uint32_t y, uint32_t color, const char *words)
{
	sink_str(d->out, "<rect x=\"");
	put_tenths(d, x);
	sink_str(d->out, "\" y=\"");
	put_tenths(d, y - 100);
	sink_str(d->out, "\" width=\"11\" height=\"11\" rx=\"2\" fill=\"");
	put_color(d, color);
	sink_str(d->out, "\"/>");
	put_words(d, x + 160, y, "");
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
		x = put_key(d, x, y, delta_color(d, d->most), "more than before");
		put_key(d, x, y, delta_color(d, -d->most), "less");
	}
	for (unsigned tint = 0; !d->p->delta && d->colors == BY_KIND && tint < TINT_ROOT; tint++)
		if (d->kinds & 1u << tint)
			x = put_key(d, x, y, in_tint(&kinds[tint], 0x80000000), kind_names[tint]);
	if (!d->p->delta && d->colors == BY_MODULE) {
		put_words(d, x, y, "");
		sink_str(d->out, "colours: one for each module</text>\n");
	}
	sink_str(d->out, "</g>\n");
}

/* The last line of an event's picture: what it does not show. */
static void
put_left_out(struct drawing *d, const struct flame *f, uint64_t left_out, uint32_t y)
{
	put_words(d, SIDE, y, " class=\"cut\" fill=\"#888\" font-size=\"11\"");
	if (left_out) {
		sink_str(d->out, "the innermost frames of ");
		put_share(d, left_out, f->total);
		sink_str(d->out, " are too narrow to draw (");
		put_tenths(d, cut_of(d));
		sink_str(d->out, " px): grey, or left out");
	}
	sink_str(d->out, "</text>\n");
}

/* The weight of the narrowest frame in the still picture. */
static uint64_t
least_of(const struct drawing *d, uint64_t total)
{
	uint64_t inner = d->width - 2 * SIDE, cut = cut_of(d);

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
		put_words(d, SIDE, y + 140, " font-weight=\"bold\"");
		put_sum(d, f, &d->p->event[f->event]);
		sink_str(d->out, "</text>\n");
		d->top += ROW + 40;
	}
	sink_str(d->out, "<g class=\"frames\">\n");
	left_out = put_frames(d, f, least_of(d, f->total));
	sink_str(d->out, "</g>\n");
	put_left_out(d, f, left_out, d->top + ROW * (f->depth + 1) + 130);
	sink_str(d->out, "</g>\n");
}

/* ---- for the script ---- */

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
	uint32_t n = 0, labels = d->p->nfunction + d->p->nthread + 1;

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
		put_name_json(d, frame->name);
		sink_fmt(d->out, ",%u,%u,%u,%u\n", tint_of(d, frame), (unsigned)color_of(d, frame),
		         fn ? module_number(d, fn->module) : module_number(d, ""), fn && d->p->lines ? fn->line : 0);
		d->name[frame->label] = ++n;
	}
	sink_str(d->out, "],\n");
}

/* Frames as numbers: the name's or -1 for what is left out, the weight, how many levels up from a callee of the frame
 * before; and with deltas the delta and the colour. */
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
			sink_fmt(d->out, ",%d,%u", (int)frame->delta, (unsigned)color_of(d, frame));
		if (i % 16 == 15)
			sink_char(d->out, '\n');
		depth = frame->depth + 1;
	}
	sink_str(d->out, "]}");
}

static void
put_data(struct drawing *d)
{
	const struct picture *pic = &d->p->picture;

	sink_fmt(d->out, "<script type=\"application/json\">{\"inverted\":%u,\"reverse\":%u,\"delta\":%u,\"min\":%u,\n\"panels\":[",
	         pic->inverted, pic->reverse, d->p->delta != NULL, cut_of(d));
	for (uint32_t i = 0; i < d->flames; i++) {
		const struct flame *f = &d->flame[i];
		const struct event_info *e = &d->p->event[f->event];

		sink_str(d->out, i ? ",\n{\"event\":" : "\n{\"event\":");
		put_name_json(d, e->name);
		sink_fmt(d->out, ",\"period\":%llu,\"least\":%llu,", (unsigned long long)e->period_ns, (unsigned long long)f->least);
		put_names(d, f);
		put_numbers(d, f);
	}
	sink_str(d->out, "],\n\"modules\":[");
	for (uint32_t i = 0; i < d->modules; i++) {
		sink_str(d->out, i ? "," : "");
		put_name_json(d, d->module[i]);
	}
	sink_str(d->out, "]}</script>\n<script><![CDATA[\n");
	sink_put(d->out, boot, sizeof boot);
	sink_put(d->out, view, sizeof view);
	sink_str(d->out, "`);\n]]></script>\n");
}

/* ---- all of it ---- */

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
			d->kinds |= 1u << tint_of(d, frame);
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
	put_data(d);
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

const struct format format_svg = { .name = "svg", .suffixes = ".svg", .write = svg_write, .text = true };
