/* See annotate_source.h.  A path comes from debug information, which anybody may have written: below a directory of
 * --source-dir prof stays there, elsewhere it opens only what a user other than root could open; and it opens regular files
 * only. */
#include "annotate_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "out/place.h"
#include "sample/tasks/foreign.h"

/* Files, MiB of one, and of all: a function may say that it is made of thousands. */
enum { FILES_MAX = 4096, SIZE_MAX_MIB = 64, ALL_MAX_MIB = 256, HANDED_ON_MIB = 16, HANDED_ON_ALL_MIB = 64 };

struct source_file {
	const char *name;          /* its name in the debug information */
	struct filemap map;
	uint32_t *start;           /* offsets of lines; that behind the last is the file's end */
	uint32_t lines, cap;       /* 0: not found */
};

void
sources_init(struct sources *s)
{
	s->sysroot = -1;
	if (!place_caller(&s->uid, &s->gid))
		s->uid = s->gid = FOREIGN_NOBODY;
}

void
sources_close(struct sources *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		filemap_close(&s->file[i]->map);
		vec_free(&s->file[i]->start, &s->file[i]->cap, sizeof *s->file[i]->start);
	}
	vec_free(&s->file, &s->cap, sizeof *s->file);
	index_free(&s->index);
	arena_free(&s->arena);
	s->n = 0;
}

void
sources_use(struct sources *s, const struct modules *modules)
{
	s->modules = modules;
	s->sysroot = modules->places.sysroot ? modules->root[modules->places.sysroot - 1].fd : -1;
}

uint32_t
sources_missing(const struct sources *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += !s->file[i]->lines;
	return n;
}

bool
sources_add_dir(struct sources *s, const char *dir)
{
	if (s->dirs == SOURCE_DIRS) {
		error("--source-dir: too many; at most %d are possible", SOURCE_DIRS);
		return false;
	}
	if ((s->dir[s->dirs] = foreign_directory(dir)) < 0) {
		error("--source-dir %s: %s", dir, strerror(errno));
		return false;
	}
	s->dirs++;
	return true;
}

void
sources_add_roots(const struct sources *s, struct modules *ms)
{
	for (unsigned i = 0; i < s->dirs; i++)
		modules_root(ms, s->dir[i]);
}

/* Opens a file below a directory that the command line names. */
static int
open_named(const struct sources *s, int dir, const char *path)
{
	return foreign_door ? foreign_source(s->uid, s->gid, dir, path) : foreign_file(dir, path);
}

/* Opens the file in DIR that matches the longest end of NAME's path. */
static int
open_by_suffix(const struct sources *s, int dir, const char *name)
{
	int fd = -1;

	for (const char *rest = name; fd < 0 && rest; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		fd = *rest ? open_named(s, dir, rest) : -1;
	}
	return fd;
}

static int
open_source(const struct sources *s, const char *name)
{
	int fd = -1;

	for (unsigned i = 0; i < s->dirs && fd < 0; i++)
		fd = open_by_suffix(s, s->dir[i], name);
	if (fd < 0 && s->sysroot >= 0)
		fd = open_named(s, s->sysroot, name);
	for (uint32_t i = 0; fd < 0 && *name == '/' && s->modules && i < s->modules->nroot; i++)
		fd = foreign_source(s->uid, s->gid, s->modules->root[i].fd, name);
	return fd < 0 ? foreign_source(s->uid, s->gid, -1, name) : fd;
}

static bool
index_lines(struct source_file *f)
{
	const uint8_t *data = f->map.data, *end = data + f->map.size;
	uint32_t n = 0;

	for (const uint8_t *p = data, *newline; p < end; p = newline + 1) {
		if (!vec_room(&f->start, &f->cap, (uint64_t)n + 2, sizeof *f->start))
			return false;
		f->start[n++] = (uint32_t)(p - data);
		if (!(newline = memchr(p, '\n', (size_t)(end - p))))
			newline = end;
		f->start[n] = (uint32_t)(newline + 1 - data);
	}
	f->lines = n;
	return true;
}

/* Whether prof may read the mapped file. */
static bool
is_fit(struct sources *s, const struct source_file *f, int fd)
{
	size_t most = (size_t)(s->handed_on ? HANDED_ON_MIB : SIZE_MAX_MIB) << 20;
	size_t all = (size_t)(s->handed_on ? HANDED_ON_ALL_MIB : ALL_MAX_MIB) << 20;
	struct stat st;

	if (f->map.size > most || f->map.size > all - s->bytes)
		return false;
	if (s->handed_on && (fstat(fd, &st) || (!st.st_uid && !(st.st_mode & S_IROTH))))
		return false;
	s->bytes += f->map.size;
	return true;
}

static struct source_file *
add_file(struct sources *s, const char *name)
{
	struct source_file *f = arena_alloc(&s->arena, sizeof *f);
	int fd;

	if (!f || s->n == FILES_MAX || !vec_room(&s->file, &s->cap, (uint64_t)s->n + 1, sizeof *s->file))
		return NULL;
	f->name = name;
	s->file[s->n] = f;
	if (!index_add(&s->index, hash_str(name), s->n))
		return NULL;
	s->n++;
	if ((fd = open_source(s, name)) >= 0) {
		if (!filemap_open(&f->map, fd) && (!is_fit(s, f, fd) || !index_lines(f)))
			f->lines = 0;
		close(fd);
	}
	return f;
}

static struct source_file *
find_file(struct sources *s, const char *name)
{
	uint32_t slot, i;

	for (slot = index_first(&s->index, hash_str(name)); (i = index_at(&s->index, slot)) != INDEX_NONE; slot = index_next(&s->index, slot))
		if (strcmp(s->file[i]->name, name) == 0)
			return s->file[i];
	return add_file(s, name);
}

const char *
source_text(void *ctx, const char *file, uint32_t line, size_t *n)
{
	struct sources *s = ctx;
	struct source_file *f = find_file(s, file);

	if (!f || !line || line > f->lines)
		return s->carried && (!f || !f->lines) ? source_texts_find(s->carried, file, line, n) : NULL;
	*n = f->start[line] - f->start[line - 1] - 1;
	return (const char *)f->map.data + f->start[line - 1];
}
