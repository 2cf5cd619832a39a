#include "sym/kernel/kallsyms.c"

#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>

#include "elfwrite.h"
#include "ktables.h"
#include "test.h"

static struct arena arena;
static struct kallsyms *opened[64];
static unsigned nopened;

static void
done(void)
{
	while (nopened)
		kallsyms_close(opened[--nopened]);
	arena_free(&arena);
}

/* TABLES: by kimage, too. */
static struct kallsyms *
open_lines(FILE *f, bool tables)
{
	struct kallsyms *k;

	fflush(f);
	k = kallsyms_open(&arena, fileno(f), tables ? kimage_read : NULL, NULL);
	if (k)
		opened[nopened++] = k;
	return k;
}

static struct kallsyms *
open_text(const char *text)
{
	FILE *f = tmpfile();
	struct kallsyms *k;

	fputs(text, f);
	k = open_lines(f, false);
	while (kallsyms_ahead(k, 0, 1))
		;
	fclose(f);
	return k->n ? k : NULL;
}

/* "name [module]" */
static const char *
at(struct kallsyms *k, uint64_t addr)
{
	static char text[256];
	const char *module;
	struct symbol s;

	if (!k || !kallsyms_find(k, addr, &s, &module))
		return "-";
	CHECK(addr >= s.lo && addr < s.hi);
	snprintf(text, sizeof text, "%s %s", s.name, module);
	return text;
}

static void
functions(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 T _stext\nffffffff81000100 t do_it\nffffffff81000200 D data\n"
	                               "ffffffff81000300 W weak\nffffffff81000400 w weaker\nffffffff81000500 r rodata\n");

	CHECK_STR(at(k, 0xffffffff80ffffff), "-");
	CHECK_STR(at(k, 0xffffffff81000000), "_stext [kernel]");
	CHECK_STR(at(k, 0xffffffff810000ff), "_stext [kernel]");
	CHECK_STR(at(k, 0xffffffff81000100), "do_it [kernel]");
	CHECK_STR(at(k, 0xffffffff81000250), "do_it [kernel]");   /* data are not looked at */
	CHECK_STR(at(k, 0xffffffff81000350), "weak [kernel]");
	CHECK_STR(at(k, 0xffffffff81000410), "weaker [kernel]");
	CHECK_STR(at(k, 0xffffffff81100000), "-");                /* far behind the last one */
	done();
}

static void
modules_and_bpf(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 T _text\n"
	                               "ffffffffc0300000 t ext4_b\t[ext4]\nffffffffc0200000 t ext4_a\t[ext4]\n"
	                               "ffffffffc0100000 t nf_x\t[nf_tables]\nffffffffc0400000 t again\t[ext4]\n"
	                               "ffffffffc0500000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n");

	CHECK_STR(at(k, 0xffffffffc0200010), "ext4_a [ext4]");
	CHECK_STR(at(k, 0xffffffffc0300010), "ext4_b [ext4]");
	CHECK_STR(at(k, 0xffffffffc0100010), "nf_x [nf_tables]");
	CHECK_STR(at(k, 0xffffffffc0400010), "again [ext4]");
	CHECK_STR(at(k, 0xffffffffc0500010), "bpf_prog_6deef7357e7b4530_x [bpf]");
	CHECK_STR(at(k, 0xffffffff81000010), "_text [kernel]");
	done();
}

static void
aliases(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 t local\nffffffff81000000 W wk\nffffffff81000000 T __global\n"
	                               "ffffffff81000000 T _global\nffffffff81000000 T _globals\n"
	                               "ffffffff82000000 T b\nffffffff82000000 T a\nffffffff82000000 t _\n");

	CHECK_STR(at(k, 0xffffffff81000000), "_global [kernel]");
	CHECK_STR(at(k, 0xffffffff82000000), "a [kernel]");
	done();
}

static void
restricted(void)
{
	CHECK(!open_text("0000000000000000 T _stext\n0000000000000000 t x\t[ext4]\n"));
	CHECK(!open_text(""));
	CHECK_STR(at(open_text("ffffffffffffffff T top\nffffffff81000000 \n"), UINT64_MAX), "-");
	CHECK(!open_text("garbage\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \nffffffff81000000 Tx y\n"
	                 "ffffffff81000000  T x\nfffffffff81000000 T x\n T x\n"));
	CHECK(!kallsyms_open(&arena, -1, NULL, NULL));
	done();
}

/* vmlinux and a kernel module as files: sections have ends, and a module's stand one behind the other. */
static void
files(void)
{
	static const uint8_t code[0x300];
	struct elfwrite v = elfwrite_new(true, false), m = elfwrite_new(true, false);
	struct bytes file[2];
	struct modules ms;
	struct kernel_file kf[2] = { { .file = NULL }, { .module = "[nf_x]", .lo = 0xffffffffc0100000, .hi = 0xffffffffc0104000 } };
	struct kallsyms *k;
	unsigned text, rest, init, data;

	v.base = 0xffffffff81000000;
	text = elfwrite_section(&v, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, v.base + 0x1000, code, 0x300);
	data = elfwrite_section(&v, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, v.base + 0x2000, code, 0x300);
	elfwrite_symbol(&v, "_text", v.base + 0x1000, 0, STB_GLOBAL << 4 | STT_NOTYPE, text);
	elfwrite_symbol(&v, "local", v.base + 0x1000, 16, STT_FUNC, text);
	elfwrite_symbol(&v, "schedule", v.base + 0x1200, 0, STB_GLOBAL << 4 | STT_FUNC, text);
	elfwrite_symbol(&v, "$x", v.base + 0x1280, 0, STT_NOTYPE, text);
	elfwrite_symbol(&v, "jiffies", v.base + 0x2000, 8, STT_OBJECT, data);
	elfwrite_symbol(&v, "label", v.base + 0x2010, 0, STT_NOTYPE, data);
	file[0] = elfwrite_finish(&v);
	m.type = ET_REL;
	text = elfwrite_section(&m, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 0x200);
	init = elfwrite_section(&m, ".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, code, 0x300);
	rest = elfwrite_section(&m, ".text.unlikely", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x3000, code, 0x100);
	elfwrite_symbol(&m, "nf_eval", 0x40, 0, STT_FUNC, text);
	elfwrite_symbol(&m, "nf_init", 0, 0, STT_FUNC, init);
	elfwrite_symbol(&m, "nf_eval.cold", 0x20, 0, STT_FUNC, rest);
	elfwrite_symbol(&m, "outside", 0x200, 0, STT_FUNC, text);
	file[1] = elfwrite_finish(&m);
	CHECK(modules_init(&ms));
	for (unsigned i = 0; i < 2; i++)
		kf[i].file = module_bytes(&ms, "/file", file[i].p, file[i].n);
	CHECK_U64(kernel_file_address(kf[0].file, "_text"), 0xffffffff81001000);
	CHECK_U64(kernel_file_address(kf[0].file, "_stext"), 0);
	k = opened[nopened++] = kallsyms_add_files(NULL, &arena, kf, 2);
	CHECK_STR(at(k, 0xffffffff81001010), "_text [kernel]");
	CHECK_STR(at(k, 0xffffffff810012ff), "schedule [kernel]");
	CHECK_STR(at(k, 0xffffffff81001300), "-");                /* behind the section */
	CHECK_STR(at(k, 0xffffffff81002010), "-");
	CHECK_STR(at(k, 0xffffffffc0100010), "-");
	CHECK_STR(at(k, 0xffffffffc01001ff), "nf_eval [nf_x]");
	CHECK_STR(at(k, 0xffffffffc0100210), "-");                /* .init.text is not there any more */
	CHECK_STR(at(k, 0xffffffffc0100220), "nf_eval.cold [nf_x]");
	CHECK_STR(at(k, 0xffffffffc0100300), "-");
	done();
	modules_free(&ms);
	for (unsigned i = 0; i < 2; i++)
		bytes_free(&file[i]);
}

/* A copy from another boot of the kernel knows the kernel's own functions, but not where modules were. */
static void
another_start(void)
{
	FILE *f = tmpfile();
	struct kallsyms *k;

	fputs("ffffffff81000000 T _stext\nffffffffc0100000 t nf_x\t[nf_tables]\n", f);
	k = open_lines(f, false);
	kallsyms_leave_modules(k);
	CHECK_STR(at(k, 0xffffffffc0100010), "-");
	CHECK_STR(at(k, 0xffffffff81000010), "_stext [kernel]");
	fclose(f);
	done();
}

static void
spelling(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 T spaced name\nffffffff81000010 T odd\tmodule\nfffffffffffffff0 T top");

	CHECK_STR(at(k, 0xffffffff81000000), "spaced name [kernel]");
	CHECK_STR(at(k, 0xffffffff81000010), "odd [kernel]");
	CHECK_STR(at(k, 0xfffffffffffffff8), "top [kernel]");
	done();
}

/* How many symbols were read, so far. */
static void
as_far_as_asked(void)
{
	FILE *f = tmpfile();
	struct kallsyms *k;

	for (unsigned i = 0; i < 1000; i++)
		fprintf(f, "%llx %c function_%u\n", 0xffffffff81000000 + 256ULL * i, "Tr"[i % 2], i);
	fputs("ffffffff81fffff0 T far\nffffffffc0000000 t b\t[ext4]\nffffffffc0000200 t c\t[ext4]\nffffffffc0000100 t a\t[ext4]\n", f);
	k = open_lines(f, false);
	CHECK_STR(at(k, 0xffffffff81000000 + 256 * 400 + 3), "function_400 [kernel]");
	CHECK(k->n == 202 && !k->read);
	CHECK_STR(at(k, 0xffffffff81000000 + 256 * 11), "function_10 [kernel]");
	CHECK(k->n == 202 && !k->read);
	CHECK(kallsyms_ahead(k, 0xffffffff81000000 + 256 * 410, 4));
	CHECK(!kallsyms_ahead(k, 0xffffffff81000000 + 256 * 410, 20));
	CHECK(k->n > 202 && k->n < 210);
	/* A module's symbols come in any order, and so does what lies before the kernel, or behind it. */
	CHECK_STR(at(k, 0xffffffffc0000180), "a [ext4]");
	CHECK(k->read);
	CHECK_STR(at(k, 0xffffffff81000000 + 256 * 400 + 3), "function_400 [kernel]");
	k = open_lines(f, false);
	CHECK(!k->read);
	CHECK_STR(at(k, 0xffffffff80ffffff), "-");
	CHECK(k->read);
	k = open_lines(f, false);
	CHECK_STR(at(k, 0xffffffff81700000), "-");   /* before "far", but not in a function */
	CHECK(k->read);
	fclose(f);
	done();
}

/* Who says which addresses it will ask for gets the same answers from what is kept for these alone. */
static void
what_is_wanted(void)
{
	static const char *const module[] = { "", "\t[ext4]", "\t[nf_x]" };
	char text[256];
	uint64_t addr[40];
	struct kallsyms *all, *some;
	uint32_t most = 0;

	for (unsigned round = 0; round < 60; round++) {
		FILE *f = tmpfile();
		uint64_t up = 0xffffffff81000000;

		srand(round);
		for (unsigned i = 0; i < 2000; i++) {
			up += (uint64_t)(rand() % 4) * 16;
			fprintf(f, round % 2 ? "%llx %c %.*s_%u%s\n" : "%016llX %c %.*s_%u%s\n",
			        (unsigned long long)(i < 1500 ? up : 0xffffffffc0000000 + 16ULL * (unsigned)(rand() % 1000)), "tTwWD"[rand() % 5],
			        1 + rand() % 20, "a_long_name_of_a_function", i, module[i < 1500 ? 0 : 1 + i / 50 % 2]);
		}
		all = open_lines(f, false);
		for (unsigned i = 0; i < 40; i++)
			addr[i] = (i % 3 ? 0xffffffff81000000 : 0xffffffffc0000000) + (unsigned)(rand() % 36000);
		snprintf(text, sizeof text, "/proc/self/fd/%d", fileno(f));
		some = opened[nopened++] = kallsyms_open(&arena, open(text, O_RDONLY), NULL, NULL);
		kallsyms_all(some, addr, 40);
		for (unsigned i = 0; i < 40; i++) {
			snprintf(text, sizeof text, "%s", at(some, addr[i]));
			most = some->n > most && some->nwanted ? some->n : most;
			CHECK_STR(text, at(all, addr[i]));
		}
		CHECK(some->nwanted == 40);
		for (unsigned i = 0; i < 40; i++) {   /* one that was not told */
			snprintf(text, sizeof text, "%s", at(some, addr[i] + 100));
			CHECK_STR(text, at(all, addr[i] + 100));
		}
		CHECK(!some->nwanted && some->n > 1000);
		close(some->lines.fd);
		fclose(f);
		done();
	}
	CHECK(most > 50 && most < 1000);
}

enum { LINES = 3000 };

/* Like a kernel: variables of CPUs where ABSOLUTE, functions and data among them, aliases, one long name, no modules. */
static uint32_t
make_lines(struct kline *line, bool absolute, uint64_t base, char (*name)[700])
{
	uint32_t n = 0;
	uint64_t addr = base;

	for (; absolute && n < 20; n++)
		line[n] = (struct kline){ 64 * n, 'A', "cpu_variable" };
	line[n++] = (struct kline){ addr, 'T', "_text" };
	line[n++] = (struct kline){ addr + 0x100, 't', "head" };
	addr += 0x1000;
	line[n++] = (struct kline){ addr, 'T', "_stext" };
	for (unsigned i = 0; n < LINES; i++) {
		snprintf(name[n], sizeof *name, "%s%s%0*u", i % 3 ? "__" : "_", i % 4 ? "x64_sys_" : "sy_Txer", i == 700 ? 400 : 1, i);
		addr += i % 7 == 3 ? 0 : 16 + i % 64;
		line[n] = (struct kline){ addr, "TtWrTtDwV"[i % 9], name[n] };
		n++;
	}
	return n;
}

/* The tables give the same name as the lines, and prof reads not one line. */
static void
same_by_tables(bool absolute, unsigned word, uint64_t base)
{
	static struct kline line[LINES];
	static char name[LINES][700];
	uint32_t n = make_lines(line, absolute, base, name);
	struct kallsyms *lines, *tables;
	char text[800];
	FILE *f = tmpfile();

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%0*llx %c %s\n", 2 * (int)word, (unsigned long long)line[i].addr, line[i].type, line[i].name);
	fputs("e0000000 t module\t[ext4]\n", f);
	kimage = kimage_of(line, n, base + 0x1000000, absolute, word);
	lines = open_lines(f, false);
	at(lines, 0);
	tables = open_lines(f, true);
	CHECK(tables->tables);
	lseek(fileno(f), 0, SEEK_END);   /* nothing to be read there */
	for (uint32_t i = absolute ? 22 : 2; i + 12 < n; i++)
		for (unsigned d = 0; d < 20; d += 6) {
			snprintf(text, sizeof text, "%s", at(lines, line[i].addr + d));
			CHECK_STR(at(tables, line[i].addr + d), text);
		}
	CHECK(!kallsyms_ahead(tables, line[n - 20].addr, 0));
	CHECK(!tables->n && !tables->read && tables->tables);
	snprintf(text, sizeof text, "%s", at(lines, line[500].addr));
	CHECK_STR(at(tables, line[500].addr), text);   /* back again */
	CHECK(tables->tables && kimage.reads < 60);
	lseek(fileno(f), 0, SEEK_SET);
	CHECK_STR(at(tables, 0xe0000008), "module [ext4]");
	CHECK(tables->read && tables->tables);
	CHECK_STR(at(tables, line[500].addr), text);
	fclose(f);
	free(kimage.bytes);
	done();
}

static void
by_tables(void)
{
	same_by_tables(false, 8, 0xffff800010000000);
	same_by_tables(true, 8, 0xffffffff81000000);
	same_by_tables(false, 4, 0xc0008000);
}

/* If anything is wrong with the tables, prof uses the lines. */
static void
by_wrong_tables(void)
{
	static struct kline line[LINES];
	static char name[LINES][700];
	uint32_t n = make_lines(line, true, 0xffffffff81000000, name), zero = 0;
	struct kallsyms *k;
	FILE *f = tmpfile();
	char want[800];
	struct kimage good = kimage_of(line, n, 0xffffffff82000000, true, 8);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%llx %c %s\n", (unsigned long long)line[i].addr, line[i].type, line[i].name);
	k = open_lines(f, false);
	snprintf(want, sizeof want, "%s", at(k, line[1000].addr));
	done();
	for (unsigned what = 0; what < 12; what++) {
		kimage = good;
		if (!(kimage.bytes = malloc(good.n)))
			abort();
		memcpy(kimage.bytes, good.bytes, good.n);
		if (what < KCORE_TABLES)
			kimage.table[what] += what == KCORE_WORD ? UINT32_MAX : what == KCORE_TOKENS ? 513 : 4;
		if (what == 8)
			kimage.n = kimage.table[KCORE_NAMES] - kimage.lo + 900;   /* names end */
		if (what == 9)
			memcpy(kimage.bytes + (kimage.table[KCORE_NUM] - kimage.lo), &zero, 4);
		if (what == 10)   /* no order */
			memset(kimage.bytes + (kimage.table[KCORE_OFFSETS] - kimage.lo) + 4 * 900, 0xff, 200);
		if (what == 11)   /* empty names */
			memset(kimage.bytes + (kimage.table[KCORE_NAMES] - kimage.lo) + 200, 0, 10000);
		k = open_lines(f, true);
		CHECK_STR(at(k, line[1000].addr), want);
		CHECK(k->n);   /* by the lines */
		free(kimage.bytes);
		done();
	}
	free(good.bytes);
	fclose(f);
}

/* A kernel that claims a function every 256 bytes, for as many addresses as somebody asks for. */
static unsigned questions, most;

static size_t
says(const char *addrs, char *text, size_t size)
{
	size_t n = 0;
	uint64_t addr;

	questions++;
	for (unsigned i = 0; i < most && text_hex(&addrs, &addr) && *addrs++ == ' '; i++) {
		uint64_t number = addr / 256 % 65536, off = addr % 256;

		if (addr >> 32 != UINT32_MAX)
			n += (size_t)snprintf(text + n, size - n, "0x%llx\n", (unsigned long long)addr);
		else
			n += (size_t)snprintf(text + n, size - n, "function_%llu+0x%llx/0x100%s\n", (unsigned long long)number,
			                      (unsigned long long)off, number % 4 ? "" : " [ext4]");
	}
	return n;
}

static void
as_the_kernel_says(void)
{
	uint64_t addr[1000];
	struct kallsyms *k;
	FILE *f = tmpfile();

	fputs("ffffffff81000000 T by_lines\n", f);
	fflush(f);
	for (unsigned i = 0; i < 1000; i++)
		addr[i] = 0xffffffff81000000 + 64 * i;
	for (most = 0; most < 300; most += 7) {
		questions = 0;
		k = opened[nopened++] = kallsyms_open(&arena, fileno(f), NULL, says);
		CHECK(kallsyms_ahead(k, addr[0], 0) == !most);
		kallsyms_all(k, addr, 1000);
		if (!most) {   /* it says nothing */
			CHECK_STR(at(k, addr[3]), "by_lines [kernel]");
			CHECK(questions == 1 && k->n == 1);
		} else {
			CHECK(questions > 1 && questions <= 2 + 1000 / (most < 96 ? most : 96));
			for (unsigned i = 0; i < 1000; i += 37) {
				char want[64];

				snprintf(want, sizeof want, "function_%u %s", i / 4, i / 4 % 4 ? "[kernel]" : "[ext4]");
				CHECK_STR(at(k, addr[i]), want);
			}
			questions = 0;
			CHECK_STR(at(k, 0xffffffff80000010), "function_0 [ext4]");   /* below what is known */
			CHECK_STR(at(k, 0xfffffff1), "-");
			CHECK_STR(at(k, 0xfffffff1), "-");
			CHECK(questions == 2 && !k->n);
		}
		done();
	}
	fclose(f);
}

static size_t
says_nonsense(const char *addrs, char *text, size_t size)
{
	(void)addrs;
	return (size_t)snprintf(text, size, "%s", "x+0x0/0x0\n+0x0/0x10\nx+1/2\nx+0x5/0x4\nx+0x/0x\nx+0xffffffffffffffff/0xffffffffffffffff\n\nx+0x1\ny+0x0/0x10 (");
}

static void
as_no_kernel_says(void)
{
	FILE *f = tmpfile();
	struct kallsyms *k = opened[nopened++] = kallsyms_open(&arena, fileno(f), NULL, says_nonsense);

	for (uint64_t addr = 0xffffffff81000000; addr < 0xffffffff81000040; addr++)
		CHECK_STR(at(k, addr), "-");
	fclose(f);
	done();
}

static void
at_the_memory_cap(void)
{
	size_t before = mem_used();
	FILE *f = tmpfile();
	struct kallsyms *k;

	for (unsigned i = 0; i < 50000; i++)
		fprintf(f, "%llx T function_number_%u\n", 0xffffffff81000000 + 16ULL * i, i);
	for (size_t cap = 1000; cap < (8 << 20); cap = cap * 3 / 2) {
		mem_cap(before + cap);
		k = open_lines(f, false);
		CHECK(!k || !strcmp(at(k, 0xffffffff81000000), "-") || !strcmp(at(k, 0xffffffff81000000), "function_number_0 [kernel]"));
		if (k)
			at(k, UINT64_MAX);
		done();
		CHECK_U64(mem_used(), before);
	}
	mem_cap(SIZE_MAX);
	k = open_lines(f, false);
	CHECK_STR(at(k, 0xffffffff81000000 + 16 * 49998 + 3), "function_number_49998 [kernel]");
	CHECK(!k->read);
	CHECK_STR(at(k, 0xffffffff81000000 + 16 * 49999 + 3), "function_number_49999 [kernel]");
	CHECK(k->read);
	done();
	fclose(f);
}

int
main(void)
{
	RUN("kallsyms", functions);
	RUN("kallsyms", modules_and_bpf);
	RUN("kallsyms", aliases);
	RUN("kallsyms", restricted);
	RUN("kallsyms", files);
	RUN("kallsyms", another_start);
	RUN("kallsyms", spelling);
	RUN("kallsyms", as_far_as_asked);
	RUN("kallsyms", what_is_wanted);
	RUN("kallsyms", by_tables);
	RUN("kallsyms", by_wrong_tables);
	RUN("kallsyms", as_the_kernel_says);
	RUN("kallsyms", as_no_kernel_says);
	RUN("kallsyms", at_the_memory_cap);
	return TEST_STATUS;
}
