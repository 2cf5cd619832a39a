#include "sym/elf/elf.c"
#include "elfwrite.h"
#include "test.h"

static struct arena arena;

static struct bytes
sample(bool is64, bool big)
{
	struct elfwrite w = elfwrite_new(is64, big);

	w.machine = big ? EM_PPC : EM_ARM;
	w.base = 0x400000;
	w.entry = 0x401004;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x401000, "code", 4);
	elfwrite_section(&w, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 0x402000, "hdr!", 4);
	elfwrite_section(&w, ".bss", SHT_NOBITS, SHF_ALLOC, 0x403000, NULL, 64);
	elfwrite_symbol(&w, "main", 0x401000, 4, STT_FUNC, 1);
	elfwrite_dynamic_symbol(&w, "puts", 0, 0, STT_FUNC, 0);
	elfwrite_build_id(&w, "0123456789abcdefghij", 20);
	return elfwrite_finish(&w);
}

static void
check_sample(bool is64, bool big)
{
	struct bytes f = sample(is64, big);
	struct section s, t;
	struct cursor c;
	struct elf e;
	uint64_t v;

	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK(e.is64 == is64 && e.bytes.big == big && e.type == ET_DYN);
	CHECK_U64(e.machine, big ? EM_PPC : EM_ARM);
	CHECK_U64(e.entry, 0x401004);
	CHECK_U64(e.nload, 1);
	CHECK(e.load[0].vaddr == 0x400000 && e.load[0].exec && e.load[0].filesz > 0x3000);
	CHECK(e.ehframe_hdr == 0x402000 && e.ehframe_hdr_size == 4);
	CHECK(e.dynamic > 0x403000 && e.dynamic_size == (is64 ? 96 : 48));
	CHECK(e.build_id_len == 20 && !memcmp(e.build_id, "0123456789abcdefghij", 20));
	CHECK(elf_section_named(&e, ".text", &s));
	CHECK(s.addr == 0x401000 && s.size == 4 && s.off == 0x1000 && !memcmp(s.data.pos, "code", 4));
	CHECK_STR(s.name, ".text");
	CHECK(elf_section_named(&e, ".bss", &s) && s.size == 64 && !cur_left(&s.data));
	CHECK(elf_section_named(&e, ".symtab", &s) && s.entsize == (is64 ? 24 : 16));
	CHECK(elf_section(&e, s.link, &t));
	CHECK_STR(t.name, ".strtab");
	CHECK(!elf_section_named(&e, ".tex", &s) && !elf_section_named(&e, ".text0", &s));
	CHECK(!elf_section(&e, e.nsection, &s));
	c = elf_at(&e, 0x401001, 3);
	CHECK(cur_left(&c) == 3 && !memcmp(c.pos, "ode", 3) && c.big == big);
	c = elf_at(&e, 0x401000, 0x10000);
	CHECK(!cur_left(&c));
	c = elf_from(&e, 0x3fffff);
	CHECK(!cur_left(&c));
	CHECK(elf_vaddr(&e, 0x1002, &v) && v == 0x401002);
	CHECK(!elf_vaddr(&e, 0x100000, &v));
	bytes_free(&f);
}

static void
both_classes_and_byte_orders(void)
{
	for (int i = 0; i < 4; i++)
		check_sample(i & 1, i & 2);
}

static void
headers_at_their_limits(void)
{
	struct bytes f = sample(true, false);
	uint64_t shoff, shnum, strings;
	struct section s;
	struct elf e;

	memcpy(&shoff, f.p + 40, 8);
	shnum = f.p[60];
	strings = f.p[62];
	bytes_set(&f, shoff + 32, shnum, 8);      /* all counts in section header 0 */
	bytes_set(&f, shoff + 40, strings, 4);
	bytes_set(&f, shoff + 44, f.p[56], 4);
	bytes_set(&f, 60, 0, 2);
	bytes_set(&f, 62, SHN_XINDEX, 2);
	bytes_set(&f, 56, PN_XNUM, 2);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK_U64(e.nload, 1);
	CHECK_U64(e.nsection, shnum);
	CHECK(elf_section_named(&e, ".text", &s));
	bytes_set(&f, shoff + 32, UINT64_MAX, 8);   /* and lies there */
	bytes_set(&f, shoff + 44, UINT32_MAX, 4);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK_U64(e.nsection, shnum);               /* what fits into the file */
	CHECK(e.nload >= 1);
	bytes_set(&f, shoff + 40, UINT32_MAX, 4);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK(!elf_section_named(&e, ".text", &s) && elf_section(&e, 1, &s));
	CHECK_STR(s.name, "");
	bytes_free(&f);
}

static void
what_is_not_elf(void)
{
	struct bytes f = sample(true, false);
	struct elf e;

	CHECK_STR(elf_open(&e, cur_of("#!/bin/sh\n", 10, false), false, &arena), "is not an ELF file");
	CHECK_STR(elf_open(&e, cur_of(NULL, 0, false), false, &arena), "is not an ELF file");
	CHECK_STR(elf_open(&e, cur_of(f.p, 40, false), false, &arena), "ends within its ELF header");
	f.p[4] = 3;
	CHECK_STR(elf_open(&e, cur_of(f.p, f.n, false), false, &arena), "is ELF of an unknown class");
	f.p[4] = 2;
	f.p[5] = 0;
	CHECK_STR(elf_open(&e, cur_of(f.p, f.n, false), false, &arena), "is ELF of an unknown byte order");
	bytes_free(&f);
}

/* Every truncation opens or complains, and nothing reads past the end (ASan watches the exact copy). */
static void
truncated_anywhere(void)
{
	struct bytes f = sample(true, false);
	struct section s;
	struct elf e;

	for (size_t n = 0; n < f.n; n += n < 0x1100 || n > f.n - 0x400 ? 1 : 61) {
		uint8_t *copy = malloc(n + !n);

		memcpy(copy, f.p, n);
		if (!elf_open(&e, cur_of(copy, n, false), false, &arena)) {
			elf_section_named(&e, ".shstrtab", &s);
			for (uint32_t i = 0; i < e.nsection; i++)
				elf_section(&e, i, &s);
			elf_at(&e, 0x401000, 4);
		}
		free(copy);
		arena_free(&arena);
	}
	bytes_free(&f);
}

static void
an_image_lies_by_address(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes f;
	struct section s;
	struct cursor c;
	struct elf e;

	/* In the file the text would be at 0x800; in memory it is at its address. */
	elfwrite_segment(&w, PT_LOAD, PF_R, 0x10000, 0, 0x400, 0x400);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_X, 0x12000, 0x800, 0x10, 0x1000);
	elfwrite_section_at(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x12000, 0x2000, "code", 4);
	w.base = 0x10000;
	f = elfwrite_finish(&w);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), true, &arena));
	c = elf_at(&e, 0x12000, 4);
	CHECK(cur_left(&c) == 4 && !memcmp(c.pos, "code", 4));
	CHECK(!e.nsection && !elf_section_named(&e, ".text", &s));   /* they would tell file offsets */
	bytes_free(&f);
	f = sample(true, false);                                     /* in this one both are the same, as in a vdso */
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), true, &arena));
	CHECK(elf_section_named(&e, ".text", &s) && e.build_id_len == 20);
	c = elf_at(&e, 0x401000, 4);
	CHECK(cur_left(&c) == 4 && !memcmp(c.pos, "code", 4));
	bytes_free(&f);
}

static void
segments_sorted_and_executable_preferred(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes f;
	struct elf e;
	uint64_t v;

	/* One page of the file holds the end of one segment and the start of another; two hold the same bytes. */
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_W, 0x603234, 0x1234, 0x800, 0x900);
	elfwrite_segment(&w, PT_LOAD, PF_R | PF_X, 0x401000, 0x1000, 0x234, 0x234);
	elfwrite_segment(&w, PT_LOAD, PF_R, 0x700000, 0x1000, 0x234, 0x234);
	elfwrite_segment(&w, PT_LOAD, PF_R, UINT64_MAX - 15, 0x1000, 16, 64);   /* wraps: left out */
	elfwrite_segment(&w, PT_LOAD, PF_R, 0x300000, 0x1000, 0x200, 0x100);    /* more in the file than in memory */
	bytes_room(&w.out, 0x2000);
	f = elfwrite_finish(&w);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK_U64(e.nload, 4);
	for (uint32_t i = 1; i < e.nload; i++)
		CHECK(e.load[i - 1].vaddr < e.load[i].vaddr);
	CHECK_U64(e.load[0].filesz, 0x100);
	CHECK(elf_vaddr(&e, 0x1233, &v) && v == 0x401233);
	CHECK(elf_vaddr(&e, 0x1050, &v) && v == 0x401050);   /* not 0x300050 */
	CHECK(elf_vaddr(&e, 0x1234, &v) && v == 0x603234);
	CHECK(!elf_vaddr(&e, 0x1a34, &v) && !elf_vaddr(&e, 0xfff, &v));
	bytes_free(&f);
}

static void
build_id_among_other_notes(void)
{
	static const uint8_t notes[] = {
		4, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0, 'G', 'N', 'U', 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'l', 'o', 'n', 'g', 0, 0, 0, 0, 9, 0, 0, 0,
		4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 7, 8, 9, 0 };
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes f;
	struct elf e;

	elfwrite_section(&w, ".note", SHT_NOTE, SHF_ALLOC, 0x1000, notes, sizeof notes);
	elfwrite_segment(&w, PT_NOTE, PF_R, 0x1000, 0x1000, sizeof notes, sizeof notes);
	f = elfwrite_finish(&w);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK(e.build_id_len == 3 && e.build_id[0] == 7 && e.build_id[2] == 9);
	/* Of the first bytes alone, as far as these reach. */
	CHECK(elf_begins(&e, cur_of(f.p, 0x1000 + sizeof notes, false)) && e.build_id_len == 3 && e.build_id[2] == 9);
	CHECK(!elf_begins(&e, cur_of(f.p, 0x1000, false)) && !elf_begins(&e, cur_of(f.p, 10, false)));
	bytes_free(&f);
	w = elfwrite_new(false, true);   /* by section only */
	elfwrite_build_id(&w, "xy", 2);
	w.seg[0].type = PT_NULL;
	f = elfwrite_finish(&w);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK(e.build_id_len == 2 && e.build_id[1] == 'y');
	bytes_free(&f);
}

static void
memory_stays_bounded(void)
{
	struct bytes f = { 0 };
	struct elf e;

	f = sample(true, false);
	bytes_set(&f, 32, f.n, 8);   /* program headers without end */
	bytes_set(&f, 56, 65534, 2);
	for (unsigned i = 0; i < 65534; i++) {
		bytes_uint(&f, PT_LOAD, 4);
		bytes_uint(&f, PF_X, 4);
		for (unsigned k = 0; k < 6; k++)
			bytes_uint(&f, k == 1 ? 65534 - i : k, 8);
	}
	arena_free(&arena);
	CHECK(!elf_open(&e, cur_of(f.p, f.n, false), false, &arena));
	CHECK(mem_used() < 1 << 20 && e.nload == LOADS_MAX);
	mem_cap(mem_used() + 100);
	CHECK_STR(elf_open(&e, cur_of(f.p, f.n, false), false, &arena), "needs more memory than is allowed");
	mem_cap(SIZE_MAX);
	bytes_free(&f);
}

int
main(void)
{
	RUN("elf", both_classes_and_byte_orders);
	RUN("elf", headers_at_their_limits);
	RUN("elf", what_is_not_elf);
	RUN("elf", truncated_anywhere);
	RUN("elf", an_image_lies_by_address);
	RUN("elf", segments_sorted_and_executable_preferred);
	RUN("elf", build_id_among_other_notes);
	RUN("elf", memory_stays_bounded);
	arena_free(&arena);
	return TEST_STATUS;
}
