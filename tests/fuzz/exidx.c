/* A file's table and what it points to, the input's bytes from BASE on: the row of each entry, and of addresses between.  The
 * first byte: 1: big-endian; the rest: how many entries there are. */
#include "sym/elf/exidx.c"
#include "unwind/cfi/exidx_row.c"

enum { BASE = 0x1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ask(const struct elf *e, uint64_t vaddr)
{
	struct row row;
	struct exidx x;
	bool found;

	if (exidx_find(e, vaddr, &x) && x.lo > vaddr)
		__builtin_trap();
	if (exidx_row(e, vaddr, &row, &found) || !found)
		return;
	if (row.cfa_reg > PC || row.ra > PC || row.set >> (PC + 1))
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment load = { BASE, 0, size, size, true };
	struct elf e = { .load = &load, .nload = 1, .machine = 40 };
	unsigned n;

	if (!size || size > 1 << 12)
		return 0;
	n = *data >> 1;
	e.bytes = cur_of(data + 1, size - 1, *data & 1);
	load.filesz = load.memsz = size - 1;
	e.exidx = BASE;
	e.exidx_size = n * 8;
	for (unsigned i = 0; i < n; i++) {
		struct cursor table = elf_at(&e, e.exidx, e.exidx_size);

		if (cur_left(&table))
			ask(&e, row_lo(&e, &table, i));
	}
	ask(&e, 0);
	ask(&e, BASE + size);
	ask(&e, UINT32_MAX);
	return 0;
}
