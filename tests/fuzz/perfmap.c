/* perf-PID.map: every address is that of the last line that holds it. */
#include "sym/jit/jitcode.c"
#include "sym/jit/perfmap.c"

#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look(struct jitcode *m, uint64_t addr)
{
	const struct jit_range *r = jitcode_find(m, addr, JITCODE_ALL);
	struct symbol s;
	uint32_t i = m->n;

	while (i && (addr < m->range[i - 1].lo || addr >= m->range[i - 1].hi))
		i--;
	if (!r != !i)
		abort();
	if (r)
		jitcode_symbol(m, r, &s);
	if (i && (s.lo != m->range[i - 1].lo || s.hi != m->range[i - 1].hi || !*s.name))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct arena arena = { 0 };
	struct jitcode *m;

	if (fd < 0 && (fd = memfd_create("perfmap", 0)) < 0)
		return 0;
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	m = perfmap_open(&arena, fd);
	for (uint32_t i = 0; m && i < m->n && i < 256; i++) {
		look(m, m->range[i].lo - 1);
		look(m, m->range[i].lo);
		look(m, m->range[i].hi - 1);
		look(m, m->range[i].hi);
	}
	jitcode_free(m);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
