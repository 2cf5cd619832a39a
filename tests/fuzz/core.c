/* Core files, from a file and from a pipe: both give the same threads, and bytes that prof reads from memory are the file's own. */
#include "sample/core/core.c"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The stack pointer as x86-64 has it: any word will do. */
static volatile unsigned touched;

static uint64_t
sp_of(const struct core *core, const struct core_thread *t)
{
	(void)core;
	return t->word[19];
}

/* Whether N bytes at ADDR of the memory are those of the file. */
static void
compare(const struct core *core, uint64_t addr, const uint8_t *data, size_t size)
{
	const struct core_load *l = core_load_at(core, addr);
	uint8_t got[64];
	size_t n = core_read(core, addr, got, sizeof got);

	if (n > sizeof got || (n && (!l || addr < l->lo || addr >= l->hi)))
		abort();
	if (!n)   /* where segments overlap, core_load_at may find none */
		return;
	if (n > l->hi - addr)   /* of the next ones */
		n = (size_t)(l->hi - addr);
	if (l->off + (addr - l->lo) + n > size || memcmp(got, data + l->off + (addr - l->lo), n))
		abort();
}

static void
look(struct core *core, const uint8_t *data, size_t size)
{
	uint64_t n;

	if (!core->nthread)
		abort();
	for (uint32_t i = 0; i < core->nload && i < 64; i++) {
		compare(core, core->load[i].lo, data, size);
		compare(core, core->load[i].hi - 1, data, size);
	}
	for (uint32_t i = 0; i < core->nthread && i < 16; i++) {
		const uint8_t *p = core_stack(core, sp_of(core, &core->thread[i]), 4096, &n);

		if (n > 4096)
			abort();
		for (uint64_t k = 0; p && k < n; k++)
			touched += p[k];
	}
	for (uint32_t i = 0; i < core->nmap && i < 64; i++)
		if (core_map_at(core, core->map[i].lo) && strlen(core->map[i].path) > NAME_MOST)
			abort();
}

/* A pipe holds 64 KiB, which is more than inputs have. */
static const char *
open_pipe(struct core *core, const uint8_t *data, size_t size, int *fd)
{
	int pair[2];

	if (size > 60000 || pipe2(pair, O_CLOEXEC))
		return "no pipe";
	if (write(pair[1], data, size) != (ssize_t)size)
		abort();
	close(pair[1]);
	return core_open(core, *fd = pair[0], sp_of);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core core = { 0 }, piped = { 0 };
	static int fd = -1;
	int pipe_fd = -1;
	const char *why, *why_piped;

	if (fd < 0 && (fd = memfd_create("core", 0)) < 0)
		return 0;
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (!(why = core_open(&core, fd, sp_of)))
		look(&core, data, size);
	why_piped = open_pipe(&piped, data, size, &pipe_fd);
	if (!why_piped) {
		if (why || core.nthread != piped.nthread || core.nload != piped.nload || core.nmap != piped.nmap)
			abort();
		look(&piped, data, size);
	}
	if (pipe_fd >= 0)
		close(pipe_fd);
	core_close(&core);
	core_close(&piped);
	if (mem_used())
		abort();
	return 0;
}
