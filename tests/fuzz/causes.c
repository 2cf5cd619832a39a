/* A cgroup's files about limits, throttling, pressure and lack of memory, and /proc's about a thread's times. prof reads them
 * before and after; a plain reader of one line at a time must find the same. Then the words for it. Input: texts, each up to a 0xfe
 * byte. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define thread a_thread   /* there are two of that name, which never meet */
#include "sample/waiting/causes.c"
#include "sample/waiting/wait_look.c"
#undef thread

#include "cmd/capture/causes_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MOST = 4096 };

static char dir[] = "/tmp/fuzz-causes-XXXXXX", path_of[64];
static int file[CAUSE_FILES], procs, limit, schedstat;

/* A file in memory, which has that name. */
static int
make(const char *name)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	char target[32];

	snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
	snprintf(path_of, sizeof path_of, "%s/%s", dir, name);
	if (fd < 0 || (*name && symlink(target, path_of)))
		abort();
	return fd;
}

static void
make_dir(const char *name)
{
	snprintf(path_of, sizeof path_of, "%s/%s", dir, name);
	if (mkdir(path_of, 0700))
		abort();
}

static void
gone(void)
{
	static const char *const names[] = { "self/stat", "self", "cgroup.procs", "cpu.max", "1/task/1/schedstat", "1/task/1", "1/task", "1",
	                                     "file0", "file1", "file2", "file3", "file4", "" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path_of, sizeof path_of, "%s/%s", dir, names[i]);
		remove(path_of);
	}
}

static void
begin_once(void)
{
	char name[16];

	if (*path_of)
		return;
	if (!mkdtemp(dir))
		abort();
	make_dir("self");
	make("self/stat");   /* so that /proc is there */
	make_dir("1");
	make_dir("1/task");
	make_dir("1/task/1");
	procs = make("cgroup.procs");
	limit = make("cpu.max");
	schedstat = make("1/task/1/schedstat");
	for (unsigned i = 0; i < CAUSE_FILES; i++)
		snprintf(name, sizeof name, "file%u", i), file[i] = make(name);
	proc_root = dir;
	atexit(gone);
}

/* Writes the text at *DATA, which goes on behind it; its length. */
static size_t
put_next(int fd, const uint8_t **data, const uint8_t *end)
{
	const uint8_t *at = *data, *stop = at < end ? memchr(at, 0xfe, (size_t)(end - at)) : NULL;
	size_t n = stop ? (size_t)(stop - at) : (size_t)(end - at);

	*data = stop ? stop + 1 : end;
	if (ftruncate(fd, 0) || pwrite(fd, at, n, 0) != (ssize_t)n)
		abort();
	return n;
}

struct text {
	const uint8_t *bytes;
	size_t n;
};

/* The first line that begins with the key has a number there, which fits. */
static bool
plain(const struct text *t, const struct reading *r, uint64_t *v)
{
	char text[1024];
	bool pressure = r->file >= PRESSURES && r->file < PRESSURES + 3;

	memcpy(text, t->bytes, t->n);
	text[t->n] = 0;
	for (char *line = text, *next; line; line = next) {
		char *p;

		if ((next = strchr(line, '\n')))
			*next++ = 0;
		if (strncmp(line, r->key, strlen(r->key)) != 0)
			continue;
		p = pressure ? strstr(line + strlen(r->key), "total=") : line + strlen(r->key);
		if (!p)
			return false;
		p += pressure ? 6 : 0;
		if (*p < '0' || *p > '9')
			return false;
		for (*v = 0; *p >= '0' && *p <= '9'; p++)
			if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *p - '0', v))
				return false;
		return true;
	}
	return false;
}

static void
compare(const struct text *text, const uint64_t *value, uint32_t known)
{
	uint64_t want[CAUSES] = { 0 }, v;
	uint32_t bits = 0;

	for (unsigned i = 0; i < sizeof reading / sizeof *reading; i++)
		if (plain(&text[reading[i].file], &reading[i], &v)) {
			want[reading[i].cause] = v / reading[i].divided;
			bits |= 1u << reading[i].cause;
		}
	if (bits != known)
		abort();
	for (unsigned i = 0; i < CAUSES; i++)
		if (known >> i & 1 && value[i] != want[i])
			abort();
}

static void
check_words(const struct causes *c, uint64_t elapsed)
{
	struct profile p;
	struct sink s;

	profile_init(&p);
	sink_open(&s, -1);
	causes_words(&s, c, elapsed, elapsed / 2);
	causes_fields(&s, c);
	for (size_t i = 0; i < s.len; i++)
		if ((s.buf[i] < ' ' && s.buf[i] != '\n') || s.buf[i] > '~')
			abort();
	if (s.err || s.len > 2048)
		abort();
	sink_close(&s);
	causes_notes(c, elapsed, &p);
	profile_free(&p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	struct causes c = { .machine = size & 1, .wakers = size & 2 };
	struct text texts[CAUSE_FILES];
	char text[TEXT_MOST];
	uint64_t sp, pc, arg, elapsed = size ? (uint64_t)*data << (*data & 31) : 0;

	begin_once();
	put_next(procs, &data, end);
	put_next(limit, &data, end);
	put_next(schedstat, &data, end);
	for (unsigned f = 0; f < CAUSE_FILES; f++) {
		texts[f].bytes = data;
		texts[f].n = put_next(file[f], &data, end);
		texts[f].n = texts[f].n < 1023 ? texts[f].n : 1023;   /* as much as is read */
		c.fd[f] = fcntl(file[f], F_DUPFD_CLOEXEC, 3);
	}
	if (!vec_room(&c.threads, &c.cap_threads, 1, sizeof *c.threads))
		abort();
	members(&c, dir);
	if (close(open_up(dir, "cpu.max", "cpu.max")))
		abort();
	look(&c, size & 4, 0);
	c.known = read_some(&c, CAUSE_FILES, c.before);
	compare(texts, c.before, c.known);
	put_next(schedstat, &data, end);
	for (unsigned f = 0; f < CAUSE_FILES; f++)
		put_next(file[f], &data, end);
	look(&c, true, c.threads->n);
	for (uint32_t i = 0; i < c.threads->n && i < c.cap; i++)   /* never less than before */
		if (c.waiting[i].ran_now < c.waiting[i].ran || c.waiting[i].waited_now < c.waiting[i].waited)
			abort();
	causes_throttled(&c);
	causes_end(&c);
	check_words(&c, elapsed);
	size = (size_t)(end - data) < sizeof text ? (size_t)(end - data) : sizeof text - 1;
	memcpy(text, data, size);
	text[size] = 0;
	parse_syscall(text, &sp, &pc, &arg);
	if (mem_used())
		abort();
	return 0;
}
