/* See profile_input.h. */
#include "profile_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "out/read.h"

enum { INPUT_MIB = 2047, SPARE_MIB = 256, CHUNK = 1 << 20 };

void
input_cap(void)
{
	mem_cap((size_t)INPUT_MIB << 20);
	mem_spare((size_t)SPARE_MIB << 20);
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
read_source(struct profile *p, const char *name, struct source *source)
{
	uint8_t *bytes = NULL;
	uint32_t cap = 0, n = 0;
	const char *why;
	struct filemap map;
	bool ok = false;

	if (source->seeks && source->size) {
		if ((why = filemap_open(&map, source->fd))) {
			error("%s: %s", name, why);
			return false;
		}
		ok = parse(p, name, map.data, map.size);
		filemap_close(&map);
		return ok;
	}
	n = source->n - source->pos;   /* the bytes that prof has looked at */
	if (vec_room(&bytes, &cap, n, 1) && n)
		memcpy(bytes, source->bytes + source->pos, n);
	if ((why = n > cap ? "out of memory" : read_all(source->fd, &bytes, &cap, &n)))
		error("%s: %s", name, why);
	else
		ok = parse(p, name, bytes, n);
	vec_free(&bytes, &cap, 1);
	return ok;
}

/* If a thread had samples before, the new ones do not lie in time as those did. */
static void
check_times(struct profile *p, const uint64_t *before, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		p->timeless |= before[i] && p->thread[i].samples != before[i];
}

bool
input_open(struct input *in, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const uint8_t *magic;

	*in = (struct input){ .name = is_stdin ? "stdin" : path };
	if (fd < 0) {
		error("%s: %s", path, strerror(errno));
		return false;
	}
	source_open(&in->source, fd);
	magic = source_peek(&in->source, HEADER_MAGIC);
	in->recording = magic && header_is(magic);
	return true;
}

void
input_close(struct input *in)
{
	source_free(&in->source);
	if (in->source.fd != STDIN_FILENO)
		close(in->source.fd);
}

bool
input_read_with(struct profile *p, struct input *in, bool (*read)(struct profile *, struct input *, const void *ctx), const void *ctx)
{
	uint32_t n = p->nthread, cap = 0;
	uint64_t *before = NULL;
	bool ok = vec_room(&before, &cap, n, sizeof *before);

	for (uint32_t i = 0; ok && i < n; i++)
		before[i] = p->thread[i].samples;
	ok = in->recording && read ? read(p, in, ctx) : read_source(p, in->name, &in->source);
	if (before)
		check_times(p, before, n);
	vec_free(&before, &cap, sizeof *before);
	if (ok && p->dropped) {
		error("%s: out of memory", in->name);
		ok = false;
	}
	return ok;
}

bool
input_read(struct profile *p, const char *path)
{
	struct input in;
	bool ok;

	if (!input_open(&in, path))
		return false;
	if (in.recording) {
		error("%s: this is a recording of perf's; make a profile of it first: prof report %s -o FILE.pb", path, path);
		input_close(&in);
		return false;
	}
	ok = input_read_with(p, &in, NULL, NULL);
	input_close(&in);
	return ok;
}
