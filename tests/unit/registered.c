/* Code that a process describes to debuggers, in an image of its memory. */
#include "sym/jit/registered.c"

#include <sys/mman.h>
#include <unistd.h>

#include "elfwrite.h"
#include "test.h"

enum { TEXT = 0x700000, SIZE = 0x1000, PIECE = 0x2000 };
#define BASE 0x10000u

static struct registered r;
static struct space space;
static struct work work;
static struct bytes memory;
static uint64_t ran, now;
static unsigned reads;

static size_t
read_image(struct space *s, uint64_t addr, void *to, size_t n)
{
	(void)s;
	reads++;
	if (addr < BASE || addr >= BASE + memory.n)
		return 0;
	n = n < BASE + memory.n - addr ? n : (size_t)(BASE + memory.n - addr);
	memcpy(to, memory.p + (addr - BASE), n);
	return n;
}

static bool
has_run(const void *ctx, uint64_t lo, uint64_t hi)
{
	(void)ctx;
	return ran >= lo && ran < hi;
}

static void
begin(bool is64)
{
	memory = (struct bytes){ 0 };
	work = (struct work){ 0 };
	r = (struct registered){ .list = { { .addr = BASE, .word = is64 ? 8 : 4, .size_at = is64 ? 24 : 12 } }, .lists = 1 };
	space_init(&space);
	space.read = read_image;
	bytes_set(&memory, 0, 1, 4);
	ran = 0;
	now = clock_now();
}

static void
end(void)
{
	registered_free(&r);
	space_free(&space);
	bytes_free(&memory);
	CHECK_U64(mem_used(), 0);
}

/* An entry at AT, with the file behind it. */
static void
entry(bool is64, uint64_t at, uint64_t next, uint64_t file, uint64_t size)
{
	unsigned word = is64 ? 8 : 4;

	bytes_set(&memory, at - BASE, next, word);
	bytes_set(&memory, at - BASE + 2 * word, file, word);
	bytes_set(&memory, at - BASE + 3 * word, size, 8);
}

static void
first(bool is64, uint64_t at)
{
	bytes_set(&memory, is64 ? 16 : 12, at, is64 ? 8 : 4);
}

/* A piece of code at TEXT + N * SIZE, its file at BASE + (N + 1) * PIECE: as qemu has it, or RELOCATABLE as LLVM has it. */
static void
piece(bool is64, unsigned n, const char *name, bool relocatable, bool debug, uint64_t next)
{
	struct elfwrite w = elfwrite_new(is64, false);
	uint64_t text = TEXT + n * SIZE, at = BASE + (n + 1) * PIECE;
	struct ehwrite e;
	struct bytes file;
	unsigned sec;

	w.type = relocatable ? ET_REL : ET_EXEC;
	w.base = debug ? 0 : at + 0x40;
	e = ehwrite_new(&w, debug ? 0 : at + 0x40 + 0x400);
	e.debug = debug;
	if (debug)
		e.encoding = 0;
	sec = elfwrite_section_at(&w, ".text", SHT_NOBITS, SHF_EXECINSTR, text, 0, NULL, SIZE);
	elfwrite_symbol(&w, name, relocatable ? 0x10 : text + 0x10, 0x100, STT_FUNC, sec);
	elfwrite_symbol(&w, "liar", relocatable ? SIZE - 8 : text + SIZE - 8, 0x100, STT_FUNC, sec);
	elfwrite_symbol(&w, "data", relocatable ? 0x200 : text + 0x200, 0x100, STT_OBJECT, sec);
	ehwrite_fde(&e, ehwrite_cie(&e, debug ? "" : "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5), text, SIZE / 2, "\x0e\x40", 2);
	ehwrite_finish(&e, &w, 0);
	file = elfwrite_finish(&w);
	bytes_put_at(&memory, at - BASE + 0x40, file.p, file.n);
	entry(is64, at, next, at + 0x40, file.n);
	bytes_free(&file);
}

static enum registered_news
look(void)
{
	now += UINT64_C(20000000000);
	return registered_look(&r, &space, now, &work, has_run, NULL);
}

static const char *
at(uint64_t addr, uint64_t change)
{
	struct symbol s;

	if (!registered_find(&r, addr, change, &s))
		return "-";
	CHECK(addr >= s.lo && addr < s.hi);
	return s.name;
}

static void
symbols_and_frames(void)
{
	for (unsigned i = 0; i < 8; i++) {
		bool is64 = i & 1, relocatable = i & 2, debug = i & 4;
		struct fde f;

		begin(is64);
		piece(is64, 0, "f", relocatable, debug, BASE + 2 * PIECE);
		piece(is64, 1, "g", relocatable, debug, 0);
		first(is64, BASE + PIECE);
		ran = TEXT + SIZE + 0x20;
		CHECK(look() == REGISTERED_MORE);
		CHECK_STR(at(TEXT + 0x10, JITCODE_ALL), "f");
		CHECK_STR(at(TEXT + SIZE + 0x10f, JITCODE_ALL), "g");
		CHECK_STR(at(TEXT + 0xf, JITCODE_ALL), "-");
		CHECK_STR(at(TEXT + 0x200, JITCODE_ALL), "-");
		CHECK_STR(at(TEXT + SIZE - 8, JITCODE_ALL), "-");
		CHECK(registered_frame(&r, TEXT, &f) && f.lo == TEXT && f.hi == TEXT + SIZE / 2 && f.debug == debug && f.told);
		CHECK(registered_frame(&r, TEXT + SIZE + 0x7ff, &f) && f.lo == TEXT + SIZE);
		CHECK(!registered_frame(&r, TEXT + 0x800, &f) && !registered_frame(&r, TEXT - 1, &f));
		end();
	}
}

/* A question reads one description, however many there are. */
static void
many_functions(void)
{
	enum { MANY = 2000, EACH = 0x10 };
	struct elfwrite w = elfwrite_new(true, false);
	struct ehwrite e;
	struct bytes file;
	struct fde f;
	size_t cie;

	begin(true);
	w.type = ET_EXEC;
	e = ehwrite_new(&w, 0);
	e.debug = true;
	e.encoding = 0;
	cie = ehwrite_cie(&e, "", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
	elfwrite_section_at(&w, ".text", SHT_NOBITS, SHF_EXECINSTR, TEXT, 0, NULL, MANY * EACH);
	for (unsigned i = MANY; i--;)
		ehwrite_fde(&e, cie, TEXT + i * EACH, EACH - 1, "\x0e\x40", 2);
	ehwrite_finish(&e, &w, 0);
	file = elfwrite_finish(&w);
	bytes_put_at(&memory, PIECE + 0x40, file.p, file.n);
	entry(true, BASE + PIECE, 0, BASE + PIECE + 0x40, file.n);
	bytes_free(&file);
	first(true, BASE + PIECE);
	look();
	for (unsigned i = 0; i < MANY; i++) {
		work_begin(&work);
		CHECK(registered_frame(&r, TEXT + i * EACH + EACH - 2, &f) && f.lo == TEXT + i * EACH);
		CHECK(!registered_frame(&r, TEXT + i * EACH + EACH - 1, &f));
		work_end();
	}
	CHECK(!work.over);
	end();
}

static void
a_look_that_finds_no_change_reads_little(void)
{
	begin(true);
	for (unsigned n = 0; n < 30; n++)
		piece(true, n, "f", false, true, n < 29 ? BASE + (n + 2) * PIECE : 0);
	first(true, BASE + PIECE);
	look();
	CHECK_U64(r.pieces, 30);
	reads = 0;
	CHECK(look() == REGISTERED_SAME && reads == 3);
	CHECK(registered_look(&r, &space, now + 1, &work, has_run, NULL) == REGISTERED_SAME && reads == 3);   /* too soon */
	end();
}

/* New code in its place, and the same entry: only the file's end tells. */
static void
code_gives_way(void)
{
	struct fde f;

	begin(true);
	piece(true, 0, "old", false, true, 0);
	first(true, BASE + PIECE);
	CHECK(look() == REGISTERED_SAME);
	piece(true, 0, "new", false, true, 0);
	ran = TEXT + 0x20;
	CHECK(look() == REGISTERED_OTHER);
	CHECK_STR(at(TEXT + 0x20, JITCODE_ALL), "new");
	CHECK_STR(at(TEXT + 0x20, 2), "old");
	first(true, 0);
	CHECK(look() == REGISTERED_OTHER);
	CHECK_STR(at(TEXT + 0x20, JITCODE_ALL), "-");
	CHECK_STR(at(TEXT + 0x20, 2), "old");
	CHECK(registered_frame(&r, TEXT, &f));   /* for samples from before */
	look();
	CHECK(!registered_frame(&r, TEXT, &f));
	ran = 0;
	piece(true, 0, "again", false, true, 0);
	first(true, BASE + PIECE);
	CHECK(look() == REGISTERED_SAME);
	CHECK_STR(at(TEXT + 0x20, JITCODE_ALL), "again");
	CHECK(registered_frame(&r, TEXT, &f));
	end();
}

static void
lists_that_lie(void)
{
	struct fde f;

	begin(true);
	piece(true, 0, "f", false, true, BASE + PIECE);        /* in a circle */
	first(true, BASE + PIECE);
	CHECK(look() == REGISTERED_SAME && r.pieces == 1 && !r.list[0].seen);
	CHECK_STR(at(TEXT + 0x10, JITCODE_ALL), "f");
	piece(true, 0, "f", false, true, 0x123456789abcdef0);  /* into the void: what was there may still be */
	look();
	CHECK_U64(r.pieces, 1);
	CHECK(!r.piece[0].gone);
	entry(true, BASE + PIECE, 0, BASE + PIECE + 0x40, UINT64_MAX);
	look();
	CHECK_STR(at(TEXT + 0x10, JITCODE_ALL), "-");
	entry(true, BASE + PIECE, 0, UINT64_MAX - 8, 0x1000);
	look();
	entry(true, BASE + PIECE, 0, BASE + PIECE + 0x40, 0x30);
	look();
	CHECK(!registered_frame(&r, TEXT, &f));
	bytes_set(&memory, 0, 2, 4);                           /* another version */
	piece(true, 1, "g", false, true, 0);
	first(true, BASE + 2 * PIECE);
	look();
	CHECK_STR(at(TEXT + SIZE + 0x10, JITCODE_ALL), "-");
	memory.n = 20;
	reads = 0;
	CHECK(look() == REGISTERED_SAME && reads == 2 && r.piece[0].gone);
	end();
}

/* A long list of small files, and more than one look may read. */
static void
bounded(void)
{
	enum { MANY = 5000, ENTRY = 32 };

	begin(true);
	for (unsigned i = 0; i < MANY; i++)
		entry(true, BASE + 0x100 + i * ENTRY, i + 1 < MANY ? BASE + 0x100 + (i + 1) * ENTRY : 0, BASE, 64);
	first(true, BASE + 0x100);
	look();
	CHECK(r.pieces > 0 && r.pieces <= 2048);
	CHECK(mem_used() < 4 << 20);
	end();
}

/* Of a longer list than prof keeps, it keeps the newest pieces.  A place of old code gets the name of the new code. */
static void
a_list_that_is_too_long(void)
{
	enum { MANY = ENTRIES_MOST + 50, OLD = 10 };

	begin(true);
	for (unsigned n = 0; n < MANY; n++)
		piece(true, n, "f", false, true, n + 1 < MANY ? BASE + (n + 2) * PIECE : 0);
	first(true, BASE + PIECE);
	for (unsigned n = 0; n < 12; n++)
		look();
	CHECK_U64(r.pieces, ENTRIES_MOST);
	CHECK_STR(at(TEXT + OLD * SIZE + 0x10, JITCODE_ALL), "f");
	CHECK_STR(at(TEXT + (MANY - 1) * SIZE + 0x10, JITCODE_ALL), "-");
	CHECK(r.said);
	piece(true, OLD, "new", false, true, BASE + (OLD + 2) * PIECE);
	ran = TEXT + OLD * SIZE + 0x20;
	CHECK(look() == REGISTERED_OTHER);
	CHECK_STR(at(TEXT + OLD * SIZE + 0x20, JITCODE_ALL), "new");
	CHECK_STR(at(TEXT + (OLD + 1) * SIZE + 0x20, JITCODE_ALL), "f");
	CHECK_U64(r.pieces, ENTRIES_MOST);
	end();
}

/* No old name where there may be new code, of which there was no room for the names. */
static void
too_many_names(void)
{
	struct jit_range far = { .lo = 1 << 30, .hi = (1 << 30) + 16 };

	begin(true);
	piece(true, 0, "f", false, true, BASE + 2 * PIECE);
	piece(true, 1, "g", false, true, 0);
	first(true, BASE + PIECE);
	look();
	far.at = r.changes += 5;
	while (jitcode_add(r.code, &far))
		;
	piece(true, 0, "new", false, true, BASE + 2 * PIECE);
	look();
	CHECK_STR(at(TEXT + 0x20, JITCODE_ALL), "-");
	CHECK_STR(at(TEXT + 0x20, 3), "f");
	CHECK_STR(at(TEXT + SIZE + 0x20, JITCODE_ALL), "g");
	CHECK(r.said);
	end();
}

static void
a_symbol_without_a_size(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	struct bytes file;
	unsigned sec;

	begin(true);
	w.type = ET_EXEC;
	sec = elfwrite_section_at(&w, ".text", SHT_NOBITS, SHF_EXECINSTR, TEXT, 0, NULL, SIZE);
	elfwrite_symbol(&w, "sized", TEXT + 0x100, 0x100, STT_FUNC, sec);
	elfwrite_symbol(&w, "sizeless", TEXT, 0, STT_FUNC, sec);
	file = elfwrite_finish(&w);
	bytes_put_at(&memory, PIECE + 0x40, file.p, file.n);
	entry(true, BASE + PIECE, 0, BASE + PIECE + 0x40, file.n);
	bytes_free(&file);
	first(true, BASE + PIECE);
	look();
	CHECK_STR(at(TEXT + 0xff, JITCODE_ALL), "sizeless");
	CHECK_STR(at(TEXT + 0x100, JITCODE_ALL), "sized");
	CHECK_STR(at(TEXT + 0x200, JITCODE_ALL), "sizeless");
	end();
}

/* A piece in six places, with another piece between them: that one keeps its names. */
static void
many_places(void)
{
	enum { STEP = 2 * SIZE, FROM = TEXT + 0x100000 };
	struct elfwrite w = elfwrite_new(true, false);
	char name[] = "f0";
	struct bytes file;

	begin(true);
	w.type = ET_EXEC;
	for (unsigned i = 0; i < 6; i++) {
		uint64_t lo = FROM + i * STEP;
		unsigned sec = elfwrite_section_at(&w, ".text", SHT_NOBITS, SHF_EXECINSTR, lo, 0, NULL, SIZE);

		name[1] = (char)('0' + i);
		elfwrite_symbol(&w, name, lo + 0x10, 0x100, STT_FUNC, sec);
	}
	file = elfwrite_finish(&w);
	bytes_put_at(&memory, PIECE + 0x40, file.p, file.n);
	piece(true, 0x100 + 2 * 4 + 1, "between", false, true, 0);
	entry(true, BASE + PIECE, BASE + (0x100 + 2 * 4 + 2) * PIECE, BASE + PIECE + 0x40, file.n);
	bytes_free(&file);
	first(true, BASE + PIECE);
	look();
	CHECK_STR(at(FROM + 5 * STEP + 0x20, JITCODE_ALL), "f5");
	CHECK_STR(at(FROM + 4 * STEP + SIZE + 0x20, JITCODE_ALL), "between");
	first(true, BASE + (0x100 + 2 * 4 + 2) * PIECE);
	look();
	CHECK_STR(at(FROM + 4 * STEP + SIZE + 0x20, JITCODE_ALL), "between");
	for (unsigned i = 0; i < 6; i++)
		CHECK_STR(at(FROM + i * STEP + 0x20, JITCODE_ALL), "-");
	end();
}

/* A program with a symbol for its descriptor, mapped, finds its list. */
static void
the_symbol(void)
{
	struct map m = { .lo = BASE, .hi = BASE + 0x1000, .exec = true, .file = 1 };

	for (unsigned i = 0; i < 6; i++) {
		struct elfwrite w = elfwrite_new(true, false);
		const char *name = i < 4 ? "__jit_debug_descriptor" : "__jit_debug_descriptors";
		struct modules modules;
		struct module *program;
		struct bytes file;
		unsigned sec;

		begin(true);
		r.lists = 0;
		CHECK(modules_init(&modules));
		sec = elfwrite_section(&w, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x800, NULL, 24);
		(i & 1 ? elfwrite_symbol : elfwrite_dynamic_symbol)(&w, name, 0x800, i & 2 ? 16 : 24, STB_GLOBAL << 4 | STT_OBJECT, sec);
		file = elfwrite_finish(&w);
		program = module_image(&modules, "/program", file.p, file.n);
		program->kind = MODULE_FILE;
		space_bind(&m, program);
		CHECK(space_add(&space, &m));
		look();
		CHECK_U64(r.lists, i < 2);
		CHECK(i >= 2 || r.list[0].addr == m.bias + 0x800);
		bytes_free(&file);
		modules_free(&modules);
		end();
	}
}

static struct module *bound_to;
static unsigned opened;

static void
open_map(struct space *s, struct map *m)
{
	(void)s;
	opened++;
	space_bind(m, bound_to);
}

/* Memory that does not change: all of a long list, and of all maps. */
static void
all_of_it(void)
{
	enum { MANY = 1000, MAPS = 100 };
	struct elfwrite w = elfwrite_new(true, false);
	struct modules modules;
	struct bytes file;

	begin(true);
	CHECK(modules_init(&modules));
	elfwrite_section(&w, ".data", SHT_PROGBITS, SHF_ALLOC, 0x800, NULL, 24);
	file = elfwrite_finish(&w);
	bound_to = module_image(&modules, "/program", file.p, file.n);
	bound_to->kind = MODULE_FILE;
	space.open = open_map;
	opened = 0;
	for (unsigned i = 0; i < MAPS; i++)
		CHECK(space_add(&space, &(struct map){ .lo = 0x100000000 + i * 0x1000, .hi = 0x100001000 + i * 0x1000, .exec = true, .file = i + 1 }));
	for (unsigned n = 0; n < MANY; n++)
		piece(true, n, "f", false, true, n + 1 < MANY ? BASE + (n + 2) * PIECE : 0);
	first(true, BASE + PIECE);
	registered_all(&r, &space, &work, has_run, NULL);
	CHECK_U64(r.pieces, MANY);
	CHECK_U64(opened, MAPS);
	CHECK_STR(at(TEXT + 0x10, JITCODE_ALL), "f");
	memory.n = 0;
	reads = 0;
	registered_all(&r, &space, &work, has_run, NULL);
	CHECK_U64(reads, 1);
	bytes_free(&file);
	modules_free(&modules);
	end();
}

int
main(void)
{
	RUN("registered", symbols_and_frames);
	RUN("registered", many_functions);
	RUN("registered", a_look_that_finds_no_change_reads_little);
	RUN("registered", code_gives_way);
	RUN("registered", lists_that_lie);
	RUN("registered", bounded);
	RUN("registered", a_list_that_is_too_long);
	RUN("registered", too_many_names);
	RUN("registered", a_symbol_without_a_size);
	RUN("registered", many_places);
	RUN("registered", the_symbol);
	RUN("registered", all_of_it);
	return TEST_STATUS;
}
