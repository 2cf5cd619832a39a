/* See arm_vectors.h.  Documentation/arch/arm/kernel_user_helpers.rst of Linux: each helper has its fixed place near the end of page
 * [vectors], 0xffff0000, and is A32 code.  (The code that signal handlers return to is in another page, [sigpage].) */
#include "arm_vectors.h"

#include <elf.h>
#include <string.h>

static const struct { uint16_t lo, hi; const char *name; } helpers[] = {
	{ 0xf60, 0xfa0, "__kuser_cmpxchg64" },
	{ 0xfa0, 0xfc0, "__kuser_memory_barrier" },
	{ 0xfc0, 0xfe0, "__kuser_cmpxchg" },
	{ 0xfe0, 0xffc, "__kuser_get_tls" },
};

struct module *
arm_vectors_module(struct modules *ms, const char *path, const void *bytes, size_t n)
{
	struct module *m = module_image(ms, path, bytes, n);

	if (m && m->bad && (m->elf.load = arena_alloc(&ms->arena, sizeof *m->elf.load))) {
		*m->elf.load = (struct segment){ .filesz = n, .memsz = n, .exec = true };
		m->elf.nload = 1;
		m->elf.machine = EM_ARM;
		m->bad = NULL;
	}
	return m;
}

bool
arm_vectors_find(const struct module *m, uint64_t vaddr, struct symbol *out)
{
	for (unsigned i = 0; i < sizeof helpers / sizeof *helpers; i++)
		if (vaddr >= helpers[i].lo && vaddr < helpers[i].hi && !strcmp(m->path, "[vectors]")) {
			*out = (struct symbol){ helpers[i].lo, helpers[i].hi, helpers[i].name, false };
			return true;
		}
	return false;
}
