#include "unwind/cfi/cfi.c"
#include "test.h"

/* def_cfa rsp, 8; ra at cfa - 8: every x86-64 CIE. */
static const uint8_t cie[] = { 0x0c, 7, 8, 0x90, 1 };

static struct fde
make(const void *insns, size_t n)
{
	return (struct fde){ .lo = 0x1000, .hi = 0x2000, .cie_insns = cur_of(cie, sizeof cie, false),
		.insns = cur_of(insns, n, false), .code_align = 1, .data_align = -8, .address_size = 8, .ra = 16,
		.insns_vaddr = 0x5000 };
}

#define FRAME(f) 0x41, 0x0e, 0x10, 0x86, 2, 0x43, 0x0d, 6, f, 0x0c, 7, 8

static bool
same_place(const struct row *a, const struct row *b, unsigned reg)
{
	struct place x = row_place(a, reg), y = row_place(b, reg);

	return x.how == y.how && x.off == y.off;
}

/* If there is a quick answer, it is a part of the whole answer. */
static const char *
row_at(const void *insns, size_t n, uint64_t vaddr, struct row *row)
{
	struct fde f = make(insns, n);
	struct row brief;
	const char *why = cfi_row(&arch_x86_64, &f, vaddr, row);

	if (cfi_brief(&arch_x86_64, &f, vaddr, &brief))
		CHECK(!why && !row->cfa_expr && brief.cfa_reg == row->cfa_reg && brief.cfa_off == row->cfa_off && brief.ra == row->ra &&
		      same_place(&brief, row, 6) && same_place(&brief, row, 16) && same_place(&brief, row, 7));
	return why;
}

static void
most_are_brief(void)
{
	static const uint8_t insns[] = { FRAME(0x0a), 0x41, 0x0b, 0x41, 0xc6, 0x02, 9, 0x0e, 0x90, 1, 0x03, 9, 0, 0x2e, 16, 0x83, 3, 0x41, 0x08, 3 };
	struct row row;

	for (uint64_t at = 0x1000; at < 0x1020; at++) {
		struct fde f = make(insns, sizeof insns);

		CHECK(!row_at(insns, sizeof insns, at, &row) && cfi_brief(&arch_x86_64, &f, at, &row) == (at < 0x1019));
	}
}

#define ROW(row, vaddr, ...) \
	do { \
		static const uint8_t i_[] = { __VA_ARGS__ }; \
		CHECK(!row_at(i_, sizeof i_, vaddr, row)); \
	} while (0)
#define LIES(...) \
	do { \
		static const uint8_t i_[] = { __VA_ARGS__ }; \
		struct row row_; \
		CHECK(row_at(i_, sizeof i_, 0x1100, &row_)); \
	} while (0)

static void
prologue_by_prologue(void)
{
	struct row r;

	ROW(&r, 0x1000, FRAME(0x60));
	CHECK(r.cfa_reg == 7 && r.cfa_off == 8 && row_place(&r, 6).how == HOW_SAME);
	CHECK(row_place(&r, 16).how == HOW_OFFSET && row_place(&r, 16).off == -8);
	ROW(&r, 0x1001, FRAME(0x60));
	CHECK(r.cfa_reg == 7 && r.cfa_off == 16 && row_place(&r, 6).how == HOW_OFFSET && row_place(&r, 6).off == -16);
	ROW(&r, 0x1003, FRAME(0x60));
	CHECK(r.cfa_reg == 7);
	ROW(&r, 0x1004, FRAME(0x60));
	CHECK(r.cfa_reg == 6 && r.cfa_off == 16);
	ROW(&r, 0x1023, FRAME(0x60));
	CHECK(r.cfa_reg == 6);
	ROW(&r, 0x1024, FRAME(0x60));
	CHECK(r.cfa_reg == 7 && r.cfa_off == 8);
}

static void
advances(void)
{
	struct row r;

	ROW(&r, 0x10ff, 0x02, 0xff, 0x0e, 16, 0x03, 0, 1, 0x0e, 24, 0x04, 0, 1, 0, 0, 0x0e, 32);
	CHECK(r.cfa_off == 16);
	ROW(&r, 0x11ff, 0x02, 0xff, 0x0e, 16, 0x03, 0, 1, 0x0e, 24, 0x04, 0, 1, 0, 0, 0x0e, 32);
	CHECK(r.cfa_off == 24);
	ROW(&r, 0x12ff, 0x02, 0xff, 0x0e, 16, 0x03, 0, 1, 0x0e, 24, 0x04, 0, 1, 0, 0, 0x0e, 32);
	CHECK(r.cfa_off == 32);
	/* set_loc: absolute, since no encoding is given */
	ROW(&r, 0x1010, 0x01, 0x10, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 16);
	CHECK(r.cfa_off == 16);
	ROW(&r, 0x100f, 0x01, 0x10, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 16);
	CHECK(r.cfa_off == 8);
}

static void
set_loc_relative(void)
{
	/* at 0x5001: 0x1010 - 0x5001 */
	static const uint8_t insns[] = { 0x01, 0x0f, 0xc0, 0xff, 0xff, 0x0e, 16 };
	struct fde f = make(insns, sizeof insns);
	struct row r;

	f.pointer_encoding = 0x1b;
	CHECK(!cfi_row(&arch_x86_64, &f, 0x1010, &r) && r.cfa_off == 16);
	CHECK(!cfi_row(&arch_x86_64, &f, 0x100f, &r) && r.cfa_off == 8);
}

static void
code_is_aligned(void)
{
	static const uint8_t insns[] = { 0x42, 0x0e, 16 };
	struct fde f = make(insns, sizeof insns);
	struct row r;

	f.code_align = 4;
	CHECK(!cfi_row(&arch_x86_64, &f, 0x1007, &r) && r.cfa_off == 8);
	CHECK(!cfi_row(&arch_x86_64, &f, 0x1008, &r) && r.cfa_off == 16);
}

static void
all_places(void)
{
	struct row r;

	ROW(&r, 0x1000, 0x05, 3, 2, 0x11, 12, 0x7d, 0x14, 13, 4, 0x15, 14, 0x7e, 0x09, 15, 5, 0x07, 0, 0x08, 1, 0x2f, 2, 3);
	CHECK(r.reg[3].how == HOW_OFFSET && r.reg[3].off == -16);
	CHECK(r.reg[12].how == HOW_OFFSET && r.reg[12].off == 24);
	CHECK(r.reg[13].how == HOW_VALUE && r.reg[13].off == -32);
	CHECK(r.reg[14].how == HOW_VALUE && r.reg[14].off == 16);
	CHECK(r.reg[15].how == HOW_REGISTER && r.reg[15].off == 5);
	CHECK(r.reg[0].how == HOW_UNDEFINED && r.reg[1].how == HOW_SAME);
	CHECK(r.reg[2].how == HOW_OFFSET && r.reg[2].off == 24);
	CHECK_U64(r.set, 1 << 3 | 15 << 12 | 7 | 1 << 16);
	ROW(&r, 0x1000, 0x10, 3, 2, 0x76, 8, 0x16, 12, 1, 0x35);
	CHECK(r.reg[3].how == HOW_EXPR && r.reg[3].off == 2 && r.reg[3].expr[0] == 0x76);
	CHECK(r.reg[12].how == HOW_VALUE_EXPR && r.reg[12].off == 1 && r.reg[12].expr[0] == 0x35);
	ROW(&r, 0x1000, 0x12, 6, 0x7e, 0x13, 0x7d);   /* def_cfa_sf, def_cfa_offset_sf */
	CHECK(r.cfa_reg == 6 && r.cfa_off == 24);
	ROW(&r, 0x1000, 0x0f, 2, 0x76, 0x78, 0x2e, 16, 0x00);
	CHECK(r.cfa_expr && r.cfa_off == 2 && r.cfa_expr[1] == 0x78);
	ROW(&r, 0x1000, 0x0f, 2, 0x76, 0x78, 0x0c, 7, 16);
	CHECK(!r.cfa_expr && r.cfa_reg == 7 && r.cfa_off == 16);
	ROW(&r, 0x1000, 0x0c, 7, 8, 0x0f, 2, 0x76, 0x78, 0x0e, 16);   /* an offset behind an expression: as before that */
	CHECK(!r.cfa_expr && r.cfa_reg == 7 && r.cfa_off == 16);
}

static void
remembers_and_restores(void)
{
	struct row r;

	/* push rbx; remember; pop; |ret|; restore_state: the rest of the function */
	ROW(&r, 0x1004, 0x41, 0x0e, 16, 0x83, 2, 0x41, 0x0a, 0x0e, 8, 0xc3, 0x41, 0x0a, 0x0e, 40, 0x0b, 0x41, 0x0b);
	CHECK(r.cfa_off == 16 && r.reg[3].off == -16 && r.set >> 3 & 1);
	ROW(&r, 0x1003, 0x41, 0x0e, 16, 0x83, 2, 0x41, 0x0a, 0x0e, 8, 0xc3, 0x41, 0x0a, 0x0e, 40, 0x0b, 0x41, 0x0b);
	CHECK(r.cfa_off == 8);
	ROW(&r, 0x1002, 0x41, 0x0e, 16, 0x83, 2, 0x41, 0x0a, 0x0e, 8, 0xc3, 0x41, 0x0a, 0x0e, 40, 0x0b, 0x41, 0x0b);
	CHECK(r.cfa_off == 8 && !(r.set >> 3 & 1));
	/* restoring a register brings back the CIE's rule */
	ROW(&r, 0x1000, 0x90, 3, 0xd0);
	CHECK(r.reg[16].off == -8);
	ROW(&r, 0x1000, 0x90, 3, 0x06, 16);
	CHECK(r.reg[16].off == -8);
	LIES(0x0b);
	LIES(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a);
}

static void
vector_registers_do_not_matter(void)
{
	struct row r;

	ROW(&r, 0x1000, 0x05, 40, 2, 0x06, 40, 0x07, 40, 0x10, 40, 1, 0x30, 0x0e, 16);
	CHECK(r.cfa_off == 16);
}

static void
signals_and_signatures(void)
{
	static const uint8_t insns[] = { 0x2d, 0x41, 0x2d };
	struct fde f = make(insns, sizeof insns);
	struct row r;

	f.signal = true;
	CHECK(!cfi_row(&arch_x86_64, &f, 0x1000, &r) && r.signal && r.ra_signed);
	CHECK(!cfi_row(&arch_x86_64, &f, 0x1001, &r) && !r.ra_signed);
}

static void
lies_are_found(void)
{
	struct fde f = make("", 0);
	struct row r;

	LIES(0x0c, 7);                       /* ends within an operand */
	LIES(0x0c, 99, 8);                   /* a CFA by a register that is not there */
	LIES(0x3f);                          /* no such instruction */
	LIES(0x10, 3, 9, 1);                 /* a longer expression than there are bytes */
	LIES(0x83, 0xff, 0xff, 0xff, 0xff, 0x7f);   /* too far away */
	f.ra = 99;
	CHECK(cfi_row(&arch_x86_64, &f, 0x1000, &r));
	/* prof does not read beyond the wanted address */
	ROW(&r, 0x1000, 0x41, 0x3f);
}

int
main(void)
{
	RUN("cfi", prologue_by_prologue);
	RUN("cfi", most_are_brief);
	RUN("cfi", advances);
	RUN("cfi", set_loc_relative);
	RUN("cfi", code_is_aligned);
	RUN("cfi", all_places);
	RUN("cfi", remembers_and_restores);
	RUN("cfi", vector_registers_do_not_matter);
	RUN("cfi", signals_and_signatures);
	RUN("cfi", lies_are_found);
	return TEST_STATUS;
}
