/* jit-PID.dump: every address is that of the newest code told of before some place in the file. */
#include "sym/jit/jitcode.c"
#include "sym/jit/jitdump.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
inside(const struct jit_range *r, uint64_t addr)
{
	return addr >= r->lo && addr < r->hi;
}

static void
look(struct jitcode *m, uint64_t addr, uint64_t limit)
{
	const struct jit_range *r = jitcode_find(m, addr, limit), *want = NULL;
	uint32_t line = 0, begins = 0;
	const char *file = NULL;
	struct symbol s;

	for (uint32_t i = 0; i < m->n; i++)
		if (inside(&m->range[i], addr) && (!want || m->range[i].at < limit))
			want = &m->range[i];
	if (r != want)
		abort();
	if (!r)
		return;
	jitcode_symbol(m, r, &s);
	if (!*s.name || addr < s.lo || addr >= s.hi)
		abort();
	if (jitcode_source(m, r, addr, &file, &line, &begins) != (r->lines > 0) || (r->lines && !file))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct jitcode *m = jitdump_open(&arena, cur_of(data, size, false));

	for (uint32_t i = 0; m && i < m->n && i < 64; i++) {
		look(m, m->range[i].lo - 1, JITCODE_ALL);
		look(m, m->range[i].lo, JITCODE_ALL);
		look(m, m->range[i].lo, m->range[i].at);
		look(m, m->range[i].hi - 1, size / 2);
		look(m, m->range[i].hi, size / 2);
	}
	jitcode_free(m);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
