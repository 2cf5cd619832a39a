#include "sym/module/ehframe.c"
#include "elfwrite.h"
#include "test.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

static const char cie_insns[] = "\x0c\x07\x08\x90\x01", fde_insns[] = "\x41\x0e\x10";
static struct modules ms;

enum { TEXT = 0x401000, HDR = 0x402000, EH = 0x403000 };

static struct elfwrite
new_file(bool is64, bool big)
{
	struct elfwrite w = elfwrite_new(is64, big);

	w.base = 0x400000;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, 0x1000);
	return w;
}

/* The file W as a module (an image, whose bytes it copies). */
static struct module *
module_of(struct elfwrite *w)
{
	struct bytes f = elfwrite_finish(w);
	struct module *m = module_image(&ms, "[test]", f.p, f.n);

	CHECK(m && !m->bad);
	bytes_free(&f);
	return m;
}

static void
begin(void)
{
	modules_free(&ms);
	CHECK(modules_init(&ms));
}

static bool
covers(struct module *m, uint64_t vaddr, uint64_t lo, uint64_t hi)
{
	struct fde f;

	return ehframe_find(&ms, m, vaddr, &f) && f.lo == lo && f.hi == hi;
}

/* Three functions: [TEXT, +0x20), [+0x20, +0x30), a gap, [+0x100, +0x180). */
static void
three(struct ehwrite *e, size_t cie)
{
	ehwrite_fde(e, cie, TEXT + 0x100, 0x80, fde_insns, 3);
	ehwrite_fde(e, cie, TEXT, 0x20, fde_insns, 3);
	ehwrite_fde(e, cie, TEXT + 0x20, 0x10, fde_insns, 3);
}

static void
check_three(struct module *m)
{
	struct fde f;

	CHECK(ehframe_any(&ms, m));
	CHECK(covers(m, TEXT, TEXT, TEXT + 0x20) && covers(m, TEXT + 0x1f, TEXT, TEXT + 0x20));
	CHECK(covers(m, TEXT + 0x20, TEXT + 0x20, TEXT + 0x30) && covers(m, TEXT + 0x2f, TEXT + 0x20, TEXT + 0x30));
	CHECK(covers(m, TEXT + 0x100, TEXT + 0x100, TEXT + 0x180) && covers(m, TEXT + 0x17f, TEXT + 0x100, TEXT + 0x180));
	CHECK(!ehframe_find(&ms, m, TEXT - 1, &f) && !ehframe_find(&ms, m, TEXT + 0x30, &f));
	CHECK(!ehframe_find(&ms, m, TEXT + 0xff, &f) && !ehframe_find(&ms, m, TEXT + 0x180, &f));
	CHECK(!ehframe_find(&ms, m, 0, &f) && !ehframe_find(&ms, m, UINT64_MAX, &f));
}

/* By table, by index from the section, and by index without sections; every class, order, and encoding. */
static void
found_however_it_is_written(void)
{
	static const uint8_t encodings[] = { 0x1b, 0x00, 0x03, 0x0b, 0x1c, 0x04, 0x10, 0x01 };

	for (unsigned i = 0; i < 4 * 3 * sizeof encodings; i++) {
		unsigned how = i / 4 % 3;
		struct elfwrite w = new_file(i & 1, i & 2);
		struct ehwrite e = ehwrite_new(&w, EH);
		struct module *m;

		begin();
		e.encoding = encodings[i / 12];
		three(&e, ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5));
		ehwrite_finish(&e, &w, how == 1 ? 0 : HDR);
		if (how == 2) {
			w.no_sections = true;
			w.out.p[HDR - w.base + 3] = 0xff;   /* no table */
		}
		m = module_of(&w);
		check_three(m);
		CHECK((m->ehframe->eh.table != NULL) == (how == 0));
	}
}

static void
what_a_cie_says(void)
{
	struct elfwrite w = new_file(true, false);
	struct ehwrite e = ehwrite_new(&w, EH);
	struct module *m;
	struct fde f;
	size_t plain, all;

	begin();
	plain = ehwrite_cie(&e, "", 4, -4, 30, "\x0c\x1f\x00", 3);
	ehwrite_fde(&e, plain, TEXT, 0x20, "\x41\x42\x43\x44", 4);
	all = ehwrite_cie(&e, "zPLRSB", 1, -8, 16, cie_insns, 5);
	ehwrite_fde(&e, all, TEXT + 0x40, 0x20, fde_insns, 3);
	ehwrite_finish(&e, &w, HDR);
	m = module_of(&w);
	CHECK(ehframe_find(&ms, m, TEXT, &f));
	CHECK(f.code_align == 4 && f.data_align == -4 && f.ra == 30 && !f.signal && !f.b_key && f.pointer_encoding == 0);
	CHECK(f.address_size == 8 && cur_left(&f.cie_insns) >= 3 && !memcmp(f.cie_insns.pos, "\x0c\x1f", 3));
	CHECK(cur_left(&f.insns) == 4 && !memcmp(f.insns.pos, "\x41\x42\x43\x44", 4));
	CHECK_U64(f.insns_vaddr, EH + (uint64_t)(f.insns.pos - (m->elf.bytes.pos + (EH - 0x400000))));
	CHECK(ehframe_find(&ms, m, TEXT + 0x40, &f));
	CHECK(f.code_align == 1 && f.data_align == -8 && f.ra == 16 && f.signal && f.b_key && f.pointer_encoding == 0x1b);
	CHECK(!memcmp(f.cie_insns.pos, cie_insns, 5) && !memcmp(f.insns.pos, fde_insns, 3));
	CHECK(!f.insns.bad && !f.cie_insns.bad);
}

static void
debug_frame_of_every_version(void)
{
	for (unsigned i = 0; i < 12; i++) {
		struct elfwrite w = new_file(i & 1, false);
		struct ehwrite d = ehwrite_new(&w, 0);
		struct fde f;
		struct module *m;

		begin();
		d.debug = true;
		d.dwarf64 = i & 2;
		d.version = (uint8_t[]){ 1, 3, 4 }[i / 4];
		bytes_room(&d.out, 0);
		three(&d, ehwrite_cie(&d, "", 1, -8, d.version == 1 ? 44 : 300, cie_insns, 5));
		ehwrite_finish(&d, &w, 0);
		m = module_of(&w);
		check_three(m);
		CHECK(ehframe_find(&ms, m, TEXT, &f) && f.ra == (d.version == 1 ? 44 : 300));
	}
}

static void
eh_frame_answers_before_debug_frame(void)
{
	struct elfwrite w = new_file(true, false);
	struct ehwrite e = ehwrite_new(&w, EH), d = ehwrite_new(&w, 0);
	struct module *m;
	uint64_t lo, hi;

	begin();
	ehwrite_fde(&e, ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5), TEXT, 0x20, fde_insns, 3);
	ehwrite_finish(&e, &w, HDR);
	d.debug = true;
	bytes_uint(&d.out, 0, 4);   /* a terminator at the start: more follows */
	d.out.n = 4;
	three(&d, ehwrite_cie(&d, "", 1, -8, 16, cie_insns, 5));
	ehwrite_fde(&d, 4, TEXT + 0x200, 0x10, fde_insns, 3);
	ehwrite_fde(&d, 4, TEXT, 0x300, fde_insns, 3);
	ehwrite_finish(&d, &w, 0);
	m = module_of(&w);
	CHECK(covers(m, TEXT, TEXT, TEXT + 0x20));
	CHECK(!m->ehframe->debug.indexed);   /* not looked at until it is needed */
	CHECK(covers(m, TEXT + 0x20, TEXT + 0x20, TEXT + 0x30));
	CHECK(ehframe_start(&ms, m, TEXT + 0x20f, &lo, &hi) && lo == TEXT + 0x200 && hi == TEXT + 0x210);
	CHECK(!ehframe_start(&ms, m, TEXT + 0x210, &lo, &hi));
}

static void
long_lengths(void)
{
	struct elfwrite w = new_file(true, true);
	struct ehwrite e = ehwrite_new(&w, EH);

	begin();
	e.dwarf64 = true;
	three(&e, ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5));
	ehwrite_finish(&e, &w, HDR);
	check_three(module_of(&w));
}

static void
an_empty_table_counts_as_none(void)
{
	struct elfwrite w = new_file(true, false);
	struct ehwrite e = ehwrite_new(&w, EH);
	struct module *m;

	begin();
	three(&e, ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5));
	ehwrite_finish(&e, &w, HDR);
	bytes_set(&w.out, HDR - w.base + 8, 0, 4);
	m = module_of(&w);
	check_three(m);
	CHECK(!m->ehframe->eh.table);
}

static void
nothing_at_all(void)
{
	struct elfwrite w = new_file(true, false);
	struct module *m;
	struct fde f;

	begin();
	m = module_of(&w);
	CHECK(!ehframe_any(&ms, m) && !ehframe_find(&ms, m, TEXT, &f));
	m = module_lost(&ms, "/x", "gone");
	CHECK(!ehframe_any(&ms, m) && !ehframe_find(&ms, m, TEXT, &f) && !m->ehframe);
	CHECK(!ehframe_any(&ms, ms.kernel) && !ehframe_any(&ms, ms.mark));
}

/* Each byte of the table, the CIE and the FDEs is wrong once: there may be no answer, but never one that does not cover the
 * address, and ASan complains of nothing. */
static void
lies_cost_an_answer(void)
{
	static const uint8_t lie[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned answers = 0, none = 0;

	for (unsigned how = 0; how < 2; how++) {
		struct elfwrite w = new_file(true, false);
		struct ehwrite e = ehwrite_new(&w, EH);
		struct bytes f;
		size_t from = how ? EH - 0x400000 : HDR - 0x400000, n;

		three(&e, ehwrite_cie(&e, "zPLR", 1, -8, 16, cie_insns, 5));
		ehwrite_finish(&e, &w, how ? 0 : HDR);
		f = elfwrite_finish(&w);
		n = how ? 0xa0 : 0x24;
		for (size_t i = 0; i < n * sizeof lie; i++) {
			uint8_t was = f.p[from + i / sizeof lie];
			struct module *m;

			begin();
			f.p[from + i / sizeof lie] = lie[i % sizeof lie];
			m = module_image(&ms, "[test]", f.p, f.n);
			for (uint64_t a = TEXT - 8; a < TEXT + 0x190; a += 8) {
				struct fde fde;

				if (ehframe_find(&ms, m, a, &fde)) {
					CHECK(fde.lo <= a && a < fde.hi);
					answers++;
				} else
					none++;
			}
			f.p[from + i / sizeof lie] = was;
		}
		bytes_free(&f);
	}
	CHECK(answers > 10000 && none > 10000);
}

static void
a_large_index_fits_its_bounds(void)
{
	struct elfwrite w = new_file(true, false);
	struct ehwrite e = ehwrite_new(&w, EH);
	struct module *m;
	unsigned wrong = 0;
	size_t cie;

	begin();
	cie = ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5);
	for (uint64_t i = 0; i < 5000; i++)   /* shuffled */
		ehwrite_fde(&e, cie, TEXT + i * 1237 % 5000 * 16, 16, fde_insns, 3);
	ehwrite_finish(&e, &w, 0);
	m = module_of(&w);
	for (uint64_t i = 0; i < 5000; i++)
		wrong += !covers(m, TEXT + i * 16 + 15, TEXT + i * 16, TEXT + i * 16 + 16);
	CHECK_U64(wrong, 0);
	CHECK_U64(m->ehframe->eh.rows, 5000);
}

static void
at_the_memory_cap_there_is_none(void)
{
	struct elfwrite w = new_file(true, false);
	struct ehwrite e = ehwrite_new(&w, EH);
	struct module *m;
	struct fde f;
	size_t cie;

	begin();
	cie = ehwrite_cie(&e, "zR", 1, -8, 16, cie_insns, 5);
	for (uint64_t i = 0; i < 5000; i++)
		ehwrite_fde(&e, cie, TEXT + i * 16, 16, fde_insns, 3);
	ehwrite_finish(&e, &w, 0);
	m = module_of(&w);
	mem_cap(mem_used());
	CHECK(!ehframe_find(&ms, m, TEXT, &f) && !ehframe_any(&ms, m));
	mem_cap(SIZE_MAX);
}

/* The descriptions of this very program against the ones its unwinder uses: every function's is there. */
static void
this_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct module *m;
	unsigned found = 0, wrong = 0;
	struct fde f;

	begin();
	m = module_file(&ms, fd, "self");
	close(fd);
	CHECK(m && !m->bad && m->ehframe == NULL && ehframe_any(&ms, m));
	CHECK(m->ehframe->eh.table && m->ehframe->eh.rows > 20);
	for (uint32_t i = 0; i < m->ehframe->eh.rows; i++) {
		uint64_t lo = row_lo(&m->ehframe->eh, i);

		found += ehframe_find(&ms, m, lo, &f);
		wrong += f.lo != lo || !ehframe_find(&ms, m, f.hi - 1, &f) || f.lo != lo;
	}
	CHECK_U64(found, m->ehframe->eh.rows);
	CHECK_U64(wrong, 0);
	/* The index says the same as the table. */
	m->ehframe->eh.table = NULL;
	m->ehframe->eh.rows = 0;
	CHECK(ehframe_any(&ms, m) && m->ehframe->eh.row);
	CHECK_U64(m->ehframe->eh.rows, found);
}

/* The compiler's own unwinder, as it throws exceptions. */
struct dwarf_eh_bases { void *tbase, *dbase, *func; };
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *);

static uint64_t libc_bias;
static char libc_path[512];

static int
is_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "/libc.so"))
		return 0;
	libc_bias = info->dlpi_addr;
	snprintf(libc_path, sizeof libc_path, "%s", info->dlpi_name);
	return 1;
}

/* At the first, middle and last byte of each function of the C library, and at the byte after it, both find the same. */
static void
agrees_with_the_compiler(void)
{
	unsigned differ = 0, asked = 0, none = 0;
	struct module *m;
	struct part *p;
	int fd;

	begin();
	CHECK(dl_iterate_phdr(is_libc, NULL));
	fd = open(libc_path, O_RDONLY);
	m = module_file(&ms, fd, libc_path);
	close(fd);
	CHECK(m && !m->bad && ehframe_any(&ms, m));
	p = &m->ehframe->eh;
	for (uint32_t i = 0; i < p->rows; i++) {
		struct fde f = { 0 }, g;
		uint64_t lo = row_lo(p, i);

		CHECK(read_fde(p, row_fde(p, i), &f) && f.lo == lo);
		for (unsigned k = 0; k < 4; k++) {
			uint64_t at = (uint64_t[]){ f.lo, f.lo + (f.hi - f.lo) / 2, f.hi - 1, f.hi }[k];
			struct dwarf_eh_bases bases = { 0 };
			bool theirs = _Unwind_Find_FDE((void *)(uintptr_t)(libc_bias + at), &bases),
			     ours = ehframe_find(&ms, m, at, &g);

			differ += ours != theirs || (ours && (uint64_t)(uintptr_t)bases.func - libc_bias != g.lo);
			none += !ours;
			asked++;
		}
	}
	CHECK_U64(differ, 0);
	CHECK(asked > 4000 && none > 100);
}

static volatile bool changing;

static void *
change(void *byte)
{
	for (volatile uint8_t *b = byte; changing;)
		*b ^= 0x7f;
	return NULL;
}

/* prof uses the value that it has checked: if another process changes a length, prof still does not read beyond the description. */
static void
a_file_that_changes(void)
{
	static uint8_t bytes[64] = { [0] = 20 };   /* of the description: 20 + 4 bytes, its CIE at 0 by what it says */
	struct part p = { .bytes = cur_of(bytes, sizeof bytes, false), .mask = UINT64_MAX };
	struct fde f = { 0 };
	pthread_t t;

	bytes[4] = 4;
	bytes[12] = 1;
	*cie_slot(&p, 0) = (struct cie){ .at = 1, .sized = true, .like.pointer_encoding = PE_PCREL | PE_SDATA4 };
	changing = true;
	CHECK(!pthread_create(&t, NULL, change, bytes + 16));
	for (unsigned i = 0; i < 3000000; i++)
		if (read_usual(&p, 0, &f) && (f.insns.pos > bytes + 24 || f.insns.end != bytes + 24))
			break;
	CHECK(f.insns.pos <= bytes + 24 && f.insns.end == bytes + 24);
	changing = false;
	pthread_join(t, NULL);
}

int
main(void)
{
	RUN("ehframe", a_file_that_changes);
	RUN("ehframe", found_however_it_is_written);
	RUN("ehframe", what_a_cie_says);
	RUN("ehframe", debug_frame_of_every_version);
	RUN("ehframe", eh_frame_answers_before_debug_frame);
	RUN("ehframe", long_lengths);
	RUN("ehframe", an_empty_table_counts_as_none);
	RUN("ehframe", nothing_at_all);
	RUN("ehframe", lies_cost_an_answer);
	RUN("ehframe", a_large_index_fits_its_bounds);
	RUN("ehframe", at_the_memory_cap_there_is_none);
	RUN("ehframe", this_program);
	RUN("ehframe", agrees_with_the_compiler);
	modules_free(&ms);
	return TEST_STATUS;
}
