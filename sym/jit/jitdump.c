/* See jitdump.h.  tools/perf/Documentation/jitdump-specification.txt of the Linux source: a header, then records, each with
 * its own size.  DEBUG_INFO comes before the CODE_LOAD that it is about, in the byte order that the magic number shows. */
#include "jitdump.h"

#include <string.h>

#include "lib/filemap.h"
#include "lib/index.h"

/* Bytes of the file after which its pages are given back. */
enum { PIECE = 1 << 20 };

enum { MAGIC = 0x4A695444, HEADER = 40, RECORD = 16, ARCH_CLOCK = 1, NAME_MOST = 8192, ENTRY_LEAST = 17, ALIGN = 8 };

/* Bytes of the ELF header that perf puts before the code: V8 adds them to the addresses of its lines. */
enum { V8_SHIFT = 0x40 };

const char *
jitdump_begin(struct jitdump_reader *d, struct cursor file)
{
	uint32_t size, version;

	*d = (struct jitdump_reader){ .begin = file.pos, .kept = file.pos, .c = file };
	d->c.big = false;
	if (cur_left(&file) < HEADER)
		return "has no header yet";
	if (cur_u32(&d->c) != MAGIC) {
		d->c = file;
		d->c.big = true;
		if (cur_u32(&d->c) != MAGIC)
			return "is not a jitdump";
	}
	version = cur_u32(&d->c);
	size = cur_u32(&d->c);
	cur_take(&d->c, 20);     /* to the flags: machine, padding, pid, time */
	d->clocked = !(cur_u64(&d->c) & ARCH_CLOCK);
	if (version != 1 || size < HEADER)
		return "is a jitdump of an unknown version";
	cur_take(&d->c, size - HEADER);
	return d->c.bad;
}

uint64_t
jitdump_at(const struct jitdump_reader *d)
{
	return (uint64_t)(d->c.pos - d->begin);
}

void
jitdump_seek(struct jitdump_reader *d, uint64_t from)
{
	uint64_t at = jitdump_at(d);

	if (from > at)
		cur_take(&d->c, from - at);
}

/* False if it is no range of addresses. */
static bool
set_range(struct jitdump_record *r, uint64_t lo, uint64_t size)
{
	r->lo = lo;
	return size && !__builtin_add_overflow(lo, size, &r->hi);
}

static bool
parse_load(struct jitdump_record *r, struct cursor *c)
{
	uint64_t lo, size;

	cur_take(c, 16);         /* pid, tid, and vma, which differs from the address only before relocation */
	lo = cur_u64(c);
	size = cur_u64(c);
	r->id = cur_u64(c);
	r->name = cur_str(c);
	r->len = c->bad ? 0 : strnlen(r->name, NAME_MOST);
	r->rest = *c;
	return r->len && set_range(r, lo, size);
}

static bool
parse_move(struct jitdump_record *r, struct cursor *c)
{
	uint64_t lo, size;

	cur_take(c, 24);         /* pid, tid, vma, the old address */
	lo = cur_u64(c);
	size = cur_u64(c);
	r->id = cur_u64(c);
	return set_range(r, lo, size);
}

/* .eh_frame and, behind it, .eh_frame_hdr. */
static bool
parse_unwinding(struct jitdump_record *r, struct cursor *c)
{
	uint64_t size = cur_u64(c), head;

	head = cur_u64(c);
	r->count = cur_u64(c);   /* bytes to be mapped: 0 for an empty one */
	r->rest = cur_sub(c, head <= size ? size - head : UINT64_MAX);
	return !c->bad;
}

static bool
parse(struct jitdump_record *r, struct cursor *c)
{
	switch (r->type) {
	case JITDUMP_LOAD:
		return parse_load(r, c) && !c->bad;
	case JITDUMP_MOVE:
		return parse_move(r, c) && !c->bad;
	case JITDUMP_DEBUG:
		r->lo = cur_u64(c);
		r->count = cur_u64(c);
		r->rest = *c;
		return !c->bad && r->count <= cur_left(c) / ENTRY_LEAST;
	case JITDUMP_UNWINDING:
		return parse_unwinding(r, c);
	default:
		return true;
	}
}

bool
jitdump_next(struct jitdump_reader *d, struct jitdump_record *r)
{
	struct cursor head = d->c, body;
	uint32_t size;

	if (head.pos - d->kept >= PIECE) {
		filemap_trim(PIECE);
		d->kept = head.pos;
	}
	while (cur_left(&head) >= RECORD) {
		*r = (struct jitdump_record){ .at = (uint64_t)(head.pos - d->begin) };
		r->type = cur_u32(&head);
		size = cur_u32(&head);
		r->time = cur_u64(&head);
		if (size < RECORD || size - RECORD > cur_left(&head))
			return false;    /* not written yet */
		body = cur_sub(&head, size - RECORD);
		d->c = head;
		if (parse(r, &body))
			return true;
	}
	return false;
}

/* ---- all of it ---- */

/* The newest range of the code that was loaded with that id. */
struct loaded {
	uint64_t id;
	uint32_t range;
};

struct building {
	struct jitcode *code;
	struct index index;      /* of LOADED by id */
	struct loaded *loaded;
	uint32_t n, cap;
	/* The lines that the next LOAD has. */
	uint64_t lines_of;
	uint32_t line, lines;
	const char *file;        /* the name that was kept last, and its number */
	uint32_t file_number;
	bool unshifted;          /* a line begins nearer to the beginning of its code than V8 writes it */
};

static struct loaded *
find_id(const struct building *b, uint64_t id)
{
	uint32_t slot, i;

	for (slot = index_first(&b->index, hash_u64(id)); (i = index_at(&b->index, slot)) != INDEX_NONE;
	     slot = index_next(&b->index, slot))
		if (b->loaded[i].id == id)
			return &b->loaded[i];
	return NULL;
}

static bool
name_file(struct building *b, const char *name)
{
	if (b->file && !strcmp(name, b->file))
		return true;
	b->file = NULL;
	if (!*name || !jitcode_text(b->code, name, strnlen(name, NAME_MOST), &b->file_number))
		return false;
	b->file = name;
	return true;
}

/* Some writers (V8 until 2024) write other bytes than the file's name, or another length.  Then the entries do not end where
 * the record ends, or lie far from the code, and prof believes none of them. */
static bool
sound(const struct jitdump_record *r)
{
	struct cursor c = r->rest;
	bool good = true;

	for (uint64_t i = 0; good && i < r->count; i++) {
		const char *name;

		good = cur_u64(&c) - r->lo < UINT32_MAX;
		cur_take(&c, 8);
		name = cur_str(&c);
		good &= !c.bad && (*name == '\xff' || (unsigned char)*name >= ' ');
	}
	return good && cur_left(&c) < ALIGN;
}

/* Each entry: an address, a line, a discriminator, the file's name; "\xff" means the name of the entry before. */
static void
read_lines(struct building *b, struct jitdump_record *r)
{
	struct jit_line l = { 0 };
	uint64_t last = 0;
	bool named = false;

	b->lines_of = r->lo;
	b->line = jitcode_lines(b->code);
	if (!sound(r))
		r->count = 0;
	for (uint64_t i = 0; i < r->count; i++) {
		const char *name;

		l.addr = cur_u64(&r->rest) - r->lo;
		l.line = cur_u32(&r->rest);
		cur_u32(&r->rest);
		name = cur_str(&r->rest);
		if (strcmp(name, "\xff") != 0)
			named = name_file(b, name);
		l.file = b->file_number;
		if (!named || l.addr < last)   /* they come in the order of addresses */
			continue;
		b->unshifted |= l.addr < V8_SHIFT;
		if (!jitcode_line(b->code, &l))
			break;
		last = l.addr;
	}
	b->lines = jitcode_lines(b->code) - b->line;
}

/* From now on ID means RANGE. */
static bool
add(struct building *b, const struct jit_range *range, uint64_t id)
{
	struct loaded *l = find_id(b, id);
	uint32_t n = jitcode_count(b->code);

	if (!jitcode_add(b->code, range))
		return false;
	if (l) {
		l->range = n;
		return true;
	}
	if (!vec_room(&b->loaded, &b->cap, (uint64_t)b->n + 1, sizeof *b->loaded))
		return false;
	b->loaded[b->n] = (struct loaded){ id, n };
	return index_add(&b->index, hash_u64(id), b->n) && ++b->n;
}

static bool
load(struct building *b, const struct jitdump_record *r)
{
	struct jit_range range = { .lo = r->lo, .hi = r->hi, .at = (uint32_t)r->at };

	if (b->lines && b->lines_of == r->lo) {
		range.line = b->line;
		range.lines = b->lines;
	}
	b->lines = 0;
	return jitcode_text(b->code, r->name, r->len, &range.name) && add(b, &range, r->id);
}

static bool
move(struct building *b, const struct jitdump_record *r)
{
	const struct loaded *old = find_id(b, r->id);
	struct jit_range range;

	if (!old)
		return true;
	range = *jitcode_range(b->code, old->range);
	range.lo = r->lo;
	range.hi = r->hi;
	range.at = (uint32_t)r->at;
	return add(b, &range, r->id);
}

struct jitcode *
jitdump_open(struct arena *arena, struct cursor file)
{
	struct building b = { .code = jitcode_new(arena) };
	struct jitdump_reader d;
	struct jitdump_record r;
	bool ok = b.code && !jitdump_begin(&d, file);

	while (ok && jitdump_next(&d, &r)) {
		if (r.type == JITDUMP_LOAD)
			ok = load(&b, &r);
		else if (r.type == JITDUMP_MOVE)
			ok = move(&b, &r);
		else if (r.type == JITDUMP_DEBUG)
			read_lines(&b, &r);
	}
	if (b.code && !ok)
		jitcode_cut_here(b.code);
	if (b.code && !b.unshifted)
		jitcode_shift(b.code, V8_SHIFT);
	index_free(&b.index);
	vec_free(&b.loaded, &b.cap, sizeof *b.loaded);
	return b.code ? jitcode_finish(b.code) : NULL;
}
