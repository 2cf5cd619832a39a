/* See header.h.  tools/perf/Documentation/perf.data-file-format.txt: struct perf_header, the sections of features; events are
 * struct perf_event_attr, of any version: a missing field is 0. */
#include "header.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/sink.h"

enum {
	SECTION = 16,              /* offset and size */
	EVENTS_MOST = 4096, IDS_MOST = 1 << 20, BUILDS_MOST = 1 << 17, TEXT_MOST = 4096, FEATURES = 256,
	FEATURE_MOST = 16 << 20,   /* bytes of one */
	FLAG_FREQ = 10, FLAG_ID_ALL = 18,
	MODE = 7, MODE_KERNEL = 1,   /* in misc */
	BUILD_ID_SIZE = 1 << 15,   /* in misc: the length is given */
};

/* Numbers of features. */
enum { BUILD_ID = 2, HOST, RELEASE, VERSION, MACHINE, CPU = 8, COMMAND = 11, EVENT_DESC };

static const char magic[2][HEADER_MAGIC] = { "PERFILE2", "2ELIFREP" };   /* as the two byte orders have it */

bool
header_is(const uint8_t *bytes)
{
	return !memcmp(bytes, magic[0], HEADER_MAGIC) || !memcmp(bytes, magic[1], HEADER_MAGIC);
}

void
header_free(struct header *h)
{
	vec_free(&h->event, &h->events_cap, sizeof *h->event);
	vec_free(&h->id, &h->ids_cap, sizeof *h->id);
	vec_free(&h->build, &h->builds_cap, sizeof *h->build);
	index_free(&h->by_id);
	index_free(&h->by_path);
	arena_free(&h->arena);
}

/* Events and their ids. */

static const struct event_id *
find_id(const struct header *h, uint64_t id)
{
	uint32_t slot, i;

	for (slot = index_first(&h->by_id, hash_u64(id)); (i = index_at(&h->by_id, slot)) != INDEX_NONE; slot = index_next(&h->by_id, slot))
		if (h->id[i].id == id)
			return &h->id[i];
	return NULL;
}

uint32_t
header_event(const struct header *h, uint64_t id)
{
	const struct event_id *e = h->events > 1 ? find_id(h, id) : NULL;

	return e ? e->event : 0;
}

static void
add_ids(struct header *h, uint32_t event, struct cursor c)
{
	while (cur_left(&c) >= 8 && h->ids < IDS_MOST && event < h->events) {
		uint64_t id = cur_u64(&c);

		if (find_id(h, id) || !vec_room(&h->id, &h->ids_cap, (uint64_t)h->ids + 1, sizeof *h->id))
			continue;
		h->id[h->ids] = (struct event_id){ id, event };
		h->ids += index_add(&h->by_id, hash_u64(id), h->ids);
	}
}

/* A perf_event_attr; C has its bytes, or fewer. */
static struct recorded_event
parse_event(struct cursor c)
{
	struct recorded_event e = { .type = cur_u32(&c) };
	bool big = c.big;
	uint64_t flags;

	cur_u32(&c);
	e.config = cur_u64(&c);
	e.period = cur_u64(&c);
	e.sample_type = cur_u64(&c);
	e.read_format = cur_u64(&c);
	flags = cur_u64(&c);
	cur_take(&c, 24);          /* wakeups, breakpoints */
	e.branch_type = cur_u64(&c);
	e.regs_user = cur_u64(&c);
	e.freq = flags >> (big ? 63 - FLAG_FREQ : FLAG_FREQ) & 1;   /* bits count from the other end there, too */
	e.id_all = flags >> (big ? 63 - FLAG_ID_ALL : FLAG_ID_ALL) & 1;
	return e;
}

static bool
add_event(struct header *h, struct cursor attr)
{
	if (h->events == EVENTS_MOST || !vec_room(&h->event, &h->events_cap, (uint64_t)h->events + 1, sizeof *h->event))
		return false;
	h->event[h->events++] = parse_event(attr);
	return true;
}

/* The size of an attr that begins here. */
static uint32_t
attr_size(struct cursor c)
{
	cur_u32(&c);
	return cur_u32(&c);
}

void
header_attr(struct header *h, struct cursor c)
{
	uint32_t size = attr_size(c);

	c.big = h->big;
	if (add_event(h, cur_sub(&c, size)))
		add_ids(h, h->events - 1, c);
}

/* Strings have their length before them, and zeros behind. */
static const char *
text(struct header *h, struct cursor *c)
{
	uint32_t n = cur_u32(c);
	const char *s = (const char *)cur_take(c, n);

	return s && n && *s ? arena_str(&h->arena, s, strnlen(s, n < TEXT_MOST ? n : TEXT_MOST)) : NULL;
}

void
header_update(struct header *h, struct cursor c)
{
	uint64_t type = cur_u64(&c), id = cur_u64(&c);
	const struct event_id *e = find_id(h, id);
	const char *name = (const char *)c.pos;

	if (type == 2 && e && !c.bad)   /* PERF_EVENT_UPDATE__NAME */
		h->event[e->event].name = arena_str(&h->arena, name, strnlen(name, cur_left(&c)));
}

/* The events once more, with names. */
static void
describe_events(struct header *h, struct cursor c)
{
	uint32_t n = cur_u32(&c), size = cur_u32(&c);

	for (uint32_t i = 0; i < n && !c.bad; i++) {
		struct cursor attr = cur_sub(&c, size), ids;
		uint32_t nids = cur_u32(&c), event = i;
		const char *name = text(h, &c);
		const struct event_id *e;

		ids = cur_sub(&c, (uint64_t)nids * 8);
		if (c.bad)
			return;
		if (i >= h->events && !add_event(h, attr))
			return;
		e = cur_left(&ids) ? find_id(h, cur_u64(&(struct cursor){ ids.pos, ids.end, NULL, ids.big })) : NULL;
		event = e ? e->event : i;
		if (name && event < h->events)
			h->event[event].name = name;
		add_ids(h, event, ids);
	}
}

/* Build-ids. */

const struct recorded_build *
header_build_of(const struct header *h, const char *path)
{
	uint32_t slot, i;

	for (slot = index_first(&h->by_path, hash_str(path)); (i = index_at(&h->by_path, slot)) != INDEX_NONE;
	     slot = index_next(&h->by_path, slot))
		if (!strcmp(h->build[i].path, path))
			return &h->build[i];
	return NULL;
}

const struct recorded_build *
header_build_kernel(const struct header *h)
{
	const struct recorded_build *b = header_build_of(h, "[kernel.kallsyms]");

	for (uint32_t i = 0; i < h->builds && !b; i++) {
		const char *slash = strrchr(h->build[i].path, '/');

		if (slash && h->build[i].kernel && !strncmp(slash, "/vmlinux", 8))
			b = &h->build[i];
	}
	return b;
}

void
header_build(struct header *h, struct cursor c, uint16_t misc)
{
	struct recorded_build b = { .len = sizeof b.id };
	const uint8_t *id;
	const char *path;

	cur_u32(&c);
	id = cur_take(&c, sizeof b.id);
	if (misc & BUILD_ID_SIZE)
		b.len = cur_u8(&c);
	else
		cur_u8(&c);
	cur_take(&c, 3);
	path = (const char *)c.pos;
	if (c.bad || b.len > sizeof b.id || h->builds == BUILDS_MOST || !(path = arena_str(&h->arena, path, strnlen(path, cur_left(&c)))))
		return;
	memcpy(b.id, id, b.len);
	b.path = path;
	b.kernel = (misc & MODE) == MODE_KERNEL;
	if (header_build_of(h, path) || !vec_room(&h->build, &h->builds_cap, (uint64_t)h->builds + 1, sizeof b))
		return;
	h->build[h->builds] = b;
	h->builds += index_add(&h->by_path, hash_str(path), h->builds);
}

static void
read_builds(struct header *h, struct cursor c)
{
	while (cur_left(&c) > 8) {
		uint16_t misc, size;
		struct cursor one;

		cur_u32(&c);
		misc = cur_u16(&c);
		size = cur_u16(&c);
		one = cur_sub(&c, size < 8 ? UINT64_MAX : size - 8u);
		if (c.bad)
			return;
		header_build(h, one, misc);
	}
}

/* Features. */

static const char *
command_line(struct header *h, struct cursor c)
{
	uint32_t n = cur_u32(&c);
	const char *words = NULL;
	struct sink s;

	sink_open(&s, -1);
	for (uint32_t i = 0; i < n && !c.bad && s.len < TEXT_MOST; i++) {
		const char *word = text(h, &c);

		sink_fmt(&s, "%s%s", i ? " " : "", word ? word : "");
	}
	if (!s.err)
		words = arena_str(&h->arena, s.buf, s.len);
	sink_close(&s);
	return words;
}

static void
read_feature(struct header *h, unsigned which, struct cursor c)
{
	const char **texts[] = { [HOST] = &h->host, [RELEASE] = &h->release, [VERSION] = &h->version, [MACHINE] = &h->machine, [CPU] = &h->cpu };

	c.big = h->big;
	if (which == BUILD_ID)
		read_builds(h, c);
	else if (which == COMMAND)
		h->command = command_line(h, c);
	else if (which == EVENT_DESC)
		describe_events(h, c);
	else if (which < sizeof texts / sizeof *texts && texts[which])
		*texts[which] = text(h, &c);
}

void
header_feature(struct header *h, struct cursor c)
{
	uint64_t which = cur_u64(&c);

	if (which < FEATURES)
		read_feature(h, (unsigned)which, c);
}

struct section {
	uint64_t at, size;
};

static struct section
section(struct cursor *c)
{
	uint64_t at = cur_u64(c);

	return (struct section){ at, cur_u64(c) };
}

/* The bytes of a section, until the caller asks for the next one; empty if the file does not have all of them. */
static struct cursor
section_bytes(const struct header *h, struct source *s, struct section of)
{
	bool there = of.size <= FEATURE_MOST && of.size <= s->size && of.at <= s->size - of.size;
	const uint8_t *bytes = there && source_go(s, of.at) ? source_peek(s, (uint32_t)of.size) : NULL;

	return cur_of(bytes, bytes ? (size_t)of.size : 0, h->big);
}

/* The sections of features stand behind the data, one for each bit that is set. */
static void
read_features(struct header *h, struct source *s, const uint64_t *bits)
{
	uint64_t at = h->data + h->data_size;

	for (unsigned i = 0; i < FEATURES; i++)
		if (bits[i / 64] >> i % 64 & 1) {
			struct cursor c = section_bytes(h, s, (struct section){ at, SECTION });

			if (!cur_left(&c))
				return;
			read_feature(h, i, section_bytes(h, s, section(&c)));
			at += SECTION;
		}
}

static const char *
read_events(struct header *h, struct source *s, struct section attrs, uint64_t entry)
{
	uint64_t n = entry > SECTION ? attrs.size / entry : 0;

	if (!n || n > EVENTS_MOST || entry > 4096)
		return "its header describes no events";
	for (uint64_t i = 0; i < n; i++) {
		struct cursor c = section_bytes(h, s, (struct section){ attrs.at + i * entry, entry });
		struct cursor attr = cur_sub(&c, entry - SECTION);

		if (c.bad || !add_event(h, attr))
			return "it ends within the header";
		add_ids(h, (uint32_t)i, section_bytes(h, s, section(&c)));
	}
	return NULL;
}

const char *
header_read(struct header *h, struct source *s)
{
	const uint8_t *bytes = source_peek(s, 16);
	struct section attrs, data;
	uint64_t size, entry, bits[FEATURES / 64];
	struct cursor c;
	const char *why;

	*h = (struct header){ 0 };   /* a header that perf did not finish is empty, and not known */
	if (!bytes || !header_is(bytes))
		return "it is not a perf.data file";
	h->big = memcmp(bytes, magic[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__], HEADER_MAGIC) != 0;
	h->big ^= __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	c = cur_of(bytes + HEADER_MAGIC, 8, h->big);
	size = cur_u64(&c);
	if (size == 16) {
		h->pipe = true;
		h->data_size = UINT64_MAX;
		return source_skip(s, 16) ? NULL : "it ends within the header";
	}
	if (size < 72 || size > 4096 || !(bytes = source_peek(s, (uint32_t)size)))
		return "its header is broken";
	if (!s->seeks)
		return "perf writes a part of this header at the file's end, so prof cannot read it from a pipe: name the file, or write it with "
		       "perf record -o -";
	c = cur_of(bytes + 16, (size_t)size - 16, h->big);
	entry = cur_u64(&c);
	attrs = section(&c);
	data = section(&c);
	section(&c);
	for (unsigned i = 0; i < FEATURES / 64; i++)
		bits[i] = cur_u64(&c);
	h->data = data.at;
	h->data_size = data.size;
	if ((why = read_events(h, s, attrs, entry)))
		return why;
	if (!data.size)            /* perf writes it last */
		h->data_size = s->size > data.at ? s->size - data.at : 0;
	else if (data.size <= UINT64_MAX - data.at)
		read_features(h, s, bits);
	return source_go(s, h->data) ? NULL : "it ends within the header";
}
