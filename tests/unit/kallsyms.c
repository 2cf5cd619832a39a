#include "sym/kallsyms.c"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static struct arena arena;

static struct kallsyms *
open_text(const char *text)
{
	FILE *f = tmpfile();
	struct kallsyms *k;

	fputs(text, f);
	fflush(f);
	k = kallsyms_open(&arena, fileno(f));
	while (kallsyms_read(k, 1))
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
	arena_free(&arena);
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
	arena_free(&arena);
}

static void
aliases(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 t local\nffffffff81000000 W wk\nffffffff81000000 T __global\n"
	                               "ffffffff81000000 T _global\nffffffff81000000 T _globals\n"
	                               "ffffffff82000000 T b\nffffffff82000000 T a\nffffffff82000000 t _\n");

	CHECK_STR(at(k, 0xffffffff81000000), "_global [kernel]");
	CHECK_STR(at(k, 0xffffffff82000000), "a [kernel]");
	arena_free(&arena);
}

static void
restricted(void)
{
	CHECK(!open_text("0000000000000000 T _stext\n0000000000000000 t x\t[ext4]\n"));
	CHECK(!open_text(""));
	CHECK_STR(at(open_text("ffffffffffffffff T top\nffffffff81000000 \n"), UINT64_MAX), "-");
	CHECK(!open_text("garbage\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \nffffffff81000000 Tx y\n"
	                 "ffffffff81000000  T x\nfffffffff81000000 T x\n T x\n"));
	CHECK(!kallsyms_open(&arena, -1));
	arena_free(&arena);
}

static void
spelling(void)
{
	struct kallsyms *k = open_text("ffffffff81000000 T spaced name\nffffffff81000010 T odd\tmodule\nfffffffffffffff0 T top");

	CHECK_STR(at(k, 0xffffffff81000000), "spaced name [kernel]");
	CHECK_STR(at(k, 0xffffffff81000010), "odd [kernel]");
	CHECK_STR(at(k, 0xfffffffffffffff8), "top [kernel]");
	arena_free(&arena);
}

static void
at_the_memory_cap(void)
{
	size_t before = mem_used();
	FILE *f = tmpfile();
	struct kallsyms *k;

	for (unsigned i = 0; i < 50000; i++)
		fprintf(f, "%llx T function_number_%u\n", 0xffffffff81000000 + 16ULL * i, i);
	fflush(f);
	for (size_t cap = 1000; cap < (8 << 20); cap = cap * 3 / 2) {
		mem_cap(before + cap);
		k = kallsyms_open(&arena, fileno(f));
		CHECK(!k || !strcmp(at(k, 0xffffffff81000000), "-") || !strcmp(at(k, 0xffffffff81000000), "function_number_0 [kernel]"));
		arena_free(&arena);
		CHECK_U64(mem_used(), before);
	}
	mem_cap(SIZE_MAX);
	k = kallsyms_open(&arena, fileno(f));
	CHECK_STR(at(k, 0xffffffff81000000 + 16 * 49999 + 3), "function_number_49999 [kernel]");
	arena_free(&arena);
	fclose(f);
}

int
main(void)
{
	RUN("kallsyms", functions);
	RUN("kallsyms", modules_and_bpf);
	RUN("kallsyms", aliases);
	RUN("kallsyms", restricted);
	RUN("kallsyms", spelling);
	RUN("kallsyms", at_the_memory_cap);
	return TEST_STATUS;
}
