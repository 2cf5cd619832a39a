#include "test.h"
#include "sample/events/ring.c"

#include <stdlib.h>

enum { SIZE = 4096, COUNT = 3 };

static struct rings rs;
static struct perf_event_mmap_page page[COUNT];
static uint8_t *data;

/* Rings without a kernel: the test is the one that writes. */
static void
begin(unsigned n)
{
	rings_start(&(struct rings){ 0 }, 0);
	memset(page, 0, sizeof page);
	if (!data)
		data = aligned_alloc(64, COUNT * SIZE);
	memset(data, 0xee, COUNT * SIZE);
	vec_free(&rs.ring, &rs.cap, sizeof *rs.ring);
	memset(&rs, 0, sizeof rs);
	vec_room(&rs.ring, &rs.cap, n, sizeof *rs.ring);
	rs.n = n;
	for (unsigned i = 0; i < n; i++)
		rs.ring[i] = (struct ring){ .page = &page[i], .data = data + i * SIZE, .size = SIZE, .fd = -1, .cpu = (int32_t)i };
}

static void
put_bytes(unsigned r, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[r * SIZE + ((page[r].data_head + i) & (SIZE - 1))] = ((const uint8_t *)bytes)[i];
	page[r].data_head += n;
}

/* A FORK-like record of SIZE bytes with a time in its trailer; the body repeats MARK. */
static void
put(unsigned r, uint64_t time, uint16_t size, uint8_t mark)
{
	uint8_t bytes[SIZE];
	struct perf_event_header h = { .type = PERF_RECORD_FORK, .size = size };

	memset(bytes, mark, sizeof bytes);
	memcpy(bytes, &h, sizeof h);
	if (size >= 40)
		memcpy(bytes + size - 24, &time, 8);
	put_bytes(r, bytes, size);
}

/* The record that tells of losses. */
static void
put_lost(unsigned r, uint64_t time)
{
	uint64_t at = page[r].data_head;
	struct perf_event_header h = { .type = PERF_RECORD_LOST, .size = 56 };

	put(r, time, 56, 'L');
	memcpy(data + r * SIZE + (at & (SIZE - 1)), &h, sizeof h);
}

/* The next record's mark, and until when records may be lost by then. */
static char
next(uint64_t *lost)
{
	struct cursor c;
	char mark = rings_next(&rs, &c) ? (char)c.pos[8] : '.';

	*lost = rs.lost_until;
	return mark;
}

static unsigned
marks(char *out, uint64_t limit)
{
	struct cursor c;
	unsigned n = 0;

	rings_start(&rs, limit);
	while (n < 200 && rings_next(&rs, &c)) {
		size_t len = cur_left(&c);

		out[n++] = len > 40 ? (char)c.pos[8] : '.';
		for (size_t i = 8; len > 40 && i < len - 32; i++)
			if (c.pos[i] != c.pos[8])
				out[n - 1] = '!';
	}
	out[n] = 0;
	return n;
}

static void
order_across_rings(void)
{
	char out[256];

	begin(3);
	put(0, 10, 48, 'a');
	put(0, 40, 48, 'd');
	put(1, 20, 48, 'b');
	put(1, 20, 48, 'B');
	put(1, 50, 48, 'e');
	put(2, 30, 48, 'c');
	marks(out, 1000);
	CHECK_STR(out, "abBcde");
	for (unsigned i = 0; i < 3; i++)
		CHECK_U64(page[i].data_tail, page[i].data_head);
	marks(out, 1000);
	CHECK_STR(out, "");
}

/* The kernel writes a KSYMBOL with a wrong length and what was there before behind it: that is no time to wait for. */
static void
symbols_too_long(void)
{
	static const char name[24] = "bpf_prog_0123456789_f";
	struct { struct perf_event_header h; uint64_t addr, length; char name[24]; uint64_t tid, time, cpu, id, old[4]; } s = {
		.h = { .type = PERF_RECORD_KSYMBOL, .size = sizeof s }, .time = 15, .old = { 1, UINT64_MAX / 2, 3, 4 },
	};
	struct cursor c;
	unsigned n = 0;

	memcpy(s.name, name, sizeof name);
	for (unsigned shift = 0; shift < 64; shift++) {   /* around the ring's end, too */
		begin(2);
		page[0].data_head = page[0].data_tail = SIZE - 8 * shift;
		rs.ring[0].tail = rs.ring[0].told = page[0].data_tail;
		put(0, 10, 48, 'a');
		put_bytes(0, &s, sizeof s);
		put(0, 30, 48, 'c');
		put(1, 20, 48, 'b');
		rings_start(&rs, 100);
		for (n = 0; rings_next(&rs, &c); n++)
			CHECK_U64(c.pos[0], n == 1 ? PERF_RECORD_KSYMBOL : PERF_RECORD_FORK);
		CHECK_U64(n, 4);
	}
}

static void
held_back(void)
{
	char out[256];

	begin(2);
	put(0, 10, 48, 'a');
	put(0, 30, 48, 'c');
	put(1, 20, 48, 'b');
	put(1, 40, 48, 'd');
	marks(out, 25);
	CHECK_STR(out, "ab");
	CHECK_U64(page[0].data_tail, 48);
	put(0, 35, 48, 'x');
	marks(out, RING_EMPTY - 1);
	CHECK_STR(out, "cxd");
}

/* Before LOST has its turn, other rings' records may be of a time when what is lost had happened. */
static void
losses_are_known_early(void)
{
	uint64_t lost;

	for (unsigned tracks = 0; tracks < 3; tracks++) {
		begin(2);
		rs.samples = tracks;   /* 0: all rings have samples and mappings; 1: the second has the mappings; 2: there are no rings for these */
		put(0, 10, 48, 'a');
		put_lost(0, 50);
		put(1, 5, 48, 'b');
		put(1, 20, 48, 'c');
		put(1, 60, 48, 'd');
		rings_start(&rs, 100);
		CHECK_U64(next(&lost), 'b');
		CHECK_U64(lost, 0);
		CHECK_U64(next(&lost), 'a');
		CHECK_U64(lost, 0);
		CHECK_U64(next(&lost), 'c');
		CHECK_U64(lost, tracks == 1 ? 0 : 50);
		CHECK_U64(next(&lost), 'L');
		CHECK_U64(next(&lost), 'd');
		CHECK_U64(next(&lost), '.');
		CHECK_U64(lost, tracks == 1 ? 0 : 50);
	}
}

/* A ring that was full may have lost what it has not told yet. */
static void
full_rings_may_have_lost(void)
{
	uint64_t lost, before = clock_now();
	char out[256];

	for (unsigned full = 0; full < 2; full++) {
		begin(2);
		for (unsigned i = 0; i < (full ? 66 : 60); i++)   /* of 48 bytes: more or less than three quarters of it */
			put(0, 10, 48, 'a');
		put(1, 5, 48, 'b');
		put(1, 20, 48, 'c');
		rings_start(&rs, 100);
		while (next(&lost) != 'c')
			CHECK_U64(lost, 0);
		CHECK(full ? lost >= before : !lost);
	}
	/* It was full while prof read a round, has room now, and nothing new yet. */
	begin(2);
	put(0, 10, 48, 'a');
	rings_start(&rs, 100);
	CHECK_U64(next(&lost), 'a');
	for (unsigned i = 0; i < 70; i++)
		put(0, 11, 48, 'A');
	put(1, 20, 48, 'c');
	CHECK_U64(next(&lost), '.');
	CHECK_U64(lost, 0);
	rings_start(&rs, 100);
	while (next(&lost) != 'c')
		CHECK_U64(lost, 0);
	CHECK(lost >= before);
	/* The record behind that moment tells nothing of losses, so there were none. */
	begin(1);
	for (unsigned i = 0; i < 70; i++)
		put(0, 10, 48, 'a');
	rings_start(&rs, 5);
	marks(out, 5);
	CHECK(rs.ring[0].full_at);
	page[0].data_tail = rs.ring[0].tail = rs.ring[0].told = 30 * 48;
	put(0, 10, 48, 'b');
	marks(out, 100);
	CHECK_U64(rs.lost_until, 0);
	CHECK_U64(rs.ring[0].full_at, 0);
}

/* Rings without samples have no stacks that could be shorter. */
static void
how_full_rings_of_samples_are(void)
{
	begin(2);
	for (unsigned i = 0; i < 64; i++)
		put(i < 4 ? 0 : 1, 100 + i, 48, 'a');
	rings_start(&rs, 10);
	CHECK_U64(rs.fullest, 100 * 60 * 48 / SIZE);
	rs.samples = 1;
	rings_start(&rs, 10);
	CHECK_U64(rs.fullest, 100 * 4 * 48 / SIZE);
}

/* The next mapping's mark, of those that are not read yet. */
static char
next_ahead(void)
{
	struct cursor c;

	return rings_ahead(&rs, PERF_RECORD_MMAP2, &c) ? (char)c.pos[8] : '.';
}

static void
put_mapping(unsigned r, uint64_t time, uint16_t size, uint8_t mark)
{
	uint64_t at = page[r].data_head;
	struct perf_event_header h = { .type = PERF_RECORD_MMAP2, .size = size };

	put(r, time, size, mark);
	memcpy(data + r * SIZE + (at & (SIZE - 1)), &h, sizeof h);
}

/* Mappings are seen once before their turn, and still have it. */
static void
mappings_ahead(void)
{
	char out[256];
	struct cursor c;

	begin(2);
	put_mapping(1, 1, 48, 'x');
	CHECK_U64(next_ahead(), '.');   /* all rings have samples */
	rs.samples = 1;
	put_mapping(0, 2, 48, 'y');
	CHECK_U64(next_ahead(), 'x');
	CHECK_U64(next_ahead(), '.');
	CHECK_U64(page[1].data_tail, 0);
	CHECK_U64(marks(out, 1000), 2);
	CHECK_STR(out, "xy");
	put_mapping(1, 3, 48, 'z');
	marks(out, 1000);
	CHECK_U64(next_ahead(), '.');   /* it had its turn */
	for (unsigned i = 0; i < 100; i++) {
		put_lost(1, 4 + i);
		put_mapping(1, 4 + i, (uint16_t)(80 + i % 60 * 8), (uint8_t)('a' + i % 26));
		CHECK_U64(next_ahead(), 'a' + i % 26);
		CHECK_U64(next_ahead(), '.');
		CHECK_U64(marks(out, 1000), 2);
		CHECK_U64(out[1], 'a' + i % 26);
	}
	put(1, 200, 48, 'f');
	CHECK(rings_ahead(&rs, PERF_RECORD_FORK, &c) && c.pos[8] == 'f');
	CHECK(!rings_ahead(&rs, PERF_RECORD_FORK, &c));
	put_mapping(1, 201, 48, 'g');
	CHECK_U64(next_ahead(), 'g');
	for (uint16_t length = 0; length < 16; length += 6) {   /* lengths that make no sense */
		begin(2);
		rs.samples = 1;
		put_mapping(1, 1, 48, 'x');
		put_mapping(1, 2, 48, 'y');
		memcpy(data + SIZE + 6, &length, 2);
		CHECK_U64(next_ahead(), '.');
	}
}

static void
full_rings_are_held_back_too(void)
{
	char out[256];

	begin(1);
	for (int i = 0; i < 64; i++)
		put(0, 100 + (unsigned)i, 48, 'a');
	marks(out, 10);
	CHECK_U64(strlen(out), 0);
	CHECK_U64(rs.fullest, 100 * 64 * 48 / SIZE);
	marks(out, 120);
	CHECK_U64(strlen(out), 21);
	marks(out, 1000);
	CHECK_U64(strlen(out), 43);
}

static void
wrapped(void)
{
	char out[256];

	begin(1);
	for (unsigned i = 0; i < 500; i++) {
		put(0, i, (uint16_t)(48 + i % 90 * 8), (uint8_t)('A' + i % 26));
		put(0, i, (uint16_t)(200 + i % 7 * 8), (uint8_t)('a' + i % 26));
		CHECK_U64(marks(out, 1000), 2);
		CHECK_U64(out[0], 'A' + i % 26);
		CHECK_U64(out[1], 'a' + i % 26);
	}
}

static void
read_only_what_was_there(void)
{
	struct cursor c;

	begin(1);
	put(0, 1, 48, 'a');
	rings_start(&rs, 1000);
	put(0, 2, 48, 'b');
	CHECK(rings_next(&rs, &c));
	CHECK(!rings_next(&rs, &c));
	CHECK_U64(page[0].data_tail, 48);
	rings_start(&rs, 1000);
	CHECK(rings_next(&rs, &c));
	CHECK_U64(c.pos[8], 'b');
}

/* The reader must not give a record's room back before somebody has read it. */
static void
tail_follows_reading(void)
{
	struct cursor c;
	unsigned n = 0;

	begin(1);
	while (page[0].data_head + 64 <= SIZE)
		put(0, n++, 64, 'a');
	rings_start(&rs, 1000);
	for (unsigned i = 0; i < n; i++) {
		CHECK(rings_next(&rs, &c));
		CHECK(page[0].data_tail <= i * 64);
		CHECK(page[0].data_tail + SIZE / TELL + 64 >= i * 64);
	}
	CHECK(!rings_next(&rs, &c));
	CHECK_U64(page[0].data_tail, page[0].data_head);
}

/* While a reader is busy with one record, prof keeps the later ones aside; that record stays as it is, and none is missing. */
static void
relieved(void)
{
	static const uint16_t sizes[] = { 64, 200, 1000 };
	struct cursor c;

	for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		uint16_t size = sizes[k];
		uint64_t put_in = 0, got = 0;

		begin(2);
		rs.relieves = true;
		put(0, put_in++, size, 'a');
		rings_start(&rs, UINT64_MAX - 1);
		CHECK(rings_next(&rs, &c));
		for (got++; put_in < 500; put_in++) {   /* a ring of 4 KiB never runs over */
			CHECK(page[0].data_head + size - page[0].data_tail <= SIZE);
			put(0, put_in, size, (uint8_t)('a' + put_in % 26));
			rings_relieve(&rs);
			CHECK_U64(c.pos[8], 'a');
		}
		CHECK(rs.ring[0].kept && page[0].data_tail > (uint64_t)size * 400);
		CHECK(!rings_next(&rs, &c));
		for (rings_start(&rs, UINT64_MAX - 1); rings_next(&rs, &c); got++) {
			CHECK_U64(cur_left(&c), size);
			CHECK_U64(c.pos[8], 'a' + got % 26);
			CHECK_U64(c.pos[size - 25], 'a' + got % 26);
		}
		CHECK_U64(got, put_in);
		CHECK_U64(rs.broken, 0);
		CHECK(!rs.ring[0].kept && page[0].data_tail == page[0].data_head);
		munmap(rs.ring[0].aside, (size_t)rs.ring[0].aside_size);
	}
}

/* A kernel of 32 bits counts to 4 GiB, and then begins anew. */
static void
counted_anew(void)
{
	const uint64_t near = (UINT64_C(1) << 32) - 96;
	struct cursor c;
	unsigned got = 0;

	begin(1);
	rs.relieves = true;
	rs.ring[0].tail = rs.ring[0].told = page[0].data_head = near;
	for (unsigned i = 0; i < 100; i++) {
		put(0, i, 48, (uint8_t)('a' + i % 26));
		page[0].data_head &= UINT32_MAX;
		if (i == 0) {
			rings_start(&rs, 1000);
			CHECK(rings_next(&rs, &c));
		}
		rings_relieve(&rs);
	}
	CHECK(rs.ring[0].kept > near);
	CHECK(!rings_next(&rs, &c));
	for (rings_start(&rs, 1000); rings_next(&rs, &c); got++)
		CHECK_U64(c.pos[8], 'a' + (got + 1) % 26);
	CHECK_U64(got, 99);
	CHECK(rs.fullest < 100);
	CHECK_U64(rs.broken, 0);
	CHECK(!rs.ring[0].kept);
	CHECK_U64((uint32_t)page[0].data_tail, page[0].data_head);
	munmap(rs.ring[0].aside, (size_t)rs.ring[0].aside_size);
}

static void
bad_lengths(void)
{
	static const uint16_t bad[] = { 0, 1, 7, 12, 44, 4096, 65528 };
	char out[256];

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .size = bad[i] };
		uint64_t fill[9] = { 0 };

		begin(2);
		put(0, 5, 48, 'a');
		memcpy(fill, &h, 8);
		put_bytes(0, fill, sizeof fill);
		put(1, 6, 48, 'b');
		marks(out, 1000);
		CHECK_STR(out, "ab");
		CHECK_U64(rs.broken, 1);
		put(0, 7, 48, 'c');
		marks(out, 1000);
		CHECK_STR(out, "c");
	}
	begin(1);
	put(0, 5, 8, 'a');   /* just a header: legal, and without a time */
	put(0, 6, 48, 'b');
	marks(out, 1000);
	CHECK_STR(out, ".b");
	CHECK_U64(rs.broken, 0);
	begin(1);
	page[0].data_head = 3 * SIZE;   /* more than it holds */
	marks(out, 1000);
	CHECK_STR(out, "");
	CHECK_U64(rs.broken, 1);
}

static void
time_of_samples(void)
{
	uint64_t bytes[8] = { 0, 0, 0, 0, 77, 0, 0, 0 };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .size = 64 };

	begin(1);
	memcpy(bytes, &h, 8);
	put_bytes(0, bytes, sizeof bytes);
	rings_start(&rs, 1000);
	CHECK_U64(rs.ring[0].time, 77);
}

/* A signal handler empties the ring while somebody looks at a record in it: the record stays the same. */
static void
saved_under_a_record(void)
{
	const size_t own = (size_t)sysconf(_SC_PAGESIZE), ring = 1 << 16;
	struct rings saved = { 0 };
	uint16_t size = 8000;
	uint64_t put_in = 0, got = 1;
	struct cursor c, first;
	int fd = memfd_create("ring", 0);
	struct perf_event_mmap_page *head;
	uint8_t *w;

	CHECK(fd >= 0 && !ftruncate(fd, (off_t)(own + ring)));
	w = mmap(NULL, own + ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	head = (void *)w;
	CHECK(w != MAP_FAILED && rings_add(&saved, fd, 0, ring));
	for (; put_in < 2500; put_in++) {
		uint8_t bytes[8000];
		struct perf_event_header h = { .type = PERF_RECORD_FORK, .size = size };

		memset(bytes, (int)('a' + put_in % 26), sizeof bytes);
		memcpy(bytes, &h, sizeof h);
		memcpy(bytes + size - 24, &put_in, 8);
		CHECK(head->data_head + size - head->data_tail <= ring);   /* it never runs over */
		for (size_t i = 0; i < size; i++)
			w[own + ((head->data_head + i) & (ring - 1))] = bytes[i];
		head->data_head += size;
		if (!put_in) {
			rings_start(&saved, UINT64_MAX - 1);
			CHECK(rings_next(&saved, &first) && saved.held == &saved.ring[0]);
		}
		CHECK(rings_save(&saved) == (head->data_head - size > ring));   /* more than the ring has room for */
		CHECK_U64(first.pos[8], 'a');
		CHECK_U64(first.pos[size - 25], 'a');
	}
	CHECK(saved.copy && !saved.held);
	CHECK(!rings_next(&saved, &c) && !saved.copy);
	for (rings_start(&saved, UINT64_MAX - 1); rings_next(&saved, &c); got++) {
		CHECK_U64(c.pos[8], 'a' + got % 26);
		CHECK_U64(c.pos[size - 25], 'a' + got % 26);
	}
	CHECK_U64(got, put_in);
	CHECK_U64(saved.broken, 0);
	rings_close(&saved);
	munmap(w, own + ring);
}

int
main(void)
{
	RUN("ring", order_across_rings);
	RUN("ring", symbols_too_long);
	RUN("ring", held_back);
	RUN("ring", losses_are_known_early);
	RUN("ring", full_rings_may_have_lost);
	RUN("ring", how_full_rings_of_samples_are);
	RUN("ring", mappings_ahead);
	RUN("ring", full_rings_are_held_back_too);
	RUN("ring", wrapped);
	RUN("ring", read_only_what_was_there);
	RUN("ring", tail_follows_reading);
	RUN("ring", relieved);
	RUN("ring", saved_under_a_record);
	RUN("ring", counted_anew);
	RUN("ring", bad_lengths);
	RUN("ring", time_of_samples);
	vec_free(&rs.ring, &rs.cap, sizeof *rs.ring);
	free(data);
	return TEST_STATUS;
}
