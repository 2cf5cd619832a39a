/* Symbol tables, PLT and entry point of an ELF file; one whose class byte has its high bit set is a memory image. */
#include "sym/module/symtab.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look(struct modules *ms, struct module *m, uint64_t vaddr)
{
	struct symbol s;
	uint32_t depth;

	if (symtab_depth(ms, m, vaddr, &depth) && depth > INT32_MAX)
		abort();
	if (symtab_find(ms, m, vaddr, &s) && (vaddr < s.lo || vaddr >= s.hi || !*s.name || strlen(s.name) > NAME_LIMIT + 4))
		abort();
}

static void
look_around(struct modules *ms, struct module *m)
{
	const struct symtab *st = m->symtab;

	look(ms, m, m->elf.entry);
	look(ms, m, m->elf.entry + 20);
	for (uint32_t i = 0; i < st->texts; i++)
		look(ms, m, st->text[i].lo), look(ms, m, st->text[i].hi - 1);
	for (uint32_t i = 0; i < st->plts; i++)
		for (unsigned at = 0; at < 64; at += 5)
			look(ms, m, st->plt[i].lo + at);
	for (uint32_t i = 0; i < st->rows; i++) {
		if (i && st->row[i - 1].at >= st->row[i].at)
			abort();
		if (i < 200) {
			look(ms, m, st->base + st->row[i].at);
			look(ms, m, st->base + st->row[i].at - 1);
			look(ms, m, st->base + st->row[i].at + 9);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules ms = { 0 };
	struct module m = { .kind = MODULE_FILE, .path = "[vectors]", .name = "fuzz" };
	bool image = size > EI_CLASS && data[EI_CLASS] & 0x80;
	uint8_t *copy = malloc(size ? size : 1);   /* so that its end is guarded */

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	if (size > EI_CLASS)
		copy[EI_CLASS] &= 0x7f;
	m.bad = elf_open(&m.elf, cur_of(copy, size, false), image, &ms.arena);
	look(&ms, &m, 0);
	if (!m.bad)
		look_around(&ms, &m);
	arena_free(&ms.arena);
	free(copy);
	if (mem_used())
		abort();
	return 0;
}
