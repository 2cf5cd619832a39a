#include "sym/module/symtab.c"

#include <stdlib.h>
#include <unistd.h>

#include "elfwrite.h"
#include "lib/filemap.h"
#include "sym/jit/jit.h"
#include "test.h"

#define GLOBAL(type) (STB_GLOBAL << 4 | (type))
#define WEAK(type) (STB_WEAK << 4 | (type))

static struct modules ms;
static struct bytes file;

/* A module of what W holds; close_module gives it back. */
static struct module *
open_module(struct elfwrite *w)
{
	struct module *m;

	modules_init(&ms);
	file = elfwrite_finish(w);
	m = arena_alloc(&ms.arena, sizeof *m);
	m->kind = MODULE_FILE;
	m->bad = elf_open(&m->elf, cur_of(file.p, file.n, false), false, &ms.arena);
	CHECK(!m->bad);
	return m;
}

static void
close_module(void)
{
	modules_free(&ms);
	bytes_free(&file);
}

static const char *
name_at(struct module *m, uint64_t vaddr)
{
	struct symbol s;

	if (!symtab_find(&ms, m, vaddr, &s))
		return "-";
	CHECK(vaddr >= s.lo && vaddr < s.hi);
	return s.name;
}

/* 64-bit little-endian with .text at [0x1000, 0x2000), which is section 1, and .data at 0x3000, section 2. */
static struct elfwrite
with_text(bool is64, bool big)
{
	struct elfwrite w = elfwrite_new(is64, big);

	w.entry = 0;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	elfwrite_section(&w, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, NULL, 0x100);
	return w;
}

static void
sizes_of(bool is64, bool big)
{
	struct elfwrite w = with_text(is64, big);
	struct module *m;
	struct symbol s;

	elfwrite_symbol(&w, "b", 0x1100, 0x10, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "a", 0x1000, 0x80, STT_FUNC, 1);
	elfwrite_symbol(&w, "open", 0x1200, 0, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "next", 0x1300, 1, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "last", 0x1400, 0, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0xfff), "-");
	CHECK_STR(name_at(m, 0x1000), "a");
	CHECK_STR(name_at(m, 0x107f), "a");
	CHECK_STR(name_at(m, 0x1080), "-");
	CHECK_STR(name_at(m, 0x1100), "b");
	CHECK_STR(name_at(m, 0x1110), "-");
	CHECK_STR(name_at(m, 0x12ff), "open");
	CHECK_STR(name_at(m, 0x1300), "next");
	CHECK_STR(name_at(m, 0x1301), "-");
	CHECK_STR(name_at(m, 0x1fff), "last");
	CHECK_STR(name_at(m, 0x2000), "-");
	CHECK_STR(name_at(m, UINT64_MAX), "-");
	CHECK(symtab_find(&ms, m, 0x1205, &s));
	CHECK_U64(s.lo, 0x1200);
	CHECK_U64(s.hi, 0x1300);
	CHECK_STR(s.name, "open");
	close_module();
}

static void
sizes(void)
{
	sizes_of(true, false);
	sizes_of(true, true);
	sizes_of(false, false);
	sizes_of(false, true);
}

static void
what_counts(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;

	elfwrite_symbol(&w, "data_in_text", 0x1000, 8, GLOBAL(STT_OBJECT), 1);
	elfwrite_symbol(&w, "undefined", 0x1010, 8, GLOBAL(STT_FUNC), SHN_UNDEF);
	elfwrite_symbol(&w, "label", 0x1020, 0, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "chooser", 0x1030, 8, GLOBAL(STT_GNU_IFUNC), 1);
	elfwrite_symbol(&w, ".Llocal", 0x1040, 8, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "$x", 0x1050, 8, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "$d.7", 0x1060, 8, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "$dollar", 0x1070, 8, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "$d", 0x1080, 8, STT_FUNC, 1);
	elfwrite_symbol(&w, "elsewhere", 0x1090, 8, STT_NOTYPE, 2);
	elfwrite_symbol(&w, "", 0x10a0, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "absolute", 0x10b0, 8, GLOBAL(STT_FUNC), SHN_ABS);
	elfwrite_symbol(&w, "outside", 0x9000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "etext", 0x2000, 0, GLOBAL(STT_NOTYPE), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1004), "-");
	CHECK_STR(name_at(m, 0x1014), "-");
	CHECK_STR(name_at(m, 0x1024), "label");
	CHECK_STR(name_at(m, 0x1034), "chooser");
	CHECK_STR(name_at(m, 0x1044), "-");
	CHECK_STR(name_at(m, 0x1054), "-");
	CHECK_STR(name_at(m, 0x1064), "-");
	CHECK_STR(name_at(m, 0x1074), "$dollar");
	CHECK_STR(name_at(m, 0x1084), "$d");
	CHECK_STR(name_at(m, 0x1094), "-");
	CHECK_STR(name_at(m, 0x10a4), "-");
	CHECK_STR(name_at(m, 0x10b4), "absolute");
	CHECK_STR(name_at(m, 0x9000), "-");
	CHECK_STR(name_at(m, 0x2000), "-");
	close_module();
}

static void
riscv_marks(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;

	w.machine = EM_RISCV;
	elfwrite_symbol(&w, "$xrv64i2p1_m2p0", 0x1000, 8, STT_NOTYPE, 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "-");
	close_module();
}

static void
aliases(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;

	elfwrite_symbol(&w, "label", 0x1000, 0, GLOBAL(STT_NOTYPE), 1);
	elfwrite_symbol(&w, "local", 0x1000, 8, STT_FUNC, 1);
	elfwrite_symbol(&w, "weak", 0x1000, 8, WEAK(STT_FUNC), 1);
	elfwrite_symbol(&w, "__global", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "_globalled", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "_global", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "_globam", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "untyped", 0x1100, 8, GLOBAL(STT_NOTYPE), 1);
	elfwrite_symbol(&w, "___typed", 0x1100, 8, STT_FUNC, 1);
	elfwrite_symbol(&w, "short", 0x1200, 8, STT_FUNC, 1);   /* the best name, but not the longest reach */
	elfwrite_symbol(&w, "longer", 0x1200, 16, WEAK(STT_FUNC), 1);
	elfwrite_symbol(&w, "short_but_global", 0x1200, 8, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "_global");
	CHECK_STR(name_at(m, 0x1100), "___typed");
	CHECK_STR(name_at(m, 0x1207), "short_but_global");
	CHECK_STR(name_at(m, 0x1208), "longer");
	CHECK_STR(name_at(m, 0x1210), "-");
	close_module();
}

static void
versions(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;
	struct symbol s;

	elfwrite_symbol(&w, "both@@V_1.0", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_dynamic_symbol(&w, "both", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "old@V_0.9", 0x1010, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "@odd", 0x1020, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_dynamic_symbol(&w, "exported", 0x1030, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "alias", 0x1030, 8, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "both");
	CHECK_STR(name_at(m, 0x1010), "old");
	CHECK_STR(name_at(m, 0x1020), "@odd");
	CHECK_STR(name_at(m, 0x1030), "exported");
	CHECK(symtab_find(&ms, m, 0x1000, &s));
	CHECK((const uint8_t *)s.name >= file.p && (const uint8_t *)s.name < file.p + file.n);   /* not a copy */
	close_module();
}

static void
thumb(void)
{
	struct elfwrite w = with_text(false, false);
	struct module *m;

	w.machine = EM_ARM;
	w.entry = 0x1101;
	w.type = ET_EXEC;
	elfwrite_symbol(&w, "t", 0x1001, 0x10, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "a", 0x1010, 0x10, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "$t", 0x1002, 0, STT_NOTYPE, 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "t");
	CHECK_STR(name_at(m, 0x100f), "t");
	CHECK_STR(name_at(m, 0x1010), "a");
	CHECK_STR(name_at(m, 0x1100), "_start");
	close_module();
}

static void
nested(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;

	elfwrite_symbol(&w, "outer", 0x1000, 0x100, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "inner", 0x1040, 0x10, STT_FUNC, 1);
	elfwrite_symbol(&w, "label", 0x1080, 0, STT_NOTYPE, 1);
	elfwrite_symbol(&w, "over", 0x10f0, 0x20, STT_FUNC, 1);
	elfwrite_symbol(&w, "endless", 0x1200, UINT64_MAX, STT_FUNC, 1);
	elfwrite_symbol(&w, "within", 0x1300, 0x10, STT_FUNC, 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x103f), "outer");
	CHECK_STR(name_at(m, 0x1040), "inner");
	CHECK_STR(name_at(m, 0x1050), "outer");
	CHECK_STR(name_at(m, 0x1090), "outer");
	CHECK_STR(name_at(m, 0x10f0), "over");
	CHECK_STR(name_at(m, 0x110f), "over");
	CHECK_STR(name_at(m, 0x1110), "-");
	CHECK_STR(name_at(m, 0x1300), "within");
	close_module();
}

/* Against the plain reading: of the symbols that hold the address, one that begins last, and no label within a function. */
static void
random_overlaps(void)
{
	enum { N = 24, SPAN = 120 };
	unsigned lo[N], size[N];
	char name[16], want[16];

	srand(2);
	for (unsigned round = 0; round < 300; round++) {
		struct elfwrite w = with_text(true, false);
		unsigned n = 1 + (unsigned)rand() % N;
		struct module *m;

		for (unsigned i = 0; i < n; i++) {
			for (bool again = true; again;) {
				lo[i] = (unsigned)rand() % SPAN;
				again = false;
				for (unsigned k = 0; k < i; k++)
					again |= lo[k] == lo[i];
			}
			size[i] = 1 + (unsigned)rand() % (rand() % 2 ? 4 : 60);
			snprintf(name, sizeof name, "f%u", i);
			elfwrite_symbol(&w, name, 0x1000 + lo[i], size[i], STT_FUNC, 1);
		}
		m = open_module(&w);
		for (unsigned at = 0; at < SPAN + 70; at++) {
			unsigned best = N;

			for (unsigned i = 0; i < n; i++)
				if (at >= lo[i] && at < lo[i] + size[i] && (best == N || lo[i] > lo[best]))
					best = i;
			snprintf(want, sizeof want, best < N ? "f%u" : "-", best);
			CHECK_STR(name_at(m, 0x1000 + at), want);
		}
		close_module();
	}
}

static void
frame_descriptions(void)
{
	struct elfwrite w = with_text(true, false);
	struct ehwrite e = ehwrite_new(&w, 0x4000);
	size_t cie = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	struct module *m;
	struct symbol s;

	ehwrite_fde(&e, cie, 0x1000, 0x20, "", 0);
	ehwrite_fde(&e, cie, 0x1100, 0x20, "", 0);
	ehwrite_fde(&e, cie, 0x1200, 0x100, "", 0);
	ehwrite_finish(&e, &w, 0x3800);
	elfwrite_symbol(&w, "first", 0x1000, 0, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "label", 0x1210, 0, GLOBAL(STT_NOTYPE), 1);
	elfwrite_symbol(&w, "bare", 0x1400, 0, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x101f), "first");
	CHECK_STR(name_at(m, 0x1020), "-");     /* its description ends there */
	CHECK_STR(name_at(m, 0x1100), "-");     /* another function's */
	CHECK_STR(name_at(m, 0x1220), "label");
	CHECK_STR(name_at(m, 0x1300), "-");
	CHECK_STR(name_at(m, 0x1500), "bare");
	CHECK(symtab_find(&ms, m, 0x1000, &s));
	CHECK_U64(s.hi, 0x1020);
	close_module();
}

static void
entry_point(void)
{
	struct elfwrite w = with_text(true, false);
	struct ehwrite e = ehwrite_new(&w, 0x4000);
	size_t cie = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	struct module *m;

	w.type = ET_EXEC;
	w.entry = 0x1100;
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x10ff), "-");
	CHECK_STR(name_at(m, 0x1100), "_start");
	CHECK_STR(name_at(m, 0x1100 + ENTRY_MAX - 1), "_start");
	CHECK_STR(name_at(m, 0x1100 + ENTRY_MAX), "-");
	close_module();

	w = with_text(true, false);
	w.type = ET_EXEC;
	w.entry = 0x1100;
	ehwrite_fde(&e, cie, 0x1100, 0x26, "", 0);
	ehwrite_fde(&e, cie, 0x1130, 0x26, "", 0);
	ehwrite_finish(&e, &w, 0);
	elfwrite_symbol(&w, "main", 0x1080, 0x20, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1125), "_start");
	CHECK_STR(name_at(m, 0x1130), "-");
	CHECK_STR(name_at(m, 0x1080), "main");
	close_module();

	w = with_text(true, false);
	w.type = ET_EXEC;
	w.entry = 0x1100;
	elfwrite_symbol(&w, "begin", 0x1100, 0x10, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1100), "begin");
	CHECK_STR(name_at(m, 0x1110), "-");
	close_module();

	w = with_text(true, false);
	w.type = ET_EXEC;
	w.entry = 0x1100;
	elfwrite_symbol(&w, "next", 0x1110, 0x10, GLOBAL(STT_FUNC), 1);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x110f), "_start");
	CHECK_STR(name_at(m, 0x1110), "next");
	CHECK_STR(name_at(m, 0x1120), "-");
	close_module();

	w = with_text(true, false);   /* a library: linkers put the beginning of .text */
	w.entry = 0x1000;
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "-");
	close_module();
}

/* .dynsym found by PT_DYNAMIC alone, as elfwrite gives it: with DT_HASH. */
static void
no_sections(void)
{
	for (unsigned form = 0; form < 4; form++) {
		struct elfwrite w = with_text(form & 1, form & 2);
		struct module *m;

		elfwrite_dynamic_symbol(&w, "one", 0x1000, 0x10, GLOBAL(STT_FUNC), 1);
		elfwrite_dynamic_symbol(&w, "two", 0x1010, 0, GLOBAL(STT_FUNC), 1);
		elfwrite_dynamic_symbol(&w, "three", 0x1020, 0x10, WEAK(STT_FUNC), 1);
		w.no_sections = true;
		m = open_module(&w);
		CHECK_U64(m->elf.nsection, 0);
		CHECK_STR(name_at(m, 0x1000), "one");
		CHECK_STR(name_at(m, 0x101f), "two");
		CHECK_STR(name_at(m, 0x1020), "three");
		CHECK_STR(name_at(m, 0x1030), "-");
		close_module();
	}
}

/* Symbols at 0x500, strings at 0x600, DT_GNU_HASH at 0x700, the pointers to them too high by SHIFT. */
static struct bytes
gnu_hash_image(uint64_t shift)
{
	static const char strings[] = "\0alpha\0beta\0gamma";
	static const uint8_t name[] = { 0, 1, 7, 12 };
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes sym = { 0 }, hash = { 0 }, dynamic = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		bytes_uint(&sym, name[i], 4);
		bytes_uint(&sym, i ? GLOBAL(STT_FUNC) : 0, 1);
		bytes_uint(&sym, 0, 1);
		bytes_uint(&sym, i ? 1 : 0, 2);
		bytes_uint(&sym, i ? 0x1000 + 0x100 * i : 0, 8);
		bytes_uint(&sym, i ? 0x40 : 0, 8);
	}
	bytes_uint(&hash, 2, 4);   /* buckets, first symbol, bloom words, shift */
	bytes_uint(&hash, 1, 4);
	bytes_uint(&hash, 1, 4);
	bytes_uint(&hash, 6, 4);
	bytes_uint(&hash, 0, 8);
	bytes_uint(&hash, 3, 4);   /* buckets: the chains of symbol 3, and of 1 and 2 */
	bytes_uint(&hash, 1, 4);
	bytes_uint(&hash, 0xf176c2a, 4);
	bytes_uint(&hash, 0x7c9489a1, 4);
	bytes_uint(&hash, 0xf7deae9, 4);
	bytes_uint(&hash, 0x42, 4);   /* no longer of it, and never ending */
	elfwrite_section(&w, "sym", SHT_PROGBITS, SHF_ALLOC, 0x500, sym.p, sym.n);
	elfwrite_section(&w, "str", SHT_PROGBITS, SHF_ALLOC, 0x600, strings, sizeof strings);
	elfwrite_section(&w, "hash", SHT_PROGBITS, SHF_ALLOC, 0x700, hash.p, hash.n);
	for (unsigned i = 0; i < 6; i++) {
		uint64_t dyn[6][2] = { { DT_GNU_HASH, 0x700 + shift }, { DT_SYMTAB, 0x500 + shift },
			{ DT_STRTAB, 0x600 + shift }, { DT_STRSZ, sizeof strings }, { DT_FLAGS_1, DF_1_PIE }, { DT_NULL, 0 } };

		bytes_uint(&dynamic, dyn[i][0], 8);
		bytes_uint(&dynamic, dyn[i][1], 8);
	}
	elfwrite_section(&w, ".dynamic", SHT_DYNAMIC, SHF_ALLOC, 0x900, dynamic.p, dynamic.n);
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	w.no_sections = true;
	bytes_free(&sym);
	bytes_free(&hash);
	bytes_free(&dynamic);
	return elfwrite_finish(&w);
}

static void
memory_images(void)
{
	for (unsigned k = 0; k < 3; k++) {
		struct bytes image = gnu_hash_image(k == 2 ? 0x7f0012345000 : 0);
		struct raw_symbol s;
		struct module *m;

		modules_init(&ms);
		m = module_image(&ms, "[vdso]", image.p, k == 1 ? image.n - 0x100 : image.n);
		CHECK(m && !m->bad);
		CHECK_STR(name_at(m, 0x1100), "alpha");
		CHECK_STR(name_at(m, 0x123f), "beta");
		CHECK_STR(name_at(m, 0x1300), "gamma");
		CHECK_STR(name_at(m, 0x1340), "-");
		CHECK_U64(m->symtab->tables.dynsym.n, 4);
		CHECK(m->symtab->tables.program);
		for (unsigned i = 0; i < 4; i++)
			CHECK(symbol_tables_named(&m->elf, &m->symtab->tables.dynsym, (const char *[]){ "alpha", "beta", "gamma", "omega" }[i], &s) == (i < 3) &&
			      (i == 3 || s.value == 0x1100 + 0x100 * i));
		modules_free(&ms);
		bytes_free(&image);
	}
}

/* A PLT of three entries; the GOT at 0x3000; relocations for malloc, for a versioned name, and for a chooser. */
static struct module *
open_plt(bool with_plt_section)
{
	static const char code[] = "\xff\x35\xca\x1f\0\0\xff\x25\xcc\x1f\0\0\x0f\x1f\x40\0"
	                           "\xff\x25\xea\x1e\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff"
	                           "\xff\x25\xe2\x1e\0\0\x68\1\0\0\0\xe9\xe0\xff\xff\xff"
	                           "\xff\x25\xda\x1e\0\0\x66\x90\xff\x25\xda\x1e\0\0\x66\x90";
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes rela = { 0 };
	uint64_t reloc[3][3] = { { 0x3000, (uint64_t)1 << 32 | R_X86_64_JUMP_SLOT, 0 },
		{ 0x3008, (uint64_t)2 << 32 | R_X86_64_GLOB_DAT, 0 }, { 0x3010, R_X86_64_IRELATIVE, 0x1200 } };
	unsigned i;

	for (i = 0; i < 9; i++)
		bytes_uint(&rela, reloc[i / 3][i % 3], 8);
	elfwrite_section(&w, with_plt_section ? ".plt" : ".what", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1100, code,
	                 sizeof code - 1);
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1200, NULL, 0x100);
	elfwrite_section(&w, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, NULL, 0x20);
	i = elfwrite_section(&w, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x3100, rela.p, rela.n);
	w.sec[i].entsize = 24;
	elfwrite_dynamic_symbol(&w, "malloc", 0, 0, GLOBAL(STT_FUNC), 0);
	elfwrite_dynamic_symbol(&w, "free@V", 0, 0, GLOBAL(STT_FUNC), 0);
	elfwrite_symbol(&w, "memcpy", 0x1200, 0x20, GLOBAL(STT_GNU_IFUNC), 2);
	bytes_free(&rela);
	return open_module(&w);
}

static void
plt_entries(void)
{
	struct module *m = open_plt(true);
	struct symbol s;

	CHECK_STR(name_at(m, 0x1100), ".plt");
	CHECK_STR(name_at(m, 0x110f), ".plt");
	CHECK_STR(name_at(m, 0x1110), "malloc@plt");
	CHECK_STR(name_at(m, 0x111f), "malloc@plt");
	CHECK_STR(name_at(m, 0x1120), "free@plt");
	CHECK_STR(name_at(m, 0x1130), "memcpy@plt");
	CHECK_STR(name_at(m, 0x1138), ".plt");   /* a slot that no relocation is about */
	CHECK_STR(name_at(m, 0x1140), "-");
	CHECK_STR(name_at(m, 0x1200), "memcpy");
	CHECK(symtab_find(&ms, m, 0x1115, &s));
	CHECK_U64(s.lo, 0x1110);
	CHECK_U64(s.hi, 0x1120);
	close_module();
	m = open_plt(false);
	CHECK_STR(name_at(m, 0x1110), "-");
	close_module();
}

static void
lies(void)
{
	struct elfwrite w = with_text(true, false);
	struct module *m;
	char *name;

	elfwrite_symbol(&w, "fine", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "far", 0x1010, 8, GLOBAL(STT_FUNC), 0xfff0);
	elfwrite_symbol(&w, "bad_section", 0x1020, 0, GLOBAL(STT_NOTYPE), 60);
	bytes_set(&w.sym[0], 24 * 2, 0x7fffffff, 4);   /* the name of "far" */
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "fine");
	CHECK_STR(name_at(m, 0x1010), "-");
	CHECK_STR(name_at(m, 0x1020), "-");
	close_module();

	w = with_text(true, false);   /* names as long as files */
	name = calloc(1, NAME_LIMIT + 1);
	memset(name, 'n', NAME_LIMIT);
	elfwrite_symbol(&w, name, 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, name + 1, 0x1010, 8, GLOBAL(STT_FUNC), 1);
	free(name);
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "-");
	CHECK_U64(strlen(name_at(m, 0x1010)), NAME_LIMIT - 1);
	close_module();

	w = with_text(true, false);   /* strings that do not end, at the end of the file */
	elfwrite_symbol(&w, "cut", 0x1000, 8, GLOBAL(STT_FUNC), 1);
	elfwrite_symbol(&w, "endless", 0x1010, 8, GLOBAL(STT_FUNC), 1);
	w.str[0].n--;
	m = open_module(&w);
	CHECK_STR(name_at(m, 0x1000), "cut");
	CHECK_STR(name_at(m, 0x1010), "-");
	close_module();
}

static void
at_the_memory_cap(void)
{
	size_t before = mem_used();

	for (size_t cap = 0; cap < 400000; cap = cap * 4 / 3 + 1000) {
		struct elfwrite w = with_text(true, false);
		struct module *m;
		const char *got;
		char name[16];

		for (unsigned i = 0; i < 4000; i++) {
			snprintf(name, sizeof name, "f%u", i * 7 % 4000);
			elfwrite_symbol(&w, name, 0x1000 + i * 7 % 4000, 1, GLOBAL(STT_FUNC), 1);
		}
		m = open_module(&w);
		mem_cap(mem_used() + cap);
		got = name_at(m, 0x1010);
		CHECK(!strcmp(got, "f16") || !strcmp(got, "-"));
		CHECK(cap < 300000 || got[0] == 'f');
		mem_cap(SIZE_MAX);
		close_module();
		CHECK_U64(mem_used(), before);
	}
}

static void
no_elf(void)
{
	struct module *m;
	struct symbol s;

	modules_init(&ms);
	m = module_lost(&ms, "/lib/gone.so", "is gone");
	CHECK(!symtab_find(&ms, m, 0x1000, &s));
	m = jit_module(&ms, 1, NULL);
	CHECK(!symtab_find(&ms, m, 0x1000, &s));
	modules_free(&ms);
}

/* KiB of files in memory; with RESET the most since then. */
static uint64_t
most_in_memory(bool reset)
{
	char text[4096], *at;
	FILE *f;
	size_t n;

	if (reset && (f = fopen("/proc/self/clear_refs", "w"))) {
		fputs("5", f);
		fclose(f);
	}
	if (!(f = fopen("/proc/self/status", "r")))
		return 0;
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = 0;
	fclose(f);
	at = strstr(text, "VmHWM:");
	return at ? strtoull(at + 6, NULL, 10) : 0;
}

/* A table of a million symbols, and their names, are read from beginning to end, but never are in memory as a whole. */
static void
large_tables_pass_by(void)
{
	enum { BYTES = 32 << 20, SYMBOL = 24 };
	static uint8_t block[1 << 16];
	char path[] = "/tmp/prof-symtab-XXXXXX";
	int fd = mkstemp(path);
	struct filemap map;
	struct symbols t = { .n = BYTES / SYMBOL };
	struct elf e = { .is64 = true };
	struct raw_symbol s;
	uint64_t before;

	unlink(path);
	memset(block, 1, sizeof block);
	for (unsigned i = 0; i < BYTES / sizeof block; i++)
		CHECK(write(fd, block, sizeof block) == sizeof block);
	CHECK(pwrite(fd, "\0name", 6, BYTES - 7) == 6);
	CHECK(!filemap_open(&map, fd));
	t.bytes = t.strings = cur_of(map.data, map.size, false);
	before = most_in_memory(true);
	CHECK(!symbol_tables_named(&e, &t, "none", &s));
	CHECK(!symbol_tables_named(&e, &t, "name", &s));
	/* At the end of a longer string, and over the border of the pieces that are searched; one that begins before the table is none. */
	CHECK(pwrite(fd, "\0the name", 10, (1 << 20) - 5) == 10);
	CHECK(pwrite(fd, "me", 3, 0) == 3);
	CHECK_U64(symbol_tables_among(&t, (const char *[]){ "none", "name", "the name", "me", "e name!", "some" }, 6), 0xe);
	CHECK(!symbol_tables_object(&e, &t, "none", 24, &s));
	CHECK(most_in_memory(false) - before <= 20 << 10);
	filemap_close(&map);
	close(fd);
}

int
main(void)
{
	RUN("symtab", large_tables_pass_by);
	RUN("symtab", sizes);
	RUN("symtab", what_counts);
	RUN("symtab", riscv_marks);
	RUN("symtab", aliases);
	RUN("symtab", versions);
	RUN("symtab", thumb);
	RUN("symtab", nested);
	RUN("symtab", random_overlaps);
	RUN("symtab", frame_descriptions);
	RUN("symtab", entry_point);
	RUN("symtab", no_sections);
	RUN("symtab", memory_images);
	RUN("symtab", plt_entries);
	RUN("symtab", lies);
	RUN("symtab", at_the_memory_cap);
	RUN("symtab", no_elf);
	return TEST_STATUS;
}
