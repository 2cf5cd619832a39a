/* See unpack.h.  prof fills a piece in when somebody touches it (lib/touched.h). */
#include "unpack.h"
#include "inflate.h"
#include "lib/touched.h"
#include "lib/work.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* PIECE: bytes of a piece, more or less; STEP: what comes to it at a time.  HELD: bytes of all pieces that are there; this
 * doubles once AGAIN_MOST times as much was unpacked anew.  AGED: after how many other pieces one is old. */
enum { STEP_BYTES = 4 };   /* that cost as much as one step of reading */
enum { PIECE = 256 << 10, STEP = 64 << 10, HELD_FIRST = 2 << 20, HELD_MOST = 64 << 20, AGAIN_MOST = 8, AGED = 24 };

struct piece {
	struct inflate_stream at;  /* where it begins, */
	size_t out;                /* and what lies before that */
	uint64_t filled;           /* the count of fillings by then; 0: it is not there */
	bool again;
};

struct packed {
	struct packed *next;
	const struct arena *arena;
	uint8_t *base;
	size_t size, page, held;
	struct piece *piece;
	uint32_t n, most;          /* pieces with a known beginning, at most MOST */
	uint8_t *window;           /* what lies before each */
};

static struct packed *all;
static size_t held, held_most = HELD_FIRST, again;
static uint64_t fillings;

static size_t
down(const struct packed *p, size_t n)
{
	return n & ~(p->page - 1);
}

static size_t
up(const struct packed *p, size_t n)
{
	return down(p, n + p->page - 1);
}

/* Makes pages [lo, hi) of P not there (NONE), or zero: each when somebody touches it (EMPTY), or all now (FULL). */
enum there { NONE, EMPTY, FULL };

static bool
pages(const struct packed *p, size_t lo, size_t hi, enum there there)
{
	int protection = there == NONE ? PROT_NONE : PROT_READ | PROT_WRITE;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE | (there == FULL ? MAP_POPULATE : 0);

	return lo >= hi || mmap(p->base + lo, hi - lo, protection, flags, -1, 0) != MAP_FAILED;
}

/* The pages of piece I.  The first one belongs to it completely, because the bytes before its beginning there are known. */
static size_t
page_lo(const struct packed *p, uint32_t i)
{
	return i < p->n ? down(p, p->piece[i].out) : up(p, p->size);
}

static void
drop(struct packed *p, uint32_t i)
{
	size_t lo = page_lo(p, i), hi = page_lo(p, i + 1);

	pages(p, lo, hi, NONE);
	held -= hi - lo;
	p->held -= hi - lo;
	p->piece[i].filled = 0;
}

/* The piece of P that was filled first, but never the last one of all: a reader that was stopped may need two at once.  P->N:
 * no piece. */
static uint32_t
oldest(const struct packed *p)
{
	uint32_t which = p->n;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->piece[i].filled && p->piece[i].filled < fillings && (which == p->n || p->piece[i].filled < p->piece[which].filled))
			which = i;
	return which;
}

/* Drops an old piece of any file, else one of the file that has most: so a file that prof reads from end to end does not drive
 * out one that it reads here and there. */
static bool
drop_one(void)
{
	struct packed *of = NULL;
	uint32_t which = 0;
	bool old = false;

	for (struct packed *p = all; p && !old; p = p->next) {
		uint32_t i = oldest(p);

		old = i < p->n && fillings - p->piece[i].filled > AGED;
		if (old || (i < p->n && (!of || p->held > of->held))) {
			of = p;
			which = i;
		}
	}
	if (of)
		drop(of, which);
	return of;
}

/* The place for a piece, with what its stream may repeat before it; there are pages up to MADE. */
struct filling {
	const struct packed *packed;
	size_t from, made;
};

/* The bytes that prof can write: the last page is not wholly the stream's. */
static size_t
room(const struct filling *f)
{
	return (f->made < f->packed->size ? f->made : f->packed->size) - f->from;
}

static size_t
more(void *filling, size_t n)
{
	struct filling *f = filling;
	const struct packed *p = f->packed;
	size_t end = up(p, p->size), hi;

	if (n > p->size - f->from)
		return 0;
	hi = up(p, f->from + n + STEP);
	hi = hi < end ? hi : end;
	if (!pages(p, f->made, hi, FULL))
		return 0;
	f->made = hi;
	return room(f);
}

/* Unpacks piece I, the last one that is known: the next one's beginning is known then, unless there is none. */
static bool
fill_last(struct packed *p, uint32_t i, struct filling *f, size_t n, struct inflate_stream s)
{
	size_t least = n + PIECE, at;

	while (!s.last && !s.in.bad && f->from + n < p->size && (n < least || p->n == p->most))
		n = inflate_block(&s, p->base + f->from, n, room(f), more, f);
	at = f->from + n;
	if (!s.last && !s.in.bad && at < p->size) {
		p->piece[p->n] = (struct piece){ .at = s, .out = at };
		memcpy(p->window + (size_t)p->n * INFLATE_WINDOW, p->base + at - INFLATE_WINDOW, INFLATE_WINDOW);
		p->n++;
		return pages(p, page_lo(p, i + 1), f->made, NONE);
	}
	memset(p->base + at, 0, f->made - at);
	return pages(p, f->made, page_lo(p, i + 1), EMPTY);
}

/* Unpacks piece I at its place.  Its stream may repeat the 32 KiB before it, and its last bytes lie in the next piece's first
 * page.  If those pieces are not filled, these bytes exist only while this runs; if they are filled, they do not change. */
static bool
fill(struct packed *p, uint32_t i)
{
	struct piece *piece = &p->piece[i];
	bool last = i + 1 == p->n, before, behind;
	size_t have = i ? INFLATE_WINDOW : 0, lo = page_lo(p, i), first, hi;
	struct filling f = { .packed = p, .from = piece->out - have };
	struct inflate_stream s = piece->at;

	if (!work_step(PIECE / STEP_BYTES))   /* prof unpacked it too often: the reader gets zeros */
		s.in.bad = "takes too long to read";
	while (held + PIECE > held_most && drop_one())
		;
	before = i && p->piece[i - 1].filled;
	behind = !last && p->piece[i + 1].filled;
	first = before ? lo : down(p, f.from);
	hi = last ? lo + PIECE < up(p, p->size) ? lo + PIECE : up(p, p->size) : behind ? page_lo(p, i + 1) : up(p, piece[1].out);
	f.made = hi;
	if (!pages(p, first, hi, FULL))
		return false;
	memcpy(p->base + f.from, p->window + (size_t)i * INFLATE_WINDOW, have);
	if (last) {
		if (!fill_last(p, i, &f, have, s))
			return false;
	} else {
		for (size_t n = have, end = piece[1].out - f.from; n < end && !s.last && !s.in.bad;)
			n = inflate_block(&s, p->base + f.from, n, end, NULL, NULL);
		if (!behind)
			pages(p, page_lo(p, i + 1), hi, NONE);
	}
	pages(p, first, lo, NONE);
	held += page_lo(p, i + 1) - lo;
	p->held += page_lo(p, i + 1) - lo;
	again += piece->again ? page_lo(p, i + 1) - lo : 0;
	piece->again = true;
	piece->filled = ++fillings;
	if (again / AGAIN_MOST > held_most && held_most < HELD_MOST) {
		again = 0;
		held_most *= 2;
	}
	return true;
}

static bool
fill_at(struct packed *p, size_t off)
{
	uint32_t i = p->n - 1;

	while (page_lo(p, i) > off)
		i--;
	for (; i < p->n && page_lo(p, i) <= off; i++)
		if ((i + 1 == p->n || page_lo(p, i + 1) > off) && !p->piece[i].filled && !fill(p, i))
			return false;
	return true;
}

static bool
fill_touched(uintptr_t at)
{
	for (struct packed *p = all; p; p = p->next)
		if (at - (uintptr_t)p->base < p->size)
			return fill_at(p, down(p, at - (uintptr_t)p->base)) || touched_zeros(at);
	return false;
}

const uint8_t *
unpack_open(struct arena *arena, struct cursor in, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), most = size / PIECE + 1;
	struct packed *p;

	if (page > INFLATE_WINDOW || size > SIZE_MAX / 2 || !(p = arena_alloc(arena, sizeof *p)) ||
	    !(p->piece = arena_alloc(arena, most * sizeof *p->piece)) || !(p->window = arena_alloc(arena, most * INFLATE_WINDOW)) ||
	    !touched_fill(fill_touched))
		return NULL;
	p->arena = arena;
	p->size = size;
	p->page = page;
	p->most = (uint32_t)most;
	/* A page of zeros follows, so that a string ends even if a second read gives other bytes. */
	p->base = mmap(NULL, up(p, size) + page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->base == MAP_FAILED || !pages(p, 0, up(p, size), NONE))
		return NULL;
	p->n = 1;
	inflate_begin(&p->piece[0].at, in, size);
	p->next = all;
	all = p;
	return p->base;
}

void
unpack_close(const struct arena *arena)
{
	struct packed **at = &all, *p;

	while ((p = *at))
		if (p->arena == arena) {
			for (uint32_t i = 0; i < p->n; i++)
				if (p->piece[i].filled)
					drop(p, i);
			munmap(p->base, up(p, p->size) + p->page);
			*at = p->next;
		} else {
			at = &p->next;
		}
}

void
unpack_trim(void)
{
	fillings++;
	while (drop_one())
		;
}

size_t
unpack_held(void)
{
	return held;
}
