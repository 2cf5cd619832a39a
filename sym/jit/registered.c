/* See registered.h.
 *
 * A descriptor is { u32 version, u32 action, pointer to the entry of the last action, pointer to the first entry }, and an entry is
 * { next, previous, address of the file, u64 size of the file }.  The process may change all of it while prof reads, or lie.  So a list has
 * a bound, a file too large is left out, and an entry that prof cannot read ends the list.  Such a walk drops no piece: the list may go on.
 *
 * A look at a list that has not changed reads three small pieces of memory.  prof waits for many times as long as the last look took before
 * it looks again. */
#include "registered.h"

#include <elf.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/index.h"
#include "lib/msg.h"
#include "lib/name_store.h"
#include "lib/sort.h"
#include "lib/work.h"
#include "sym/elf/symbol_tables.h"

enum {
	ENTRIES_MOST = 2048,      /* of a list */
	OPENED_MOST = 32,         /* files that prof opens in one look, only to look for a descriptor */
	IMAGE_MOST = 8 << 20,     /* bytes of an ELF file that prof reads, */
	LOOK_MOST = 4 << 20,      /* of all the files that it reads in one look, READ of each at least, */
	FRAMES_MOST = 16 << 20,   /* and of frame descriptions that it keeps */
	SYMBOLS_MOST = 1 << 16,   /* of an ELF file */
	READ = 16 << 10,
	TAIL = 4096,              /* bytes at the end of a file, which hold names and the addresses of sections, and tell files apart */
	PLACES = 4,               /* of the code of one piece */
	LOOKS_MOST = 64,          /* at memory that does not change */
	WAIT_TIMES = 50,          /* prof takes no more than 2 % of a CPU */
};

#define WAIT_LEAST UINT64_C(20000000)     /* ns */
#define WAIT_MOST UINT64_C(10000000000)

struct piece_code {
	uint64_t lo, hi;
};

struct listed {
	uint64_t at, next, file, size;
	uint32_t tail;
};

struct registered_piece {
	uint64_t entry, file, size;
	uint32_t tail;
	uint8_t list, places;
	bool met, is64, spans;
	uint32_t number;          /* of the change that brought it */
	uint32_t gone;            /* the look that did not find it any more, or 0 */
	struct piece_code place[PLACES];   /* of its code: if there are more, the last one spans them */
	struct {
		struct cursor bytes;
		uint64_t vaddr;
		struct item *at;      /* of each description, by the lowest address of its code (a: where in the bytes) */
		uint32_t n;
	} frames[2];              /* .eh_frame and .debug_frame */
};

/* One look. */
struct look {
	struct registered *of;
	struct space *space;
	bool (*ran)(const void *, uint64_t, uint64_t);
	const void *ctx;
	uint64_t left;            /* bytes of files that it may still read */
	struct listed *fresh;     /* entries that are new in the list, the newest first */
	uint32_t nfresh, cap;
	enum registered_news news;
};

/* ---- memory ---- */

/* Reads N bytes, or fewer if there are no more. */
static size_t
read_some(struct look *l, uint64_t addr, uint8_t *to, size_t n)
{
	size_t got = 0, more;

	for (; got < n && work_step(1); got += more)
		if (!(more = l->space->read(l->space, addr + got, to + got, n - got < READ ? n - got : READ)))
			break;
	work_allow_steps(got);
	return got;
}

static uint32_t
hash_tail(struct look *l, const struct listed *e)
{
	uint8_t bytes[TAIL];
	size_t n = e->size < TAIL ? (size_t)e->size : TAIL;

	return hash_bytes(bytes, read_some(l, e->file + e->size - n, bytes, n));
}

static bool
read_entry(struct look *l, const struct registered_list *d, uint64_t at, struct listed *e)
{
	uint8_t bytes[32];
	struct cursor c = cur_of(bytes, d->size_at, false), size = cur_of(bytes + d->size_at, 8, false);

	if (read_some(l, at, bytes, d->size_at + 8u) != d->size_at + 8u)
		return false;
	e->at = at;
	e->next = cur_uint(&c, d->word);
	cur_uint(&c, d->word);
	e->file = cur_uint(&c, d->word);
	e->size = cur_u64(&size);
	e->tail = hash_tail(l, e);
	return true;
}

/* ---- descriptors ---- */

static uint64_t
descriptor_in(const struct elf *e, const struct symbols *t)
{
	struct raw_symbol s;

	return symbol_tables_object(e, t, "__jit_debug_descriptor", e->is64 ? 24 : 16, &s) ? s.value : 0;
}

/* Where the module has a descriptor, as linked; 0: nowhere. */
static uint64_t
descriptor_of(struct module *m)
{
	struct symbol_tables t;

	if (m->descriptor_asked)
		return m->descriptor;
	m->descriptor_asked = true;
	work_begin(&m->work);
	symbol_tables_find(&t, &m->elf);
	if (!(m->descriptor = descriptor_in(&m->elf, &t.dynsym)))
		m->descriptor = descriptor_in(&m->elf, &t.symtab);
	work_end();
	return m->descriptor;
}

static void
add_list(struct registered *r, uint64_t addr, const struct elf *e)
{
	for (uint32_t i = 0; i < r->lists; i++)
		if (r->list[i].addr == addr)
			return;
	if (r->lists < REGISTERED_DESCRIPTORS)
		r->list[r->lists++] = (struct registered_list){ .addr = addr, .word = e->is64 ? 8 : 4,
		                                                .size_at = e->is64 ? 24 : e->machine == EM_386 ? 12 : 16 };
}

/* Looks for descriptors in what the process maps. */
static void
search(struct registered *r, struct space *s)
{
	uint32_t opened = 0, i = 0;

	if (r->maps == s->n && r->bound == s->bound)
		return;
	for (; i < s->n && opened < OPENED_MOST; i++) {
		struct map *m = &s->map[i];
		uint64_t vaddr;

		if (!m->module && m->file) {
			opened++;
			space_find(s, m->lo);
		}
		if (m->module && m->module->kind == MODULE_FILE && !m->module->bad && !m->module->elf.bytes.big && (vaddr = descriptor_of(m->module)))
			add_list(r, vaddr + m->bias, &m->module->elf);
	}
	r->maps = i == s->n ? s->n : 0;
	r->bound = s->bound;
}

/* ---- pieces ---- */

static void
say_cut(struct registered *r)
{
	if (!r->said)
		verbose("prof cannot keep all code that a process describes");
	r->said = true;
}

static void
add_place(struct registered_piece *p, uint64_t lo, uint64_t hi)
{
	struct piece_code *last = &p->place[PLACES - 1];

	if (p->places < PLACES) {
		p->place[p->places++] = (struct piece_code){ lo, hi };
		return;
	}
	p->spans = true;
	last->lo = lo < last->lo ? lo : last->lo;
	last->hi = hi > last->hi ? hi : last->hi;
}

static bool
holds(const struct registered_piece *p, uint64_t addr)
{
	for (unsigned i = 0; i < p->places; i++)
		if (addr >= p->place[i].lo && addr < p->place[i].hi)
			return true;
	return false;
}

/* Sorts the frame descriptions of a section, once. */
static void
index_frames(struct registered *r, struct registered_piece *p, bool debug)
{
	struct cursor bytes = p->frames[debug].bytes;
	struct item *found = NULL;
	uint32_t n = 0, cap = 0;
	uint64_t at = 0;
	size_t size;
	struct fde f;

	for (uint64_t from = 0; work_step(1) && ehframe_next(bytes, p->frames[debug].vaddr, p->is64, debug, &at, &f) &&
	                        vec_room(&found, &cap, (uint64_t)n + 1, sizeof *found); from = at)
		found[n++] = (struct item){ f.lo, (uint32_t)from, 0 };
	size = n * sizeof *found;
	if (n && size <= FRAMES_MOST - r->bytes && sort_items(found, n) && (p->frames[debug].at = arena_alloc(&r->arena, size))) {
		memcpy(p->frames[debug].at, found, size);
		p->frames[debug].n = n;
		r->bytes += size;
	}
	vec_free(&found, &cap, sizeof *found);
}

/* Keeps a section of frame descriptions.  What the process has loaded is relocated there, and not in the file. */
static void
keep_frames(struct look *l, const struct elf *e, const struct section *s, struct registered_piece *p)
{
	struct registered *r = l->of;
	bool debug = !strcmp(s->name, ".debug_frame"), loaded = e->type == ET_REL && s->flags & SHF_ALLOC && s->addr;
	size_t n = cur_left(&s->data);
	uint8_t *copy;

	if ((!debug && strcmp(s->name, ".eh_frame") != 0) || !n)
		return;
	if (n > FRAMES_MOST - r->bytes || !(copy = (uint8_t *)arena_str(&r->arena, (const char *)s->data.pos, n))) {
		say_cut(r);
		return;
	}
	r->bytes += n;
	if (loaded)
		n = read_some(l, s->addr, copy, n);
	p->frames[debug].bytes = cur_of(copy, n, false);
	p->frames[debug].vaddr = s->addr;
	index_frames(r, p, debug);
}

/* Notes the symbols that have a size, or those that have none. */
static void
keep_names(struct registered *r, const struct elf *e, const struct symbols *table, bool sized)
{
	for (uint32_t i = 1; i < table->n && i < SYMBOLS_MOST && work_step(1); i++) {
		struct raw_symbol s = symbol_tables_symbol(e, table, i);
		const char *name = symbol_tables_string(table, s.name);
		struct jit_range range = { .at = r->changes };
		struct section in;

		if (s.type != STT_FUNC || sized != (s.size > 0) || !*name || !elf_section(e, s.section, &in) || !(in.flags & SHF_EXECINSTR))
			continue;
		range.lo = e->type == ET_REL ? in.addr + s.value : s.value;
		range.hi = sized ? range.lo + s.size : in.addr + in.size;
		if (range.lo < in.addr || range.hi <= range.lo || range.hi > in.addr + in.size)
			continue;
		if (!jitcode_text(r->code, name, strnlen(name, NAME_STORE_BLOCK - 1), &range.name) || !jitcode_add(r->code, &range))
			break;
	}
}

static void
read_sections(struct look *l, const struct elf *e, struct registered_piece *p)
{
	struct symbol_tables t;
	struct section s;

	p->is64 = e->is64;
	for (uint32_t i = 1; i < e->nsection && elf_section(e, i, &s); i++)
		if (s.flags & SHF_EXECINSTR && s.addr && s.size && s.addr + s.size > s.addr)
			add_place(p, s.addr, s.addr + s.size);
		else
			keep_frames(l, e, &s, p);
	if (!p->places)
		return;
	symbol_tables_find(&t, e);
	for (unsigned sized = 0; sized < 2; sized++)   /* later ones lie over earlier ones */
		keep_names(l->of, e, &t.symtab, sized);
}

static void
read_file(struct look *l, struct registered_piece *p)
{
	struct arena arena = { 0 };
	uint8_t *image = NULL;
	uint32_t cap = 0;
	struct elf elf;
	size_t n, got;

	n = p->size < READ ? READ : p->size < IMAGE_MOST ? (size_t)p->size : IMAGE_MOST;
	l->left -= n < l->left ? n : l->left;
	for (n = 0; p->size <= IMAGE_MOST && n < p->size; n += got) {   /* what is not there takes no memory */
		size_t most = p->size - n < READ ? (size_t)p->size - n : READ;

		if (!vec_room(&image, &cap, n + most, 1) || !(got = read_some(l, p->file + n, image + n, most)))
			break;
	}
	if (n && !elf_open(&elf, cur_of(image, n, false), false, &arena) && !elf.bytes.big)
		read_sections(l, &elf, p);
	vec_free(&image, &cap, 1);
	arena_free(&arena);
}

static bool
any_ran(const struct look *l, const struct registered_piece *p)
{
	for (unsigned i = 0; i < p->places; i++)
		if (l->ran(l->ctx, p->place[i].lo, p->place[i].hi))
			return true;
	return false;
}

/* Whether P lies where an older piece is, or was. */
static bool
replaces(const struct registered *r, const struct registered_piece *p)
{
	for (const struct registered_piece *old = r->piece; old < p; old++)
		for (unsigned i = 0; i < p->places; i++)
			for (unsigned k = 0; k < old->places; k++)
				if (p->place[i].lo < old->place[k].hi && p->place[i].hi > old->place[k].lo)
					return true;
	return false;
}

static void
tell(struct look *l, const struct registered_piece *p, bool other)
{
	enum registered_news news = any_ran(l, p) ? other ? REGISTERED_OTHER : REGISTERED_MORE : REGISTERED_SAME;

	l->news = news > l->news ? news : l->news;
}

/* Samples that came before the look may still be in its code. */
static bool
is_over(const struct registered *r, const struct registered_piece *p)
{
	return p->gone && p->gone != r->looks;
}

static void
add_nothing(struct jitcode *code, struct jit_range *nothing, uint64_t lo, uint64_t hi)
{
	nothing->lo = lo;
	nothing->hi = hi;
	jitcode_add(code, nothing);
}

static void
drop(struct look *l, struct registered_piece *p)
{
	struct jitcode *code = l->of->code;
	struct jit_range nothing = { .at = ++l->of->changes };

	p->gone = l->of->looks;
	tell(l, p, true);
	if (!jitcode_text(code, "", 0, &nothing.name))
		return;
	for (unsigned i = 0; i + p->spans < p->places; i++)
		add_nothing(code, &nothing, p->place[i].lo, p->place[i].hi);
	/* Other code may lie between the last places: only its own functions are gone. */
	for (uint32_t i = jitcode_count(code); p->spans && i-- && work_step(1);) {
		const struct jit_range *range = jitcode_range(code, i);

		if (range->at < p->number)
			break;
		if (range->at == p->number)
			add_nothing(code, &nothing, range->lo, range->hi);
	}
}

static void
take_out(struct registered *r, uint32_t i)
{
	if (i < r->pieces)   /* newer ones stay behind older ones */
		memmove(&r->piece[i], &r->piece[i + 1], (--r->pieces - i) * sizeof *r->piece);
}

/* The oldest piece that prof did not meet in this look goes: it may be gone, or prof does not read the list that far. */
static void
evict(struct look *l)
{
	struct registered *r = l->of;
	uint32_t i = 0;

	while (i < r->pieces && r->piece[i].met)
		i++;
	if (i < r->pieces && !r->piece[i].gone)
		drop(l, &r->piece[i]);
	take_out(r, i);
}

static void
add(struct look *l, unsigned list, const struct listed *e)
{
	struct registered *r = l->of;
	struct registered_piece *p;
	uint32_t i = 0;

	while (i < r->pieces && !is_over(r, &r->piece[i]))
		i++;
	take_out(r, i);
	if (r->pieces == ENTRIES_MOST)
		evict(l);
	if (r->pieces == ENTRIES_MOST || !vec_room(&r->piece, &r->cap, (uint64_t)r->pieces + 1, sizeof *p))
		return;
	p = &r->piece[r->pieces++];
	*p = (struct registered_piece){ .entry = e->at, .file = e->file, .size = e->size, .tail = e->tail, .list = (uint8_t)list, .met = true, .number = ++r->changes };
	read_file(l, p);
	tell(l, p, replaces(r, p));
}

/* Mostly it is the one before the piece FROM, which the entry before it was. */
static uint32_t
known(const struct registered *r, unsigned list, const struct listed *e, uint32_t from)
{
	for (uint32_t i = from, n = r->pieces; n-- && work_step(1);) {
		const struct registered_piece *p = &r->piece[i = (i ? i : r->pieces) - 1];

		if (p->entry == e->at && p->file == e->file && p->size == e->size && p->tail == e->tail && p->list == list && !p->gone)
			return i;
	}
	return r->pieces;
}

/* ---- lists ---- */

/* Reads all of the list; true if there was an end of it. */
static bool
walk(struct look *l, unsigned list, uint64_t at)
{
	struct registered *r = l->of;
	struct listed e;

	l->nfresh = 0;
	for (uint32_t n = 0, i, from = r->pieces; at; at = e.next) {
		if (n++ == ENTRIES_MOST) {
			say_cut(r);
			return false;
		}
		if (!read_entry(l, &r->list[list], at, &e))
			return false;
		if ((i = known(r, list, &e, from)) < r->pieces)
			r->piece[from = i].met = true;
		else if (!vec_room(&l->fresh, &l->cap, (uint64_t)l->nfresh + 1, sizeof e))
			return false;
		else
			l->fresh[l->nfresh++] = e;
	}
	return true;
}

/* What is gone goes first: its place may be that of new code. */
static void
read_again(struct look *l, unsigned list, uint64_t at, uint32_t seen)
{
	struct registered *r = l->of;
	bool whole;

	for (uint32_t i = 0; i < r->pieces; i++)
		r->piece[i].met = r->piece[i].list != list;
	whole = walk(l, list, at);
	for (uint32_t i = 0; whole && i < r->pieces; i++)
		if (!r->piece[i].met && !r->piece[i].gone)
			drop(l, &r->piece[i]);
	for (; l->nfresh && l->left; l->nfresh--)
		if (known(r, list, &l->fresh[l->nfresh - 1], r->pieces) == r->pieces)   /* a circle has it many times */
			add(l, list, &l->fresh[l->nfresh - 1]);
	r->list[list].seen = whole && !l->nfresh ? seen : 0;
}

static void
look_at(struct look *l, unsigned list)
{
	const struct registered_list *d = &l->of->list[list];
	uint8_t bytes[24];
	size_t n = 8 + 2 * (size_t)d->word;
	struct cursor c = cur_of(bytes, n, false);
	struct listed first = { 0 };
	uint64_t at;
	uint32_t seen;

	if (read_some(l, d->addr, bytes, n) != n || cur_u32(&c) != 1)
		return;
	seen = hash_bytes(bytes, n);
	cur_u32(&c);
	cur_uint(&c, d->word);
	if ((at = cur_uint(&c, d->word)))
		read_entry(l, d, at, &first);
	seen = (seen ^ hash_bytes(&first, sizeof first)) | 1;   /* 0 is "not known" */
	if (seen != d->seen)
		read_again(l, list, at, seen);
}

enum registered_news
registered_look(struct registered *r, struct space *s, uint64_t now, struct work *work,
                bool (*ran)(const void *, uint64_t, uint64_t), const void *ctx)
{
	struct look l = { .of = r, .space = s, .ran = ran, .ctx = ctx, .left = LOOK_MOST };
	uint64_t took;

	if (now < r->next || !s->read)
		return REGISTERED_SAME;
	r->looks++;
	r->next = UINT64_MAX;   /* a search may lead here again */
	search(r, s);
	work_begin(work);
	if (r->lists && !r->code)
		r->code = jitcode_new(&r->arena);
	for (unsigned i = 0; r->code && i < r->lists; i++)
		look_at(&l, i);
	vec_free(&l.fresh, &l.cap, sizeof *l.fresh);
	if (r->code && !jitcode_cut(r->code))
		r->sure = (uint64_t)r->changes + 1;
	else if (r->code)
		say_cut(r);
	work_end();
	took = (clock_now() - now) * WAIT_TIMES;
	r->next = now + (took < WAIT_LEAST ? WAIT_LEAST : took > WAIT_MOST ? WAIT_MOST : took);
	return l.news;
}

void
registered_all(struct registered *r, struct space *s, struct work *work, bool (*ran)(const void *, uint64_t, uint64_t), const void *ctx)
{
	uint32_t before, looks = 0;

	do {
		before = r->changes;
		registered_look(r, s, r->next, work, ran, ctx);
	} while ((r->changes != before || r->maps != s->n) && ++looks < LOOKS_MOST);
}

/* ---- questions ---- */

/* Makes the names ready for questions. */
static void
finish(struct registered *r)
{
	const struct jit_range *last;

	if (!r->code || r->finished == r->changes)
		return;
	r->finished = r->changes;
	if (!(r->code = jitcode_finish(r->code)) || !jitcode_cut(r->code))
		return;
	last = jitcode_range(r->code, jitcode_count(r->code) - 1);
	r->sure = last->at < r->sure ? last->at : r->sure;
}

/* Whether RANGE was at ADDR before that change.  Where names are missing, only a piece that is still there tells. */
static bool
is_sure(const struct registered *r, const struct jit_range *range, uint64_t addr, uint64_t change)
{
	uint32_t i = r->pieces;

	if (!jitcode_cut(r->code) || change <= r->sure)
		return true;
	while (i && (r->piece[i - 1].gone || !holds(&r->piece[i - 1], addr)))
		i--;
	return i && r->piece[i - 1].number == range->at;
}

bool
registered_find(struct registered *r, uint64_t addr, uint64_t change, struct symbol *s)
{
	const struct jit_range *range;

	finish(r);
	if (!r->code || !(range = jitcode_find(r->code, addr, change)) || !is_sure(r, range, addr, change))
		return false;
	jitcode_symbol(r->code, range, s);
	return *s->name;
}

bool
registered_frame(const struct registered *r, uint64_t addr, struct fde *f)
{
	for (uint32_t i = r->pieces; i--;) {
		const struct registered_piece *p = &r->piece[i];

		for (unsigned k = 0; k < 2 && !is_over(r, p) && holds(p, addr); k++) {
			uint32_t n = sort_upto(p->frames[k].at, p->frames[k].n, addr);
			uint64_t at = n ? p->frames[k].at[n - 1].a : 0;

			if (n && ehframe_next(p->frames[k].bytes, p->frames[k].vaddr, p->is64, k, &at, f) && addr >= f->lo && addr < f->hi)
				return f->told = true;
		}
	}
	return false;
}

void
registered_free(struct registered *r)
{
	jitcode_free(r->code);
	vec_free(&r->piece, &r->cap, sizeof *r->piece);
	arena_free(&r->arena);
}
