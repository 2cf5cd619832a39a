/* See ring.h.  The kernel writes records into one ring a CPU, each ring in its own order of time.  prof reads them in rounds:
 *
 *     rings_start    notes how far each ring is filled now, its head; what comes later waits for the next round
 *     rings_next     gives the earliest of all the rings' next records; as long as no other ring has an earlier one, it stays
 *                    with its ring and compares nothing but times
 *     the end        tells the kernel how far prof has read each ring, its tail: only then it may write there again
 *
 * prof reads a record at its place in the ring, so that it never copies a sample's stack.  It puts only a record that wraps
 * around the ring's end together in SCRATCH.  While prof works on one record, it fetches the next one into the cache.
 *
 * A reader that must wait for a CPU may come back to a ring that is nearly full.  So, now and then in a round, prof empties a
 * ring that is half full into memory beside it (ASIDE), and reads from there what lies before position KEPT.  A signal
 * handler does this, too, if a file keeps the reader from coming back (rings_save).
 *
 * A full ring loses records.  The kernel tells so (LOST) only in front of the next record that has room, in the same ring.  Until
 * then, records of other rings may be of a time when what is lost had happened.  So prof learns of a loss as early as it can: when
 * LOST is a ring's next record, whatever its time is; and when a ring is read to its end, after a moment when it had no room for a
 * record that matters (LOST_UNTIL).
 *
 * <linux/perf_event.h>, struct perf_event_mmap_page: prof reads the head before the data, and reads the data before it writes
 * the tail.  Lengths are multiples of 8, so no field of 8 bytes wraps.  If a length makes no sense, prof gives up the ring's
 * round, and counts that.  open_event.c chooses the sample_type, and so the place of a record's time: see record.h. */
#include "ring.h"
#include "record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/mem.h"

/* prof tells the kernel what it has read in steps of this part of the ring: each time is a store that the kernel's next write
 * must fetch. */
enum { TELL = 16 };
/* Cache lines that prof fetches ahead: a record's head, registers, and as much stack as most of what is new in it takes. */
enum { LINE = 64, AHEAD = 40 };
/* Bytes that copies beside one ring take at most, and beside all rings: two seconds of samples with 12 KiB each, a thousand a
 * second.  Bytes of a record that prof copies, so that it can relieve the ring of it while it works on it.  Records after which
 * prof looks at the rings. */
enum { ASIDE_MOST = 32 << 20, ASIDES_MOST = 64 << 20, COPIED = 4096, LOOK = 16 };
/* Bytes of the longest record of a mapping (PATH_MAX and 112), and of LOST before it.  A small ring has none that long. */
enum { MAPPING_MOST = 4096 + 112 + 56, SMALL_PART = 4 };

bool
rings_add(struct rings *rs, int fd, int32_t cpu, size_t bytes)
{
	void *p = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p != MAP_FAILED && rings_take(rs, p, fd, cpu, bytes);
}

bool
rings_take(struct rings *rs, void *p, int fd, int32_t cpu, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!vec_room(&rs->ring, &rs->cap, (uint64_t)rs->n + 1, sizeof *rs->ring)) {
		munmap(p, page + bytes);
		errno = ENOMEM;
		return false;
	}
	rs->ring[rs->n++] = (struct ring){ .page = p, .data = (const uint8_t *)p + page, .size = bytes, .fd = fd, .cpu = cpu };
	return true;
}

void
rings_drop(struct rings *rs, uint32_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	while (rs->n > n) {
		rs->n--;
		munmap(rs->ring[rs->n].page, page + (size_t)rs->ring[rs->n].size);
		if (rs->ring[rs->n].aside)
			munmap(rs->ring[rs->n].aside, (size_t)rs->ring[rs->n].aside_size);
		close(rs->ring[rs->n].fd);
	}
}

void
rings_close(struct rings *rs)
{
	rings_drop(rs, 0);
	vec_free(&rs->ring, &rs->cap, sizeof *rs->ring);
}

/* Up to where the kernel may write again. */
static uint64_t
free_to(const struct ring *r)
{
	return r->tail > r->kept ? r->tail : r->kept;
}

/* Where the kernel writes next.  On 32-bit machines this number begins again after 4 GiB. */
static uint64_t
head_of(const struct ring *r)
{
	uint64_t known = free_to(r);

	return known + (uint32_t)(__atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) - known);
}

/* Notes whether the kernel, which had N bytes of the ring in use up to HEAD, may have had no room for a mapping. */
static void
note_full(struct ring *r, uint64_t head, uint64_t n)
{
	uint64_t most = r->size / SMALL_PART < MAPPING_MOST ? r->size / SMALL_PART : MAPPING_MOST;

	if (n + most <= r->size)
		return;
	r->full_at = head;
	r->full_until = clock_now();
}

static void
tell(struct ring *r)
{
	uint32_t before = (uint32_t)r->page->data_tail;

	__atomic_store_n(&r->page->data_tail, free_to(r), __ATOMIC_RELEASE);
	r->told = r->tail;
	if (r->tells) {   /* prof reads the head once there is room, so that it sees whether there was none before */
		uint64_t head;

		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		head = head_of(r);
		note_full(r, head, (uint32_t)head - before);
	}
}

static void
may_have_lost(struct rings *rs, uint64_t until)
{
	if (until > rs->lost_until)
		rs->lost_until = until;
}

/* Rings that need memory first get it: the other rings are of CPUs that do little. */
static bool
room_aside(struct rings *rs, struct ring *r)
{
	size_t size = ASIDE_MOST;
	void *p;

	if (r->aside)
		return true;
	while (size > r->size && size > ASIDES_MOST - rs->asides)
		size /= 2;
	if (size <= r->size)   /* that would win little */
		return false;
	if ((p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED)
		return false;
	madvise(p, size, MADV_HUGEPAGE);   /* to fault its small pages in would cost as much as to copy */
	r->aside = p;
	r->aside_size = size;
	rs->asides += size;
	return true;
}

/* Notes whether there are more samples of a ring than it has room for itself. */
static void
note_scarce(struct rings *rs, const struct ring *r)
{
	rs->scarce |= (!rs->samples || r < rs->ring + rs->samples) && head_of(r) - r->tail > r->size;
}

/* Keeps aside what is in a ring that is half full. */
static void
relieve(struct rings *rs, struct ring *r)
{
	uint64_t head = head_of(r), pos = free_to(r);

	note_scarce(rs, r);
	if (head - pos < r->size / 2 || head - pos > r->size || !room_aside(rs, r) || head - r->tail > r->aside_size)
		return;
	for (uint64_t n; pos < head; pos += n) {
		uint64_t at = pos & (r->size - 1), to = pos & (r->aside_size - 1);

		n = head - pos;
		n = n < r->size - at ? n : r->size - at;
		n = n < r->aside_size - to ? n : r->aside_size - to;
		memcpy(r->aside + to, r->data + at, (size_t)n);
	}
	r->kept = head;
	tell(r);
}

void
rings_relieve(struct rings *rs)
{
	for (uint32_t i = 0; rs->relieves && i < rs->n; i++)
		if (&rs->ring[i] != rs->held)
			relieve(rs, &rs->ring[i]);
}

/* The record that prof works on stays there, in a copy of the ring's pages; the ring gets another place in memory.  False if
 * that fails. */
static bool
let_go(struct rings *rs)
{
	struct ring *r = rs->held;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page + (size_t)r->size, at = (size_t)((r->tail - r->length) & (r->size - 1));
	uint8_t *copy, *to;

	if (rs->copy || (to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0)) == MAP_FAILED)
		return false;
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy != MAP_FAILED)
		memcpy(copy + page + at, r->data + at, r->length);
	if (copy == MAP_FAILED || mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, r->page) == MAP_FAILED) {
		munmap(to, size);
		if (copy != MAP_FAILED)
			munmap(copy, size);
		return false;
	}
	rs->copy = r->page;
	rs->copy_size = size;
	rs->held = NULL;
	r->page = (void *)to;
	r->data = to + page;
	return true;
}

/* Whether the kernel may overwrite what lies in R.  A record that prof works on beside the ring stays until the next one. */
static bool
may_move(struct rings *rs, const struct ring *r)
{
	uint64_t first = r->tail - r->length;

	if (r != rs->held)
		return true;
	return first < r->kept ? head_of(r) - first <= r->aside_size : let_go(rs);
}

bool
rings_save(struct rings *rs)
{
	for (uint32_t i = 0; i < rs->n; i++) {
		struct ring *r = &rs->ring[i];

		note_scarce(rs, r);
		if (head_of(r) - free_to(r) >= r->size / 2 && may_move(rs, r))
			relieve(rs, r);
	}
	return rs->scarce;
}

/* Where position POS is, and how many bytes are there in one piece. */
static const uint8_t *
piece(const struct ring *r, uint64_t pos, uint64_t *left)
{
	bool aside = pos < r->kept;
	uint64_t size = aside ? r->aside_size : r->size, at = pos & (size - 1);

	*left = size - at;
	return (aside ? r->aside : r->data) + at;
}

/* The 8 bytes at position POS of the ring, which is a multiple of 8. */
static uint64_t
word(const struct ring *r, uint64_t pos)
{
	uint64_t v, left;

	memcpy(&v, piece(r, pos, &left), sizeof v);
	return v;
}

static struct perf_event_header
header(const struct ring *r, uint64_t pos)
{
	struct perf_event_header h;
	uint64_t v = word(r, pos);   /* prof reads it once, so that it uses the same length that it checks */

	_Static_assert(sizeof h == sizeof v, "a header is one word");
	memcpy(&h, &v, sizeof h);
	return h;
}

/* Puts the LENGTH bytes at position POS together. */
static void
copy_out(const struct ring *r, uint64_t pos, size_t length, uint8_t *to)
{
	uint64_t whole;
	const uint8_t *p = piece(r, pos, &whole);
	size_t n = length < whole ? length : (size_t)whole;

	memcpy(to, p, n);
	memcpy(to + n, p + whole - (pos < r->kept ? r->aside_size : r->size), length - n);
}

/* A load that nobody waits for. */
static void
touch(const struct ring *r, uint64_t pos)
{
	(void)*(const volatile uint8_t *)(r->data + (pos & (r->size - 1)));
}

/* Fetches the next record's head, registers and innermost frames into the cache, and its end if it is as long as the last
 * one: they arrive while prof still works on the last one.  A fetch does nothing for a page without an entry in the TLB, so
 * this touches the pages of the record after that. */
static void
fetch(const struct ring *r)
{
	uint64_t behind = r->tail + r->length;

	touch(r, behind);
	touch(r, behind + AHEAD * LINE);
	touch(r, behind + r->length - 8);
	for (unsigned line = 0; line < AHEAD; line++)
		__builtin_prefetch(r->data + ((r->tail + line * LINE) & (r->size - 1)));
	__builtin_prefetch(r->data + ((behind - 8) & (r->size - 1)));
}

static uint64_t
word_at_tail(const void *of, uint64_t off)
{
	const struct ring *r = of;

	return word(r, r->tail + off);
}

/* Finds the length and the time of the record at the tail. */
static void
peek(struct rings *rs, struct ring *r)
{
	uint64_t left = r->head - r->tail, at;
	struct perf_event_header h;

	r->peeked = true;
	r->time = RING_EMPTY;
	if (!left) {
		if (r->full_at)
			may_have_lost(rs, r->full_until);
		if (r->tail >= r->full_at)
			r->full_at = 0;
		return;
	}
	h = header(r, r->tail);
	if (h.size < sizeof h || h.size % 8 || h.size > left || left > r->size + r->aside_size) {
		rs->broken++;
		if (r->tells)
			may_have_lost(rs, clock_now());
		r->tail = r->head;
		return;
	}
	r->length = h.size;
	at = record_time_offset(h.type, record_size(h.type, h.size, RECORD_TRAILER, word_at_tail, r));
	r->time = at ? word(r, r->tail + at) : 0;
	if (r->time == RING_EMPTY)
		r->time--;
	if (r->tells) {
		if (h.type == PERF_RECORD_LOST)
			may_have_lost(rs, r->time);
		if (r->tail >= r->full_at)   /* this one had room, and told of those before that had none */
			r->full_at = 0;
	}
	if (r->time > rs->limit)
		r->time = RING_EMPTY;
}

/* The ring with the earliest record, and until when it stays the earliest. */
static bool
choose(struct rings *rs)
{
	uint64_t first = RING_EMPTY;

	rs->until = RING_EMPTY;
	for (uint32_t i = 0; i < rs->n; i++) {
		uint64_t t = rs->ring[i].time;

		if (t < first) {
			rs->until = first;
			first = t;
			rs->at = i;
		} else if (t < rs->until) {
			rs->until = t;
		}
	}
	return first != RING_EMPTY;
}

void
rings_start(struct rings *rs, uint64_t limit)
{
	rs->limit = limit;
	rs->fullest = 0;
	rs->scarce = false;
	for (uint32_t i = 0; i < rs->n; i++) {
		struct ring *r = &rs->ring[i];

		r->head = head_of(r);
		r->tells = rs->n == rs->samples || i >= rs->samples;
		if (r->tells)
			note_full(r, r->head, r->head - free_to(r));
		if ((!rs->samples || i < rs->samples) && (r->head - free_to(r)) * 100 / r->size > rs->fullest)
			rs->fullest = (r->head - free_to(r)) * 100 / r->size;
		peek(rs, r);
	}
	rs->at = rs->n;
}

static void
end_round(struct rings *rs)
{
	for (uint32_t i = 0; i < rs->n; i++) {
		struct ring *r = &rs->ring[i];

		if (r->told != r->tail)
			tell(r);
		if (r->kept && r->tail >= r->kept) {
			madvise(r->aside, (size_t)r->aside_size, MADV_DONTNEED);
			r->kept = 0;
		}
	}
	rs->at = rs->n;
}

bool
rings_next(struct rings *rs, struct cursor *record)
{
	struct ring *r = rs->at < rs->n ? &rs->ring[rs->at] : NULL;
	const uint8_t *p;
	uint64_t whole;

	rs->held = NULL;
	if (rs->copy)
		munmap(rs->copy, rs->copy_size);
	rs->copy = NULL;
	if (rs->relieves && rs->read++ % LOOK == 0)
		rings_relieve(rs);
	if (r && !r->peeked)
		peek(rs, r);
	if (r && r->tail - r->told >= r->size / TELL)
		tell(r);
	if (!r || r->time == RING_EMPTY || r->time > rs->until) {
		if (!choose(rs)) {
			end_round(rs);
			return false;
		}
		r = &rs->ring[rs->at];
	}
	p = piece(r, r->tail, &whole);
	if (r->length > whole || (rs->relieves && r->length <= COPIED)) {
		copy_out(r, r->tail, r->length, rs->scratch);
		p = rs->scratch;
	} else {
		rs->held = r;
	}
	*record = cur_of(p, r->length, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r->tail += r->length;
	if (r->tail >= r->kept)
		fetch(r);
	r->peeked = false;
	return true;
}

bool
rings_ahead(struct rings *rs, uint32_t type, struct cursor *record)
{
	for (uint32_t i = rs->samples; i && i < rs->n; i++) {
		struct ring *r = &rs->ring[i];
		uint64_t head = head_of(r), pos, *seen = &r->seen[type != PERF_RECORD_MMAP2];
		struct perf_event_header h;

		for (pos = *seen > r->tail ? *seen : r->tail; pos < head; pos = *seen) {
			h = header(r, pos);
			*seen = h.size < sizeof h || h.size % 8 || h.size > head - pos ? head : pos + h.size;
			if (h.type != type || h.size > sizeof rs->ahead || *seen != pos + h.size)
				continue;
			copy_out(r, pos, h.size, rs->ahead);
			*record = cur_of(rs->ahead, h.size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
			return true;
		}
	}
	return false;
}
