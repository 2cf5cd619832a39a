/* A page that shows the profile by itself, in any browser, without a network: out/html/ has its program.
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
 *
 * All is streamed.  Beyond what a browser bears less is shown, and the page says so: rare stacks lose their middle, equal
 * stacks are joined within steps of time. */
#include "../lib/base64.h"
#include "../lib/deflate.h"
#include "format.h"
#include "pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINED_MAX = 4000000,       /* raw nodes; beyond them lines are left out */
	NODES_MAX = 2000000,
	RUNS_MAX = 3000000,
	BLOCK = 2048,              /* runs */
	TOP = 40                   /* rows for those without scripts */
};

/* What a browser bears. */
struct bounds {
	uint32_t nodes, runs;
};
static const struct bounds bearable = { NODES_MAX, RUNS_MAX };

struct page {
	const struct profile *p;
	struct bounds most;
	struct sink *out, data;
	struct base64 base64;
	struct deflater deflater;
	struct profile shown;      /* the same, but its runs' nodes are those of TREE */
	const struct tree *tree;   /* its frames are sites */
	struct tree lined, cut;
	struct site *site;
	uint32_t nsite, site_cap;
	struct index sites;
	uint32_t *map[2];          /* the tree's node for each raw one; with lines, and where stacks were cut */
	uint32_t map_cap[2];
	uint64_t *weight;          /* of each node, with what it calls */
	uint8_t *ran;              /* did anything run right there? */
	uint32_t weight_cap, ran_cap;
	uint64_t least;            /* what the rarest whole stack weighs; 0: all are whole */
	uint64_t step;             /* ns; 0: runs as they are */
};

/* Text for HTML, where it is neither tag nor end of a quoted value. */
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

static uint32_t
hash_site(const struct site *s)
{
	return hash_u64((uint64_t)s->function << 32 | s->line);
}

static uint32_t
site_again(const void *ctx, uint32_t i)
{
	return hash_site((const struct site *)ctx + i);
}

/* The number of a site, made if it is new; UINT32_MAX at the memory cap. */
static uint32_t
site_number(struct page *w, struct site s)
{
	uint32_t hash = hash_site(&s), slot, i;

	for (slot = index_first(&w->sites, hash); (i = index_at(&w->sites, slot)) != INDEX_NONE; slot = index_next(&w->sites, slot))
		if (w->site[i].function == s.function && w->site[i].line == s.line)
			return i;
	if (!vec_room(&w->site, &w->site_cap, (uint64_t)w->nsite + 1, sizeof s))
		return UINT32_MAX;
	w->site[w->nsite] = s;
	return index_add(&w->sites, hash, w->nsite, site_again, w->site) ? w->nsite++ : UINT32_MAX;
}

static bool
has_lines(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nsite && p->raw.n <= LINED_MAX; i++)
		if (p->site[i].line)
			return true;
	return false;
}

/* The node of the sites that CODE stands for, under NODE. */
static uint32_t
lined_node(struct page *w, const uint32_t *number, uint32_t node, uint32_t code)
{
	const struct location *l = code < w->p->nlocation ? &w->p->location[code] : NULL;

	for (uint32_t i = 0; l && i < l->sites; i++) {
		uint32_t site = number[l->site + i], inner = NODE_NONE;

		if (site != UINT32_MAX)
			inner = tree_node(&w->lined, node, site);
		if (inner != NODE_NONE)
			node = inner;
	}
	return node;
}

/* The tree of functions and lines, from the raw one. */
static bool
make_lined(struct page *w)
{
	const struct profile *p = w->p;
	uint32_t *number = NULL, cap = 0;   /* of each of the profile's sites, which may stand there more than once */
	bool ok = vec_room(&number, &cap, p->nsite, sizeof *number) &&
	          vec_room(&w->map[0], &w->map_cap[0], p->raw.n, sizeof **w->map);

	for (uint32_t i = 0; ok && i < p->nsite; i++)
		number[i] = p->site[i].function < p->nfunction ? site_number(w, p->site[i]) : UINT32_MAX;
	for (uint32_t i = 0; ok && i < p->raw.n; i++) {
		struct node raw = p->raw.node[i];

		w->map[0][i] = lined_node(w, number, raw.parent == NODE_NONE ? NODE_NONE : w->map[0][raw.parent], raw.frame);
	}
	vec_free(&number, &cap, sizeof *number);
	tree_drop_table(&w->lined);
	if (!ok)
		return false;
	w->tree = &w->lined;
	w->shown.named = w->map[0];
	w->shown.nnamed = p->raw.n;
	return true;
}

/* Without lines, sites are functions. */
static bool
make_plain(struct page *w)
{
	w->nsite = w->p->nfunction;
	if (!vec_room(&w->site, &w->site_cap, w->nsite, sizeof *w->site))
		return false;
	for (uint32_t i = 0; i < w->nsite; i++)
		w->site[i] = (struct site){ i, 0 };
	w->tree = &w->p->tree;
	return true;
}

static bool
weigh(struct page *w)
{
	const struct tree *t = w->tree;
	struct run_reader reader;
	struct run run;

	if (!vec_room(&w->weight, &w->weight_cap, t->n, sizeof *w->weight) || !vec_room(&w->ran, &w->ran_cap, t->n, 1))
		return false;
	for (uint32_t i = 0; i < w->p->nthread; i++)
		for (runs_open(&reader, &w->shown, &w->p->thread[i]); runs_next(&reader, &run);)
			if (run.node < t->n) {
				w->weight[run.node] += run.weight;
				w->ran[run.node] = true;
			}
	for (uint32_t i = t->n; i--;)
		if (t->node[i].parent != NODE_NONE)
			w->weight[t->node[i].parent] += w->weight[i];
	return true;
}

/* The site that stands for what was left out: the profile's own mark, or one more function. */
static uint32_t
elided_site(struct page *w)
{
	uint32_t f = 0;

	for (; f < w->p->nfunction; f++)
		if (w->p->function[f].kind == FUNCTION_MARK && strcmp(w->p->function[f].name, "[elided]") == 0)
			break;
	if (!vec_room(&w->site, &w->site_cap, (uint64_t)w->nsite + 1, sizeof *w->site))
		return UINT32_MAX;
	w->site[w->nsite] = (struct site){ f, 0 };
	return w->nsite++;
}

/* A smaller tree, in which stacks that weigh less than LEAST have lost their middle: what ran hangs from a mark, that from the
 * innermost frame that is heavy enough.  TO: its node for each of the tree's. */
static bool
cut_tree(struct page *w, uint32_t elided, uint32_t *to)
{
	const struct tree *t = w->tree;

	w->cut.n = 0;
	tree_drop_table(&w->cut);
	for (uint32_t i = 0; i < t->n && w->cut.n <= w->most.nodes; i++) {
		struct node node = t->node[i];
		bool top = node.parent == NODE_NONE;
		uint32_t outer = top ? NODE_NONE : to[node.parent];

		if (w->weight[i] < w->least) {
			if (top || w->weight[node.parent] >= w->least)
				outer = tree_node(&w->cut, outer, elided);
			else if (w->ran[node.parent] && outer != NODE_NONE)
				outer = w->cut.node[outer].parent;
		}
		to[i] = w->weight[i] >= w->least || w->ran[i] ? tree_node(&w->cut, outer, node.frame) : outer;
	}
	return w->cut.n <= w->most.nodes;
}

/* What a stack must weigh so that not many more than the bound are whole. */
static uint64_t
first_least(const struct page *w)
{
	uint32_t count[65] = { 0 }, kept = 0;   /* by the weight's bits */
	unsigned bits = 64;

	for (uint32_t i = 0; i < w->tree->n; i++)
		count[w->weight[i] ? 64 - __builtin_clzll(w->weight[i]) : 0]++;
	while (bits > 2 && kept + count[bits] <= w->most.nodes)
		kept += count[bits--];
	return (uint64_t)1 << bits;
}

/* Cuts until the tree is small enough. */
static bool
cut(struct page *w)
{
	uint32_t *to = NULL, cap = 0, elided = elided_site(w);
	const struct profile *shown = &w->shown;
	bool ok = elided != UINT32_MAX && weigh(w) && vec_room(&to, &cap, w->tree->n, sizeof *to);

	if (ok)
		for (w->least = first_least(w); ok && !cut_tree(w, elided, to); w->least *= 2)
			ok = w->least < UINT64_MAX / 4;
	vec_free(&w->weight, &w->weight_cap, sizeof *w->weight);
	vec_free(&w->ran, &w->ran_cap, 1);
	ok = ok && vec_room(&w->map[1], &w->map_cap[1], shown->nnamed, sizeof **w->map);
	for (uint32_t i = 0; ok && i < shown->nnamed; i++)
		w->map[1][i] = shown->named[i] < w->tree->n ? to[shown->named[i]] : NODE_NONE;
	vec_free(&to, &cap, sizeof *to);
	if (!ok)
		return false;
	tree_drop_table(&w->cut);
	w->tree = &w->cut;
	w->shown.named = w->map[1];
	return true;
}

/* A thread's runs as they are shown: within a step of time, equal stacks are one. */
struct reader {
	const struct page *w;
	struct run_reader runs;
	struct run ahead, *held;   /* of a step, sorted by node */
	uint32_t cap, n, at;
	bool have;
};

static void
reader_open(struct reader *r, const struct page *w, const struct thread *t)
{
	r->w = w;
	r->n = r->at = 0;
	runs_open(&r->runs, &w->shown, t);
	r->have = w->step && runs_next(&r->runs, &r->ahead);
}

static int
by_node(const void *va, const void *vb)
{
	const struct run *a = va, *b = vb;

	return a->node != b->node ? (a->node < b->node ? -1 : 1) : (a->start > b->start) - (a->start < b->start);
}

/* Gathers the runs of the next step. */
static bool
gather(struct reader *r)
{
	uint64_t lo = r->ahead.start, hi = lo - lo % r->w->step + r->w->step, at = lo;
	uint32_t n = 0;

	for (r->n = r->at = 0; r->have && r->ahead.start < hi; r->have = runs_next(&r->runs, &r->ahead)) {
		if (!vec_room(&r->held, &r->cap, (uint64_t)r->n + 1, sizeof *r->held))
			break;
		r->held[r->n++] = r->ahead;
	}
	if (r->n)
		qsort(r->held, r->n, sizeof *r->held, by_node);
	for (uint32_t i = 0; i < r->n; i++) {
		struct run *last = n ? &r->held[n - 1] : NULL, *run = &r->held[i];

		if (last && last->node == run->node) {
			last->span += run->span + times(run->first, r->runs.period);
			last->weight += run->weight;
			last->samples += run->samples;
		} else
			r->held[n++] = *run;
	}
	for (uint32_t i = 0; i < n; i++) {   /* one behind the other: where in the step they were is not told */
		r->held[i].start = at;
		at += r->held[i].span + times(r->held[i].first, r->runs.period);
	}
	return (r->n = n) != 0;
}

static bool
reader_next(struct reader *r, struct run *run)
{
	if (!r->w->step)
		return runs_next(&r->runs, run);
	if (r->at == r->n && (!r->have || !gather(r)))
		return false;
	*run = r->held[r->at++];
	return true;
}

static uint64_t
count_runs(const struct page *w, struct reader *r, const struct thread *t)
{
	struct run run;
	uint64_t n = 0;

	for (reader_open(r, w, t); reader_next(r, &run);)
		n++;
	return n;
}

/* The finest steps of time that are not too much. */
static void
choose_step(struct page *w, struct reader *r)
{
	uint64_t length = w->p->end > w->p->start ? w->p->end - w->p->start : UINT64_MAX / 4, steps = 65536, all;

	for (;; steps /= 4) {
		if ((all = w->p->samples) <= w->most.runs)
			return;
		all = 0;
		for (uint32_t i = 0; i < w->p->nthread && all <= w->most.runs; i++)
			all += count_runs(w, r, &w->p->thread[i]);
		if (all <= w->most.runs || w->step > length)
			return;
		w->step = steps ? length / steps + 1 : length + 1;
	}
}

static void
put_pair(struct sink *s, const char *key, const char *value)
{
	sink_fmt(s, ",\"%s\":", key);
	sink_json(s, value);
}

static void
put_lists(struct sink *s, const struct profile *p)
{
	sink_str(s, ",\n\"events\":[");
	for (uint32_t i = 0; i < p->nevent; i++) {
		sink_str(s, i ? ",{\"name\":" : "{\"name\":");
		sink_json(s, p->event[i].name);
		sink_str(s, ",\"period\":");
		sink_u64(s, p->event[i].period_ns);
		sink_str(s, p->event[i].waiting ? ",\"waiting\":true}" : "}");
	}
	sink_str(s, "],\n\"notes\":[");
	for (unsigned i = 0; i < p->nnote; i++) {
		sink_str(s, i ? ",[" : "[");
		sink_json(s, p->note[i].key);
		sink_char(s, ',');
		sink_json(s, p->note[i].value);
		sink_char(s, ']');
	}
	sink_str(s, "],\n\"mappings\":[");
	for (uint32_t i = 0; i < p->nmapping; i++) {
		sink_str(s, i ? ",[" : "[");
		sink_json(s, p->mapping[i].file);
		sink_char(s, ',');
		sink_json(s, p->mapping[i].build_id);
		sink_char(s, ']');
	}
	sink_str(s, "],\n\"threads\":[");
	for (uint32_t i = 0; i < p->nthread; i++) {
		const struct thread *t = &p->thread[i];

		sink_fmt(s, "%s[%d,%d,%u,", i ? ",\n" : "\n", t->pid, t->tid, t->event);
		sink_json(s, t->comm);
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
	sink_u64(&s, w->least);
	sink_str(&s, ",\"step\":");
	sink_u64(&s, w->step);
	sink_fmt(&s, ",\"dropped\":%s,\"timeless\":%s,\"lines\":%s,\"reverse\":%s,\"diff\":%s", p->dropped ? "true" : "false",
	         p->timeless ? "true" : "false", p->lines ? "true" : "false", p->picture.reverse ? "true" : "false",
	         p->delta && !w->least ? "true" : "false");
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
	const struct function *f = w->p->function, *const end = f + w->p->nfunction;
	static const struct function elided = { .name = "[elided]", .module = "", .kind = FUNCTION_MARK };
	bool more = w->nsite && w->site[w->nsite - 1].function == w->p->nfunction;
	uint64_t bytes = more ? strlen(elided.name) + 3 : 0;

	put_number(w, w->p->nfunction + more);
	for (f = w->p->function; f < end; f++)
		bytes += strlen(f->name) + strlen(f->module) + (f->file ? strlen(f->file) : 0) + 3;
	put_number(w, bytes);
	for (f = w->p->function; f < end + more; f++) {
		const struct function *g = f < end ? f : &elided;

		sink_put(&w->data, g->name, strlen(g->name) + 1);
		sink_put(&w->data, g->module, strlen(g->module) + 1);
		sink_str(&w->data, g->file ? g->file : "");
		sink_char(&w->data, 0);
	}
	for (f = w->p->function; f < end + more; f++)
		put_number(w, (f < end ? f : &elided)->kind);
	for (f = w->p->function; f < end + more; f++)
		put_number(w, (f < end ? f : &elided)->line);
}

static void
put_tree(struct page *w)
{
	const struct tree *t = w->tree;
	int64_t last = 0;

	put_number(w, w->nsite);
	for (uint32_t i = 0; i < w->nsite; last = w->site[i++].function)
		put_signed(w, (int64_t)w->site[i].function - last);
	for (uint32_t i = 0; i < w->nsite; i++)
		put_number(w, w->site[i].line);
	put_number(w, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		put_number(w, t->node[i].parent == NODE_NONE ? (uint64_t)i + 1 : i - t->node[i].parent);
	for (uint32_t i = 0; i < t->n; i++)
		put_number(w, t->node[i].frame);
}

/* Of each node the share that the profile was compared with lacks: that of the function's node. */
static void
put_shares(struct page *w)
{
	const struct profile *p = w->p;
	int32_t *share = NULL;
	uint32_t cap = 0, n = w->tree->n;

	if (!p->delta || w->least)
		return;
	if (!vec_room(&share, &cap, n, sizeof *share)) {
		sink_fail(w->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < w->shown.nnamed && i < p->nnamed; i++)
		for (uint32_t to = w->shown.named[i], from = p->named[i]; to < n && from < p->tree.n;
		     to = w->tree->node[to].parent, from = p->tree.node[from].parent)
			share[to] = p->delta[from];
	for (uint32_t i = 0; i < n; i++)
		put_signed(w, share[i]);
	vec_free(&share, &cap, sizeof *share);
}

/* Runs in blocks, each by columns, so that they need to be read only once. */
static void
put_thread(struct page *w, struct reader *r, struct run *run, const struct thread *t)
{
	uint64_t at = 0;
	int64_t node = 0;
	uint32_t n;

	reader_open(r, w, t);
	do {
		for (n = 0; n < BLOCK && reader_next(r, &run[n]);)
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

static void
put_data(struct page *w)
{
	struct reader r = { 0 };
	struct run *block = NULL;
	struct sink packed;
	uint32_t cap = 0;

	w->base64.to = w->out;
	choose_step(w, &r);
	sink_open_to(&packed, base64_put, &w->base64);
	if (vec_room(&block, &cap, BLOCK, sizeof *block) && deflate_open(&w->deflater, &packed, DEFLATE_RAW)) {
		deflate_sink(&w->data, &w->deflater);
		put_about(w);
		put_functions(w);
		put_tree(w);
		put_shares(w);
		for (uint32_t i = 0; i < w->p->nthread && !w->out->err; i++)
			put_thread(w, &r, block, &w->p->thread[i]);
		sink_close(&w->data);
		deflate_close(&w->deflater);
	} else
		sink_fail(w->out, ENOMEM);
	sink_close(&packed);
	base64_end(&w->base64);
	vec_free(&block, &cap, sizeof *block);
	vec_free(&r.held, &r.cap, sizeof *r.held);
}

static void
put_escaped_title(struct page *w)
{
	struct sink text;
	const char *title = title_of(w->p);

	sink_open_to(&text, escape_put, w->out);
	for (unsigned n; *title; title += n ? n : 1)   /* what is no UTF-8, or controls, is left out */
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
		table_summary(&text, w->p, TOP, 120, false);
	else
		sink_str(&text, "The profile is empty.\n");
	sink_close(&text);
}

static void
write_within(struct sink *out, const struct profile *p, struct bounds most)
{
	struct page w = { .p = p, .most = most, .out = out, .shown = *p };
	struct pages pages;
	bool ok = pages_open(&pages) && (has_lines(p) ? make_lined(&w) : make_plain(&w));

	if (ok && w.tree->n > most.nodes)
		ok = cut(&w);
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
	tree_free(&w.lined);
	tree_free(&w.cut);
	index_free(&w.sites);
	vec_free(&w.site, &w.site_cap, sizeof *w.site);
	for (unsigned i = 0; i < 2; i++)
		vec_free(&w.map[i], &w.map_cap[i], sizeof **w.map);
	vec_free(&w.weight, &w.weight_cap, sizeof *w.weight);
	vec_free(&w.ran, &w.ran_cap, 1);
}

static void
html_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, bearable);
}

const struct format format_html = { .name = "html", .suffixes = ".html .htm", .write = html_write };
