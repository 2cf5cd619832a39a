/* Variables by DWARF: expressions, lists, scopes, types and members, written in memory. */
#include "sym/probe/variable.c"

#include "dwarfwrite.h"
#include "test.h"

enum { UNIT = 0x11, SUBPROGRAM = 0x2e, PARAMETER = 0x05, VARIABLE = 0x34, BLOCK_TAG = 0x0b, BASE = 0x24, POINTER = 0x0f, STRUCT = 0x13,
       MEMBER = 0x0d, ENUM = 0x04 };
enum { LOCATION = 0x02, NAME = 0x03, SIZE = 0x0b, LOW = 0x11, HIGH = 0x12, MEMBER_AT = 0x38, ENCODING = 0x3e, FRAME = 0x40, SPECIFICATION = 0x47, TYPE = 0x49,
       LANGUAGE = 0x13, DECLARED = 0x3c };
enum { ADDR8 = 0x01, DATA8 = 0x07, STRING_ = 0x08, DATA1 = 0x0b, REF4 = 0x13, SEC_OFFSET = 0x17, EXPR = 0x18, PRESENT = 0x19 };

static struct bytes info, abbrev, loc;
static unsigned language = 0x0c, number_bytes = 4, enum_encoding = 7, under_encoding = 7;
static enum { NOTHING, NUMBER, STRUCT_OF_16, CUT_OFF } returns;   /* as f's declaration elsewhere has it */
static struct modules ms;
static struct module m;

static void
abbreviate(unsigned code, unsigned tag, bool children, const unsigned *pairs)
{
	bytes_uleb(&abbrev, code);
	bytes_uleb(&abbrev, tag);
	bytes_uint(&abbrev, children, 1);
	for (; *pairs; pairs++)
		bytes_uleb(&abbrev, *pairs);
	bytes_uint(&abbrev, 0, 2);
}
#define PAIRS(...) (const unsigned[]){ __VA_ARGS__, 0 }

static size_t
type(const void *entry, size_t n)
{
	size_t at = info.n;

	bytes_put(&info, entry, n);
	return at;
}

/* An enumeration: with an encoding of its own, unless it is 0, and of a number of UNDER_ENCODING. */
static size_t
enumeration(size_t under)
{
	size_t at = info.n;

	bytes_uint(&info, enum_encoding ? 12 : 13, 1);
	bytes_uint(&info, 4, 1);
	if (enum_encoding)
		bytes_uint(&info, enum_encoding, 1);
	else
		bytes_uint(&info, under, 4);
	return at;
}

/* f() at [0x1000, 0x1080), its frame base the CFA, with parameters that lie at EXPR; a variable "x" at rbx in it, and at
 * [0x1020, 0x1040) another one at rcx.  "n" is an int, "p" a pointer to { int a; char *s at 8; static int t; enum e at 4 }; "l" has a list of places. */
static void
make(const char *expr, size_t nexpr)
{
	size_t number, text, member, point, letter, under, kind, declared;

	dwarfwrite_clear();
	bytes_free(&info);
	bytes_free(&abbrev);
	bytes_free(&loc);
	ms = (struct modules){ 0 };
	m = (struct module){ .kind = MODULE_FILE, .elf.is64 = true };
	abbreviate(1, UNIT, true, PAIRS(LOW, ADDR8, HIGH, DATA8, LANGUAGE, DATA1));
	abbreviate(2, BASE, false, PAIRS(SIZE, DATA1, ENCODING, DATA1));
	abbreviate(3, POINTER, false, PAIRS(TYPE, REF4));
	abbreviate(4, STRUCT, true, PAIRS(SIZE, DATA1));
	abbreviate(5, MEMBER, false, PAIRS(NAME, STRING_, TYPE, REF4, MEMBER_AT, DATA1));
	abbreviate(6, SUBPROGRAM, true, PAIRS(LOW, ADDR8, HIGH, DATA8, FRAME, EXPR, SPECIFICATION, REF4));
	abbreviate(7, PARAMETER, false, PAIRS(NAME, STRING_, TYPE, REF4, LOCATION, EXPR));
	abbreviate(8, BLOCK_TAG, true, PAIRS(LOW, ADDR8, HIGH, DATA8));
	abbreviate(9, VARIABLE, false, PAIRS(NAME, STRING_, TYPE, REF4, LOCATION, SEC_OFFSET));
	abbreviate(10, SUBPROGRAM, false, PAIRS(DECLARED, PRESENT));
	abbreviate(11, SUBPROGRAM, false, PAIRS(DECLARED, PRESENT, TYPE, REF4));
	abbreviate(12, ENUM, false, PAIRS(SIZE, DATA1, ENCODING, DATA1));
	abbreviate(13, ENUM, false, PAIRS(SIZE, DATA1, TYPE, REF4));
	abbreviate(14, MEMBER, false, PAIRS(NAME, STRING_, TYPE, REF4, DECLARED, PRESENT));
	bytes_uint(&abbrev, 0, 1);
	bytes_uint(&info, 0, 4);
	bytes_put(&info, "\4\0\0\0\0\0\10", 7);
	bytes_uint(&info, 1, 1);
	bytes_uint(&info, 0x1000, 8);
	bytes_uint(&info, 0x80, 8);
	bytes_uint(&info, language, 1);
	number = type((const char[]){ 2, (char)number_bytes, 5 }, 3);
	under = type((const char[]){ 2, 4, (char)under_encoding }, 3);
	kind = enumeration(under);
	letter = type("\2\1\6", 3);
	text = type("\3", 1);
	bytes_uint(&info, letter, 4);
	member = type("\4\20", 2);
	bytes_put(&info, "\5a", 3);
	bytes_uint(&info, number, 4);
	bytes_put(&info, "\0\5s", 4);
	bytes_uint(&info, text, 4);
	bytes_put(&info, "\10\16t", 4);
	bytes_uint(&info, number, 4);
	bytes_put(&info, "\5e", 3);
	bytes_uint(&info, kind, 4);
	bytes_put(&info, "\4", 2);
	point = type("\3", 1);
	bytes_uint(&info, member, 4);
	declared = info.n;
	bytes_uint(&info, returns == NOTHING ? 10 : 11, 1);
	if (returns != NOTHING)
		bytes_uint(&info, returns == NUMBER ? under : member, 4);
	bytes_uint(&info, 6, 1);
	bytes_uint(&info, 0x1000, 8);
	bytes_uint(&info, 0x80, 8);
	bytes_put(&info, "\1\234", 2);
	bytes_uint(&info, returns == CUT_OFF ? 0x7fffff : declared, 4);
	bytes_put(&info, "\7n", 3);
	bytes_uint(&info, number, 4);
	bytes_uleb(&info, nexpr);
	bytes_put(&info, expr, nexpr);
	bytes_put(&info, "\7p", 3);
	bytes_uint(&info, point, 4);
	bytes_uleb(&info, nexpr);
	bytes_put(&info, expr, nexpr);
	bytes_put(&info, "\7x", 3);
	bytes_uint(&info, number, 4);
	bytes_put(&info, "\1\123", 2);
	bytes_uint(&info, 8, 1);
	bytes_uint(&info, 0x1020, 8);
	bytes_uint(&info, 0x20, 8);
	bytes_put(&info, "\7x", 3);
	bytes_uint(&info, number, 4);
	bytes_put(&info, "\1\122\0", 3);
	bytes_put(&info, "\11l", 3);
	bytes_uint(&info, number, 4);
	bytes_uint(&info, 0, 5);   /* the list's offset, and the end of f's entries */
	bytes_uint(&info, 0, 1);
	bytes_set(&info, 0, info.n - 4, 4);
	bytes_uint(&loc, 0x10, 8);   /* counted from the unit's beginning */
	bytes_uint(&loc, 0x18, 8);
	bytes_put(&loc, "\1\0\125", 3);
	bytes_uint(&loc, UINT64_MAX, 8);
	bytes_uint(&loc, 0x1040, 8);
	bytes_uint(&loc, 0, 8);
	bytes_uint(&loc, 8, 8);
	bytes_put(&loc, "\2\0\163\10", 4);
	bytes_uint(&loc, 0, 8);
	bytes_uint(&loc, 0, 8);
	dwarfwrite_bytes(".debug_info", &info);
	dwarfwrite_bytes(".debug_abbrev", &abbrev);
	dwarfwrite_bytes(".debug_loc", &loc);
}

static bool
frame(struct modules *modules, struct module *module, uint64_t pc, uint64_t *reg, int64_t *off)
{
	(void)modules;
	(void)module;
	*reg = 7;
	*off = pc == 0x1000 ? 8 : 16;
	return pc != 0x1078;
}

static void
is_at(const char *variable, uint64_t pc, bool begins, const char *says)
{
	const struct call_frame f = { frame, &ms, &m };
	char words[128] = "", why[256] = "";
	uint64_t at = pc;

	CHECK_STR(variable_find(&f, variable, begins, &at, words, sizeof words, why, sizeof why) ? words : why, says);
	CHECK_U64(at, pc);
}

static void
is(const char *variable, uint64_t pc, const char *says)
{
	is_at(variable, pc, false, says);
}

static void
end(void)
{
	modules_free(&ms);
	CHECK_U64(mem_used(), 0);
	bytes_free(&info);
	bytes_free(&abbrev);
	bytes_free(&loc);
}

static void
registers(void)
{
	make("\125", 1);
	is("n", 0x1000, "%#5:s32");
	is("n:x8", 0x1000, "%#5:x8");
	is("p", 0x1000, "%#5:x64");
	is("p->a", 0x1000, "+0(%#5):s32");
	is("p->s", 0x1000, "+8(%#5):x64");
	is("p->s:string", 0x1000, "+0(+8(%#5)):string");
	is("p.s", 0x1000, "+8(%#5):x64");
	end();
}

static void
memory(void)
{
	make("\221\154", 2);   /* fbreg -20 */
	is("n", 0x1000, "-12(%#7):s32");
	is("n", 0x1004, "-4(%#7):s32");
	is("p->a", 0x1004, "+0(-4(%#7)):s32");
	is("p->s:string", 0x1004, "+0(+8(-4(%#7))):string");
	is("n", 0x1078, "prof cannot tell where n is: nothing describes its frame there");
	end();
	make("\163\4", 2);   /* breg3 4 */
	is("n", 0x1004, "+4(%#3):s32");
	end();
	make("\163\4\6\43\14", 5);   /* deref, plus_uconst 12 */
	is("n", 0x1004, "+12(+4(%#3)):s32");
	end();
}

/* At a function's beginning, where its frame is not made yet. */
static void
arguments(void)
{
	static const char later[] = "p is not there yet at the function's first instruction: set the probe at a line";

	for (returns = NOTHING; returns <= CUT_OFF; returns++) {
		make("\221\154", 2);   /* fbreg -20 */
		is_at("p", 0x1000, true, returns <= NUMBER ? "$arg2:x64" : later);
		is_at("p->s:string", 0x1004, false, "+0(+8(-4(%#7))):string");
		end();
	}
	returns = NOTHING;
	for (language = 0x01; language < 0x48; language++) {
		bool as_c = strchr("\1\2\4\14\31\32\34\35\41\52\53\54", (int)language) != NULL;   /* C, C++ and Rust, of all versions */

		make("\221\154", 2);
		is_at("p", 0x1000, true, as_c ? "$arg2:x64" : later);
		end();
	}
	language = 0x0c;
	for (number_bytes = 0; number_bytes <= 16; number_bytes += 8) {
		make("\221\154", 2);
		is_at("p", 0x1000, true, number_bytes == 8 ? "$arg2:x64" : later);
		end();
	}
	number_bytes = 4;
	make("\221\154", 2);
	m.elf.machine = EM_386;   /* passes nothing in registers */
	is_at("p", 0x1000, true, later);
	end();
}

static void
members(void)
{
	static const struct { unsigned own, under; const char *words; } enums[] = {
		{ 7, 5, "+4(%#5):u32" }, { 5, 7, "+4(%#5):s32" }, { 8, 5, "+4(%#5):u32" }, { 0, 7, "+4(%#5):u32" }, { 0, 5, "+4(%#5):s32" },
	};

	for (size_t i = 0; i < sizeof enums / sizeof *enums; i++) {
		enum_encoding = enums[i].own;
		under_encoding = enums[i].under;
		make("\125", 1);
		is("p->e", 0x1000, enums[i].words);
		is("p->t", 0x1000, "t is a static member: it is not in the struct");
		end();
	}
	enum_encoding = under_encoding = 7;
}

static void
scopes(void)
{
	make("\125", 1);
	is("x", 0x1004, "%#3:s32");
	is("x", 0x1020, "%#2:s32");
	is("x", 0x1040, "%#3:s32");
	end();
}

static void
lists(void)
{
	make("\125", 1);
	is("l", 0x1010, "%#5:s32");
	is("l", 0x1018, "prof cannot tell where l is: it has no place there: the compiler removed it, or it begins later");
	is("l", 0x1047, "+8(%#3):s32");
	is("l", 0x1048, "prof cannot tell where l is: it has no place there: the compiler removed it, or it begins later");
	end();
}

/* The list of "l" as DWARF 5 has it. */
static void
lists_of_version_5(void)
{
	struct entry variable, function = { 0 };
	struct unit u = { .version = 5, .address_size = 8, .offset_size = 4, .low = 0x1000 };
	const struct call_frame f = { frame, &ms, &m };
	struct location l;
	struct bytes b = { 0 };

	make("\125", 1);
	CHECK((u.dwarf = dwarf_new(&ms, &m, false)) != NULL);
	bytes_put(&b, "\4\4\10\1\121", 5);   /* an offset pair */
	bytes_put(&b, "\6", 1);
	bytes_uint(&b, 0x2000, 8);
	bytes_put(&b, "\4\0\4\1\122\10", 6);
	bytes_uint(&b, 0x3000, 8);
	bytes_put(&b, "\20\1\123\5\1\120\0", 7);
	dwarfwrite_bytes(".debug_loclists", &b);
	variable = (struct entry){ .unit = &u, .has = 1u << AT_LOCATION, .at[AT_LOCATION] = { .form = SEC_OFFSET } };
	CHECK(!location_of(&variable, &function, 0x1004, &f, &l) && l.in_register && l.reg == 1);
	CHECK(!location_of(&variable, &function, 0x2003, &f, &l) && l.reg == 2);
	CHECK(!location_of(&variable, &function, 0x300f, &f, &l) && l.reg == 3);
	CHECK(!location_of(&variable, &function, 0x4000, &f, &l) && l.reg == 0);   /* the default */
	bytes_free(&b);
	end();
}

static void
refused(void)
{
	static const struct { const char *expr; size_t n; const char *why; } cases[] = {
		{ "", 0, "it has no place there: the compiler removed it, or it begins later" },
		{ "\3\0\0\0\0\0\0\0\0", 9, "it is not on the stack, but at an address of its own" },
		{ "\243\1\125\237", 4, "only its value at the function's beginning is known: set the probe there" },
		{ "\125\223\4", 3, "it lies in several pieces" },
		{ "\163\0\237", 3, "the program computes its value, and keeps it nowhere" },
		{ "\60", 1, "the compiler describes it by a computation" },
		{ "\125\43\10", 3, "the compiler describes it by a computation" },
		{ "\125\6", 2, "the compiler describes it by a computation" },
		{ "\163\0\6\6\6\6", 6, "the compiler describes it by a computation" },
		{ "\221", 1, "its description is cut off" },
	};
	char why[256];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		make(cases[i].expr, cases[i].n);
		snprintf(why, sizeof why, "prof cannot tell where n is: %s", cases[i].why);
		is("n", 0x1000, why);
		end();
	}
	make("\125", 1);
	is("zebra", 0x1000, "there is no variable zebra; there are: n p x l");
	is("n->a", 0x1000, "n is neither a struct nor a pointer to one");
	is("p->zebra", 0x1000, "there is no member zebra; there are: a s t e");
	is("p->", 0x1000, "write a variable as NAME, NAME->MEMBER or NAME.MEMBER");
	is("n:string", 0x1000, "n is not a pointer to text");
	is("n", 0x1080, "the file has no debug information about this code: compile it with -g, or install its debug file");
	end();
}

int
main(void)
{
	RUN("variable", registers);
	RUN("variable", memory);
	RUN("variable", arguments);
	RUN("variable", members);
	RUN("variable", scopes);
	RUN("variable", lists);
	RUN("variable", lists_of_version_5);
	RUN("variable", refused);
	return TEST_STATUS;
}
