#include "sym/elf/go_table.c"

#include "elfwrite.h"
#include "test.h"

enum { TEXT = 0x1000, TABLE = 0x3000, FILLED = 0x200, LONG = 1 << 16 };

static uint8_t table[FILLED + LONG + 2];
static bool big;
static uint64_t entry = TEXT + 0x20;
static struct arena arena;
static struct bytes file;
static struct elf elf;

static void
put(unsigned at, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		table[at + i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

/* Of Go 1.FORM, functions f [TEXT, +0x20), g [+0x20, +0x30) without steps, h [+0x30, +0x40); f moves sp behind 4 bytes by 24, behind
 * 8 by 300, and back behind 28. */
static void
fill(unsigned form, unsigned word, unsigned quantum, uint64_t text)
{
	static const uint8_t steps[] = { 0, 2, 4, 48, 4, 0xa8, 4, 20, 0xd7, 4, 4, 0, 2, 4, 0 };
	static const unsigned starts[] = { 0, 0x20, 0x30, 0x40 };
	static const char names[] = "f\0g\0main.h";
	const unsigned functions = form == 2 ? 8 + word : 0x80, wide = form < 18 ? word : 4, base = form == 2 ? 0 : functions;
	const uint64_t from = form < 18 ? TEXT : 0;

	memset(table, 0, sizeof table);
	put(0, 4, form == 2 ? 0xfffffffb : form == 16 ? 0xfffffffa : form == 18 ? 0xfffffff0 : 0xfffffff1);
	put(6, 1, quantum);
	put(7, 1, word);
	put(8, word, 3);
	if (form >= 16) {
		unsigned at = form == 16 ? 2 : 3;

		put(8 + 2 * word, word, form == 16 ? 0 : text);
		put(8 + at * word, word, 0x180);
		put(8 + (at + 3) * word, word, 0x1c0);
		put(8 + (at + 4) * word, word, functions);
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned known = 0x100 + 0x20 * i;

		put(functions + 2 * i * wide, wide, from + starts[i]);
		if (i == 3)
			break;
		put(functions + (2 * i + 1) * wide, wide, known - base);
		put(known + wide, 4, (form == 2 ? 0x180 : 0) + 2 * i);
		put(known + wide + 12, 4, i == 1 ? 0 : (form == 2 ? 0x1c0 : 0) + (i ? 12 : 1));
	}
	memcpy(table + 0x180, names, sizeof names);
	memcpy(table + 0x1c0, steps, sizeof steps);
}

static struct go_table
opened(const char *section, unsigned word)
{
	struct elfwrite w = elfwrite_new(word == 8, big);
	struct go_table g;

	arena_free(&arena);
	bytes_free(&file);
	arena = (struct arena){ 0 };
	w.entry = entry;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, 0x1000);
	elfwrite_section(&w, section, SHT_PROGBITS, SHF_ALLOC, TABLE, table, sizeof table);
	file = elfwrite_finish(&w);
	CHECK(!elf_open(&elf, cur_of(file.p, file.n, false), false, &arena));
	go_table_open(&g, &elf);
	return g;
}

static const char *
name_at(const struct go_table *g, uint64_t vaddr)
{
	struct go_function f;

	if (!go_table_find(g, vaddr, &f))
		return "-";
	CHECK(vaddr >= f.lo && vaddr < f.hi);
	return f.name;
}

static long
depth_at(const struct go_table *g, uint64_t vaddr)
{
	uint32_t depth;

	return go_table_depth(g, vaddr, &depth) ? (long)depth : -1;
}

static void
judge(const struct go_table *g, unsigned quantum)
{
	CHECK_U64(g->n, 3);
	CHECK_STR(name_at(g, TEXT - 1), "-");
	CHECK_STR(name_at(g, TEXT), "f");
	CHECK_STR(name_at(g, TEXT + 0x1f), "f");
	CHECK_STR(name_at(g, TEXT + 0x20), "g");
	CHECK_STR(name_at(g, TEXT + 0x3f), "main.h");
	CHECK_STR(name_at(g, TEXT + 0x40), "-");
	CHECK(depth_at(g, TEXT) == 0);
	CHECK(depth_at(g, TEXT + 4 * quantum - 1) == 0);
	CHECK(depth_at(g, TEXT + 4 * quantum) == 24);
	CHECK(depth_at(g, TEXT + 0x20) == -1);
	CHECK(depth_at(g, TEXT + 0x30) == 0);
	CHECK(depth_at(g, TEXT + 0x3f) == 0);    /* padding */
}

static void
forms_of_all_ages(void)
{
	for (unsigned i = 0; i < 4; i++)
		for (unsigned word = 4; word <= 8; word += 4)
			for (big = false;; big = true) {
				struct go_table g;

				fill((const unsigned[]){ 2, 16, 18, 20 }[i], word, 1, TEXT);
				g = opened(".gopclntab", word);
				judge(&g, 1);
				CHECK(depth_at(&g, TEXT + 8) == 300);
				CHECK(depth_at(&g, TEXT + 27) == 300);
				CHECK(depth_at(&g, TEXT + 28) == 0);
				CHECK(depth_at(&g, TEXT + 31) == 0);
				fill((const unsigned[]){ 2, 16, 18, 20 }[i], word, 2, TEXT);
				g = opened(".gopclntab", word);
				judge(&g, 2);
				if (big)
					break;
			}
	big = false;
}

/* Where code begins is .text's beginning then, but not where another linker has put other code first. */
static void
text_untold(void)
{
	struct go_table g;

	fill(20, 8, 1, 0);
	g = opened(".data.rel.ro.gopclntab", 8);
	judge(&g, 1);
	entry = TEXT + 1;
	g = opened(".data.rel.ro.gopclntab", 8);
	CHECK_U64(g.n, 0);
	entry = TEXT + 0x20;
}

static void
broken(void)
{
	struct go_table g;

	fill(20, 8, 1, TEXT);
	put(0, 4, 0xfffffff7);
	g = opened(".gopclntab", 8);
	CHECK_U64(g.n, 0);
	fill(20, 8, 1, TEXT);
	g = opened(".other", 8);
	CHECK_STR(name_at(&g, TEXT), "-");
	CHECK(depth_at(&g, TEXT) == -1);
	fill(20, 8, 1, TEXT);
	put(8, 8, 100000);   /* more functions than there is room for */
	g = opened(".gopclntab", 8);
	CHECK_U64(g.n, 0);
	fill(20, 8, 1, TEXT);
	put(0x104, 4, FILLED - 0x180);   /* a name that has no end where one could be */
	memset(table + FILLED, 'a', LONG);
	g = opened(".gopclntab", 8);
	CHECK_U64(strlen(name_at(&g, TEXT)), 1);
	table[FILLED + LONG - 1] = 0;
	g = opened(".gopclntab", 8);
	CHECK_U64(strlen(name_at(&g, TEXT)), LONG - 1);
	for (unsigned at = 0; at < FILLED; at++)
		for (unsigned to = 0; to < 3; to++) {
			fill(18, 4, 1, TEXT);
			table[at] = (uint8_t)((const unsigned[]){ 0, 0x7f, 0xff }[to]);
			g = opened(".gopclntab", 4);
			for (unsigned i = 0; i < 0x48; i += 3) {
				struct go_function f;

				CHECK(!go_table_find(&g, TEXT + i, &f) || (TEXT + i >= f.lo && TEXT + i < f.hi && *f.name));
				depth_at(&g, TEXT + i);
			}
		}
}

int
main(void)
{
	RUN("gotable", forms_of_all_ages);
	RUN("gotable", text_untold);
	RUN("gotable", broken);
	arena_free(&arena);
	bytes_free(&file);
	return TEST_STATUS;
}
