/* See pprof_read.h: protobuf's wire format, and the tables of a profile, in which things have the numbers that their file
 * chose for them. */
#include "pprof_tables.h"

#include <string.h>

void
pprof_fail(struct reading *r, const uint8_t *at, const char *why)
{
	if (!r->why) {
		r->why = why;
		r->at = at;
	}
}

const char pprof_no_memory[] = "out of memory";

bool
pprof_field(struct cursor *c, struct field *f)
{
	uint64_t tag;

	if (c->bad || !cur_left(c))
		return false;
	tag = cur_uleb(c);
	*f = (struct field){ .number = (uint32_t)(tag >> 3), .wire = tag & 7 };
	if (tag >> 32)
		c->bad = "the number of a field is too large";
	switch (f->wire) {
	case WIRE_VARINT:
		f->value = cur_uleb(c);
		break;
	case WIRE_FIXED64:
		f->value = cur_u64(c);
		break;
	case WIRE_FIXED32:
		f->value = cur_u32(c);
		break;
	case WIRE_BYTES:
		f->value = cur_uleb(c);
		f->bytes = cur_sub(c, f->value);
		break;
	default:
		c->bad = "a field is of an unknown kind";
	}
	return !c->bad;
}

bool
pprof_next(struct reading *r, struct cursor *c, struct field *f)
{
	const uint8_t *at = c->pos;

	if (r->why || pprof_field(c, f))
		return !r->why;
	if (c->bad)
		pprof_fail(r, at, c->bad);
	return false;
}

void
pprof_each(struct reading *r, struct field *f, void (*take)(struct reading *, uint64_t))
{
	if (f->wire != WIRE_BYTES)
		take(r, f->value);
	while (f->wire == WIRE_BYTES && !r->why && cur_left(&f->bytes)) {
		const uint8_t *at = f->bytes.pos;
		uint64_t v = cur_uleb(&f->bytes);

		if (f->bytes.bad)
			pprof_fail(r, at, f->bytes.bad);
		else
			take(r, v);
	}
}

uint32_t
pprof_find(const struct ids *ids, uint64_t id)
{
	uint32_t slot, i;

	if (id - 1 < ids->n && ids->id[id - 1] == id)
		return (uint32_t)(id - 1);
	for (slot = index_first(&ids->index, hash_u64(id)); (i = index_at(&ids->index, slot)) != INDEX_NONE;
	     slot = index_next(&ids->index, slot))
		if (ids->id[i] == id)
			return i;
	return NONE;
}

/* Makes room for one more item in ITEMS (of SIZE bytes, CAP of them), with the id ID.  NULL if that fails. */
static void *
ids_add(struct reading *r, struct ids *ids, uint64_t id, const uint8_t *at, void *items, uint32_t *cap, size_t size)
{
	if (id == 0 || pprof_find(ids, id) != NONE) {
		pprof_fail(r, at, id ? "two entries have the same number" : "an entry has no number");
		return NULL;
	}
	if (!vec_room(items, cap, (uint64_t)ids->n + 1, size) ||
	    !vec_room(&ids->id, &ids->cap, (uint64_t)ids->n + 1, sizeof *ids->id) ||
	    !index_add(&ids->index, hash_u64(id), ids->n)) {
		pprof_fail(r, at, pprof_no_memory);
		return NULL;
	}
	ids->id[ids->n] = id;
	return *(unsigned char **)items + ids->n++ * size;
}

const char *
pprof_text(struct reading *r, uint64_t i)
{
	struct string *s;

	if (i >= r->strings) {
		if (i)
			pprof_fail(r, r->here, "a string is missing from the table of strings");
		return "";
	}
	s = &r->string[i];
	if (!s->text && !(s->text = arena_str(&r->arena, (const char *)s->at, s->n))) {
		pprof_fail(r, s->at, pprof_no_memory);
		return "";
	}
	return s->text;
}

static void
read_string(struct reading *r, const struct field *f)
{
	if (!vec_room(&r->string, &r->string_cap, (uint64_t)r->strings + 1, sizeof *r->string)) {
		pprof_fail(r, f->bytes.pos, pprof_no_memory);
		return;
	}
	r->string[r->strings++] = (struct string){ f->bytes.pos, cur_left(&f->bytes), NULL };
}

void
pprof_numbers(struct reading *r, struct cursor c, uint64_t *value, unsigned n)
{
	struct field f;

	memset(value, 0, n * sizeof *value);
	while (pprof_next(r, &c, &f))
		if (f.number < n && f.wire != WIRE_BYTES)
			value[f.number] = f.value;
}

static void
read_mapping(struct reading *r, const struct field *f)
{
	uint64_t v[MAPPING_BUILD_ID + 1];
	struct map *m;

	pprof_numbers(r, f->bytes, v, MAPPING_BUILD_ID + 1);
	if ((m = ids_add(r, &r->maps, v[MAPPING_ID], f->bytes.pos, &r->map, &r->map_cap, sizeof *m)))
		*m = (struct map){ v[MAPPING_START], v[MAPPING_OFFSET], v[MAPPING_FILE], v[MAPPING_BUILD_ID], 0 };
}

static void
read_function(struct reading *r, const struct field *f)
{
	uint64_t v[FUNCTION_START_LINE + 1];
	struct fn *fn;

	pprof_numbers(r, f->bytes, v, FUNCTION_START_LINE + 1);
	if ((fn = ids_add(r, &r->fns, v[FUNCTION_ID], f->bytes.pos, &r->fn, &r->fn_cap, sizeof *fn)))
		*fn = (struct fn){ v[FUNCTION_NAME], v[FUNCTION_SYSTEM_NAME], v[FUNCTION_FILE], v[FUNCTION_START_LINE] };
}

static void
read_location(struct reading *r, const struct field *f)
{
	struct cursor c = f->bytes;
	struct place place = { .line = r->lines }, *to;
	uint64_t id = 0, v[LINE_LINE + 1];
	struct field part;

	while (pprof_next(r, &c, &part)) {
		if (part.number == LOCATION_ID)
			id = part.value;
		else if (part.number == LOCATION_MAPPING)
			place.mapping = part.value;
		else if (part.number == LOCATION_ADDRESS)
			place.address = part.value;
		else if (part.number == LOCATION_LINE) {
			pprof_numbers(r, part.bytes, v, LINE_LINE + 1);
			if (!vec_room(&r->line, &r->line_cap, (uint64_t)r->lines + 1, sizeof *r->line)) {
				pprof_fail(r, part.bytes.pos, pprof_no_memory);
				return;
			}
			r->line[r->lines++] = (struct line){ v[LINE_FUNCTION], v[LINE_LINE] };
			place.lines++;
		}
	}
	if ((to = ids_add(r, &r->places, id, f->bytes.pos, &r->place, &r->place_cap, sizeof *to)))
		*to = place;
}

static void
take_comment(struct reading *r, uint64_t v)
{
	if (vec_room(&r->comment, &r->comment_cap, (uint64_t)r->comments + 1, sizeof *r->comment))
		r->comment[r->comments++] = v;
	else
		pprof_fail(r, r->here, pprof_no_memory);
}

static void
read_type(struct reading *r, const struct field *f)
{
	uint64_t v[TYPE_UNIT + 1];

	pprof_numbers(r, f->bytes, v, TYPE_UNIT + 1);
	if (f->number == PROFILE_PERIOD_TYPE) {
		r->period_type.name = v[TYPE_NAME];
		r->period_type.unit = v[TYPE_UNIT];
	} else if (r->types < TYPES_MAX) {
		r->type[r->types].name = v[TYPE_NAME];
		r->type[r->types++].unit = v[TYPE_UNIT];
	} else
		pprof_fail(r, f->bytes.pos, "the file has more than 32 types of samples");
}

static bool
is_message(uint32_t number)
{
	return (number >= PROFILE_SAMPLE_TYPE && number <= PROFILE_STRING) || number == PROFILE_PERIOD_TYPE;
}

void
pprof_tables(struct reading *r)
{
	struct cursor c = r->file;
	struct field f;

	for (r->here = c.pos; pprof_next(r, &c, &f); r->here = c.pos) {
		if (is_message(f.number) && f.wire != WIRE_BYTES) {
			pprof_fail(r, r->here, "a number is in the place of a message");
			break;
		}
		switch (f.number) {
		case PROFILE_SAMPLE_TYPE:
		case PROFILE_PERIOD_TYPE:
			read_type(r, &f);
			break;
		case PROFILE_MAPPING:
			read_mapping(r, &f);
			break;
		case PROFILE_LOCATION:
			read_location(r, &f);
			break;
		case PROFILE_FUNCTION:
			read_function(r, &f);
			break;
		case PROFILE_STRING:
			read_string(r, &f);
			break;
		case PROFILE_TIME:
			r->time = f.value;
			break;
		case PROFILE_DURATION:
			r->duration = f.value;
			break;
		case PROFILE_PERIOD:
			r->period = f.value;
			break;
		case PROFILE_COMMENT:
			pprof_each(r, &f, take_comment);
			break;
		case PROFILE_DEFAULT_TYPE:
			r->default_type = f.value;
			break;
		}
	}
}

static void
take_value(struct reading *r, uint64_t v)
{
	if (r->values < r->types)
		r->value[r->values] = (int64_t)v;
	r->values++;
}

void
pprof_samples(struct reading *r, void (*take)(struct reading *, struct field *), void (*fn)(struct reading *))
{
	struct cursor c = r->file;
	struct field f, part;

	while (pprof_next(r, &c, &f)) {
		struct cursor sample = f.bytes;

		if (f.number != PROFILE_SAMPLE)
			continue;
		r->here = sample.pos;
		r->values = r->codes = 0;
		r->pid = r->tid = 0;
		r->comm = r->thread = "";
		while (pprof_next(r, &sample, &part)) {
			if (part.number == SAMPLE_VALUE)
				pprof_each(r, &part, take_value);
			else if (take)
				take(r, &part);
		}
		if (r->values != r->types)
			pprof_fail(r, r->here, "a sample has more or fewer values than there are types");
		if (!r->why)
			fn(r);
	}
}
