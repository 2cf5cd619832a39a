/* link: sym/sort.c sym/text.c sym/ktables.c lib/mem.c lib/file.c */
/* /proc/kallsyms: what is found holds the address and has a name. */
#include "sym/kallsyms.c"

#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look(struct kallsyms *k, uint64_t addr)
{
	const char *module;
	struct symbol s;

	if (kallsyms_find(k, addr, &s, &module) &&
	    (addr < s.lo || addr >= s.hi || !s.lo || !*s.name || *module != '['))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct arena arena = { 0 };
	struct kallsyms *k;

	if (fd < 0 && (fd = memfd_create("kallsyms", 0)) < 0)
		return 0;
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if ((k = kallsyms_open(&arena, fd, NULL)))
		kallsyms_ahead(k, 0, UINT32_MAX);
	for (uint32_t i = 0; k && i < k->n; i++) {
		if (i && k->symbol[i - 1].key >= k->symbol[i].key)
			abort();
		look(k, k->symbol[i].key - 1);
		look(k, k->symbol[i].key);
		look(k, k->symbol[i].key + 1000);
	}
	if (k)
		kallsyms_close(k);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
