/* The first byte says what the rest is: 1: of a 64-bit file; 2: big-endian; 4: begins with .eh_frame_hdr;
 * 8: .debug_frame, else .eh_frame, of which 16: the end is known. */
#include "sym/module/ehframe.c"

enum { BASE = 0x1000 };

static unsigned sum;

static void
touch(struct cursor c)
{
	for (; cur_left(&c); c.pos++)
		sum += *c.pos;
}

static bool
ask(struct modules *ms, struct module *m, uint64_t vaddr)
{
	struct fde f;

	if (!ehframe_find(ms, m, vaddr, &f))
		return false;
	if (vaddr < f.lo || vaddr >= f.hi)
		__builtin_trap();
	touch(f.insns);
	touch(f.cie_insns);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment load = { BASE, 0, size, size, true };
	struct module m = { .kind = MODULE_IMAGE };
	struct modules ms = { 0 };
	unsigned flags;

	if (size < 5 || size > 1 << 16)
		return 0;
	flags = *data++;
	load.filesz = load.memsz = --size;
	m.elf = (struct elf){ .bytes = cur_of(data, size, flags & 2), .is64 = flags & 1, .load = &load, .nload = 1 };
	if (flags & 4) {
		m.elf.ehframe_hdr = BASE;
		m.elf.ehframe_hdr_size = size < 1024 ? size : 1024;
	}
	if (!open_ehframe(&ms, &m))
		return 0;
	if (!(flags & 4)) {
		struct part *p = flags & 8 ? &m.ehframe->debug : &m.ehframe->eh;

		p->bytes = m.elf.bytes;
		p->vaddr = flags & 8 ? 0 : BASE;
		p->bounded = flags & (8 | 16);
	}
	ehframe_any(&ms, &m);
	for (unsigned k = 0; k < 2; k++) {
		struct part *p = k ? &m.ehframe->debug : &m.ehframe->eh;

		/* The index holds only descriptions that the reader has read, so the reader must find them. */
		for (uint32_t i = 0; i < p->rows && i < 500; i++)
			if (!ask(&ms, &m, row_lo(p, i)) && !p->table)
				__builtin_trap();
	}
	ask(&ms, &m, 0);
	ask(&ms, &m, BASE + size / 2);
	ask(&ms, &m, UINT64_MAX);
	arena_free(&ms.arena);
	if (mem_used())
		__builtin_trap();
	return 0;
}
