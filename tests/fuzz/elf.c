/* A file, opened as it lies and as a memory image; every section and segment is looked at. */
#include "sym/elf/elf.c"

#include <stdlib.h>

static unsigned sum;   /* touches the bytes, so that a range that does not exist is found out */

static void
touch(struct cursor c)
{
	size_t n = cur_left(&c);

	if (n)
		sum += c.pos[0] + c.pos[n / 2] + c.pos[n - 1];
}

static void
look(const struct elf *e)
{
	struct section s;
	uint64_t v;

	for (uint32_t i = 0; i <= e->nsection && i < 40; i++)
		if (elf_section(e, i, &s)) {
			touch(s.data);
			touch(cur_of(s.name, strlen(s.name) + 1, false));
			touch(elf_from(e, s.addr));
		}
	if (elf_section_named(e, ".dynsym", &s))
		touch(s.data);
	for (uint32_t i = 0; i < e->nload && i < 40; i++) {
		const struct segment *l = &e->load[i];

		if (l->vaddr + l->memsz < l->vaddr || l->filesz > l->memsz || (i && l[-1].vaddr > l->vaddr))
			abort();
		touch(elf_from(e, l->vaddr));
		touch(elf_at(e, l->vaddr + l->filesz / 2, 16));
		if (l->filesz && (!elf_vaddr(e, l->off, &v) || (l->exec && e->nload == 1 && v != l->vaddr)))
			abort();
	}
	touch(elf_at(e, e->ehframe_hdr, e->ehframe_hdr_size));
	touch(elf_at(e, e->dynamic, e->dynamic_size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };

	for (int image = 0; image < 2; image++) {
		struct elf *e = malloc(sizeof *e);

		if (!e)
			return 0;
		if (!elf_open(e, cur_of(data, size, false), image, &arena))
			look(e);
		if (mem_used() > (1 << 20))
			abort();
		arena_free(&arena);
		free(e);
	}
	return 0;
}
