/* See deep_stack.h. */
#include "deep_stack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "perf.h"

/* TOP_NONE: prof does not know the top, so the program reads nothing more.  BEYOND: the bytes of main that a walk may want
 * beyond the last frame.  PATIENCE: if the program once read too little in a place, or what a walk needed, it may read too much there so many times.
 * TRIES: missing pages that it may try on stacks that prof does not know yet, at first and once a stack had some.  A word that
 * tells of another stack's sp is less than SAVED bytes below that, and within SEARCHED bytes of where the walk left the
 * stack.  A page is wanted for WANTED_FOR times WANTED_EACH deep walks there. */
enum { TOP_NONE = 8, BEYOND = 1 << 10, PATIENCE = 64, TRIES_FIRST = 8, TRIES = 64, SAVED = 64, SEARCHED = 4096, ARRAY_MOST = 16 << 20,
       STACK_MOST = 64 << 20, WANTED_EACH = 64, WANTED_FOR = 4 };

/* An event that writes into RING what the program gives. */
static bool
open_event(struct deep *d, const struct ring *ring)
{
	static const struct record_shape raw = { .raw = true };
	struct deep_cpu *c = &d->cpu[ring->cpu];
	struct perf_event_attr a = { 0 };
	int fd;

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_BPF_OUTPUT;
	a.sample_type = record_sample_type(&raw);
	a.sample_period = 1;
	a.read_format = PERF_FORMAT_LOST;
	a.sample_id_all = a.watermark = a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	if ((fd = perf_open(&a, -1, ring->cpu, -1, 0)) < 0 && errno == EINVAL) {   /* before Linux 6.0 the kernel does not tell what is lost */
		a.read_format = 0;
		fd = perf_open(&a, -1, ring->cpu, -1, 0);
	}
	if (fd < 0)
		return false;
	c->fd = fd;
	return perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned)ring->fd) &&
	       perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)&d->id[ring->cpu]) && bpf_map_set(d->events, (uint32_t)ring->cpu, &fd);
}

static bool
make_room(struct deep *d, uint32_t ncpu)
{
	const size_t pieces = DEEP_ROOM / DEEP_PAGE * sizeof(struct piece);
	uint8_t *p;

	d->ncpu = ncpu;
	d->room = sizeof *d->known + d->ncpu * (sizeof *d->cpu + sizeof *d->id + pieces + DEEP_ROOM);
	p = mmap(NULL, d->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	d->known = (void *)p;
	d->cpu = (void *)(d->known + 1);
	d->id = (void *)(d->cpu + d->ncpu);
	p = (uint8_t *)(d->id + d->ncpu);
	for (uint32_t i = 0; i < d->ncpu; i++, p += pieces + DEEP_ROOM)
		d->cpu[i] = (struct deep_cpu){ .fd = -1, .piece = (struct piece *)(void *)p, .bytes = p + pieces };
	return true;
}

static bool
make_program(struct deep *d)
{
	int told = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof *d->told, 1, BPF_F_MMAPABLE);
	void *p;

	if (told < 0)
		return false;
	p = mmap(NULL, sizeof *d->told, PROT_READ | PROT_WRITE, MAP_SHARED, told, 0);
	d->events = bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, d->ncpu, 0);
	if (p != MAP_FAILED)
		d->told = p;
	if (d->told && d->events >= 0)
		d->program = deep_load(told, d->events, d->ncpu);
	close(told);
	return d->program > 0;
}

bool
deep_open(struct deep *d, const struct ring *ring, uint32_t n)
{
	/* While a program runs that a probe or a tracepoint started, the kernel takes no sample for an event that has a program. */
	bool all = perf_sp_at && !bpf_traces();
	uint32_t ncpu = 0;

	for (uint32_t i = 0; i < n; i++)
		ncpu = (uint32_t)ring[i].cpu + 1 > ncpu ? (uint32_t)ring[i].cpu + 1 : ncpu;
	all = all && make_room(d, ncpu) && make_program(d);
	for (uint32_t i = 0; all && i < n; i++)
		all = open_event(d, &ring[i]);
	if (!all) {
		deep_close(d);
		return false;
	}
	d->told->most = DEEP_MOST;
	d->told->tries = TRIES_FIRST;
	return true;
}

bool
deep_share(struct deep *d, uint64_t id)
{
	void *p = mmap(NULL, sizeof *d->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	d->told = p == MAP_FAILED ? NULL : p;
	if (!d->told || !make_room(d, 1)) {
		deep_close(d);
		return false;
	}
	*d->id = id;
	return true;
}

void
deep_close(struct deep *d)
{
	for (uint32_t i = 0; i < d->ncpu && d->cpu; i++)
		if (d->cpu[i].fd >= 0)
			close(d->cpu[i].fd);
	if (d->program > 0)
		close(d->program);
	if (d->events > 0)
		close(d->events);
	if (d->told)
		munmap(d->told, sizeof *d->told);
	if (d->known)
		munmap(d->known, d->room);
	memset(d, 0, sizeof *d);
}

void
deep_copied(struct deep *d, uint64_t bytes, bool mixed)
{
	if (d->told && (!mixed || !d->told->copied || bytes < d->told->copied))
		d->told->copied = bytes;
}

void
deep_beyond(struct deep *d, uint64_t bytes)
{
	if (d->told)
		d->told->most = bytes;
}

void
deep_chain(struct deep *d, int32_t tid, uint64_t at, uint64_t then, uint64_t back)
{
	struct deep_chain *c = &d->told->chain[tid & ((1 << DEEP_CHAINS) - 1)];

	const struct deep_chain told = { (uint64_t)tid, at, then, back };

	if (!memcmp(c, &told, sizeof told))
		return;
	*c = told;
	d->told->chains = 1;
}

void
deep_chain_guess(struct deep *d, int32_t tid, uint64_t at, uint64_t then, uint64_t back)
{
	if (!d->told->chain[tid & ((1 << DEEP_CHAINS) - 1)].tid && tid > 0)
		deep_chain(d, tid, at, then, back);
}

void
deep_chains(struct deep *d, int32_t pid, int32_t tid, uint64_t at)
{
	struct deep_chain *own = &d->told->chain[tid & ((1 << DEEP_CHAINS) - 1)];

	if (own->tid == (uint64_t)tid)
		own->tid = 0;
	own = &d->told->chain[pid & ((1 << DEEP_CHAINS) - 1)];
	if (own->tid == -(uint64_t)pid && own->at == at)
		return;
	*own = (struct deep_chain){ .tid = -(uint64_t)pid, .at = at };
	d->told->chains = 1;
}

void
deep_forget(struct deep *d, uint32_t cpu)
{
	if (cpu < d->ncpu)
		d->cpu[cpu].number = d->cpu[cpu].pages = d->cpu[cpu].pieces.n = 0;
}

void
deep_part(struct deep *d, const struct record *r)
{
	struct deep_cpu *c = &d->cpu[r->cpu];
	struct deep_head head;

	memcpy(&head, r->part.head, sizeof head);
	if (c->tid != r->tid || !head.number)
		deep_forget(d, r->cpu);
	c->tid = r->tid;
	if (head.number != c->number)   /* what was before it is lost */
		return;
	if (!c->number++)
		c->thread = (struct deep_thread){ head.thread, head.page[0] & 1 ? head.page[0] - 1 : 0 };
	for (uint64_t i = 0; i < r->part.size / DEEP_PAGE && i < DEEP_PART_PAGES && c->pages < DEEP_ROOM / DEEP_PAGE; i++, c->pages++) {
		struct piece *last = c->piece + c->pieces.n - 1;
		uint64_t page = head.page[i] & ~(uint64_t)(DEEP_PAGE - 1);
		uint8_t *to = c->bytes + c->pages * DEEP_PAGE;

		memcpy(to, r->part.bytes + i * DEEP_PAGE, DEEP_PAGE);
		if (c->pieces.n && last->lo + last->size == page)
			last->size += DEEP_PAGE;
		else
			c->piece[c->pieces.n++] = (struct piece){ page, DEEP_PAGE, to };
	}
}

struct pieces
deep_rest(struct deep *d, const struct record *r, struct deep_thread *of)
{
	struct deep_cpu *c = r->cpu < d->ncpu ? &d->cpu[r->cpu] : NULL;
	struct pieces rest = { 0 };

	if (c && c->tid == r->tid && c->pieces.n) {
		rest = (struct pieces){ c->piece, c->pieces.n };
		if (of)
			*of = c->thread;
	}
	d->mean += (rest.n ? c->pages * DEEP_PAGE : 0) / 16 - d->mean / 256;
	deep_forget(d, r->cpu);
	return rest;
}

uint64_t
deep_mean(const struct deep *d)
{
	return d->mean / 16;
}

/* The word at AT, from the copied bytes. */
static bool
word_at(const struct piece *copy, const struct pieces *rest, uint64_t at, uint64_t *v)
{
	for (uint32_t i = 0; i <= rest->n; i++) {
		const struct piece *p = i ? &rest->piece[i - 1] : copy;

		if (p->size >= sizeof *v && at - p->lo <= p->size - sizeof *v) {
			memcpy(v, p->bytes + (at - p->lo), sizeof *v);
			return true;
		}
	}
	return false;
}

/* Whether the word at AT tells that sp, or the sp that it was counted from. */
static bool
tells(const struct piece *copy, const struct pieces *rest, uint64_t at, uint64_t sp)
{
	uint64_t v;

	return at && word_at(copy, rest, at, &v) && sp - v < SAVED;
}

/* The address of such a word near LEFT; 0: none.  A signal's frame is above what it interrupted. */
static uint64_t
find_saved(const struct piece *copy, const struct pieces *rest, uint64_t left, uint64_t sp)
{
	left &= ~UINT64_C(7);
	for (uint64_t at = left; at < left + SEARCHED; at += 8)
		if (tells(copy, rest, at, sp))
			return at;
	for (uint64_t at = left - 8; at > left - SEARCHED; at -= 8)
		if (tells(copy, rest, at, sp))
			return at;
	return 0;
}

/* Tells the program of the way from a stack to the next. */
static void
learn_turn(struct deep *d, const struct piece *copy, const struct pieces *rest, const struct walked *from)
{
	uint64_t *near = &d->told->turn[deep_place(from->sp, DEEP_NEAR)];
	uint64_t *far = &d->told->turn[(1 << DEEP_REGIONS) + deep_place(from->sp, DEEP_REGION)], at;

	/* A right place stays: another word may tell the same by chance. */
	at = tells(copy, rest, *near, from[1].sp) ? *near : tells(copy, rest, *far, from[1].sp) ? *far :
	     find_saved(copy, rest, from->end, from[1].sp);
	if (!at)
		return;
	*near = *far = at;
	d->told->top[deep_place(from->sp, DEEP_REGION)] |= DEEP_TURNS;
}

static uint64_t
page_of(uint64_t at)
{
	return at & ~(uint64_t)(DEEP_PAGE - 1);
}

/* The time, by the deep walks of stacks in that region. */
static uint64_t
now(const struct deep *d, const struct walked *w)
{
	return d->known->walks[deep_place(w->sp, DEEP_REGION)] / WANTED_EACH % DEEP_PAGE;
}

static void
want(struct deep *d, const struct walked *w, uint64_t at)
{
	d->known->wanted[deep_hole_place(page_of(at))] = page_of(at) | now(d, w);
}

static bool
is_wanted(const struct deep *d, const struct walked *w, uint64_t page)
{
	uint64_t v = d->known->wanted[deep_hole_place(page)];

	return page_of(v) == page && (now(d, w) - v) % DEEP_PAGE <= WANTED_FOR;
}

static bool
is_on(const struct walked *w, uint64_t sp, uint64_t end)
{
	return w->sp <= sp && sp < end && end <= w->end;
}

/* A walk wants what the functions of these frames saved, right below the next one. */
static void
learn_wanted(struct deep *d, const struct walked *w, const uint64_t *frame, unsigned n)
{
	d->known->walks[deep_place(w->sp, DEEP_REGION)]++;
	for (unsigned i = 1; i < n; i++)
		if (is_on(w, frame[i - 1], frame[i])) {
			want(d, w, frame[i] - SAVED);
			want(d, w, frame[i] - 1);
		}
}

/* The program leaves out the pages of a frame between its sp and END, where its function saved registers, if no walk has wanted
 * them of late. */
static void
learn_array(struct deep *d, const struct walked *w, uint64_t sp, uint64_t end)
{
	uint64_t lo = page_of(sp) + DEEP_PAGE, hi = page_of(end - SAVED), from;

	if (hi <= lo || hi - lo >= ARRAY_MOST)
		return;
	for (from = lo; lo < hi; lo += DEEP_PAGE) {
		bool is = is_wanted(d, w, lo);

		if ((is || lo + DEEP_PAGE == hi) && from < lo + !is)
			d->told->hole[deep_hole_place(from)] = (struct deep_hole){ from, is ? lo : hi };
		from = is ? lo + DEEP_PAGE : from;
	}
}

/* If what the frames hold used up what the program may read, there are arrays among that.  The program leaves out an array from its first
 * page on, so it must not begin in the middle of one, where the kernel's copy ends (COPIED; 0: not on this stack). */
static void
learn_arrays(struct deep *d, const struct pieces *rest, const struct walked *w, uint64_t copied, const uint64_t *frame, unsigned n)
{
	uint64_t read = 0;

	for (uint32_t i = 0; i < rest->n; i++)
		read += rest->piece[i].size;
	if (read < page_of(d->told->most))
		return;
	for (unsigned i = 0; i < n; i++) {
		uint64_t sp = i + 1 < n ? frame[i] : w->last, end = i + 1 < n ? frame[i + 1] : w->end;

		if (!is_on(w, sp, end))
			continue;
		learn_array(d, w, sp, end);
		if (sp < copied && copied < end)
			d->told->top[deep_place(w->sp, DEEP_REGION)] |= DEEP_EARLY;
	}
}

/* The program did not read what is at END, although prof knows that a walk wants it: it is in a supposed hole, or (SOME: it read
 * others) behind one. */
static void
learn_hole(struct deep *d, const struct walked *w, uint64_t *top, bool some, bool early)
{
	struct deep_told *t = d->told;
	uint64_t end = w->end;

	want(d, w, end);
	for (uint32_t i = 0; i < 1 << DEEP_HOLES; i++)
		if (t->hole[i].lo <= end && end < t->hole[i].hi)
			t->hole[i].lo = 0;
	if (some || early) {
		*top |= DEEP_HOLED | (early ? DEEP_EARLY : 0);
		t->tries = TRIES;
	}
}

static void
learn_end(struct deep *d, const struct piece *copy, const struct pieces *rest, const struct walked *w, bool first, bool cut)
{
	uint32_t i = deep_place(w->sp, DEEP_REGION);
	uint64_t *top = &d->told->top[i], flags = *top & DEEP_FLAGS, known = *top - flags;
	bool is_short = first && copy->size < d->told->copied;

	if (!cut && rest->n && w->end >= rest->piece->lo)   /* it needed what the program read */
		d->known->patience[i] = PATIENCE;
	if (cut) {
		d->known->patience[i] = known ? PATIENCE : d->known->patience[i];
		*top = flags;
		if (!known || is_short)
			learn_hole(d, w, top, rest->n, is_short);
	} else if (known != TOP_NONE && known < w->end) {
		*top = (w->end + BEYOND + DEEP_FLAGS) / 8 * 8 + flags;
	} else if (first && !flags && rest->n && w->end < rest->piece->lo && known > rest->piece->lo + DEEP_PAGE && !d->known->patience[i]--) {
		*top = TOP_NONE;
		d->known->patience[i] = 0;
	}
}

/* Leaves out the pages at the beginning that are no stack, but an interpreter's. */
static struct pieces
of_stacks(struct pieces all, uint64_t sp)
{
	while (all.n && all.piece->lo - sp > STACK_MOST && sp - all.piece->lo > all.piece->size) {
		all.piece++;
		all.n--;
	}
	return all;
}

void
deep_learn(struct deep *d, const struct piece *copy, const struct pieces *all, const struct walked *w, unsigned n, const uint64_t *frame,
           unsigned nframe, bool cut)
{
	const struct pieces stacks = of_stacks(*all, copy->lo);

	for (unsigned i = 0; i < n; i++) {
		learn_end(d, copy, &stacks, &w[i], !i, cut && i + 1 == n);
		if (i + 1 < n)
			learn_turn(d, copy, all, &w[i]);
	}
	if (stacks.n && n)
		learn_wanted(d, &w[n - 1], frame, nframe);
	if (cut && n)
		learn_arrays(d, &stacks, &w[n - 1], n == 1 ? copy->lo + d->told->copied : 0, frame, nframe);
}

uint64_t
deep_lost(const struct deep *d)
{
	uint64_t n = 0, v[2];

	for (uint32_t i = 0; i < d->ncpu; i++)
		if (d->cpu[i].fd >= 0 && read(d->cpu[i].fd, v, sizeof v) == sizeof v)
			n += v[1];
	return n;
}
