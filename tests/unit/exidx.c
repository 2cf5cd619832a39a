#include "unwind/cfi/exidx_row.c"

#include "elfwrite.h"
#include "sym/elf/exidx.h"
#include "test.h"

enum { TEXT = 0x1000, EXTAB = 0x3000, EXIDX = 0x4000, SIZE = 0x100 };

static struct bytes file;
static struct elf elf;
static struct arena arena;
static struct row row;
static bool found;

static uint32_t
prel(uint64_t to, uint64_t place)
{
	return (uint32_t)(to - place) & 0x7fffffff;
}

/* A file of functions of SIZE bytes from TEXT on: WORD[i] is the second word of its entry, or 0: it lies in .ARM.extab, where
 * MORE is. */
static void
build(const uint32_t *word, unsigned n, const uint32_t *more, unsigned nmore, bool big)
{
	struct elfwrite w = elfwrite_new(false, big);
	struct bytes table = { .big = big }, entries = { .big = big };
	static const uint8_t text[16 * SIZE];

	w.machine = EM_ARM;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof text);
	for (unsigned i = 0; i < nmore; i++)
		bytes_uint(&entries, more[i], 4);
	elfwrite_section(&w, ".ARM.extab", SHT_PROGBITS, SHF_ALLOC, EXTAB, entries.p, entries.n);
	for (unsigned i = 0; i < n; i++) {
		bytes_uint(&table, prel(TEXT + i * SIZE + (i & 1), EXIDX + i * 8), 4);   /* with Thumb's bit, now and then */
		bytes_uint(&table, word[i] ? word[i] : prel(EXTAB, EXIDX + i * 8 + 4), 4);
	}
	elfwrite_section(&w, ".ARM.exidx", 0x70000001, SHF_ALLOC, EXIDX, table.p, table.n);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_X, 0, 0, EXIDX + table.n, EXIDX + table.n);
	elfwrite_segment(&w, 0x70000001, PF_R, EXIDX, EXIDX, table.n, table.n);
	file = elfwrite_finish(&w);
	CHECK(!elf_open(&elf, cur_of(file.p, file.n, false), false, &arena));
	bytes_free(&table);
	bytes_free(&entries);
}

static void
drop(void)
{
	bytes_free(&file);
	arena_free(&arena);
}

static const char *
ask(uint64_t vaddr)
{
	return exidx_row(&elf, vaddr, &row, &found);
}

/* The row as words. */
static const char *
said(const char *why)
{
	static char s[256];
	int n = snprintf(s, sizeof s, "r%u%+d", row.cfa_reg, (int)row.cfa_off);

	if (why || !found)
		return why ? why : "none";
	for (unsigned r = 0; r < 16; r++)
		if (row.set >> r & 1)
			n += snprintf(s + n, sizeof s - (size_t)n, " r%u@%d", r, row.reg[r].off);
	return s;
}

/* Instructions, as many as fit into an entry of the general form. */
static void
instructions(void)
{
	static const struct { const char *bytes; unsigned n; const char *says; } of[] = {
		{ "\xb0", 1, "r13+0" },
		{ "\x00", 1, "r13+4" },
		{ "\x3f", 1, "r13+256" },
		{ "\x01\x40", 2, "r13+4" },
		{ "\xa8", 1, "r13+8 r4@-8 r14@-4" },
		{ "\xa3", 1, "r13+16 r4@-16 r5@-12 r6@-8 r7@-4" },
		{ "\xaf", 1, "r13+36 r4@-36 r5@-32 r6@-28 r7@-24 r8@-20 r9@-16 r10@-12 r11@-8 r14@-4" },
		{ "\x84\x08", 2, "r13+8 r7@-8 r14@-4" },
		{ "\x97\x84\x08", 3, "r7+8 r7@-8 r14@-4" },
		{ "\x9b\x40\x84\x80", 4, "r11+4 r11@-8 r14@-4" },
		{ "\xb2\x00", 2, "r13+516" },
		{ "\xb2\x81\x01", 3, "r13+1032" },
		{ "\xb3\x80", 2, "r13+12" },                        /* FSTMFDX d8 */
		{ "\xb9", 1, "r13+20" },                            /* FSTMFDX d8, d9 */
		{ "\xc9\x83", 2, "r13+32" },                        /* d8 to d11 */
		{ "\xc8\x01", 2, "r13+16" },                        /* d16, d17 */
		{ "\xd7", 1, "r13+64" },                            /* d8 to d15 */
		{ "\xc2", 1, "r13+24" },                            /* wR10 to wR12 */
		{ "\xc6\x12", 2, "r13+24" },
		{ "\xc7\x05", 2, "r13+8" },                         /* wCGR0, wCGR2 */
		{ "\xb4", 1, "r13+4" },
		{ "\xb5", 1, "r13+0" },
		{ "\xd0\x02\xa8", 3, "r13+28 r4@-8 r14@-4" },
		{ "\x80\x00", 2, "frame description that forbids unwinding" },
		{ "\x9d", 1, "frame description with a reserved instruction" },
		{ "\x9f", 1, "frame description with a reserved instruction" },
		{ "\xb1\x00", 2, "frame description with a reserved instruction" },
		{ "\xb1\x10", 2, "frame description with a reserved instruction" },
		{ "\xb6", 1, "frame description with a reserved instruction" },
		{ "\xc7\x00", 2, "frame description with a reserved instruction" },
		{ "\xca", 1, "frame description with a reserved instruction" },
		{ "\xd8", 1, "frame description with a reserved instruction" },
		{ "\xe0", 1, "frame description with a reserved instruction" },
		{ "\xff", 1, "frame description with a reserved instruction" },
		{ "\xa8\x97", 2, "unwind instructions that set the frame twice" },
		{ "\xb2\xff\xff\xff\xff\xff\x01", 7, "frame description with a frame too large" },
		{ "\xb1\x08\x84\x00\xb0\xa8", 6, "r13+8 r3@-8 r14@-4" },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		char name[40];
		uint32_t more[4] = { 0x81020000, 0xb0b0b0b0, 0xb0b0b0b0 }, word = 0;


		for (unsigned b = 0; b < of[i].n; b++) {
			unsigned at = b + 2, shift = 24 - 8 * (at % 4);

			more[at / 4] &= ~(0xffu << shift);
			more[at / 4] |= (uint32_t)(uint8_t)of[i].bytes[b] << shift;
		}
		for (unsigned b = of[i].n; b < 2; b++)
			more[0] |= 0xb0u << (8 - 8 * b);
		build(&word, 1, more, 3, i & 1);
		snprintf(name, sizeof name, "exidx/instruction %u", i);
		test_name_ = name;
		CHECK_STR(said(ask(TEXT + 2)), of[i].says);
		CHECK(row.truth == ROW_LATE && !row.signal);
		drop();
	}
	test_name_ = "exidx/instructions";
}

static void
forms_of_entries(void)
{
	/* short, none said, in .ARM.extab; then an unknown personality's short form, and one from nowhere */
	static const uint32_t words[] = { 0x80a8b0b0, 1, 0, 0x81000000, 0x7f000000 };
	static const uint32_t generic[] = { 0x00000100, 0x01b1088f, 0xffb0b0b0 };        /* pop r3; pop r4 to r15 */
	static const uint32_t su16[] = { 0x80a9b0b0 }, lu32[] = { 0x820197a8, 0xb0b0b0b0 }, bad[] = { 0x83000000 };
	static const uint32_t long_one[] = { 0x81ff0000 };

	build(words, 5, generic, 3, false);
	CHECK_STR(said(ask(TEXT)), "r13+8 r4@-8 r14@-4");
	CHECK_STR(said(ask(TEXT + SIZE - 2)), "r13+8 r4@-8 r14@-4");
	CHECK_STR(said(ask(TEXT + SIZE)), "none");
	CHECK_STR(said(ask(TEXT + 2 * SIZE)), "r13+52 r3@-52 r4@-48 r5@-44 r6@-40 r7@-36 r8@-32 r9@-28 r10@-24 r11@-20 r12@-16 r13@-12 "
	          "r14@-8 r15@-4");
	CHECK(row.signal && row.ra == 15);
	CHECK_STR(said(ask(TEXT + 3 * SIZE)), "none");
	CHECK_STR(said(ask(TEXT + 4 * SIZE)), "none");
	CHECK_STR(said(ask(TEXT - 4)), "none");
	CHECK_STR(said(ask(0xffffffff)), "none");
	drop();
	build(words, 3, su16, 1, true);
	CHECK_STR(said(ask(TEXT + 2 * SIZE)), "r13+12 r4@-12 r5@-8 r14@-4");
	drop();
	build(words, 3, lu32, 2, false);
	CHECK_STR(said(ask(TEXT + 2 * SIZE)), "r7+8 r4@-8 r14@-4");
	drop();
	build(words, 3, bad, 1, false);
	CHECK_STR(said(ask(TEXT + 2 * SIZE)), "none");
	drop();
	build(words, 3, long_one, 1, false);   /* more words than the file's segment... has, or whatever lies there */
	ask(TEXT + 2 * SIZE);
	drop();
}

static void
the_row_before(void)
{
	uint32_t words[9];

	for (unsigned n = 1; n <= 9; n++) {
		for (unsigned i = 0; i < n; i++)
			words[i] = 0x8000b0b0 | i << 16;
		build(words, n, NULL, 0, false);
		for (unsigned i = 0; i < n; i++)
			for (unsigned at = 0; at < SIZE; at += SIZE / 4 - 2) {
				CHECK(!ask(TEXT + i * SIZE + at) && found);
				CHECK_U64((uint64_t)row.cfa_off, 4 * i + 4);
			}
		drop();
	}
}

/* As large as a frame can be said to be, eight times: beyond what a number holds. */
static void
frames_without_end(void)
{
	static const uint32_t words[] = { 0 }, far[] = { 0x810ab280, 0x808020b2, 0x80808020, 0xb2808080, 0x20b28080, 0x8020b280,
	                                                 0x808020b2, 0x80808020, 0xb2808080, 0x20a0b280, 0x808020b0 };

	build(words, 1, far, 11, false);
	CHECK_STR(said(ask(TEXT)), "r13-2147479516 r4@-268435976");
	drop();
}

static void
no_table(void)
{
	struct elf none = { .nload = 0 };

	CHECK(!exidx_row(&none, TEXT, &row, &found) && !found);
}

int
main(void)
{
	RUN("exidx", instructions);
	RUN("exidx", forms_of_entries);
	RUN("exidx", the_row_before);
	RUN("exidx", frames_without_end);
	RUN("exidx", no_table);
	return TEST_STATUS;
}
