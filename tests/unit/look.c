/* prof reads a process's memory once for all samples of a batch, but never uses it for a later sample. */
#include "test.h"
#include "sym/language/look.c"

static unsigned reads;
static uint64_t sp[2] = { 0x1000, 0x2000 };

/* Each word is its own address. */
static size_t
read_words(struct space *s, uint64_t addr, void *to, size_t n)
{
	(void)s;
	reads++;
	for (size_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = (uint8_t)(((addr + i) & ~UINT64_C(7)) >> (addr + i) % 8 * 8);
	return n;
}

static struct look look;
static struct space space = { .read = read_words }, other = { .read = read_words };

static struct moment
moment(struct space *s, uint64_t time)
{
	return (struct moment){ .space = s, .time = time, .sp = sp, .n = 1 };
}

static void
ask(struct space *s, uint64_t time)
{
	struct moment m = moment(s, time);
	uint64_t v;

	look_begin(&look, &m, 8);
	CHECK(look_word(&look, 0x10008, &v));
	CHECK_U64(v, 0x10008);
}

static void
samples_of_a_batch_share_what_is_read(void)
{
	uint64_t t = clock_now();
	bool shared = false;

	for (unsigned i = 0; i < 100 && !shared; i++) {   /* a busy machine may take longer than TOGETHER for it */
		reads = 0;
		ask(&space, t);
		ask(&space, t);
		shared = reads <= 1;
	}
	CHECK(shared);
}

static void
a_later_sample_and_another_process_read_anew(void)
{
	ask(&space, clock_now() - 1);
	reads = 0;
	ask(&space, clock_now() + 1000000000);
	CHECK_U64(reads, 1);
	ask(&other, 0);
	CHECK_U64(reads, 2);
}

static void
what_is_old_is_read_anew(void)
{
	ask(&space, 0);
	reads = 0;
	for (uint64_t end = clock_now() + TOGETHER; clock_now() < end;)
		;
	ask(&space, 0);
	CHECK_U64(reads, 1);
}

static void
two_copied_pages_are_joined(void)
{
	static uint8_t first[LOOK_PIECE], second[LOOK_PIECE];
	const struct piece copied[] = { { 0x50000, LOOK_PIECE, first }, { 0x4f000, LOOK_PIECE, second } };
	struct moment m = moment(&space, clock_now());
	const uint8_t *p;

	first[0] = 1;
	second[LOOK_PIECE - 1] = 2;
	m.rest = (struct pieces){ copied, 2 };
	look_begin(&look, &m, 8);
	reads = 0;
	CHECK((p = look_at(&look, 0x50000 - 8, 16)) && p[7] == 2 && p[8] == 1);
	CHECK(look_is_copied(&look, 0x50000 - 8, 16) && !look_is_copied(&look, 0x51000 - 8, 16));
	CHECK_U64(reads, 0);
	CHECK((p = look_at(&look, 0x51000 - 8, 16)) && look_u64(p + 8) == 0x51000);   /* half of it was not copied: all of it is read */
	CHECK_U64(reads, 1);
}

int
main(void)
{
	RUN("look", samples_of_a_batch_share_what_is_read);
	RUN("look", a_later_sample_and_another_process_read_anew);
	RUN("look", what_is_old_is_read_anew);
	RUN("look", two_copied_pages_are_joined);
	return TEST_STATUS;
}
