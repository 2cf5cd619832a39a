/* /proc/kcore: prof reads only the tables, and a name that they give is one at its address. */
#include "sym/kernel/kcore.c"

#include <stdlib.h>
#include <sys/mman.h>

#include "sym/kernel/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kcore kcore;

static size_t
read_kernel(int32_t pid, uint64_t addr, void *to, size_t n)
{
	(void)pid;
	return kcore_read(&kcore, addr, to, n);
}

static void
look(struct kallsyms *k, uint64_t addr)
{
	const char *module;
	struct symbol s;

	if (kallsyms_find(k, addr, &s, &module) && (addr < s.lo || addr >= s.hi || !*s.name))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1, none = -1;
	struct arena arena = { 0 };
	struct kallsyms *k;
	char byte;

	if (fd < 0 && ((fd = memfd_create("kcore", 0)) < 0 || (none = memfd_create("kallsyms", 0)) < 0))
		return 0;
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	kcore_open(&kcore, dup(fd));
	if (kcore.fd >= 0 && (kcore_read(&kcore, kcore.lo - 1, &byte, 1) || kcore_read(&kcore, kcore.hi, &byte, 1)))
		abort();
	if ((k = kallsyms_open(&arena, none, read_kernel, NULL))) {
		for (unsigned i = 0; i < 16; i++)
			look(k, kcore.table[KCORE_STEXT] + 100 * i);
		look(k, kcore.table[KCORE_STEXT]);
		kallsyms_close(k);
	}
	if (kcore.fd >= 0)
		close(kcore.fd);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
