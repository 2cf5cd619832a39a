/* Entries as real linkers write them; addresses, slots and sizes as readelf and objdump tell them. */
#include "sym/elf/plt.c"

#include "elfwrite.h"
#include "test.h"

static struct bytes
unhex(const char *hex)
{
	struct bytes b = { 0 };
	unsigned v;

	for (; sscanf(hex, "%2x", &v) == 1; hex += 2)
		bytes_uint(&b, v, 1);
	return b;
}

/* CODE at ADDR of a file for MACHINE: what lies at AT (relative) is [LO, HI) and jumps through SLOT. */
static void
expect(uint16_t machine, bool is64, uint64_t addr, const char *code, uint64_t at, uint64_t lo, uint64_t hi, uint64_t slot)
{
	struct elfwrite w = elfwrite_new(is64, false);
	struct bytes text = unhex(code), file;
	struct arena arena = { 0 };
	struct plt_entry e;
	struct elf elf;

	w.machine = machine;
	elfwrite_section(&w, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, addr, text.p, text.n);
	file = elfwrite_finish(&w);
	CHECK(!elf_open(&elf, cur_of(file.p, file.n, false), false, &arena));
	if (!hi) {
		CHECK(!plt_decode(&elf, 0x3000, addr + at, addr, &e));
	} else {
		CHECK(plt_decode(&elf, 0x3000, addr + at, addr, &e));
		CHECK_U64(e.lo, addr + lo);
		CHECK_U64(e.hi, addr + hi);
		CHECK_U64(slot < 0x100 ? e.reloc : e.slot, slot);
		CHECK((e.slot == BY_NUMBER) == (slot < 0x100));
	}
	bytes_free(&file);
	bytes_free(&text);
	arena_free(&arena);
}

static void
x86_64_lazy(void)
{
	const char *plt = "ff35f2200000ff25f42000000f1f4000" "ff25f22000006800000000e9e0ffffff" "ff25ea2000006801000000e9d0ffffff";

	expect(EM_X86_64, true, 0x14d0, plt, 16, 16, 32, 0x35d8);
	expect(EM_X86_64, true, 0x14d0, plt, 27, 16, 32, 0x35d8);
	expect(EM_X86_64, true, 0x14d0, plt, 32, 32, 48, 0x35e0);
	expect(EM_X86_64, true, 0x14d0, plt, 0, 0, 0, 0);
}

static void
x86_64_ibt(void)
{
	const char *plt = "ff35ca2f0000ff25cc2f00000f1f4000" "f30f1efa6803000000e9e2ffffff6690";
	const char *sec = "f30f1efaff25a62f0000660f1f440000";

	expect(EM_X86_64, true, 0x1020, plt, 20, 16, 32, 3);
	expect(EM_X86_64, true, 0x1020, plt, 29, 16, 32, 3);
	expect(EM_X86_64, true, 0x1050, sec, 0, 0, 16, 0x4000);
	expect(EM_X86_64, true, 0x1050, sec, 15, 0, 16, 0x4000);
	expect(EM_X86_64, true, 0x1050, "f30f1efaf2ff25a52f00000f1f440000", 4, 0, 16, 0x4000);   /* bnd */
	expect(EM_X86_64, true, 0x1050, "f30f1efa41bb01000000ff25a02f0000", 10, 0, 16, 0x4000);  /* mold */
}

static void
x86_64_short(void)
{
	expect(EM_X86_64, true, 0x401018, "ff25e22f0a006690ff25e22f0a006690", 6, 0, 8, 0x4a4000);
	expect(EM_X86_64, true, 0x401018, "ff25e22f0a006690ff25e22f0a006690", 8, 8, 16, 0x4a4008);
}

/* Code that ends within an entry: prof does not read beyond its end. */
static void
cut_short(void)
{
	struct bytes whole[] = { unhex("f30f1efa41bb01000000ff25a02f0000"), unhex("f30f1efa6803000000e9e2ffffff6690"),
		unhex("10010090115a43f910c21a919f2103d520021fd61f2003d5"), unhex("7847c04600c68fe220ca8ce288f0bce5"),
		unhex("172e0000033e0e0f67030e0013000000") };

	for (unsigned k = 0; k < sizeof whole / sizeof *whole; k++) {
		for (size_t n = 0; n < whole[k].n; n++) {
			uint8_t *exact = malloc(n ? n : 1);
			struct insns in = { exact, n, 0x1000, 0x3000 };
			struct plt_entry e;

			memcpy(exact, whole[k].p, n);
			for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
				CHECK(machines[i].decode(&in, &e) <= 24);
			CHECK(n > 8 || !x86_64(&in, &e));
			free(exact);
		}
		bytes_free(&whole[k]);
	}
}

static void
i386_forms(void)
{
	expect(EM_386, false, 0x13b0, "ffa30c0000006808000000e9e0ffffff", 11, 0, 16, 0x300c);
	expect(EM_386, false, 0x1010, "f30f1efb6808000000e9e2ffffff6690", 4, 0, 16, 1);
	expect(EM_386, false, 0x1040, "f30f1efbffa30c000000660f1f440000", 4, 0, 16, 0x300c);
	expect(EM_386, false, 0x1040, "ff2534120408" "6800000000e9e0ffffff", 0, 0, 16, 0x08041234);
}

static void
aarch64_forms(void)
{
	const char *plt = "f07bbfa91001009011ea42f91042179120021fd61f2003d51f2003d51f2003d5"
	                  "1001009011ee42f91062179120021fd6" "1001009011f242f91082179120021fd6";

	for (unsigned at = 32; at < 48; at += 4)
		expect(EM_AARCH64, true, 0x104c0, plt, at, 32, 48, 0x305d8);
	expect(EM_AARCH64, true, 0x104c0, plt, 48, 48, 64, 0x305e0);
	/* PAC: adrp, ldr, add, autia1716, br, nop; BTI: bti c, adrp, ldr, add, br, nop */
	expect(EM_AARCH64, true, 0x10580, "10010090115a43f910c21a919f2103d520021fd61f2003d5", 20, 0, 24, 0x306b0);
	expect(EM_AARCH64, true, 0x10580, "5f2403d510010090115a43f910c21a9120021fd61f2003d5", 16, 0, 24, 0x306b0);
	/* a page before the code */
	expect(EM_AARCH64, true, 0x10580, "f0ffff90115a43f910c21a9120021fd6", 0, 0, 16, 0xf6b0 - 0x3000);
}

static void
riscv_forms(void)
{
	expect(EM_RISCV, true, 0x1420, "172e0000033e0e0f67030e0013000000", 8, 0, 16, 0x3510);
	expect(EM_RISCV, false, 0x12f0, "172e0000032e0e0967030e0013000000", 12, 0, 16, 0x3380);
	expect(EM_RISCV, true, 0x1420, "972300003303c34103be0310130343fd", 0, 0, 0, 0);   /* the first entry */
}

static void
arm_forms(void)
{
	expect(EM_ARM, false, 0x10300, "00c68fe220ca8ce28cf0bce5d4d4d4d4", 8, 0, 12, 0x30394);
	expect(EM_ARM, false, 0x10300, "7847c04600c68fe220ca8ce288f0bce5", 2, 0, 16, 0x30394);   /* from Thumb code */
	expect(EM_ARM, false, 0x10300, "7847c04600c68fe220ca8ce288f0bce5", 12, 0, 16, 0x30394);
	expect(EM_ARM, false, 0x10300, "00c28fe200c68ce220ca8ce28cf0bce5", 12, 0, 16, 0x30394);
}

static void
other_machine(void)
{
	expect(EM_S390, true, 0x1000, "ff25f22000006800000000e9e0ffffff", 0, 0, 0, 0);
}

static void
relocations(void)
{
	struct bytes plt = { 0 }, other = { 0 };
	struct elf elf = { .is64 = true };
	struct symbol_tables t = { 0 };
	struct raw_reloc r;
	uint64_t budget = 5;

	for (unsigned i = 0; i < 3; i++) {
		bytes_uint(&plt, 0x1000 + 8 * i, 8);
		bytes_uint(&plt, (uint64_t)(i + 1) << 32 | 7, 8);
		bytes_uint(&plt, 0, 8);
		bytes_uint(&other, 0x2000 + 8 * i, 8);
		bytes_uint(&other, 8, 8);
		bytes_uint(&other, 0x77, 8);
	}
	t.plt = (struct relocs){ cur_of(plt.p, plt.n, false), true, 3 };
	t.other = (struct relocs){ cur_of(other.p, other.n, false), true, 3 };
	CHECK(plt_reloc(&elf, &t, &(struct plt_entry){ .slot = 0x1008 }, &budget, &r));
	CHECK_U64(r.symbol, 2);
	CHECK_U64(budget, 4);
	CHECK(plt_reloc(&elf, &t, &(struct plt_entry){ .slot = 0x2000 }, &budget, &r));
	CHECK_U64(r.symbol, 0);
	CHECK_U64(r.addend, 0x77);
	CHECK(!plt_reloc(&elf, &t, &(struct plt_entry){ .slot = 0x2010 }, &budget, &r));   /* the budget is used up */
	CHECK_U64(budget, 0);
	CHECK(plt_reloc(&elf, &t, &(struct plt_entry){ .slot = BY_NUMBER, .reloc = 2 }, &budget, &r));
	CHECK_U64(r.symbol, 3);
	CHECK(!plt_reloc(&elf, &t, &(struct plt_entry){ .slot = BY_NUMBER, .reloc = 3 }, &budget, &r));
	bytes_free(&plt);
	bytes_free(&other);
}

int
main(void)
{
	RUN("plt", x86_64_lazy);
	RUN("plt", x86_64_ibt);
	RUN("plt", x86_64_short);
	RUN("plt", cut_short);
	RUN("plt", i386_forms);
	RUN("plt", aarch64_forms);
	RUN("plt", riscv_forms);
	RUN("plt", arm_forms);
	RUN("plt", other_machine);
	RUN("plt", relocations);
	return TEST_STATUS;
}
