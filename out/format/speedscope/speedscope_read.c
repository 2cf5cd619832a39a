/* speedscope's JSON, read: https://www.speedscope.app/file-format-schema.json, profiles of both types.
 *
 * Keys come in any order.  So the reader goes through an object once to find where its values begin, and then reads them in
 * the order in which it needs them.  Each profile is a thread; but in a file of ours the profile of all threads is not,
 * because it holds the others' samples once more.
 */
#include "speedscope_read.h"

#include "speedscope_track.h"

#include <string.h>

#include "out/format/frame_text.h"
#include "out/format/format.h"
#include "out/profile/profile_names.h"

bool
speedscope_is(struct cursor c)
{
	struct json_list list;
	struct sink text;
	bool yes = false;

	if (json_peek(&c) != '{')
		return false;
	sink_open(&text, -1);
	for (list = json_open(&c, '{'); !yes && json_next(&c, &list);) {
		const char *key = json_key(&c, &text);
		bool schema = is(key, "$schema");

		yes = is(key, "shared") || is(key, "profiles");
		if (schema && json_peek(&c) == '"')
			yes = strstr(json_string(&c, &text), "speedscope") != NULL;
		else
			json_skip(&c);
	}
	sink_close(&text);
	return yes;
}

static char *
copy_text(struct reading *r)
{
	char *copy = r->text.err ? NULL : arena_str(&r->arena, r->text.buf, strlen(r->text.buf));

	if (!copy)
		json_bad(r->c, "out of memory");
	return copy;
}

static void
add_frame(struct reading *r, char *name, const char *file, int64_t line)
{
	static const struct location nowhere = { .mapping = MAPPING_NONE };
	char module[256];
	struct function f = frame_text_function(name, module, sizeof module);
	struct site site;

	for (uint32_t i = 0; i < r->events && r->ours; i++) {
		const struct event_info *e = &r->p->event[r->event[i]];
		size_t n = strlen(e->name);

		if (e->waiting && *name == '[' && !strncmp(name + 1, e->name, n) && is(name + 1 + n, "]"))
			r->marker = r->frames + 1;
	}
	f.file = file;
	f.line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
	site = (struct site){ profile_function(r->p, &f), 0 };
	if (site.function == UINT32_MAX || !vec_room(&r->frame, &r->frame_cap, (uint64_t)r->frames + 1, sizeof *r->frame))
		json_bad(r->c, "out of memory");
	else
		r->frame[r->frames++] = profile_location(r->p, &nowhere, &site, 1);
}

static void
read_frame(struct reading *r)
{
	struct json_list list;
	char *name = NULL, *file = NULL;
	int64_t line = 0;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		const char *key = json_key(r->c, &r->text);
		bool is_name = is(key, "name"), is_file = is(key, "file"), is_line = is(key, "line");

		if ((is_name || is_file) && json_peek(r->c) == '"') {
			json_string(r->c, &r->text);
			*(is_name ? &name : &file) = copy_text(r);
		} else if (is_line && json_peek(r->c) != 'n')
			line = json_number(r->c, 0);
		else
			json_skip(r->c);
	}
	if (!r->c->bad && !name)
		json_bad(r->c, "a frame has no name");
	else if (!r->c->bad)
		add_frame(r, name, file, line);
}

static void
read_shared(struct reading *r)
{
	struct json_list list, frames;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		if (!is(json_key(r->c, &r->text), "frames"))
			json_skip(r->c);
		else
			for (frames = json_open(r->c, '['); json_next(r->c, &frames);)
				read_frame(r);
	}
}

/* Reads a member of our own, which tells what the unit of a profile does not tell of its event. */
static void
read_event(struct reading *r)
{
	if (r->events == sizeof r->event / sizeof *r->event)
		json_bad(r->c, "the file has too many events");
	else if ((r->event[r->events] = format_event_read(r->p, r->c, &r->text)) != UINT32_MAX)
		r->events++;
}

static void
read_own(struct reading *r)
{
	struct json_list list, inner;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		const char *key = json_key(r->c, &r->text);

		if (is(key, "epoch")) {
			int64_t ns = json_number(r->c, 0);

			r->p->epoch = r->p->epoch ? r->p->epoch : ns > 0 ? (uint64_t)ns : 0;
		} else if (is(key, "events")) {
			for (inner = json_open(r->c, '['); json_next(r->c, &inner);)
				read_event(r);
		} else if (is(key, "notes")) {
			for (inner = json_open(r->c, '{'); json_next(r->c, &inner);) {
				char *note;

				json_key(r->c, &r->text);
				note = copy_text(r);
				json_string(r->c, &r->text);
				if (!r->c->bad && note)
					profile_note(r->p, note, r->text.buf);
			}
		} else
			json_skip(r->c);
	}
}

static void
take_unit(struct track *t, const char *unit)
{
	static const struct { const char *unit; unsigned places; } units[] = {
		{ "seconds", 9 }, { "milliseconds", 6 }, { "microseconds", 3 }, { "nanoseconds", 0 },
	};

	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (is(unit, units[i].unit)) {
			t->time = true;
			t->places = units[i].places;
		}
	t->bytes = is(unit, "bytes");
}

/* The thread that the profile stands for, by our own member if there is one, else by the profile's name. */
static void
read_thread(struct reading *r, struct track *t, struct cursor own, const char *name)
{
	struct cursor *was = r->c;
	struct json_list list;
	int64_t pid = 0, tid = 0, event = 0;
	char *comm = NULL, *thread = NULL;

	t->event = UINT32_MAX;
	if (own.pos) {
		r->c = &own;
		for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
			const char *key = json_key(r->c, &r->text);
			int64_t *number = is(key, "pid") ? &pid : is(key, "tid") ? &tid : is(key, "event") ? &event : NULL;

			if (number)
				*number = json_number(r->c, 0);
			else if (is(key, "comm") || is(key, "thread")) {
				char **to = is(key, "comm") ? &comm : &thread;

				json_string(r->c, &r->text);
				*to = copy_text(r);
			} else
				json_skip(r->c);
		}
		r->c = was;
		if (own.bad)
			*r->c = own;
		if (event >= 0 && event < r->events)
			t->event = r->event[event];
	}
	if (t->event == UINT32_MAX)
		t->event = t->time ? profile_event(r->p, &(struct event_info){ "time", 1000, false })
		                   : profile_event(r->p, &(struct event_info){ t->bytes ? "bytes" : "samples", 0, false });
	if (t->event == UINT32_MAX)
		json_bad(r->c, "the file has too many events");
	else
		t->thread = profile_thread(r->p, (int32_t)pid, (int32_t)tid, comm ? comm : name, t->event);
	if (thread && t->event != UINT32_MAX && t->thread != UINT32_MAX)
		profile_call(r->p, t->thread, thread);
}

/* A profile, from the start to what is behind it. */
static void
read_profile(struct reading *r)
{
	struct track t = { .type = 0 };
	struct cursor own = { .pos = NULL }, start = { .pos = NULL };
	struct json_list list;
	char *name = NULL;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		const char *key = json_key(r->c, &r->text);
		struct cursor *at = is(key, "samples")      ? &t.samples
		                    : is(key, "weights")    ? &t.weights
		                    : is(key, "events")     ? &t.events
		                    : is(key, "startValue") ? &start
		                    : is(key, "prof")       ? &own
		                                            : NULL;

		if (is(key, "name") && json_peek(r->c) == '"') {
			json_string(r->c, &r->text);
			name = copy_text(r);
		} else if (is(key, "type"))
			t.type = *json_string(r->c, &r->text);
		else if (is(key, "unit"))
			take_unit(&t, json_string(r->c, &r->text));
		else {
			json_peek(r->c);
			if (at)
				*at = *r->c;
			json_skip(r->c);
		}
	}
	if (r->c->bad || (r->ours && name && strncmp(name, "all threads", 11) == 0))
		return;
	t.own = own.pos != NULL;
	r->timed |= t.time;
	read_thread(r, &t, own, name && *name ? name : "[unknown]");
	if (start.pos && json_peek(&start) != '-')
		t.start = (uint64_t)json_number(&start, t.places);
	if (!r->c->bad)
		speedscope_track(r, &t);
}

static void
read_profiles(struct reading *r)
{
	struct json_list list;

	for (list = json_open(r->c, '['); json_next(r->c, &list);)
		read_profile(r);
}

static void
read_name(struct reading *r)
{
	const char *text = json_string(r->c, &r->text), *name = arena_str(&r->p->arena, text, strlen(text));

	if (name && !*r->p->command)
		r->p->command = name;
}

/* Reads a member at once if it comes in the order in which it is needed, as most do. */
static void
read_file(struct reading *r)
{
	struct cursor late = { .pos = NULL }, *was = r->c;
	bool shared = false, profiles = false;
	struct json_list list;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		const char *key = json_key(r->c, &r->text);

		if (is(key, "profiles")) {
			profiles = true;
			if (shared)
				read_profiles(r);
			else {
				late = *r->c;
				json_skip(r->c);
			}
		} else if (is(key, "shared")) {
			shared = true;
			read_shared(r);
		} else if (is(key, "prof"))
			read_own(r);
		else if (is(key, "name") && json_peek(r->c) == '"')
			read_name(r);
		else if (is(key, "exporter") && json_peek(r->c) == '"') {
			const char *exporter = json_string(r->c, &r->text);

			r->ours = is(exporter, "prof") || strncmp(exporter, "prof@", 5) == 0;
		}
		else
			json_skip(r->c);
	}
	if (!shared || !profiles)
		json_bad(r->c, "the file has neither frames nor profiles");
	if (late.pos && !r->c->bad) {
		r->c = &late;
		read_profiles(r);
		r->c = was;
		if (late.bad)
			*was = late;
	}
}

const char *
speedscope_read(struct profile *p, struct cursor *c)
{
	struct reading r = { .p = p, .c = c, .base = p->end > p->start ? p->end - p->start : 0 };

	sink_open(&r.text, -1);
	read_file(&r);
	p->timeless |= !r.timed;
	sink_close(&r.text);
	arena_free(&r.arena);
	vec_free(&r.frame, &r.frame_cap, sizeof *r.frame);
	vec_free(&r.stack, &r.stack_cap, sizeof *r.stack);
	vec_free(&r.leaf_first, &r.leaf_cap, sizeof *r.leaf_first);
	return c->bad;
}
