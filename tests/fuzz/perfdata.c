/* Recordings, as files and as pipes: header, features, records and packed ones. prof applies what they say about processes, and
 * unwinds their samples. */
#include "sample/perfdata/recorded.c"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sample/perfdata/perfdata.h"
#include "sample/tasks/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

static void
touch(const void *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sum += ((const uint8_t *)bytes)[i];
}

static void
begin(void *data)
{
	const struct header *h = perfdata_header(data);
	const char *texts[] = { h->host, h->release, h->version, h->machine, h->cpu, h->command, NULL };

	for (unsigned i = 0; i < 6; i++)
		touch(texts[i], texts[i] ? strlen(texts[i]) : 0);
	perfdata_registers(data, 0xff0fff, 0xff);
	perfdata_kernel_text(data, &texts[6]);
	touch(texts[6], strlen(texts[6]));
}

static void
look(void *data, const struct sample *s)
{
	if (s->event >= perfdata_header(data)->events)
		abort();
	touch(s->kchain, s->nkchain * 8ull);
	touch(s->uchain, s->nuchain * 8ull);
	touch(s->regs, s->regs ? s->nregs * 8ull : 0);
	touch(s->stack, s->stack_size);
	touch(s->task->comm, strlen(s->task->comm));
	space_find(&s->task->process->maps.space, s->ip);
}

static int
no_file(void *ctx, const struct file_id *id)
{
	(void)ctx;
	touch(id->path, strlen(id->path));
	touch(id->build_id, id->build_id_len);
	errno = ENOENT;
	return -1;
}

static int
no_map(void *ctx, int32_t pid)
{
	(void)ctx, (void)pid;
	errno = ENOENT;
	return -1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct file_finder finder = { no_file, no_map, true, NULL };
	static int fd = -1;
	struct modules modules;
	struct source source;
	struct perfdata *d;
	const char *why;

	if (fd < 0)
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size || lseek(fd, 0, SEEK_SET) || !modules_init(&modules))
		return 0;
	source_open(&source, fd);
	if ((d = perfdata_open(&source, &modules, &why))) {
		struct perfdata_taker taker = { begin, look, d };
		struct perfdata_counts n;

		processes_recorded(perfdata_processes(d), &finder);
		while (perfdata_read(d, &taker))
			;
		perfdata_counts(d, &n);
		if (perfdata_done(d) > 1000)
			abort();
		perfdata_free(d);
	}
	source_free(&source);
	modules_free(&modules);
	if (mem_used() > 1 << 16)
		abort();
	return 0;
}
