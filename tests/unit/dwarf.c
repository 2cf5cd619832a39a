#include "sym/dwarf/dwarf.c"
#include "sym/dwarf/path.c"

#include "lib/sort.h"

#include "dwarfwrite.h"
#include "test.h"

/* One file's sections in the making. */
static struct bytes info, abbrev, line, str, ranges, rnglists, addrs, aranges, offsets, alt_info, alt_abbrev, alt_str;
static struct bytes *const all[] = { &info, &abbrev, &line, &str, &ranges, &rnglists, &addrs, &aranges, &offsets, &alt_info,
	                             &alt_abbrev, &alt_str };
static const char *const all_names[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_ranges",
	                                 ".debug_rnglists", ".debug_addr", ".debug_aranges", ".debug_str_offsets",
	                                 "alt.debug_info", "alt.debug_abbrev", "alt.debug_str" };
enum { ALL = sizeof all / sizeof *all };

static struct modules ms;
static struct module m, alt;
static struct place place[8];

static void
begin(void)
{
	for (unsigned i = 0; i < ALL; i++)
		bytes_free(all[i]);
	dwarfwrite_clear();
	ms = (struct modules){ 0 };
	m = (struct module){ .kind = MODULE_FILE, .elf.is64 = true };
	alt = m;
}

/* Makes the written sections the module's, so that prof can read them. */
static void
ready(void)
{
	for (unsigned i = 0; i < ALL; i++)
		dwarfwrite_bytes(all_names[i], all[i]);
}

static void
end(void)
{
	modules_free(&ms);
	CHECK_U64(mem_used(), 0);
	for (unsigned i = 0; i < ALL; i++)
		bytes_free(all[i]);
}

static unsigned
find(uint64_t addr)
{
	memset(place, 0, sizeof place);
	return dwarf_find(&ms, &m, addr, place, 8);
}

/* An abbreviation of pairs (attribute, form), ended by 0. */
static void
abbreviate(struct bytes *b, unsigned code, unsigned tag, bool children, const unsigned *pairs)
{
	bytes_uleb(b, code);
	bytes_uleb(b, tag);
	bytes_uint(b, children, 1);
	for (; *pairs; pairs += 2) {
		bytes_uleb(b, pairs[0]);
		bytes_uleb(b, pairs[1]);
		if (pairs[1] == 0x21)
			bytes_sleb(b, (int64_t)pairs++[2]);
	}
	bytes_uint(b, 0, 2);
}
#define PAIRS(...) (const unsigned[]){ __VA_ARGS__, 0 }

enum { UNIT = 0x11, SUBPROGRAM = 0x2e, INLINED = 0x1d, BLOCK = 0x0b, STRUCT = 0x13, NAMESPACE = 0x39 };
enum { SIBLING = 0x01, NAME = 0x03, STMT_LIST = 0x10, LOW = 0x11, HIGH = 0x12, COMP_DIR = 0x1b, ORIGIN = 0x31, DECL_FILE = 0x3a,
       DECL_LINE = 0x3b, SPEC = 0x47, RANGES_AT = 0x55, CALL_FILE = 0x58, CALL_LINE = 0x59, LINKAGE = 0x6e };
enum { ADDR8 = 0x01, DATA2 = 0x05, DATA4 = 0x06, DATA8 = 0x07, STRING_ = 0x08, DATA1 = 0x0b, STRP = 0x0e, REF_ADDR_ = 0x10,
       REF4 = 0x13, SEC_OFFSET = 0x17, STRX1 = 0x25, ADDRX1 = 0x29, IMPLICIT = 0x21, RNGLISTX = 0x23, REF_ALT = 0x1f20,
       STRP_ALT = 0x1f21 };

static size_t
unit_begin(struct bytes *b, unsigned version, uint64_t abbrev_off)
{
	size_t at = b->n;

	bytes_uint(b, 0, 4);
	bytes_uint(b, version, 2);
	if (version >= 5) {
		bytes_uint(b, 1, 1);
		bytes_uint(b, 8, 1);
	}
	bytes_uint(b, abbrev_off, 4);
	if (version < 5)
		bytes_uint(b, 8, 1);
	return at;
}

static void
unit_end(struct bytes *b, size_t at)
{
	bytes_set(b, at, b->n - at - 4, 4);
}

/* A table of version 4 with files a.c and inc/b.h; ROWS begins at 0x1000: (advance, line, file) each, advance 0 ends. */
static void
lines_of(const int (*rows)[3])
{
	size_t at = line.n, header;
	int last = 1;

	bytes_uint(&line, 0, 4);
	bytes_uint(&line, 4, 2);
	header = line.n;
	bytes_uint(&line, 0, 4);
	bytes_put(&line, "\1\1\1\373\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	bytes_str(&line, "inc");
	bytes_str(&line, "");
	bytes_str(&line, "a.c");
	bytes_put(&line, "\0\0\0", 3);
	bytes_str(&line, "b.h");
	bytes_put(&line, "\1\0\0", 3);
	bytes_str(&line, "");
	bytes_set(&line, header, line.n - header - 4, 4);
	bytes_put(&line, "\0\11\2", 3);
	bytes_uint(&line, 0x1000, 8);
	for (;; rows++) {
		bytes_uint(&line, 4, 1);
		bytes_uleb(&line, (unsigned)rows[0][2]);
		bytes_uint(&line, 3, 1);
		bytes_sleb(&line, rows[0][1] - last);
		bytes_uint(&line, 1, 1);
		last = rows[0][1];
		if (!rows[0][0])
			break;
		bytes_uint(&line, 2, 1);
		bytes_uleb(&line, (unsigned)rows[0][0]);
	}
	bytes_put(&line, "\2\20\0\1\1", 5);   /* the last row's 16 bytes */
	bytes_set(&line, at, line.n - at - 4, 4);
}

/* outer() at [0x1000, 0x1050), into which middle() is inlined at [0x1010, 0x1030), and into that inner() at [0x1018, 0x1020).
 * SIBLINGS: entries tell their ends. */
static void
nested(unsigned version)
{
	static const int rows[][3] = { { 0x10, 10, 1 }, { 8, 3, 2 }, { 8, 7, 2 }, { 0x10, 4, 2 }, { 0, 12, 1 } };
	size_t at, middle, inner;

	begin();
	lines_of(rows);
	abbreviate(&abbrev, 1, UNIT, true, PAIRS(NAME, STRING_, COMP_DIR, STRING_, STMT_LIST, version < 4 ? DATA4 : SEC_OFFSET, LOW, ADDR8,
	                                         HIGH, version < 4 ? ADDR8 : DATA8));
	abbreviate(&abbrev, 2, SUBPROGRAM, false, PAIRS(NAME, STRING_, LINKAGE, STRING_, DECL_FILE, DATA1, DECL_LINE, DATA1));
	abbreviate(&abbrev, 3, SUBPROGRAM, true, PAIRS(NAME, STRING_, DECL_FILE, DATA1, DECL_LINE, DATA2, LOW, ADDR8, HIGH, ADDR8));
	abbreviate(&abbrev, 4, INLINED, true, PAIRS(ORIGIN, REF4, LOW, ADDR8, HIGH, ADDR8, CALL_FILE, DATA1, CALL_LINE, DATA1));
	bytes_uint(&abbrev, 0, 1);
	at = unit_begin(&info, version, 0);
	bytes_uint(&info, 1, 1);
	bytes_str(&info, "a.c");
	bytes_str(&info, "/src");
	bytes_uint(&info, 0, 4);
	bytes_uint(&info, 0x1000, 8);
	bytes_uint(&info, version < 4 ? 0x1050 : 0x50, 8);
	middle = info.n - at;
	bytes_put(&info, "\2middle\0_Zmiddle\0\2\3", 19);
	inner = info.n - at;
	bytes_put(&info, "\2inner\0_Zinner\0\2\6", 17);
	bytes_put(&info, "\3outer\0\1\11\0", 10);
	bytes_uint(&info, 0x1000, 8);
	bytes_uint(&info, 0x1050, 8);
	bytes_uint(&info, 4, 1);
	bytes_uint(&info, middle, 4);
	bytes_uint(&info, 0x1010, 8);
	bytes_uint(&info, 0x1030, 8);
	bytes_put(&info, "\1\13", 2);
	bytes_uint(&info, 4, 1);
	bytes_uint(&info, inner, 4);
	bytes_uint(&info, 0x1018, 8);
	bytes_uint(&info, 0x1020, 8);
	bytes_put(&info, "\2\5", 2);
	bytes_uint(&info, 0, 4);
	unit_end(&info, at);
	ready();
}

static void
inlined_functions(void)
{
	for (unsigned version = 3; version <= 5; version++) {
		nested(version);
		CHECK_U64(find(0x1004), 1);
		CHECK_STR(place[0].function, "outer");
		CHECK_STR(place[0].file, "/src/a.c");
		CHECK_U64(place[0].line, 10);
		CHECK_STR(place[0].decl_file, "/src/a.c");
		CHECK_U64(place[0].decl_line, 9);
		CHECK_U64(place[0].start, 0x1000);
		CHECK_U64(find(0x1010), 2);
		CHECK_U64(place[0].line, 11);
		CHECK_STR(place[0].file, "/src/a.c");
		CHECK_STR(place[1].function, "_Zmiddle");
		CHECK_STR(place[1].file, "/src/inc/b.h");
		CHECK_U64(place[1].line, 3);
		CHECK_U64(place[1].decl_line, 3);
		CHECK_U64(find(0x101f), 3);
		CHECK_U64(place[0].line, 11);
		CHECK_U64(place[1].line, 5);
		CHECK_STR(place[1].file, "/src/inc/b.h");
		CHECK_STR(place[2].function, "_Zinner");
		CHECK_U64(place[2].line, 7);
		CHECK(place[1].start != place[2].start && place[2].start != place[0].start);
		CHECK_U64(find(0x1020), 2);
		CHECK_U64(place[1].line, 4);
		CHECK_U64(find(0x1030), 1);
		CHECK_U64(place[0].line, 12);
		CHECK_U64(find(0x104f), 1);
		CHECK_U64(find(0x1050), 0);
		CHECK_U64(find(0xfff), 0);
		end();
	}
}

static void
no_more_than_asked_for(void)
{
	nested(4);
	memset(place, 0, sizeof place);
	CHECK_U64(dwarf_find(&ms, &m, 0x1018, place, 2), 2);
	CHECK_STR(place[1].function, "_Zmiddle");
	CHECK(!place[2].function);
	CHECK_U64(dwarf_find(&ms, &m, 0x1018, place, 1), 1);
	CHECK_STR(place[0].function, "outer");
	CHECK_U64(dwarf_find(&ms, &m, 0x1018, place, 0), 0);
	end();
}

/* The answers are the same whether prof asks ahead or not. */
static void
asked_ahead(void)
{
	static const uint64_t addr[] = { 0xfff, 0x1000, 0x1008, 0x1010, 0x1018, 0x1020, 0x1030, 0x104f, 0x1050 };
	enum { N = sizeof addr / sizeof *addr };
	struct place direct[N][16];
	unsigned n[N];

	for (unsigned version = 4; version <= 5; version++) {
		nested(version);
		for (unsigned i = 0; i < N; i++)
			n[i] = dwarf_find(&ms, &m, addr[i], direct[i], 16);
		dwarf_ahead(&ms, &m, addr, N);
		CHECK(ms.cache->ahead != NULL);
		for (unsigned i = 0; i < N; i++) {
			CHECK_U64(find(addr[i]), n[i]);
			for (unsigned k = 0; k < n[i]; k++) {
				CHECK_STR(place[k].function, direct[i][k].function);
				CHECK(place[k].file == direct[i][k].file);   /* paths are kept once */
				CHECK(place[k].line == direct[i][k].line && place[k].start == direct[i][k].start);
				CHECK(place[k].decl_line == direct[i][k].decl_line);
			}
		}
		CHECK_U64(dwarf_find(&ms, &m, 0x1018, place, 2), 2);
		CHECK_STR(place[1].function, "_Zmiddle");
		dwarf_ahead(&ms, &m, addr, 0);
		CHECK(!ms.cache->ahead);
		end();
	}
}

/* The same functions, if nobody wants their files and lines. */
static void
functions_alone(void)
{
	static const uint64_t addr[] = { 0x1018, 0x1030 };

	for (unsigned ahead = 0; ahead < 2; ahead++) {
		nested(5);
		ms.lineless = true;
		if (ahead)
			dwarf_ahead(&ms, &m, addr, 2);
		CHECK_U64(find(0x1018), 3);
		CHECK_STR(place[0].function, "outer");
		CHECK_STR(place[2].function, "_Zinner");
		for (unsigned i = 0; i < 3; i++)
			CHECK(!place[i].file && !place[i].line && !place[i].decl_file && !place[i].decl_line);
		CHECK(place[1].start != place[2].start && place[0].start == 0x1000);
		CHECK_U64(find(0x1030), 1);
		CHECK(!m.lines->fetched[LINE]);
		end();
	}
}

/* prof forgets what it has read, and reads it again. */
static void
forgetting(void)
{
	nested(5);
	CHECK_U64(find(0x1018), 3);
	ms.cache->used = SIZE_MAX;
	CHECK_U64(find(0x1018), 3);
	CHECK_U64(ms.cache->generation, 0);   /* not at once: one unit may be that much */
	ms.cache->lookups += 1000;
	CHECK_U64(find(0x1018), 3);
	CHECK_STR(place[2].function, "_Zinner");
	CHECK_STR(place[2].file, "/src/inc/b.h");
	CHECK_U64(ms.cache->generation, 1);
	CHECK_U64(ms.paths->n, 2);
	end();
}

/* With anything cut off or changed, the reader ends, and stays in its memory (the sanitizers check that). */
static void
broken(void)
{
	for (unsigned which = 0; which < 3; which++) {
		struct bytes *b[] = { &info, &abbrev, &line };
		size_t n;

		nested(which == 2 ? 5 : 4);
		n = b[which]->n;
		end();
		for (size_t i = 0; i < n; i++)
			for (unsigned how = 0; how < 4; how++) {
				nested(which == 2 ? 5 : 4);
				if (how == 0)
					dwarfwrite[which].n = i;
				else
					b[which]->p[i] = how == 1 ? 0xff : how == 2 ? 0 : b[which]->p[i] ^ 0x80;
				for (uint64_t at = 0x1000; at < 0x1050; at += 8)
					CHECK(find(at) <= 8);
				end();
			}
	}
}

static void
at_the_memory_cap(void)
{
	for (size_t cap = 1000; cap < 200000; cap += 3000) {
		nested(4);
		mem_cap(cap);
		CHECK(find(0x1018) <= 3);
		CHECK(find(0x1018) <= 3);
		mem_cap(SIZE_MAX);
		end();
	}
}

/* Version 5: indexed strings, addresses and ranges; a file whose line is implied; a function in two pieces, of which the linker
 * dropped a third. */
static void
indexed(void)
{
	struct segment text = { .vaddr = 0x1000, .memsz = 0x2000, .filesz = 0x2000, .exec = true };
	size_t at;

	begin();
	m.elf.load = &text;
	m.elf.nload = 1;
	bytes_str(&str, "x.c");
	bytes_str(&str, "split");
	bytes_uint(&offsets, 12, 4);
	bytes_uint(&offsets, 5, 4);
	bytes_uint(&offsets, 0, 4);
	bytes_uint(&offsets, 4, 4);
	bytes_uint(&addrs, 36, 4);
	bytes_uint(&addrs, 0x00080005, 4);
	bytes_uint(&addrs, 0x1100, 8);
	bytes_uint(&addrs, 0x2200, 8);
	bytes_uint(&addrs, 0x2210, 8);
	bytes_uint(&addrs, 0, 8);
	bytes_uint(&rnglists, 0, 4);
	bytes_uint(&rnglists, 0x00080005, 4);
	bytes_uint(&rnglists, 1, 4);
	bytes_uint(&rnglists, 4, 4);
	bytes_put(&rnglists, "\1\0" "\4\0\20" "\2\1\2" "\3\3\60", 11);   /* base 0x1100: +0..0x10; 0x2200..0x2210; 0..0x30 */
	bytes_put(&rnglists, "\7", 1);
	bytes_uint(&rnglists, 0x2300, 8);
	bytes_put(&rnglists, "\20\0", 2);
	abbreviate(&abbrev, 7, UNIT, true, PAIRS(NAME, STRX1, 0x72, SEC_OFFSET, 0x73, SEC_OFFSET, 0x74, SEC_OFFSET, RANGES_AT, RNGLISTX));
	abbreviate(&abbrev, 3, SUBPROGRAM, false, PAIRS(NAME, STRX1, DECL_LINE, IMPLICIT, 77, RANGES_AT, RNGLISTX));
	bytes_uint(&abbrev, 0, 1);
	at = unit_begin(&info, 5, 0);
	bytes_put(&info, "\7\0", 2);
	bytes_uint(&info, 8, 4);
	bytes_uint(&info, 8, 4);
	bytes_uint(&info, 12, 4);
	bytes_uint(&info, 0, 1);
	bytes_put(&info, "\3\1\0\0", 4);
	unit_end(&info, at);
	ready();
	static const uint64_t in[] = { 0x1100, 0x110f, 0x2200, 0x220f, 0x2300, 0x230f }, out[] = { 0x10ff, 0x1110, 0x2210, 0x2310, 0x10 };

	for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
		CHECK_U64(find(in[i]), 1);
		CHECK_STR(place[0].function, "split");
		CHECK_U64(place[0].decl_line, 77);
		CHECK_U64(place[0].start, 0x1100);
		CHECK(!place[0].file && !place[0].line);
	}
	for (unsigned i = 0; i < sizeof out / sizeof *out; i++)
		CHECK_U64(find(out[i]), 0);
	end();
}

/* A set for one unit. */
static void
arange(uint64_t unit, uint64_t lo, uint64_t size)
{
	bytes_uint(&aranges, 44, 4);
	bytes_uint(&aranges, 2, 2);
	bytes_uint(&aranges, unit, 4);
	bytes_uint(&aranges, 8, 2);   /* an address's size, and none of a segment */
	bytes_uint(&aranges, 0, 4);
	bytes_uint(&aranges, lo, 8);
	bytes_uint(&aranges, size, 8);
	bytes_uint(&aranges, 0, 8);
	bytes_uint(&aranges, 0, 8);
}

/* prof finds the addresses of .debug_aranges without reading other units. It finds addresses that are missing there, or wrong, by
 * the units. */
static void
by_aranges(void)
{
	static const char *const names[] = { "mine", "yours", "ours" };
	static const uint64_t addr[] = { 0x1008, 0x2008, 0x3008, 0x4008 };
	uint64_t off[3];

	for (unsigned ahead = 0; ahead < 2; ahead++) {
		begin();
		abbreviate(&abbrev, 1, UNIT, true, PAIRS(LOW, ADDR8, HIGH, DATA1));
		abbreviate(&abbrev, 2, SUBPROGRAM, false, PAIRS(NAME, STRING_, LOW, ADDR8, HIGH, DATA1));
		bytes_uint(&abbrev, 0, 1);
		for (unsigned unit = 0; unit < 3; unit++) {
			size_t at;

			off[unit] = info.n;
			at = unit_begin(&info, 4, 0);
			bytes_uint(&info, 1, 1);
			bytes_uint(&info, addr[unit] - 8, 8);
			bytes_uint(&info, 0x20, 1);
			bytes_uint(&info, 2, 1);
			bytes_str(&info, names[unit]);
			bytes_uint(&info, addr[unit] - 8, 8);
			bytes_uint(&info, 0x20, 1);
			bytes_uint(&info, 0, 1);
			unit_end(&info, at);
		}
		arange(off[1], 0x2000, 0x20);
		arange(off[2] + 1, 0x3000, 0x20);
		ready();
		if (ahead) {
			dwarf_ahead(&ms, &m, addr, 4);
			CHECK(ms.cache->ahead != NULL);
		} else {
			CHECK_U64(find(0x2008), 1);
			CHECK_U64(m.lines->nslot, 2);
		}
		for (unsigned i = 0; i < 3; i++) {
			CHECK_U64(find(addr[i]), 1);
			CHECK_STR(place[0].function, names[i]);
		}
		CHECK_U64(find(addr[3]), 0);
		end();
	}
}

/* No unit has the linker's stubs and _start, so prof does not look for it in those that .debug_aranges does not tell. */
static void
what_no_compiler_wrote(void)
{
	struct elfwrite w = elfwrite_new(true, false);
	static const uint8_t stub[32];
	struct bytes elf;

	w.entry = 0x2900;
	elfwrite_section(&w, ".plt.got", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2800, stub, sizeof stub);
	elf = elfwrite_finish(&w);
	begin();
	abbreviate(&abbrev, 1, UNIT, false, PAIRS(LOW, ADDR8, HIGH, DATA1));
	bytes_uint(&abbrev, 0, 1);
	for (unsigned unit = 0; unit < 3; unit++) {
		size_t at = unit_begin(&info, 4, 0);

		bytes_uint(&info, 1, 1);
		bytes_uint(&info, 0x1000 * unit, 8);
		bytes_uint(&info, 0x20, 1);
		unit_end(&info, at);
	}
	arange(0, 0x1000, 0x20);
	ready();
	CHECK(!elf_open(&m.elf, cur_of(elf.p, elf.n, false), false, &ms.arena));
	CHECK_U64(find(0x2810), 0);
	CHECK_U64(find(0x2921), 0);
	CHECK_U64(m.lines->nslot, 0);
	find(0x2951);
	CHECK_U64(m.lines->nslot, 3);
	end();
	bytes_free(&elf);
}

/* Entries of other units and other files name a function; two units claim one code, which the first has. */
static void
across_units(void)
{
	size_t at, name;

	begin();
	dwarfwrite_alt = &alt;
	bytes_str(&alt_str, "");
	bytes_str(&alt_str, "shared");
	abbreviate(&alt_abbrev, 1, 0x3c, true, PAIRS(DECL_LINE, DATA1));
	abbreviate(&alt_abbrev, 2, SUBPROGRAM, false, PAIRS(NAME, STRP));
	bytes_uint(&alt_abbrev, 0, 1);
	at = unit_begin(&alt_info, 4, 0);
	bytes_put(&alt_info, "\1\1", 2);
	name = alt_info.n;
	bytes_put(&alt_info, "\2\1\0\0\0", 5);
	unit_end(&alt_info, at);
	abbreviate(&abbrev, 1, UNIT, true, PAIRS(LOW, ADDR8, HIGH, DATA1));
	abbreviate(&abbrev, 2, SUBPROGRAM, false, PAIRS(SPEC, REF_ALT, DECL_LINE, DATA1));
	abbreviate(&abbrev, 3, SUBPROGRAM, false, PAIRS(ORIGIN, REF_ADDR_, LOW, ADDR8, HIGH, DATA1));
	abbreviate(&abbrev, 4, SUBPROGRAM, false, PAIRS(NAME, STRING_, LOW, ADDR8, HIGH, DATA1));
	bytes_uint(&abbrev, 0, 1);
	for (unsigned unit = 0; unit < 2; unit++) {
		at = unit_begin(&info, 4, 0);
		bytes_uint(&info, 1, 1);
		bytes_uint(&info, 0x1000 + unit * 0x10, 8);
		bytes_uint(&info, 0x20, 1);
		if (!unit) {
			bytes_uint(&info, 2, 1);
			bytes_uint(&info, name, 4);
			bytes_uint(&info, 42, 1);
		}
		bytes_uint(&info, unit ? 3 : 4, 1);
		if (unit)
			bytes_uint(&info, 21, 4);   /* behind the first unit's own entry */
		else
			bytes_str(&info, "mine");
		bytes_uint(&info, 0x1000 + unit * 0x10, 8);
		bytes_uint(&info, 0x20, 1);
		bytes_uint(&info, 0, 1);
		unit_end(&info, at);
	}
	ready();
	CHECK_U64(find(0x1018), 1);
	CHECK_STR(place[0].function, "mine");
	CHECK_U64(find(0x1028), 1);
	CHECK_STR(place[0].function, "shared");
	CHECK_U64(place[0].decl_line, 42);
	end();
}

/* Functions that an ordinary pass does not reach: in a type, and within a function that ends before it. A unit without addresses.
 * An entry that is its own origin. */
static void
hidden(void)
{
	size_t at, own;

	begin();
	abbreviate(&abbrev, 1, UNIT, true, PAIRS(NAME, STRING_));
	abbreviate(&abbrev, 2, STRUCT, true, PAIRS(SIBLING, REF4));
	abbreviate(&abbrev, 3, SUBPROGRAM, true, PAIRS(NAME, STRING_, SIBLING, REF4, LOW, ADDR8, HIGH, DATA1));
	abbreviate(&abbrev, 4, SUBPROGRAM, false, PAIRS(NAME, STRING_, LOW, ADDR8, HIGH, DATA1));
	abbreviate(&abbrev, 5, SUBPROGRAM, false, PAIRS(ORIGIN, REF4, LOW, ADDR8, HIGH, DATA1));
	bytes_uint(&abbrev, 0, 1);
	at = unit_begin(&info, 4, 0);
	bytes_put(&info, "\1u\0", 3);
	bytes_uint(&info, 2, 1);
	own = info.n;
	bytes_uint(&info, 0, 4);
	bytes_put(&info, "\4method\0", 8);
	bytes_uint(&info, 0x3000, 8);
	bytes_uint(&info, 0x10, 1);
	bytes_uint(&info, 0, 1);
	bytes_set(&info, own, info.n - at, 4);
	bytes_put(&info, "\3outside\0", 9);
	own = info.n;
	bytes_uint(&info, 0, 4);
	bytes_uint(&info, 0x1000, 8);
	bytes_uint(&info, 0x10, 1);
	bytes_put(&info, "\4within\0", 8);
	bytes_uint(&info, 0x1008, 8);
	bytes_uint(&info, 0x20, 1);
	bytes_uint(&info, 0, 1);
	bytes_set(&info, own, info.n - at, 4);
	own = info.n - at;
	bytes_uint(&info, 5, 1);
	bytes_uint(&info, own, 4);
	bytes_uint(&info, 0x4000, 8);
	bytes_uint(&info, 0x10, 1);
	bytes_uint(&info, 0, 1);
	unit_end(&info, at);
	ready();
	CHECK_U64(find(0x1004), 1);
	CHECK_STR(place[0].function, "outside");
	CHECK_U64(find(0x1008), 1);
	CHECK_STR(place[0].function, "within");
	CHECK_U64(place[0].start, 0x1008);
	CHECK_U64(find(0x4000), 1);
	CHECK(!place[0].function);
	end();
}

static void
overlapping_spans(void)
{
	static const uint64_t given[][3] = { { 10, 50, 3 }, { 20, 30, 1 }, { 25, 60, 2 }, { 70, 80, 5 }, { 70, 80, 4 }, { 5, 5, 0 } };
	static const uint64_t least[][3] = { { 10, 20, 3 }, { 20, 30, 1 }, { 30, 60, 2 }, { 70, 80, 4 } };
	static const uint64_t most[][3] = { { 10, 50, 3 }, { 50, 60, 2 }, { 70, 80, 5 } };

	for (unsigned largest = 0; largest < 2; largest++) {
		struct disjoint_ranges s = { 0 };

		for (unsigned i = 0; i < 6; i++)
			disjoint_add(&s, given[i][0], given[i][1], given[i][2]);
		CHECK(disjoint_settle(&s, largest));
		CHECK_U64(s.n, largest ? 3 : 4);
		for (uint32_t i = 0; i < s.n; i++) {
			const uint64_t *want = largest ? most[i] : least[i];

			CHECK_U64(s.span[i].lo, want[0]);
			CHECK_U64(s.span[i].hi, want[1]);
			CHECK_U64(s.span[i].what, want[2]);
		}
		CHECK(!disjoint_find(s.span, s.n, 9) && !disjoint_find(s.span, s.n, 65) && !disjoint_find(s.span, s.n, 80));
		CHECK(disjoint_find(s.span, s.n, 79) == &s.span[s.n - 1]);
		disjoint_free(&s);
	}
}

/* Few items or many: sorting puts them in order, and keeps the order of equal keys. */
static void
sorted_items(void)
{
	struct item item[200];
	uint32_t x = 1;

	for (uint32_t n = 0; n <= 200; n++) {
		for (uint32_t i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			item[i] = (struct item){ x >> 28 | (uint64_t)(x >> 27 & 1) << 60, i, ~i };
		}
		CHECK(sort_items(item, n));
		for (uint32_t i = 0; i < n; i++)
			CHECK(item[i].b == ~item[i].a && (!i || item[i - 1].key < item[i].key ||
			                                  (item[i - 1].key == item[i].key && item[i - 1].a < item[i].a)));
	}
}

int
main(void)
{
	RUN("dwarf", inlined_functions);
	RUN("dwarf", no_more_than_asked_for);
	RUN("dwarf", asked_ahead);
	RUN("dwarf", functions_alone);
	RUN("dwarf", forgetting);
	RUN("dwarf", broken);
	RUN("dwarf", at_the_memory_cap);
	RUN("dwarf", indexed);
	RUN("dwarf", across_units);
	RUN("dwarf", by_aranges);
	RUN("dwarf", what_no_compiler_wrote);
	RUN("dwarf", hidden);
	RUN("dwarf", overlapping_spans);
	RUN("dwarf", sorted_items);
	return TEST_STATUS;
}
