/* See plt.h.  The forms are those of GNU ld, gold, lld and mold; psABI supplements, "Procedure Linkage Table". */
#include "plt.h"

#include <elf.h>

#define BY_NUMBER UINT64_MAX

/* Instructions at ADDR: little-endian on all of these machines, whatever the byte order of data is. */
struct insns {
	const uint8_t *pos;
	size_t n;
	uint64_t addr, got;
};

static uint32_t
le32(const struct insns *in, size_t at)
{
	const uint8_t *b = in->pos;

	return at + 4 > in->n ? 0
	                      : (uint32_t)b[at] | (uint32_t)b[at + 1] << 8 | (uint32_t)b[at + 2] << 16 |
	                        (uint32_t)b[at + 3] << 24;
}

static uint64_t
signed32(uint32_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

static bool
bytes_at(const struct insns *in, size_t at, unsigned a, unsigned b)
{
	return at + 2 <= in->n && in->pos[at] == a && in->pos[at + 1] == b;
}

/* [endbr] [mov $n, %r11d] [bnd] jmp *SLOT, and what fills it up; or [endbr] push N; [bnd] jmp PLT0. */
static unsigned
x86(const struct insns *in, struct plt_entry *e, bool pc_relative)
{
	uint32_t endbr = le32(in, 0);
	bool marked = endbr == 0xfa1e0ff3 || endbr == 0xfb1e0ff3;
	unsigned at = marked ? 4 : 0;

	if (at && bytes_at(in, at, 0x41, 0xbb))
		at += 6;
	if (at && at + 6 <= in->n && in->pos[at] == 0x68 && (bytes_at(in, at + 5, 0xf2, 0xe9) || in->pos[at + 5] == 0xe9)) {
		e->slot = BY_NUMBER;
		e->reloc = pc_relative ? le32(in, at + 1) : le32(in, at + 1) / sizeof(Elf32_Rel);
		return 16;
	}
	if (at < in->n && in->pos[at] == 0xf2)
		at++;
	if (at + 6 > in->n)
		return 0;
	if (bytes_at(in, at, 0xff, 0x25))
		e->slot = pc_relative ? in->addr + at + 6 + signed32(le32(in, at + 2)) : le32(in, at + 2);
	else if (!pc_relative && bytes_at(in, at, 0xff, 0xa3))
		e->slot = (in->got + le32(in, at + 2)) & UINT32_MAX;
	else
		return 0;
	return at || (at + 6 < in->n && in->pos[at + 6] == 0x68) ? 16 : 8;
}

static unsigned
x86_64(const struct insns *in, struct plt_entry *e)
{
	return x86(in, e, true);
}

static unsigned
i386(const struct insns *in, struct plt_entry *e)
{
	return x86(in, e, false);
}

/* [bti c]; adrp x16, PAGE; ldr x17, [x16, LOW]; add x16, x16, LOW; [autia1716]; br x17; [nop]. */
static unsigned
aarch64(const struct insns *in, struct plt_entry *e)
{
	unsigned at = le32(in, 0) == 0xd503245f ? 4 : 0;
	uint32_t adrp = le32(in, at), ldr = le32(in, at + 4);
	uint64_t page = (uint64_t)(adrp >> 5 & 0x7ffff) << 14 | (uint64_t)(adrp >> 29 & 3) << 12;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	page = page & (uint64_t)1 << 32 ? page | ~(((uint64_t)1 << 33) - 1) : page;
	e->slot = (in->addr & ~(uint64_t)0xfff) + page + (uint64_t)(ldr >> 10 & 0xfff) * 8;
	for (at += 8; at < 24; at += 4)
		if (le32(in, at) == 0xd61f0220)
			return at + 4 == 20 || le32(in, at + 4) == 0xd503201f ? 24 : at + 4;
	return 0;
}

/* 1: auipc t3, HIGH; ld t3, LOW(t3); jalr t1, t3; nop. */
static unsigned
riscv(const struct insns *in, struct plt_entry *e)
{
	uint32_t auipc = le32(in, 0), load = le32(in, 4);

	if ((auipc & 0xfff) != 0xe17 || ((load & 0xfffff) != 0xe3e03 && (load & 0xfffff) != 0xe2e03) ||
	    le32(in, 8) != 0x000e0367)
		return 0;
	e->slot = in->addr + signed32(auipc & 0xfffff000) + signed32(load >> 20 | (load >> 31 ? 0xfffff000 : 0));
	return 16;
}

/* An immediate operand: eight bits, rotated right by twice the four above them. */
static uint32_t
arm_immediate(uint32_t insn)
{
	uint32_t v = insn & 0xff, r = insn >> 7 & 30;

	return r ? v >> r | v << (32 - r) : v;
}

/* [bx pc; nop, for Thumb]; add ip, pc, HIGH; add ip, ip, MIDDLE (one or two); ldr pc, [ip, LOW]!. */
static unsigned
arm(const struct insns *in, struct plt_entry *e)
{
	unsigned at = le32(in, 0) == 0x46c04778 ? 4 : 0;
	uint32_t v = (uint32_t)in->addr + at + 8;

	if ((le32(in, at) & 0xfffff000) != 0xe28fc000)
		return 0;
	v += arm_immediate(le32(in, at));
	for (unsigned adds = 0; adds < 3; adds++) {
		at += 4;
		if ((le32(in, at) & 0xfffff000) == 0xe5bcf000) {
			e->slot = (uint32_t)(v + (le32(in, at) & 0xfff));
			return at + 4;
		}
		if ((le32(in, at) & 0xfffff000) != 0xe28cc000)
			return 0;
		v += arm_immediate(le32(in, at));
	}
	return 0;
}

static const struct plt_machine {
	uint16_t machine;
	uint8_t step, back;        /* entries begin at multiples of STEP, at most BACK before their last instruction */
	unsigned (*decode)(const struct insns *, struct plt_entry *);   /* the entry's size, or 0 */
} machines[] = {
	{ EM_X86_64, 8, 8, x86_64 }, { EM_386, 8, 8, i386 }, { EM_AARCH64, 4, 20, aarch64 },
	{ EM_RISCV, 4, 12, riscv }, { EM_ARM, 4, 16, arm },
};

static const struct plt_machine *
machine_of(const struct elf *e)
{
	for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].machine == e->machine)
			return &machines[i];
	return NULL;
}

bool
plt_decode(const struct elf *elf, uint64_t got, uint64_t vaddr, uint64_t floor, struct plt_entry *e)
{
	const struct plt_machine *m = machine_of(elf);
	uint64_t at = m ? vaddr & ~(uint64_t)(m->step - 1) : 0;
	bool found = false;

	for (unsigned back = 0; m && back <= m->back && at >= floor && at <= vaddr; back += m->step, at -= m->step) {
		struct cursor code = elf_from(elf, at);
		struct insns in = { code.pos, cur_left(&code), at, got };
		struct plt_entry try = { 0 };
		unsigned size = m->decode(&in, &try);

		/* An entry may make sense without its first instruction, too. */
		if (!size || vaddr - at >= size || (found && try.slot != e->slot))
			continue;
		*e = (struct plt_entry){ at, at + size, try.slot, try.reloc };
		found = true;
	}
	return found;
}

bool
plt_reloc(const struct elf *elf, const struct symbol_tables *t, const struct plt_entry *e, uint64_t *budget, struct raw_reloc *r)
{
	const struct relocs *tables[] = { &t->plt, &t->other };

	if (e->slot == BY_NUMBER) {
		*r = tables_reloc(elf, &t->plt, (uint32_t)e->reloc);
		return e->reloc < t->plt.n;
	}
	for (unsigned k = 0; k < 2; k++) {
		uint32_t n = tables[k]->n < *budget ? tables[k]->n : (uint32_t)*budget, i = tables_reloc_of(elf, tables[k], e->slot, n);

		*budget -= i;
		if (i < n) {
			*r = tables_reloc(elf, tables[k], i);
			return true;
		}
	}
	return false;
}
