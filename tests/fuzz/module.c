/* A whole file as a process maps it, with holes. prof names addresses, with lines, and unwinds by the file's tables, at the ends
 * and in the middle of everything that the file calls code. However large the file claims to be, work and memory have an end. */
#include <stdlib.h>
#include <string.h>

#include "sym/name.h"
#include "tests/fuzz/harness/bounds.h"
#include "tests/fuzz/harness/holes.h"
#include "unwind/arch/arch.h"
#include "unwind/rule.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ASKED = 48, FRAMES = 8 };

/* The bounds of lib/work.c, with more for holes of 16 MiB; the time fits a program with sanitizers. */
const struct bounds bounds = {
	.steps = { 64 << 20, 100000 },
	.memory = { 96 << 20, 1000 },
	.ns = { UINT64_C(4000000000), 20000 },
};

static const struct arch *
arch_of(const struct elf *e)
{
	static const struct arch *const all[] = { &arch_x86_64, &arch_i686, &arch_aarch64, &arch_armv7, &arch_riscv64 };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i]->machine == e->machine)
			return all[i];
	return all[0];
}

static void
look(struct names *n, struct unwinder *u, struct module *m, uint64_t vaddr)
{
	const struct code code = { vaddr, m->id };
	struct name out[FRAMES];
	struct rule r;
	unsigned k = name_code(n, &code, out, FRAMES);

	if (!k || k > FRAMES)
		abort();
	for (unsigned i = 0; i < k; i++)
		if (!out[i].function || !*out[i].function || !out[i].module || (out[i].found && !i && out[i].start > vaddr && !out[i].line))
			abort();
	if (!rule_find(u, m, vaddr, &r))
		rule_undescribed(u, m, vaddr, &r);
	if (r.kind == RULE_GENERAL)
		rule_row(u, m, vaddr);
}

/* The addresses are asked for in their order, as they are at the end of a capture, and are known before that. */
static void
look_at_all(struct modules *ms, struct module *m, struct arena *arena)
{
	struct names n = { .modules = ms, .arena = arena, .kallsyms_fd = -1 };
	uint64_t vaddr[ASKED] = { m->elf.entry }, k = 1;
	struct unwinder *u;
	struct codes codes;

	for (uint32_t i = 0; i < m->elf.nload && k + 4 <= ASKED; i++) {
		const struct segment *l = &m->elf.load[i];

		vaddr[k++] = l->vaddr;
		vaddr[k++] = l->vaddr + l->memsz / 2;
		vaddr[k++] = l->vaddr + l->memsz / 4 + 3;
		vaddr[k++] = l->vaddr + l->memsz - 1;
	}
	if (!codes_init(&codes))
		return;
	if ((u = unwinder_new(arch_of(&m->elf), ms, &codes, MODE_AUTO, 512))) {
		name_ahead(&n, m->id, vaddr, (uint32_t)k);
		for (uint64_t i = 0; i < k; i++)
			look(&n, u, m, vaddr[i]);
		unwinder_free(u);
	}
	names_free(&n);
	codes_free(&codes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = holes_file(data, size);
	uint64_t blocks = holes_blocks(fd);
	struct arena arena = { 0 };
	struct modules ms;
	struct module *m;

	if (!modules_init(&ms))
		abort();
	if ((m = module_file(&ms, fd, "/d/n")))
		look_at_all(&ms, m, &arena);
	if (holes_blocks(fd) > blocks)   /* a hole became memory */
		abort();
	close(fd);
	modules_free(&ms);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
