/* pprof's profile.proto, read: ours and others'.  Messages come in any order, so the reader goes through a file twice: first
 * for the tables, then for the samples.  If it must turn lengths of time into numbers of samples, it goes through it once
 * more before that. */
#include "pprof_read.h"

#include "pprof_tables.h"
#include "pprof_types.h"

#include "lib/sink.h"
#include "out/format/frame_text.h"
#include "out/profile/profile_names.h"

enum { SNIFFED = 32 };

/* Looks for a profile's own fields and complete types of samples: no text looks like that. */
bool
pprof_is(struct cursor c)
{
	unsigned tables = 0;
	struct field f, part;

	for (unsigned i = 0; i < SNIFFED && pprof_field(&c, &f); i++) {
		bool table = (f.number && f.number <= PROFILE_STRING) || f.number == PROFILE_PERIOD_TYPE;

		if (!f.number || f.number >= PROFILE_FIELDS || (table ? f.wire != WIRE_BYTES : f.wire & 1))
			return false;
		tables += table;
		while (f.number == PROFILE_SAMPLE_TYPE && cur_left(&f.bytes))
			if (!pprof_field(&f.bytes, &part) || !part.number || part.number > TYPE_UNIT || part.wire != WIRE_VARINT)
				return false;
	}
	return tables > 0;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return *path == '/' && slash ? slash + 1 : path;
}

static uint32_t
line_number(uint64_t v)
{
	return v <= INT32_MAX ? (uint32_t)v : 0;
}

/* A function of the profile: NAME and the file tell its kind, unless it is INLINED. */
static uint32_t
make_function(struct reading *r, const char *name, const struct fn *fn, const struct map *m, bool inlined)
{
	const char *file = m ? pprof_text(r, m->file) : "";
	char *text = arena_str(&r->arena, name, strlen(name)), module[256];
	struct function f;

	if (!text)
		pprof_fail(r, r->here, pprof_no_memory);
	if (r->why)
		return NONE;
	f = frame_text_function(text, module, sizeof module);
	if (m)
		f.module = pprof_begins(file, "[kernel") ? "[kernel]" : base_name(file);
	if (f.kind == FUNCTION_USER)
		f.kind = pprof_begins(file, "[kernel")  ? FUNCTION_KERNEL
		         : strcmp(file, "[jit]") == 0 ? FUNCTION_JIT
		         : inlined                    ? FUNCTION_INLINED
		                                      : FUNCTION_USER;
	if (fn) {
		f.file = fn->file ? pprof_text(r, fn->file) : NULL;
		f.line = line_number(fn->line);
	}
	return profile_function(r->p, &f);
}

/* A place without a name gets its file and address as its name, as in all that prof writes. */
static uint32_t
make_unnamed(struct reading *r, const struct place *place, const struct map *m)
{
	const char *file = base_name(m ? pprof_text(r, m->file) : "");
	struct sink name;
	uint32_t f;

	if (!*file)
		return make_function(r, "[unknown]", NULL, m, false);
	sink_open(&name, -1);
	sink_char(&name, '[');
	sink_str(&name, file);
	sink_str(&name, "+0x");
	sink_hex(&name, place->address - m->start + m->off);
	sink_str(&name, "]");
	sink_char(&name, 0);
	f = name.err ? NONE : make_function(r, name.buf, NULL, m, false);
	sink_close(&name);
	return f;
}

static unsigned
make_sites(struct reading *r, const struct place *place, const struct map *m, struct site *site)
{
	unsigned n = 0;

	for (uint32_t i = place->lines; i-- && n < NAME_MAX_INLINE; n++) {
		const struct line *line = &r->line[place->line + i];
		uint32_t number = pprof_find(&r->fns, line->function);
		const struct fn *fn = number == NONE ? NULL : &r->fn[number];

		if (!fn) {
			pprof_fail(r, r->here, "a function is missing from the table of functions");
			return 0;
		}
		site[n].function = make_function(r, pprof_text(r, fn->name ? fn->name : fn->system_name), fn, m, n > 0);
		site[n].line = line_number(line->line);
	}
	if (!n) {
		*site = (struct site){ make_unnamed(r, place, m), 0 };
		n = 1;
	}
	return n;
}

static uint32_t
make_mapping(struct reading *r, struct map *m)
{
	if (!m->number && pprof_begins(pprof_text(r, m->file), "/"))
		m->number = profile_mapping(r->p, pprof_text(r, m->file), pprof_text(r, m->build_id)) + 1;
	return m->number - 1;   /* MAPPING_NONE, too */
}

/* The code of a location.  The first call for a location makes it. */
static void
take_location(struct reading *r, uint64_t id)
{
	uint32_t number = pprof_find(&r->places, id), map;
	struct place *place = number == NONE ? NULL : &r->place[number];
	struct site site[NAME_MAX_INLINE];
	struct location where = { .mapping = MAPPING_NONE };

	if (!place) {
		pprof_fail(r, r->here, "a location is missing from the table of locations");
		return;
	}
	if (!place->code) {
		struct map *m = (map = pprof_find(&r->maps, place->mapping)) == NONE ? NULL : &r->map[map];
		unsigned n = make_sites(r, place, m, site);

		where.address = place->address - (m ? m->start - m->off : 0);
		if (m)
			where.mapping = make_mapping(r, m);
		place->code = r->why ? 0 : profile_location(r->p, &where, site, n) + 1;
	}
	if (!place->code || !vec_room(&r->code, &r->code_cap, (uint64_t)r->codes + 1, sizeof *r->code))
		pprof_fail(r, r->here, pprof_no_memory);
	else
		r->code[r->codes++] = place->code - 1;
}

static void
take_label(struct reading *r, struct cursor c)
{
	uint64_t v[LABEL_NUMBER + 1];
	const char *key;

	pprof_numbers(r, c, v, LABEL_NUMBER + 1);
	key = pprof_text(r, v[LABEL_KEY]);
	if (strcmp(key, "pid") == 0)
		r->pid = (int32_t)v[LABEL_NUMBER];
	else if (strcmp(key, "tid") == 0)
		r->tid = (int32_t)v[LABEL_NUMBER];
	else if (strcmp(key, "comm") == 0)
		r->comm = pprof_text(r, v[LABEL_TEXT]);
	else if (strcmp(key, "thread") == 0)
		r->thread = pprof_text(r, v[LABEL_TEXT]);
}

static void
take_part(struct reading *r, struct field *part)
{
	if (part->number == SAMPLE_LOCATION)
		pprof_each(r, part, take_location);
	else if (part->number == SAMPLE_LABEL)
		take_label(r, part->bytes);
}

static void
add_measured(struct reading *r, struct measure *m)
{
	int64_t value = r->value[m->value], count = m->count == NONE ? 0 : r->value[m->count];
	uint64_t ns = (uint64_t)value, thread;
	struct run run = { .weight = (uint64_t)value };

	if (value < 0 || count < 0)
		pprof_fail(r, r->here, "a value is below zero (is this the difference of two profiles?)");
	if (m->scale && (__builtin_mul_overflow(ns, m->scale, &ns) || __builtin_add_overflow(ns, m->carry, &ns)))
		pprof_fail(r, r->here, "a value is too large");
	if (m->scale) {
		run.weight = ns / m->info.period_ns;
		m->carry = ns % m->info.period_ns;
	}
	run.samples = count ? (uint64_t)count : run.weight;
	if (r->why || !run.weight)
		return;
	r->sum += run.weight < WEIGHT_MAX ? run.weight : WEIGHT_MAX;
	r->samples += run.samples < WEIGHT_MAX ? run.samples : WEIGHT_MAX;
	if (r->sum >= WEIGHT_MAX || r->samples >= WEIGHT_MAX)
		pprof_fail(r, r->here, "the sum of the values is too large");
	thread = profile_thread(r->p, r->pid, r->tid, *r->comm ? r->comm : *r->thread ? r->thread : r->program, m->event);
	profile_add_run(r->p, (uint32_t)thread, &run, r->code, r->codes);
}

static void
add_sample(struct reading *r)
{
	for (uint32_t i = 0; i < r->measures; i++)
		add_measured(r, &r->measure[i]);
}

/* "KEY: VALUE", as our comments are; without those that repeat what the profile knows otherwise. */
static void
take_comments(struct reading *r)
{
	for (uint32_t i = 0; i < r->comments; i++) {
		const char *s = pprof_text(r, r->comment[i]), *value = strstr(s, ": "), *key;

		if (!value || pprof_begins(s, "event: ") || !(key = arena_str(&r->p->arena, s, (size_t)(value - s))))
			continue;
		if (strcmp(key, "command") != 0)
			profile_note(r->p, key, value + 2);
		else if (!*r->p->command && (key = arena_str(&r->p->arena, value + 2, strlen(value + 2))))
			r->p->command = key;
	}
}

static void
read_all(struct reading *r)
{
	struct profile *p = r->p;

	pprof_tables(r);
	r->here = r->file.pos;
	r->program = "[unknown]";
	if (!r->why && r->maps.n && *base_name(pprof_text(r, r->map->file)))
		r->program = base_name(pprof_text(r, r->map->file));
	if (!r->why)
		pprof_measures(r);
	if (!r->why)
		take_comments(r);
	pprof_samples(r, take_part, add_sample);
	p->timeless = true;
	p->end += r->duration <= INT64_MAX ? r->duration : 0;
	if (!p->epoch && r->time <= INT64_MAX)
		p->epoch = r->time;
}

static void
free_ids(struct ids *ids)
{
	vec_free(&ids->id, &ids->cap, sizeof *ids->id);
	index_free(&ids->index);
}

const char *
pprof_read(struct profile *p, struct cursor *file)
{
	struct reading r = { .p = p, .file = *file, .here = file->pos };

	read_all(&r);
	if (r.why)
		file->pos = r.at;
	vec_free(&r.string, &r.string_cap, sizeof *r.string);
	vec_free(&r.map, &r.map_cap, sizeof *r.map);
	vec_free(&r.fn, &r.fn_cap, sizeof *r.fn);
	vec_free(&r.place, &r.place_cap, sizeof *r.place);
	vec_free(&r.line, &r.line_cap, sizeof *r.line);
	vec_free(&r.comment, &r.comment_cap, sizeof *r.comment);
	vec_free(&r.code, &r.code_cap, sizeof *r.code);
	free_ids(&r.maps);
	free_ids(&r.fns);
	free_ids(&r.places);
	arena_free(&r.arena);
	return r.why;
}
