/* See profile_input.h. */
#include "profile_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "out/read.h"

enum { INPUT_MIB = 2047, CHUNK = 1 << 20 };

void
input_cap(void)
{
	mem_cap((size_t)INPUT_MIB << 20);
}

/* Reads all of FD into a vector; NULL, or what went wrong. */
static const char *
read_all(int fd, uint8_t **bytes, uint32_t *cap, uint32_t *n)
{
	for (;;) {
		ssize_t got;

		if (!vec_room(bytes, cap, (uint64_t)*n + CHUNK, 1))
			return "out of memory";
		got = read(fd, *bytes + *n, *cap - *n);
		if (got == 0)
			return NULL;
		if (got < 0 && errno != EINTR)
			return strerror(errno);
		*n += got > 0 ? (uint32_t)got : 0;
	}
}

static bool
parse(struct profile *p, const char *name, const void *bytes, size_t n)
{
	const struct format *format;
	uint64_t where;
	const char *why = profile_read(p, name, cur_of(bytes, n, false), &format, &where);

	if (why && !format)
		error("%s: %s", name, why);
	else if (why && format->text)
		error("%s:%llu: %s (read as %s)", name, (unsigned long long)where, why, format->name);
	else if (why)
		error("%s: at byte %llu: %s (read as %s)", name, (unsigned long long)where, why, format->name);
	return !why;
}

static bool
read_fd(struct profile *p, const char *name, int fd)
{
	uint8_t *bytes = NULL;
	uint32_t cap = 0, n = 0;
	const char *why;
	struct filemap map;
	struct stat st;
	bool ok = false;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
		if ((why = filemap_open(&map, fd))) {
			error("%s: %s", name, why);
			return false;
		}
		ok = parse(p, name, map.data, map.size);
		filemap_close(&map);
		return ok;
	}
	if ((why = read_all(fd, &bytes, &cap, &n)))
		error("%s: %s", name, why);
	else
		ok = parse(p, name, bytes, n);
	vec_free(&bytes, &cap, 1);
	return ok;
}

/* Samples of threads that had some already do not lie in time as those did. */
static void
check_times(struct profile *p, const uint64_t *before, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		p->timeless |= before[i] && p->thread[i].samples != before[i];
}

bool
input_read(struct profile *p, const char *path)
{
	bool in = strcmp(path, "-") == 0, ok;
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint32_t n = p->nthread, cap = 0;
	uint64_t *before = NULL;

	if (fd < 0) {
		error("%s: %s", path, strerror(errno));
		return false;
	}
	ok = vec_room(&before, &cap, n, sizeof *before);
	for (uint32_t i = 0; ok && i < n; i++)
		before[i] = p->thread[i].samples;
	ok = read_fd(p, in ? "stdin" : path, fd);
	if (before)
		check_times(p, before, n);
	vec_free(&before, &cap, sizeof *before);
	if (!in)
		close(fd);
	if (ok && p->dropped) {
		error("%s: out of memory", in ? "stdin" : path);
		ok = false;
	}
	return ok;
}
