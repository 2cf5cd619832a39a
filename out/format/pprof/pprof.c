/* pprof's profile.proto, written: github.com/google/pprof/proto/profile.proto in protobuf's wire format.
 *
 * A sample is the sum of all samples with the same thread and the same stack (of addresses, not of names); the file does not
 * tell their times.  A location is an address as linked, with the functions there, innermost first, so a mapping begins at 0:
 * readers then take addresses as they are.  Code without a file (the kernel, its modules, JIT code) has a mapping that is
 * only a name. */
#include "out/format/format.h"
#include "pprof_fields.h"
#include "pprof_read.h"
#include "pprof_put.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* All of a thread's samples of one stack. */
struct tally {
	uint64_t weight, samples;
	uint32_t node;
};

struct writing {
	const struct profile *p;
	struct sink *out;
	struct sink body, ids;     /* in memory: the message at hand, and the numbers packed in it */
	struct arena arena;
	struct strings strings;
	const char **module;       /* the names that stand for mappings, behind the profile's own */
	uint32_t nmodule, module_cap;
	bool *outermost;           /* of each function: it is the outermost one of some location */
	uint32_t outermost_cap;
	struct tally *tally;       /* of one thread, in the order in which they came first */
	uint32_t tallies, tally_cap;
	uint32_t *place;           /* of each raw node, and of the empty stack: its place in TALLY + 1; 0: none */
	uint32_t place_cap;
	uint32_t column[16], columns;   /* of each event: its first value */
	struct sink labels;        /* of the thread at hand */
};

/* Ends the message at hand. */
static void
put_message(struct writing *w, unsigned field)
{
	pprof_bytes(w->out, field, &w->body);
	w->body.len = 0;
}

/* The number of a string in the table; TEXT itself need not last. */
static uint32_t
string_copy(struct writing *w, const char *text)
{
	const char *copy = arena_str(&w->arena, text, strlen(text));

	if (!copy)
		sink_fail(w->out, ENOMEM);
	return copy ? pprof_string(&w->strings, copy, "") : 0;
}

static bool
is_time(const struct event_info *e)
{
	return e->period_ns > 0;
}

static const char *
unit_of(const struct event_info *e)
{
	return is_time(e) ? "nanoseconds" : event_in_bytes(e) ? "bytes" : "count";
}

static void
put_type(struct writing *w, unsigned field, uint32_t name, const char *unit)
{
	pprof_number(&w->body, TYPE_NAME, name);
	pprof_number(&w->body, TYPE_UNIT, pprof_string(&w->strings, unit, ""));
	put_message(w, field);
}

/* The names of an event's time or count, and of its number of samples. */
static uint32_t
type_name(struct writing *w, uint32_t event)
{
	const struct event_info *e = &w->p->event[event];

	return !event && is_time(e) ? pprof_string(&w->strings, e->waiting ? "wall" : "cpu", "") : pprof_string(&w->strings, e->name, "");
}

static uint32_t
samples_name(struct writing *w, uint32_t event)
{
	return event ? pprof_string(&w->strings, w->p->event[event].name, "_samples") : pprof_string(&w->strings, "samples", "");
}

/* Writes what is measured: samples and their time, or a count alone. */
static void
put_types(struct writing *w)
{
	const struct profile *p = w->p;

	for (uint32_t i = 0; i < p->nevent; i++) {
		w->column[i] = w->columns;
		if (is_time(&p->event[i])) {
			put_type(w, PROFILE_SAMPLE_TYPE, samples_name(w, i), "count");
			w->columns++;
		}
		put_type(w, PROFILE_SAMPLE_TYPE, type_name(w, i), unit_of(&p->event[i]));
		w->columns++;
	}
	if (!p->nevent) {
		put_type(w, PROFILE_SAMPLE_TYPE, pprof_string(&w->strings, "samples", ""), "count");
		w->columns = 1;
	} else {
		put_type(w, PROFILE_PERIOD_TYPE, type_name(w, 0), unit_of(p->event));
		pprof_number(w->out, PROFILE_PERIOD, is_time(p->event) ? p->event->period_ns : 1);
		pprof_number(w->out, PROFILE_DEFAULT_TYPE, type_name(w, 0));
	}
}

static void
put_mapping(struct writing *w, uint32_t i, const char *file, const char *build_id)
{
	pprof_number(&w->body, MAPPING_ID, i + 1);
	pprof_number(&w->body, MAPPING_FILE, pprof_string(&w->strings, file, ""));
	pprof_number(&w->body, MAPPING_BUILD_ID, pprof_string(&w->strings, build_id, ""));
	for (unsigned has = MAPPING_FUNCTIONS; has <= MAPPING_INLINES; has++)   /* the file holds all that is known: no reader needs to look for more */
		pprof_number(&w->body, has, 1);
	put_message(w, PROFILE_MAPPING);
}

/* Readers take the first mapping for the program. */
static uint32_t
main_mapping(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nmapping; i++)
		if (*p->mapping[i].file == '/' && !strstr(p->mapping[i].file, ".so"))
			return i;
	return 0;
}

static void
put_mappings(struct writing *w)
{
	const struct profile *p = w->p;
	uint32_t first = main_mapping(p);

	for (uint32_t k = 0; k < p->nmapping; k++) {
		uint32_t i = k == 0 ? first : k <= first ? k - 1 : k;

		put_mapping(w, i, p->mapping[i].file, p->mapping[i].build_id);
	}
	for (uint32_t i = 0; i < w->nmodule; i++)
		put_mapping(w, p->nmapping + i, w->module[i], "");
}

/* The mapping of a location, from 1; 0 for none. */
static uint32_t
mapping_of(struct writing *w, const struct location *l)
{
	uint32_t f = w->p->site[l->site].function;
	const char *name = f < w->p->nfunction ? w->p->function[f].module : "";

	if (l->mapping < w->p->nmapping)
		return l->mapping + 1;
	if (!*name)
		return 0;
	for (uint32_t i = w->nmodule; i--;)
		if (strcmp(w->module[i], name) == 0)
			return w->p->nmapping + i + 1;
	if (!vec_room(&w->module, &w->module_cap, (uint64_t)w->nmodule + 1, sizeof *w->module)) {
		sink_fail(w->out, ENOMEM);
		return 0;
	}
	w->module[w->nmodule++] = name;
	return w->p->nmapping + w->nmodule;
}

static void
put_locations(struct writing *w)
{
	const struct profile *p = w->p;

	for (uint32_t i = 0; i < p->nlocation; i++) {
		const struct location *l = &p->location[i];

		if (!l->sites)
			continue;
		pprof_number(&w->body, LOCATION_ID, i + 1ull);
		pprof_number(&w->body, LOCATION_MAPPING, mapping_of(w, l));
		pprof_number(&w->body, LOCATION_ADDRESS, l->address);
		for (uint32_t k = l->sites; k--;) {
			const struct site *site = &p->site[l->site + k];

			if (site->function >= p->nfunction)
				continue;
			pprof_number(&w->ids, LINE_FUNCTION, site->function + 1ull);
			pprof_number(&w->ids, LINE_LINE, site->line);
			pprof_bytes(&w->body, LOCATION_LINE, &w->ids);
			w->ids.len = 0;
			w->outermost[site->function] |= k == 0;
		}
		put_message(w, PROFILE_LOCATION);
	}
}

/* Readers see by the place in a location that a function is inlined, unless prof knows only this one function. */
static const char *
suffix_of(const struct writing *w, uint32_t i)
{
	enum function_kind kind = w->p->function[i].kind;

	return kind == FUNCTION_INLINED && !w->outermost[i] ? "" : function_suffix(kind);
}

static void
put_functions(struct writing *w)
{
	for (uint32_t i = 0; i < w->p->nfunction; i++) {
		const struct function *f = &w->p->function[i];

		pprof_number(&w->body, FUNCTION_ID, i + 1ull);
		pprof_number(&w->body, FUNCTION_NAME, pprof_string(&w->strings, f->name, suffix_of(w, i)));
		pprof_number(&w->body, FUNCTION_SYSTEM_NAME, pprof_string(&w->strings, f->name, ""));
		pprof_number(&w->body, FUNCTION_FILE, f->file ? pprof_string(&w->strings, f->file, "") : 0);
		pprof_number(&w->body, FUNCTION_START_LINE, w->p->lines ? 0 : f->line);
		put_message(w, PROFILE_FUNCTION);
	}
}

static void
put_label(struct writing *w, const char *key, const char *text, uint64_t number)
{
	pprof_number(&w->body, LABEL_KEY, pprof_string(&w->strings, key, ""));
	pprof_number(&w->body, LABEL_TEXT, text ? string_copy(w, text) : 0);
	pprof_number(&w->body, LABEL_NUMBER, number);
	pprof_bytes(&w->labels, SAMPLE_LABEL, &w->body);
	w->body.len = 0;
}

static void
make_labels(struct writing *w, const struct thread *t)
{
	const char *comm = *t->comm ? t->comm : "[unknown]";
	struct sink name;

	w->labels.len = 0;
	sink_open(&name, -1);
	sink_fmt(&name, "%s %d/%d", *thread_title(t) ? thread_title(t) : comm, t->pid, t->tid);
	sink_char(&name, 0);
	put_label(w, "thread", name.err ? comm : name.buf, 0);
	sink_fail(w->out, sink_close(&name));
	put_label(w, "tid", NULL, (uint64_t)(int64_t)t->tid);
	put_label(w, "pid", NULL, (uint64_t)(int64_t)t->pid);
	put_label(w, "comm", comm, 0);
}

static void
put_sample(struct writing *w, const struct thread *t, const struct tally *tally)
{
	const struct profile *p = w->p;
	uint64_t period = t->event < p->nevent ? p->event[t->event].period_ns : 0;
	uint32_t first = t->event < p->nevent ? w->column[t->event] : 0;

	for (uint32_t node = tally->node; node != NODE_NONE; node = p->raw.node[node].parent) {
		uint32_t code = p->raw.node[node].frame;

		if (code < p->nlocation && p->location[code].sites)
			pprof_varint(&w->ids, code + 1ull);
	}
	if (w->ids.len)
		pprof_bytes(&w->body, SAMPLE_LOCATION, &w->ids);
	w->ids.len = 0;
	for (uint32_t i = 0; i < w->columns; i++)
		pprof_varint(&w->ids, i == first               ? (period ? tally->samples : tally->weight)
		                    : i == first + 1 && period ? times(tally->weight, period)
		                                               : 0);
	pprof_bytes(&w->body, SAMPLE_VALUE, &w->ids);
	w->ids.len = 0;
	sink_put(&w->body, w->labels.buf, w->labels.len);
	put_message(w, PROFILE_SAMPLE);
}

static struct tally *
tally_of(struct writing *w, uint32_t node)
{
	uint32_t *place = &w->place[node < w->p->raw.n ? node : w->p->raw.n];

	if (!*place) {
		if (!vec_room(&w->tally, &w->tally_cap, (uint64_t)w->tallies + 1, sizeof *w->tally)) {
			sink_fail(w->out, ENOMEM);
			return NULL;
		}
		w->tally[w->tallies++] = (struct tally){ .node = node < w->p->raw.n ? node : NODE_NONE };
		*place = w->tallies;
	}
	return &w->tally[*place - 1];
}

static void
put_thread(struct writing *w, const struct thread *t)
{
	struct run_reader reader;
	struct tally *tally;
	struct run run;

	make_labels(w, t);
	runs_open(&reader, w->p, t);
	reader.raw = true;
	for (w->tallies = 0; runs_next(&reader, &run) && (tally = tally_of(w, run.node));) {
		tally->weight += run.weight;
		tally->samples += run.samples;
	}
	for (uint32_t i = 0; i < w->tallies && !w->out->err; i++) {
		uint32_t node = w->tally[i].node;

		put_sample(w, t, &w->tally[i]);
		w->place[node != NODE_NONE ? node : w->p->raw.n] = 0;
	}
}

/* A comment is "KEY: VALUE". */
static void
put_comment(struct writing *w, const char *key, const char *value, const char *end)
{
	struct sink text;

	sink_open(&text, -1);
	sink_str(&text, key);
	sink_str(&text, value);
	sink_str(&text, end);
	sink_char(&text, 0);
	if (!text.err)
		pprof_number(w->out, PROFILE_COMMENT, string_copy(w, text.buf));
	sink_fail(w->out, sink_close(&text));
}

/* Writes what has no field in the format; pprof shows it with -comments.  Events get a comment, too, because a sample type
 * says less. */
static void
put_comments(struct writing *w)
{
	const struct profile *p = w->p;

	put_comment(w, p->exporter ? p->exporter : "prof", "", "");
	if (p->command && *p->command)
		put_comment(w, "command: ", p->command, "");
	for (uint32_t i = 0; i < p->nevent; i++) {
		char end[64];

		snprintf(end, sizeof end, ", period %llu ns%s", (unsigned long long)p->event[i].period_ns,
		         p->event[i].waiting ? ", waiting" : "");
		put_comment(w, "event: ", p->event[i].name, end);
	}
	for (unsigned i = 0; i < p->nnote; i++)
		put_comment(w, p->note[i].key, ": ", p->note[i].value);
}

static void
put_all(struct writing *w)
{
	const struct profile *p = w->p;

	pprof_string(&w->strings, "", "");   /* the format wants it first */
	put_types(w);
	pprof_number(w->out, PROFILE_TIME, p->epoch);
	pprof_number(w->out, PROFILE_DURATION, p->end > p->start ? p->end - p->start : 0);
	put_comments(w);
	for (uint32_t i = 0; i < p->nthread && !w->out->err; i++)
		put_thread(w, &p->thread[i]);
	put_locations(w);
	put_mappings(w);
	put_functions(w);
	pprof_strings(&w->strings, w->out);
}

static void
pprof_write(struct sink *out, const struct profile *p)
{
	struct writing w = { .p = p, .out = out };

	sink_open(&w.body, -1);
	sink_open(&w.ids, -1);
	sink_open(&w.labels, -1);
	if (vec_room(&w.place, &w.place_cap, (uint64_t)p->raw.n + 1, sizeof *w.place) &&
	    vec_room(&w.outermost, &w.outermost_cap, p->nfunction, sizeof *w.outermost))
		put_all(&w);
	else
		sink_fail(out, ENOMEM);
	sink_fail(out, sink_close(&w.body));
	sink_fail(out, sink_close(&w.ids));
	sink_fail(out, sink_close(&w.labels));
	vec_free(&w.tally, &w.tally_cap, sizeof *w.tally);
	vec_free(&w.place, &w.place_cap, sizeof *w.place);
	vec_free(&w.outermost, &w.outermost_cap, sizeof *w.outermost);
	vec_free(&w.module, &w.module_cap, sizeof *w.module);
	pprof_strings_free(&w.strings);
	arena_free(&w.arena);
}

const struct format format_pprof = {
	.name = "pprof",
	.suffixes = ".pb .pprof",
	.what = "for pprof (go tool pprof)",
	.write = pprof_write,
	.is = pprof_is,
	.read = pprof_read,
	.binary = true,
	.places = true,
};
