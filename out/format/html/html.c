/* A page that shows the profile by itself, in any browser, without a network: out/format/html/page/ has its program.
 *
 * The data is one raw DEFLATE stream (RFC 1951) in base64 (RFC 4648).  Inside: varints (LEB128; signed ones zigzag), and
 * columns rather than rows, which compress better:
 *
 *     length, JSON                      what is known about the capture, events and threads
 *     functions; length, name NUL module NUL source file NUL …; kinds; lines
 *     sites                             a function and the line of it that ran: functions (signed difference); lines
 *     nodes                             a tree of sites: distance to the parent (or to -1); sites; with "diff" shares (signed)
 *     of each thread, blocks of runs    how many, 0 behind the last; nodes (signed difference); time since the last run's end,
 *                                       µs; samples << 1 | weight differs, weight where it does, span where samples > 1, µs
 *     with "sources" files; of each     length, name; lines; of each line its distance to the last and its length; all their text
 *
 * All is streamed.  If that is more than a browser can bear, the page shows less, and says so: rare stacks lose their middle (or
 * all but their outermost frames, if too many functions ran), and equal stacks are joined within steps of time. */
#include "lib/codec/base64.h"
#include "lib/codec/deflate.h"
#include "out/format/format.h"
#include "html_read.h"
#include "html_shown.h"
#include "out/format/pages.h"
#include "out/report/report_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_MAX = 2000000,
	RUNS_MAX = 3000000,
	BLOCK = 2048,              /* runs */
	TOP = 40                   /* rows for those without scripts */
};

static const struct bounds bearable = { NODES_MAX, RUNS_MAX };

struct page {
	const struct profile *p;
	struct shown shown;
	struct sink *out, data;
	struct base64 base64;
	struct deflater deflater;
};

/* Text for HTML, escaped so that it can neither be a tag nor end a quoted value. */
static void
escape_put(void *ctx, const void *bytes, size_t n)
{
	struct sink *out = ctx;

	for (const char *c = bytes; n; n--, c++)
		if (*c == '&' || *c == '<' || *c == '>' || *c == '"' || *c == '\'')
			sink_fmt(out, "&#%d;", *c);
		else
			sink_char(out, *c);
}

static void
put_number(struct page *w, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		sink_char(&w->data, (char)(v | 0x80));
	sink_char(&w->data, (char)v);
}

static void
put_signed(struct page *w, int64_t v)
{
	put_number(w, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void
put_pair(struct sink *s, const char *key, const char *value)
{
	sink_fmt(s, ",\"%s\":", key);
	sink_json(s, value);
}

/* Adds [A, B] to a list; MORE: it is not the first. */
static void
put_two(struct sink *s, bool more, const char *a, const char *b)
{
	sink_str(s, more ? ",[" : "[");
	sink_json(s, a);
	sink_char(s, ',');
	sink_json(s, b);
	sink_char(s, ']');
}

static void
put_lists(struct sink *s, const struct profile *p)
{
	sink_str(s, ",\n");
	format_events(s, p);
	sink_str(s, ",\n\"notes\":[");
	for (unsigned i = 0; i < p->nnote; i++)
		put_two(s, i, p->note[i].key, p->note[i].value);
	sink_str(s, "],\n\"mappings\":[");
	for (uint32_t i = 0; i < p->nmapping; i++)
		put_two(s, i, p->mapping[i].file, p->mapping[i].build_id);
	sink_str(s, "],\n\"threads\":[");
	for (uint32_t i = 0; i < p->nthread; i++) {
		const struct thread *t = &p->thread[i];

		sink_fmt(s, "%s[%d,%d,%u,", i ? ",\n" : "\n", t->pid, t->tid, t->event);
		sink_json(s, t->comm);
		if (t->name) {
			sink_char(s, ',');
			sink_json(s, t->name);
		}
		sink_char(s, ']');
	}
	sink_str(s, "]}\n");
}

static const char *
title_of(const struct profile *p)
{
	return p->picture.title && *p->picture.title ? p->picture.title : p->command && *p->command ? p->command : "prof";
}

static void
put_about(struct page *w)
{
	const struct profile *p = w->p;
	struct sink s;

	sink_open(&s, -1);
	sink_str(&s, "{\"exporter\":");
	sink_json(&s, p->exporter ? p->exporter : "prof");
	put_pair(&s, "title", title_of(p));
	put_pair(&s, "command", p->command ? p->command : "");
	sink_str(&s, ",\"length\":");
	sink_u64(&s, p->end > p->start ? p->end - p->start : 0);
	sink_str(&s, ",\"samples\":");
	sink_u64(&s, p->samples);
	sink_str(&s, ",\"least\":");
	sink_u64(&s, w->shown.least);
	sink_str(&s, ",\"step\":");
	sink_u64(&s, w->shown.step);
	sink_fmt(&s, ",\"dropped\":%s,\"sources\":%s,\"timeless\":%s,\"lines\":%s,\"reverse\":%s,\"diff\":%s", p->dropped ? "true" : "false",
	         p->sources.n ? "true" : "false", p->timeless ? "true" : "false", p->lines ? "true" : "false", p->picture.reverse ? "true" : "false",
	         p->delta && !w->shown.least ? "true" : "false");
	if (p->picture.colors)
		put_pair(&s, "colors", p->picture.colors);
	put_lists(&s, p);
	if (s.err)
		sink_fail(w->out, s.err);
	put_number(w, s.len);
	sink_put(&w->data, s.buf, s.len);
	sink_close(&s);
}

static void
put_functions(struct page *w)
{
	const struct function *f = w->p->function;
	static const struct function elided = { .name = "[elided]", .module = "", .kind = FUNCTION_MARK };
	bool more = w->shown.nsite && w->shown.site[w->shown.nsite - 1].function == w->p->nfunction;
	uint64_t bytes = more ? strlen(elided.name) + 3 : 0;
	const uint32_t n = w->p->nfunction, all = n + more;

	put_number(w, all);
	for (uint32_t i = 0; i < n; i++)
		bytes += strlen(f[i].name) + strlen(f[i].module) + (f[i].file ? strlen(f[i].file) : 0) + 3;
	put_number(w, bytes);
	for (uint32_t i = 0; i < all; i++) {
		const struct function *g = i < n ? &f[i] : &elided;

		sink_put(&w->data, g->name, strlen(g->name) + 1);
		sink_put(&w->data, g->module, strlen(g->module) + 1);
		sink_str(&w->data, g->file ? g->file : "");
		sink_char(&w->data, 0);
	}
	for (uint32_t i = 0; i < all; i++)
		put_number(w, (i < n ? &f[i] : &elided)->kind);
	for (uint32_t i = 0; i < all; i++)
		put_number(w, (i < n ? &f[i] : &elided)->line);
}

static void
put_tree(struct page *w)
{
	const struct tree *t = w->shown.tree;
	int64_t last = 0;

	put_number(w, w->shown.nsite);
	for (uint32_t i = 0; i < w->shown.nsite; last = w->shown.site[i++].function)
		put_signed(w, (int64_t)w->shown.site[i].function - last);
	for (uint32_t i = 0; i < w->shown.nsite; i++)
		put_number(w, w->shown.site[i].line);
	put_number(w, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		put_number(w, t->node[i].parent == NODE_NONE ? (uint64_t)i + 1 : i - t->node[i].parent);
	for (uint32_t i = 0; i < t->n; i++)
		put_number(w, t->node[i].frame);
}

/* For each node, the share that the other profile lacks: it is the share of the node's function. */
static void
put_shares(struct page *w)
{
	const struct profile *p = w->p;
	int32_t *share = NULL;
	uint32_t cap = 0, n = w->shown.tree->n;

	if (!p->delta || w->shown.least)
		return;
	if (!vec_room(&share, &cap, n, sizeof *share)) {
		sink_fail(w->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < w->shown.runs.nnamed && i < p->nnamed; i++)
		for (uint32_t to = w->shown.runs.named[i], from = p->named[i]; to < n && from < p->tree.n;
		     to = w->shown.tree->node[to].parent, from = p->tree.node[from].parent)
			share[to] = p->delta[from];
	for (uint32_t i = 0; i < n; i++)
		put_signed(w, share[i]);
	vec_free(&share, &cap, sizeof *share);
}

/* Runs in blocks, each by columns, so that they need to be read only once. */
static void
put_thread(struct page *w, struct shown_reader *r, struct run *run, const struct thread *t)
{
	uint64_t at = 0;
	int64_t node = 0;
	uint32_t n;

	shown_open(r, &w->shown, t);
	do {
		for (n = 0; n < BLOCK && shown_next(r, &run[n]);)
			n++;
		put_number(w, n);
		for (uint32_t i = 0; i < n; i++) {
			int64_t to = run[i].node == NODE_NONE ? -1 : (int64_t)run[i].node;

			put_signed(w, to - node);
			node = to;
		}
		for (uint32_t i = 0; i < n; i++) {
			put_signed(w, (int64_t)(run[i].start / 1000 - at));
			at = (run[i].start + run[i].span) / 1000;
		}
		for (uint32_t i = 0; i < n; i++) {
			put_number(w, run[i].samples << 1 | (run[i].weight != run[i].samples));
			if (run[i].weight != run[i].samples)
				put_number(w, run[i].weight);
			if (run[i].samples > 1)
				put_number(w, (run[i].start + run[i].span) / 1000 - run[i].start / 1000);
		}
	} while (n);
}

static int
by_place(const void *va, const void *vb)
{
	const struct source_text_line *a = *(const struct source_text_line *const *)va, *b = *(const struct source_text_line *const *)vb;

	return a->file != b->file ? (a->file > b->file) - (a->file < b->file) : (a->line > b->line) - (a->line < b->line);
}

/* The lines from FROM up to TO; all are of one file. */
static void
put_source(struct page *w, const char *name, const struct source_text_line *const *from, const struct source_text_line *const *to)
{
	uint32_t last = 0;

	put_number(w, strlen(name));
	sink_str(&w->data, name);
	put_number(w, (uint64_t)(to - from));
	for (const struct source_text_line *const *l = from; l < to; last = (*l++)->line) {
		put_number(w, (*l)->line - last);
		put_number(w, (*l)->len);
	}
	for (; from < to; from++)
		sink_put(&w->data, (*from)->text, (*from)->len);
}

static void
put_sources(struct page *w)
{
	const struct source_texts *t = &w->p->sources;
	const struct source_text_line **order = NULL;
	uint32_t cap = 0, to = 0;

	if (!t->n)
		return;
	if (!vec_room(&order, &cap, t->n, sizeof *order)) {
		sink_fail(w->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < t->n; i++)
		order[i] = &t->line[i];
	qsort(order, t->n, sizeof *order, by_place);
	put_number(w, t->nfile);
	for (uint32_t f = 0; f < t->nfile; f++) {
		uint32_t from = to;

		while (to < t->n && order[to]->file == f)
			to++;
		put_source(w, t->file[f].name, order + from, order + to);
	}
	vec_free(&order, &cap, sizeof *order);
}

static void
put_data(struct page *w)
{
	struct shown_reader r = { 0 };
	struct run *block = NULL;
	struct sink packed;
	uint32_t cap = 0;

	w->base64.to = w->out;
	sink_open_to(&packed, base64_put, &w->base64);
	if (vec_room(&block, &cap, BLOCK, sizeof *block) && deflate_open(&w->deflater, &packed, DEFLATE_RAW)) {
		deflate_sink(&w->data, &w->deflater);
		put_about(w);
		put_functions(w);
		put_tree(w);
		put_shares(w);
		for (uint32_t i = 0; i < w->p->nthread && !w->out->err; i++)
			put_thread(w, &r, block, &w->p->thread[i]);
		put_sources(w);
		sink_close(&w->data);
		deflate_close(&w->deflater);
	} else
		sink_fail(w->out, ENOMEM);
	sink_close(&packed);
	base64_end(&w->base64);
	vec_free(&block, &cap, sizeof *block);
	shown_close(&r);
}

static void
put_escaped_title(struct page *w)
{
	struct sink text;
	const char *title = title_of(w->p);

	sink_open_to(&text, escape_put, w->out);
	for (unsigned n; *title; title += n ? n : 1)   /* without controls, and without what is not UTF-8 */
		if ((n = utf8_len(title)) && (unsigned char)*title >= ' ' && *title != 0x7f)
			sink_put(&text, title, n);
	sink_close(&text);
}

static void
put_table(struct page *w)
{
	struct sink text;

	sink_open_to(&text, escape_put, w->out);
	if (w->p->samples)
		report_summary(&text, w->p, TOP, 120, false);
	else
		sink_str(&text, "The profile is empty.\n");
	sink_close(&text);
}

static void
write_within(struct sink *out, const struct profile *p, struct bounds most)
{
	struct page w = { .p = p, .out = out };
	struct pages pages;
	bool ok = pages_open(&pages), shown = shown_choose(&w.shown, p, most);

	ok &= shown;
	if (!ok)
		sink_fail(out, ENOMEM);
	sink_str(out, pages.part[PAGE_TITLE]);
	put_escaped_title(&w);
	sink_str(out, pages.part[PAGE_TABLE]);
	put_table(&w);
	sink_str(out, pages.part[PAGE_DATA]);
	if (ok)
		put_data(&w);
	sink_str(out, pages.part[PAGE_PROGRAM]);
	if (ok)
		pages_pack(&pages, out, PAGE_STYLE, PAGE_SCRIPT);
	sink_str(out, pages.part[PAGE_END]);
	pages_close(&pages);
	shown_free(&w.shown);
}

static void
html_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, bearable);
}

const struct format format_html = {
	.name = "html",
	.suffixes = ".html .htm",
	.what = "a page for any browser: timeline, flame graphs, table, search",
	.write = html_write,
	.is = html_is,
	.read = html_read,
};
