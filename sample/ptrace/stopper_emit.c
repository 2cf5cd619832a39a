/* See stopper_emit.h.  <linux/perf_event.h> has the records' layouts; the reader is ring.c and record.c.  The stopper writes
 * data before it moves the head, and it reads the tail before it writes again to what the tail frees. */
#include "stopper_emit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/lines.h"
#include "sample/tasks/maps_line.h"

/* The part of the ring that is in use when the reader is woken. */
enum { WAKE_PART = 4 };
/* Bytes behind every record but samples; of a record that tells of losses. */
enum { TRAILER = 32, LOST = 8 + 16 + TRAILER };

void
emit_wake(const struct emit *e)
{
	uint64_t one = 1;

	if (write(e->wake, &one, sizeof one) < 0)
		return;   /* the reader is awake anyway */
}

static uint64_t
header(uint32_t type, uint16_t misc, uint64_t size)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };
	uint64_t v;

	memcpy(&v, &h, sizeof v);
	return v;
}

/* The bytes that the reader has not freed yet, counted from its tail.  That may be anything; the stopper only makes sure that
 * it is less than the ring. */
static uint64_t
used(const struct emit *e)
{
	return e->head - __atomic_load_n(&e->page->data_tail, __ATOMIC_ACQUIRE);
}

static void
put(struct emit *e, const void *bytes, size_t n)
{
	uint64_t off = e->put & (e->size - 1);
	size_t first = n < e->size - off ? n : (size_t)(e->size - off);

	memcpy(e->data + off, bytes, first);
	memcpy(e->data, (const uint8_t *)bytes + first, n - first);
	e->put += n;
}

static void
commit(struct emit *e)
{
	uint64_t part = e->size / WAKE_PART;
	bool before = used(e) < part;

	e->head = e->put;
	__atomic_store_n(&e->page->data_head, e->head, __ATOMIC_RELEASE);
	if (before && used(e) >= part)
		emit_wake(e);
}

static void
record(struct emit *e, uint32_t type, uint16_t misc, const struct thread *who, const void *body, size_t n)
{
	uint64_t first = header(type, misc, 8 + n + TRAILER);
	struct { struct thread who; uint64_t time, id, cpu; } trailer = { *who, e->at ? e->at : clock_now(), 0, 0 };

	_Static_assert(sizeof trailer == TRAILER, "what record.c expects");
	put(e, &first, sizeof first);
	put(e, body, n);
	put(e, &trailer, sizeof trailer);
	commit(e);
}

/* Whether there is room for N bytes, and for the record that tells how many records were lost before; writes that one
 * first. */
static bool
room(struct emit *e, uint64_t n)
{
	uint64_t lost[2] = { 0, e->lost };

	if (used(e) + n + LOST > e->size) {
		e->lost++;
		return false;
	}
	e->lost = 0;
	if (lost[1])
		record(e, PERF_RECORD_LOST, 0, &(struct thread){ 0, 0 }, lost, sizeof lost);
	return true;
}

void
emit_record(struct emit *e, uint32_t type, uint16_t misc, const struct thread *who, const void *body, size_t n)
{
	if (room(e, 8 + n + TRAILER))   /* without room, its loss counts as the loss of a sample does */
		record(e, type, misc, who, body, n);
}

void
emit_task(struct emit *e, uint32_t type, const struct thread *who, const struct thread *parent)
{
	int32_t task[6] = { who->pid, parent->pid, who->tid, parent->tid };

	emit_record(e, type, 0, who, task, sizeof task);
}

void
emit_sample(struct emit *e, uint64_t *word, unsigned n, const uint8_t *stack, uint64_t got)
{
	uint64_t padded = (got + 7) & ~UINT64_C(7), size = 8 * (uint64_t)n + padded + (padded ? 8 : 0);

	if (!room(e, size))
		return;
	word[0] = header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, size);
	word[n - 1] = padded;
	put(e, word, 8 * (size_t)n);
	put(e, stack, (size_t)padded);
	put(e, &got, padded ? 8 : 0);
	commit(e);
}

bool
emit_part(struct emit *e, const uint64_t *word, const struct deep_head *head, const uint8_t *bytes, uint64_t pages)
{
	enum { BEFORE = 6 };   /* words up to the CPU */
	uint32_t raw = (uint32_t)(sizeof *head + pages * DEEP_PAGE), end = 0;
	uint64_t size = 8 * BEFORE + sizeof raw + raw + sizeof end, first[BEFORE];

	_Static_assert(8 * BEFORE + 8 + sizeof *head + DEEP_PART <= UINT16_MAX, "a record's size has 16 bits");
	if (used(e) + size + UINT16_MAX + LOST > e->size)
		return false;
	memcpy(first, word, sizeof first);
	first[0] = header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, size);
	first[1] = EMIT_PART;
	put(e, first, sizeof first);
	put(e, &raw, sizeof raw);
	put(e, head, sizeof *head);
	put(e, bytes, (size_t)(pages * DEEP_PAGE));
	put(e, &end, sizeof end);
	commit(e);
	return true;
}

void
emit_maps(struct emit *e, const struct thread *who, int fd)
{
	struct {
		struct thread who;
		uint64_t lo, size, off;
		uint32_t maj, min;
		uint64_t ino, gen;
		uint32_t prot, flags;
		char path[4096 + 8];
	} map = { .who = *who, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE };
	struct maps_line m;
	struct lines l;
	char *line;

	lines_open(&l, fd);
	for (unsigned budget = 1 << 16; budget && (line = lines_next(&l)); budget--) {
		size_t len;

		if (!maps_line_parse(&m, line) || !m.exec || (len = strlen(m.path)) >= sizeof map.path - 8)
			continue;
		map.lo = m.lo;
		map.size = m.hi - m.lo;
		map.off = m.off;
		map.maj = m.maj;
		map.min = m.min;
		map.ino = m.ino;
		memcpy(map.path, m.path, len);
		memset(map.path + len, 0, 8);
		emit_record(e, PERF_RECORD_MMAP2, 0, who, &map, offsetof(__typeof__(map), path) + (len & ~7u) + 8);
	}
}
