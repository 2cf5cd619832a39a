/* See svg_read.h.  The data of a picture, as svg_data.c writes it for the picture's script: frames with the weight of themselves
 * and their callees, so a frame's weight less its callees' is its own.  The data holds no times, and frames that were too narrow to
 * tell apart are one [elided].  In a picture of callers a stack goes outwards, and ends with its thread. */
#include "svg_read.h"

#include <string.h>

#include "lib/json.h"
#include "lib/text.h"
#include "out/profile/profile_names.h"
#include "svg_color.h"

/* Frames of a stack; steps from a frame to its stack's other end, in pictures of callers. */
enum { DEPTH_MAX = 1 << 14, STEPS_MAX = 1 << 28 };
enum { ALL, COMM, FIRST };     /* what the levels of a picture are */

static const char begin[] = "<script type=\"application/json\">", full[] = "out of memory";

struct label {
	const char *name;
	uint32_t code;             /* of a function */
	bool comm;
};

struct shape {
	int64_t label;             /* -1: several frames in one, too narrow to tell apart */
	uint64_t weight, own;
	uint32_t level;
};

struct reading {
	struct profile *p;
	struct sink text;
	uint32_t event, elided;    /* ELIDED: the code of what was too narrow */
	bool reverse, delta, lines, by_process, by_thread;
	uint64_t sum, steps;
	struct label *label;
	uint32_t labels, label_cap;
	struct shape *shape;
	uint32_t shapes, shape_cap;
	const char **module;
	uint32_t modules, module_cap;
	uint32_t *at, *node;       /* of each level: its shape and its stack */
	uint32_t at_cap, node_cap;
	uint32_t *code, code_cap;
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

static bool
begins(const struct cursor *c, const char *word)
{
	return cur_left(c) >= strlen(word) && memcmp(c->pos, word, strlen(word)) == 0;
}

bool
svg_is(struct cursor c)
{
	while (cur_left(&c) && strchr(" \n\r\t", *c.pos) && *c.pos)
		c.pos++;
	return begins(&c, "<?xml") || begins(&c, "<svg");
}

static const char *
read_string(struct cursor *c, struct reading *r)
{
	const char *s;

	json_string(c, &r->text);
	s = r->text.err ? NULL : arena_str(&r->p->arena, r->text.buf, r->text.len);
	if (!s)
		json_bad(c, full);
	return s ? s : "";
}

static uint32_t
code_of(struct reading *r, const struct function *f)
{
	static const struct location nowhere = { .mapping = MAPPING_NONE };
	struct site site = { profile_function(r->p, f), 0 };

	return site.function == UINT32_MAX ? UINT32_MAX : profile_location(r->p, &nowhere, &site, 1);
}

/* Names, each as five elements: name, kind, colour, module, line. */
static void
read_labels(struct cursor *c, struct reading *r)
{
	struct json_list list = json_open(c, '[');
	struct function f = { .name = "" };
	int64_t kind = 0, number;

	r->labels = 0;
	for (unsigned i = 0; json_next(c, &list); i = (i + 1) % 5) {
		if (i == 0)
			f = (struct function){ .name = read_string(c, r), .module = "" };
		number = i ? json_number(c, 0) : 0;
		if (i == 1)
			kind = number;
		else if (i == 3 && number >= 0 && number < r->modules)
			f.module = r->module[number];
		if (i != 4 || c->bad)
			continue;
		f.line = r->lines && number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
		f.kind = kind > 0 && kind <= FUNCTION_INLINED ? (enum function_kind)kind : FUNCTION_USER;
		if (!vec_room(&r->label, &r->label_cap, (uint64_t)r->labels + 1, sizeof *r->label)) {
			json_bad(c, full);
			return;
		}
		r->label[r->labels] = (struct label){ f.name, 0, kind == TINT_ROOT };
		if (kind != TINT_ROOT && (r->label[r->labels].code = code_of(r, &f)) == UINT32_MAX)
			json_bad(c, full);
		r->labels++;
	}
}

/* Adds a frame, LEVEL deep, of that label and weight, and subtracts the weight from its caller's own. */
static void
add_shape(struct cursor *c, struct reading *r, int64_t level, int64_t label, int64_t weight)
{
	struct shape *above;

	if (level < 0 || level > DEPTH_MAX || (level ? level > r->shape[r->shapes - 1].level + 1 : r->shapes != 0))
		json_bad(c, "no frame calls this one");
	else if (label < -1 || label >= r->labels)
		json_bad(c, "a frame has a name that does not exist");
	else if (weight < 0 || (!level && (r->sum += (uint64_t)weight) > WEIGHT_MAX))
		json_bad(c, "a weight is invalid");
	else if (!vec_room(&r->shape, &r->shape_cap, (uint64_t)r->shapes + 1, sizeof *r->shape) ||
	         !vec_room(&r->at, &r->at_cap, (uint64_t)level + 1, sizeof *r->at))
		json_bad(c, full);
	if (c->bad)
		return;
	above = level ? &r->shape[r->at[level - 1]] : NULL;
	if (above && (above->own < (uint64_t)weight || above->label < 0)) {
		json_bad(c, "a frame takes more than its caller");
		return;
	}
	if (above)
		above->own -= (uint64_t)weight;
	r->at[level] = r->shapes;
	r->shape[r->shapes++] = (struct shape){ label, (uint64_t)weight, (uint64_t)weight, (uint32_t)level };
}

/* Frames, each as three numbers: the name's number, the weight, the number of levels up from a callee of the frame before; in a
 * picture of differences two more. */
static void
read_shapes(struct cursor *c, struct reading *r)
{
	struct json_list list = json_open(c, '[');
	unsigned step = r->delta ? 5 : 3;
	int64_t number[5], level = 0;

	r->shapes = 0;
	for (unsigned i = 0; json_next(c, &list); i = (i + 1) % step) {
		number[i] = json_number(c, 0);
		if (i != step - 1 || c->bad)
			continue;
		if (number[2] < 0 || number[2] > level)
			json_bad(c, "no frame calls this one");
		else
			add_shape(c, r, level - number[2], number[0], number[1]);
		level += 1 - number[2];
	}
}

/* The thread that a frame's text names: with --pids it has the pid behind the name, with --threads pid and tid. */
static uint32_t
thread_of(struct reading *r, const char *comm)
{
	const char *dash = r->by_process || r->by_thread ? strrchr(comm, '-') : NULL, *at = dash ? dash + 1 : comm;
	uint64_t pid = 0, tid = 0;

	if (dash && text_dec(&at, &pid) && (!r->by_thread || (*at++ == '/' && text_dec(&at, &tid))) && !*at && pid <= INT32_MAX &&
	    tid <= INT32_MAX && (comm = arena_str(&r->p->arena, comm, (size_t)(dash - comm))))
		return profile_thread(r->p, (int32_t)pid, (int32_t)tid, comm, r->event);
	return profile_thread(r->p, 0, 0, comm ? comm : "", r->event);
}

static const char *
name_of(const struct reading *r, const struct shape *s)
{
	return s->label < 0 ? "[elided]" : r->label[s->label].name;
}

static uint32_t
code_at(const struct reading *r, const struct shape *s)
{
	return s->label < 0 ? r->elided : r->label[s->label].code;
}

static struct run
run_of(uint64_t weight, uint32_t node)
{
	return (struct run){ .weight = weight, .samples = weight, .node = node };
}

/* Callees: the first level is the threads', and each frame's own is a stack. */
static const char *
add_stacks(struct reading *r)
{
	uint32_t thread = UINT32_MAX, node;

	for (uint32_t i = 0; i < r->shapes; i++) {
		const struct shape *s = &r->shape[i];
		struct run run;

		if (!vec_room(&r->node, &r->node_cap, (uint64_t)s->level + 1, sizeof *r->node))
			return full;
		if (s->level == COMM || (s->level == ALL && s->own))   /* what ran without a thread has no frame of its own */
			thread = thread_of(r, s->level == ALL ? "" : name_of(r, s));
		node = s->level < FIRST ? NODE_NONE : tree_node(&r->p->raw, r->node[s->level - 1], code_at(r, s));
		if ((thread == UINT32_MAX && s->own) || (s->level >= FIRST && node == NODE_NONE))
			return full;
		r->node[s->level] = node;
		run = run_of(s->own, node);
		if (s->own)
			profile_add_known_run(r->p, thread, &run);
	}
	return NULL;
}

/* Callers: the first level is the innermost frame; a stack ends with its thread, or where it is too narrow. */
static const char *
add_callers(struct reading *r)
{
	for (uint32_t i = 0; i < r->shapes; i++) {
		const struct shape *s = &r->shape[i];
		bool comm = s->level != ALL && s->label >= 0 && r->label[s->label].comm;
		uint32_t n = s->level == ALL ? 0 : s->level - comm, thread;
		struct run run = run_of(s->own, NODE_NONE);

		if (!vec_room(&r->code, &r->code_cap, (uint64_t)s->level + 1, sizeof *r->code))
			return full;
		if (s->level > ALL)
			r->code[s->level - 1] = comm ? r->elided : code_at(r, s);
		if (!s->own)
			continue;
		if ((r->steps += n) > STEPS_MAX)
			return "stacks are too deep";
		if ((thread = thread_of(r, comm ? name_of(r, s) : s->level == ALL ? "" : "[elided]")) == UINT32_MAX)
			return full;
		profile_add_run(r->p, thread, &run, r->code, n);
	}
	return NULL;
}

static void
read_panel(struct cursor *c, struct reading *r)
{
	struct event_info e = { .name = "samples" };
	struct json_list list;
	const char *why;

	r->labels = r->shapes = 0;
	for (list = json_open(c, '{'); json_next(c, &list);) {
		const char *key = json_key(c, &r->text);

		if (strcmp(key, "event") == 0) {
			e.name = read_string(c, r);
		} else if (strcmp(key, "period") == 0) {
			int64_t ns = json_number(c, 0);

			e.period_ns = ns > 0 ? (uint64_t)ns : 0;
		} else if (strcmp(key, "waiting") == 0) {
			e.waiting = json_number(c, 0) == 1;
		} else if (strcmp(key, "names") == 0) {
			read_labels(c, r);
		} else if (strcmp(key, "frames") == 0) {
			read_shapes(c, r);
		} else
			json_skip(c);
	}
	if (c->bad)
		return;
	if ((r->event = profile_event(r->p, &e)) == UINT32_MAX)
		json_bad(c, "the file has too many events");
	else if ((why = r->reverse ? add_callers(r) : add_stacks(r)))
		json_bad(c, why);
}

static void
read_panels(struct cursor *c, struct reading *r)
{
	struct json_list list;

	for (list = json_open(c, '['); json_next(c, &list);)
		read_panel(c, r);
}

static void
read_modules(struct cursor *c, struct reading *r)
{
	struct json_list list;

	for (list = json_open(c, '['); json_next(c, &list);) {
		const char *module = read_string(c, r);

		if (!vec_room(&r->module, &r->module_cap, (uint64_t)r->modules + 1, sizeof *r->module)) {
			json_bad(c, full);
			return;
		}
		r->module[r->modules++] = module;
	}
}

/* Panels come before what they refer to: this first look reads all but the panels, and returns where they are. */
static struct cursor
read_about(struct cursor *c, struct reading *r)
{
	struct cursor panels = { 0 };
	struct json_list list;

	for (list = json_open(c, '{'); json_next(c, &list);) {
		const char *key = json_key(c, &r->text);

		if (strcmp(key, "panels") == 0) {
			panels = *c;
			json_skip(c);
		} else if (strcmp(key, "modules") == 0) {
			read_modules(c, r);
		} else if (strcmp(key, "command") == 0) {
			const char *command = read_string(c, r);

			r->p->command = r->p->command && *r->p->command ? r->p->command : command;
		} else if (json_peek(c) >= '0' && json_peek(c) <= '9') {
			bool reverse = !strcmp(key, "reverse"), delta = !strcmp(key, "delta"), lines = !strcmp(key, "lines");
			bool pids = !strcmp(key, "pids"), threads = !strcmp(key, "threads"), on = json_number(c, 0) == 1;

			r->reverse |= on && reverse;
			r->delta |= on && delta;
			r->lines |= on && lines;
			r->by_process |= on && pids;
			r->by_thread |= on && threads;
		} else
			json_skip(c);
	}
	return panels;
}

static void
read_data(struct cursor *c, struct reading *r)
{
	bool first = !r->p->nfunction;
	struct cursor panels = read_about(c, r);

	r->elided = code_of(r, &(struct function){ .name = "[elided]", .module = "", .kind = FUNCTION_MARK });
	if (!c->bad && !panels.pos)
		json_bad(c, "it has no frames");
	else if (!c->bad && r->elided == UINT32_MAX)
		json_bad(c, full);
	if (c->bad)
		return;
	r->p->lines = r->lines && (first || r->p->lines);
	r->p->by_thread |= r->by_thread;
	r->p->by_process |= r->by_process;
	r->p->timeless = true;
	read_panels(&panels, r);
	if (panels.bad)
		*c = panels;
}

const char *
svg_read(struct profile *p, struct cursor *in)
{
	struct reading r = { .p = p };
	const uint8_t *data = data_of(in);

	if (!data)
		return "prof did not write this picture, or its end is missing: it holds no profile";
	in->pos = data;
	sink_open(&r.text, -1);
	read_data(in, &r);
	sink_close(&r.text);
	vec_free(&r.label, &r.label_cap, sizeof *r.label);
	vec_free(&r.shape, &r.shape_cap, sizeof *r.shape);
	vec_free(&r.module, &r.module_cap, sizeof *r.module);
	vec_free(&r.at, &r.at_cap, sizeof *r.at);
	vec_free(&r.node, &r.node_cap, sizeof *r.node);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	return in->bad;
}
