/* /proc/kallsyms, the kernel's answers about single addresses, and files of the kernel and its modules: a symbol that prof finds
 * holds the address and has a name. */
#include "sym/kernel/kallsyms.c"

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

static const uint8_t *answer;
static size_t answer_size;

static size_t
says(const char *addrs, char *text, size_t size)
{
	size_t n = answer_size < size ? answer_size : size;

	(void)addrs;
	memcpy(text, answer, n);
	return n;
}

static void
ask(struct kallsyms *k)
{
	uint64_t addr[200];

	for (unsigned i = 0; i < 200; i++)
		addr[i] = 0xffffffff81000000 + 0x41 * i;
	kallsyms_all(k, addr, 200);
	for (unsigned i = 0; i < 200; i++)
		look(k, addr[199 - i]);
}

/* The bytes as vmlinux, and as a kernel module. */
static void
as_file(struct arena *arena, const uint8_t *data, size_t size)
{
	struct kernel_file file[2] = { { .file = NULL }, { .module = "[x]", .lo = 0xffffffffc0000000, .hi = 0xffffffffc0100000 } };
	struct modules ms;
	struct kallsyms *k;

	if (!modules_init(&ms) || !(file[0].file = file[1].file = module_bytes(&ms, "/x", data, size)))
		abort();
	kernel_file_address(file[0].file, "_text");
	k = kallsyms_add_files(NULL, arena, file, 2);
	for (uint32_t i = 0; k && i < k->n && i < 100; i++)
		look(k, k->symbol[i].key);
	if (k)
		kallsyms_close(k);
	modules_free(&ms);
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
	if ((k = kallsyms_open(&arena, fd, NULL, NULL)))
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
	answer = data;
	answer_size = size;
	if ((k = kallsyms_open(&arena, fd, NULL, says))) {
		ask(k);
		kallsyms_close(k);
	}
	as_file(&arena, data, size);
	arena_free(&arena);
	if (mem_used())
		abort();
	return 0;
}
