/* See html_read.h.  The data of a page, in the form that html.c describes: base64 of a raw DEFLATE stream, in a <script> that
 * no browser runs.  The reader gets what the page shows: if the profile was too large for a browser, rare stacks lack their
 * middle. */
#include "html_read.h"

#include <string.h>

#include "lib/codec/base64.h"
#include "lib/codec/inflate.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "out/format/format.h"
#include "out/profile/profile_names.h"

/* Bytes unpacked; frames of a stack. */
enum { UNPACKED_MAX = 1 << 30, DEPTH_MAX = 1 << 14 };

static const char begin[] = "<script type=\"text/plain\" id=\"data\">", full[] = "out of memory";

struct reading {
	struct profile *p;
	struct cursor c;           /* the data, unpacked */
	struct sink text;
	uint64_t base;             /* ns: the time of what the profile held before */
	uint64_t length, sum;
	bool diff, texts;
	uint32_t event[16], events;
	uint32_t *thread, threads, thread_cap;
	struct function *function;
	uint32_t functions, function_cap;
	uint32_t *code, sites, code_cap;       /* of each site */
	uint32_t *node, nodes, node_cap;       /* of each node, the one of the profile's tree; and how deep it lies */
	uint16_t *depth;
	uint32_t depth_cap;
	struct run *run;           /* of a block */
	uint32_t run_cap;
};

/* Where the data begins, or NULL. */
static const uint8_t *
data_of(const struct cursor *c)
{
	size_t n = sizeof begin - 1;

	for (const uint8_t *s = c->pos; (size_t)(c->end - s) >= n && (s = memchr(s, '<', (size_t)(c->end - s) - n + 1)); s++)
		if (memcmp(s, begin, n) == 0)
			return s + n;
	return NULL;
}

bool
html_is(struct cursor c)
{
	static const char doctype[] = "<!doctype html>";

	while (cur_left(&c) && (*c.pos == ' ' || *c.pos == '\n' || *c.pos == '\r' || *c.pos == '\t'))
		c.pos++;
	if (cur_left(&c) < sizeof doctype - 1)
		return false;
	for (unsigned i = 0; doctype[i]; i++)
		if ((c.pos[i] | (c.pos[i] >= 'A' && c.pos[i] <= 'Z' ? 0x20 : 0)) != doctype[i])
			return false;
	return true;
}

static void
bad(struct reading *r, const char *why)
{
	if (!r->c.bad)
		r->c.bad = why;
	r->c.pos = r->c.end;
}

/* How many items follow; each takes at least one byte. */
static uint32_t
count(struct reading *r)
{
	uint64_t n = cur_uleb(&r->c);

	if (n <= cur_left(&r->c) && n < UINT32_MAX)
		return (uint32_t)n;
	bad(r, "it has less data than it announces");
	return 0;
}

static int64_t
signed_number(struct reading *r)
{
	uint64_t v = cur_uleb(&r->c);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

static const char *
copy(struct reading *r)
{
	const char *s = r->text.err ? NULL : arena_str(&r->p->arena, r->text.buf, r->text.len);

	return s ? s : "";
}

/* [a, b] of two strings. */
static void
read_two(struct cursor *c, struct reading *r, const char **a, const char **b)
{
	struct json_list list = json_open(c, '[');

	*a = *b = "";
	for (unsigned i = 0; json_next(c, &list); i++) {
		json_string(c, &r->text);
		*(i ? b : a) = copy(r);
	}
}

/* [pid, tid, event, "comm"], and the thread's name if the program has one for it */
static void
read_thread(struct cursor *c, struct reading *r)
{
	struct json_list list = json_open(c, '[');
	int64_t number[3] = { 0, 0, -1 };
	const char *text[2] = { "", "" };

	for (unsigned i = 0; json_next(c, &list); i++)
		if (i < 3) {
			number[i] = json_number(c, 0);
		} else {
			json_string(c, &r->text);
			text[i > 3] = copy(r);
		}
	if (c->bad)
		return;
	if (number[2] < 0 || number[2] >= r->events || number[0] != (int32_t)number[0] || number[1] != (int32_t)number[1])
		json_bad(c, "a thread has no event");
	else if (!vec_room(&r->thread, &r->thread_cap, (uint64_t)r->threads + 1, sizeof *r->thread))
		json_bad(c, full);
	else if ((r->thread[r->threads++] = profile_thread(r->p, (int32_t)number[0], (int32_t)number[1], text[0], r->event[number[2]])) != UINT32_MAX)
		profile_call(r->p, r->thread[r->threads - 1], text[1]);
}

static void
read_member(struct cursor *c, struct reading *r)
{
	struct profile *p = r->p;
	const char *key = json_key(c, &r->text), *a, *b;
	struct json_list list;
	bool first = !p->nfunction;

	if (strcmp(key, "exporter") == 0) {
		json_string(c, &r->text);
		p->exporter = p->exporter ? p->exporter : copy(r);
	} else if (strcmp(key, "command") == 0) {
		json_string(c, &r->text);
		p->command = p->command && *p->command ? p->command : copy(r);
	} else if (strcmp(key, "length") == 0) {
		int64_t ns = json_number(c, 0);

		r->length = ns > 0 && ns < INT64_MAX / 4 ? (uint64_t)ns : 0;
	} else if (strcmp(key, "timeless") == 0) {
		p->timeless |= json_peek(c) == 't';
		json_skip(c);
	} else if (strcmp(key, "lines") == 0) {
		p->lines = json_peek(c) == 't' && (first || p->lines);
		json_skip(c);
	} else if (strcmp(key, "diff") == 0) {
		r->diff = json_peek(c) == 't';
		json_skip(c);
	} else if (strcmp(key, "sources") == 0) {
		r->texts = json_peek(c) == 't';
		json_skip(c);
	} else if (strcmp(key, "events") == 0) {
		for (list = json_open(c, '['); json_next(c, &list);)
			if (r->events == sizeof r->event / sizeof *r->event)
				json_bad(c, "the file has too many events");
			else if ((r->event[r->events] = format_event_read(p, c, &r->text)) != UINT32_MAX)
				r->events++;
	} else if (strcmp(key, "notes") == 0) {
		for (list = json_open(c, '['); json_next(c, &list);) {
			read_two(c, r, &a, &b);
			if (!c->bad)
				profile_note(p, a, b);
		}
	} else if (strcmp(key, "mappings") == 0) {
		for (list = json_open(c, '['); json_next(c, &list);) {
			read_two(c, r, &a, &b);
			if (!c->bad)
				profile_mapping(p, a, b);
		}
	} else if (strcmp(key, "threads") == 0) {
		for (list = json_open(c, '['); json_next(c, &list);)
			read_thread(c, r);
	} else
		json_skip(c);
}

static void
read_about(struct reading *r)
{
	struct cursor c = cur_sub(&r->c, cur_uleb(&r->c));
	struct json_list list;

	if (r->c.bad)
		return;
	for (list = json_open(&c, '{'); json_next(&c, &list);)
		read_member(&c, r);
	if (c.bad)
		bad(r, c.bad);
}

static void
read_functions(struct reading *r)
{
	struct cursor text;

	r->functions = count(r);
	if (!vec_room(&r->function, &r->function_cap, r->functions, sizeof *r->function))
		bad(r, full);
	text = cur_sub(&r->c, cur_uleb(&r->c));
	for (uint32_t i = 0; i < r->functions && !r->c.bad; i++) {
		struct function *f = &r->function[i];

		f->name = cur_str(&text);
		f->module = cur_str(&text);
		f->file = cur_str(&text);
		if (!*f->file)
			f->file = NULL;
		if (text.bad)
			bad(r, "there are fewer names than functions");
	}
	for (uint32_t i = 0; i < r->functions && !r->c.bad; i++) {
		uint64_t kind = cur_uleb(&r->c);

		r->function[i].kind = kind <= FUNCTION_INLINED ? (enum function_kind)kind : FUNCTION_USER;
	}
	for (uint32_t i = 0; i < r->functions && !r->c.bad; i++)
		r->function[i].line = (uint32_t)cur_uleb(&r->c);
}

/* Sites, each a code of the profile's. */
static void
read_sites(struct reading *r)
{
	static const struct location nowhere = { .mapping = MAPPING_NONE };
	struct cursor lines;
	int64_t f = 0;

	r->sites = count(r);
	if (!vec_room(&r->code, &r->code_cap, r->sites, sizeof *r->code))
		bad(r, full);
	lines = r->c;
	for (uint32_t i = 0; i < r->sites && !lines.bad; i++)
		cur_uleb(&lines);
	for (uint32_t i = 0; i < r->sites && !r->c.bad; i++) {
		struct site site;

		f = (int64_t)((uint64_t)f + (uint64_t)signed_number(r));
		if (f < 0 || f >= r->functions) {
			bad(r, "a line belongs to a function that does not exist");
			return;
		}
		site = (struct site){ profile_function(r->p, &r->function[f]), (uint32_t)cur_uleb(&lines) };
		if (site.function == UINT32_MAX || (r->code[i] = profile_location(r->p, &nowhere, &site, 1)) == UINT32_MAX)
			bad(r, full);
	}
	if (!r->c.bad)
		r->c = lines;
}

static void
read_nodes(struct reading *r)
{
	struct cursor sites;

	r->nodes = count(r);
	if (!vec_room(&r->node, &r->node_cap, r->nodes, sizeof *r->node) ||
	    !vec_room(&r->depth, &r->depth_cap, r->nodes, sizeof *r->depth))
		bad(r, full);
	sites = r->c;
	for (uint32_t i = 0; i < r->nodes && !sites.bad; i++)
		cur_uleb(&sites);
	for (uint32_t i = 0; i < r->nodes && !r->c.bad; i++) {
		uint64_t up = cur_uleb(&r->c), site = cur_uleb(&sites);
		uint32_t parent = up && up <= i ? (uint32_t)(i - up) : NODE_NONE;

		if (!up || up > (uint64_t)i + 1 || site >= r->sites)
			bad(r, "a stack has no beginning");
		else if ((r->depth[i] = parent == NODE_NONE ? 1 : (uint16_t)(r->depth[parent] + 1)) > DEPTH_MAX)
			bad(r, "a stack is too deep");
		else if ((r->node[i] = tree_node(&r->p->raw, parent == NODE_NONE ? NODE_NONE : r->node[parent], r->code[site])) == NODE_NONE)
			bad(r, full);
	}
	if (!r->c.bad)
		r->c = sites;
	for (uint32_t i = 0; r->diff && i < r->nodes && !r->c.bad; i++)
		cur_uleb(&r->c);
}

/* A block of runs, by columns; AT: the end of the last run, us. */
static void
read_block(struct reading *r, uint32_t n, uint32_t thread, int64_t *node, uint64_t *at)
{
	if (!vec_room(&r->run, &r->run_cap, n, sizeof *r->run))
		bad(r, full);
	for (uint32_t i = 0; i < n && !r->c.bad; i++) {
		*node = (int64_t)((uint64_t)*node + (uint64_t)signed_number(r));
		if (*node < -1 || *node >= r->nodes)
			bad(r, "a sample names a stack that does not exist");
		else
			r->run[i].node = *node < 0 ? NODE_NONE : r->node[*node];
	}
	for (uint32_t i = 0; i < n && !r->c.bad; i++)
		r->run[i].start = (uint64_t)signed_number(r);   /* from the end of the one before */
	for (uint32_t i = 0; i < n && !r->c.bad; i++) {
		struct run *run = &r->run[i];
		uint64_t samples = cur_uleb(&r->c);

		run->samples = samples >> 1;
		run->weight = samples & 1 ? cur_uleb(&r->c) : run->samples;
		run->span = run->samples > 1 ? cur_uleb(&r->c) : 0;
		*at += run->start;
		run->start = r->base + times(*at, 1000);
		*at += run->span;
		run->span = times(run->span, 1000);
		if (!run->samples || !run->weight || run->weight > WEIGHT_MAX || run->samples > WEIGHT_MAX || (r->sum += run->weight) > WEIGHT_MAX)
			bad(r, "a weight is invalid");
		else if (run->span > INT64_MAX || run->start > INT64_MAX)
			bad(r, "a time is invalid");
		else
			profile_add_known_run(r->p, thread, run);
	}
}

static void
read_runs(struct reading *r)
{
	for (uint32_t i = 0; i < r->threads && !r->c.bad; i++) {
		uint64_t at = 0;
		int64_t node = 0;
		uint32_t n;

		while ((n = count(r)))
			read_block(r, n, r->thread[i], &node, &at);
	}
}

/* The lines of one source file, without those beyond the bounds of source_text.h. */
static void
read_source(struct reading *r)
{
	uint64_t n = cur_uleb(&r->c), line = 0, len;
	const uint8_t *bytes = cur_take(&r->c, n), *text;
	const char *name = bytes ? arena_str(&r->p->arena, (const char *)bytes, (size_t)n) : NULL;
	uint32_t lines = count(r);
	struct cursor rows = r->c;

	if (!name)
		bad(r, bytes ? full : "a source file has no name");
	for (uint64_t i = 0; i < 2 * (uint64_t)lines && !r->c.bad; i++)
		cur_uleb(&r->c);
	for (uint32_t i = 0; i < lines && !r->c.bad; i++) {
		uint64_t step = cur_uleb(&rows);

		len = cur_uleb(&rows);
		text = cur_take(&r->c, len);
		if (!step || step > UINT32_MAX - line)
			bad(r, "the lines of a source file are not sorted");
		else if (text)
			source_texts_add(&r->p->sources, &r->p->arena, name, (uint32_t)(line += step), (const char *)text, (size_t)len);
	}
}

static void
read_sources(struct reading *r)
{
	uint32_t files = r->texts ? count(r) : 0;

	for (uint32_t i = 0; i < files && !r->c.bad; i++)
		read_source(r);
}

/* What is wrong with the data, or NULL. */
static const char *
read_data(struct profile *p, struct cursor data)
{
	struct reading r = { .p = p, .c = data, .base = p->end > p->start ? p->end - p->start : 0 };

	sink_open(&r.text, -1);
	read_about(&r);
	read_functions(&r);
	read_sites(&r);
	read_nodes(&r);
	read_runs(&r);
	read_sources(&r);
	p->end = p->start + r.base + r.length;
	sink_close(&r.text);
	vec_free(&r.thread, &r.thread_cap, sizeof *r.thread);
	vec_free(&r.function, &r.function_cap, sizeof *r.function);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	vec_free(&r.node, &r.node_cap, sizeof *r.node);
	vec_free(&r.depth, &r.depth_cap, sizeof *r.depth);
	vec_free(&r.run, &r.run_cap, sizeof *r.run);
	return r.c.bad;
}

const char *
html_read(struct profile *p, struct cursor *in)
{
	const uint8_t *data = data_of(in);
	struct sink packed, plain;
	struct cursor bytes;
	const char *why;

	if (!data)
		return "prof did not write this page: it holds no profile";
	in->pos = data;
	sink_open(&packed, -1);
	sink_open(&plain, -1);
	base64_decode(in, &packed);
	bytes = cur_of(packed.buf, packed.len, false);
	why = packed.err ? full : inflate_sink(&bytes, INFLATE_RAW, &plain, UNPACKED_MAX);
	sink_close(&packed);
	if (!why)
		why = read_data(p, cur_of(plain.buf, plain.len, false));
	sink_close(&plain);
	return why;
}
