/* See builds.h.  First where debuggers keep files by id (DIR/.build-id/xx/yyyy), then by path, then all files are looked at:
 * below --sysroot all there are, else in the directories of programs and libraries. */
#include "file_search.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/msg.h"
#include "sample/tasks/foreign.h"

enum { DIRS_MAX = 1 << 18, TOLD_MAX = 5, PATH_ROOM = 4096 };

struct build {
	const char *file;            /* an id in hexadecimal, or a path */
	bool by_id;
	struct module *module;
};

static uint32_t
build_again(const void *ctx, uint32_t i)
{
	const struct build *b = (const struct build *)ctx + i;

	return hash_bytes(b->file, strlen(b->file));
}

static struct build *
find(const struct builds *b, const char *file, size_t len)
{
	uint32_t slot, i;

	for (slot = index_first(&b->index, hash_bytes(file, len)); (i = index_at(&b->index, slot)) != INDEX_NONE;
	     slot = index_next(&b->index, slot))
		if (strlen(b->build[i].file) == len && memcmp(b->build[i].file, file, len) == 0)
			return &b->build[i];
	return NULL;
}

bool
builds_want(struct builds *b, const char *file, size_t len, bool by_id)
{
	struct build new = { .by_id = by_id };

	if (find(b, file, len))
		return true;
	if (!(new.file = arena_str(&b->arena, file, len)) || !vec_room(&b->build, &b->cap, (uint64_t)b->n + 1, sizeof new))
		return false;
	b->build[b->n] = new;
	if (!index_add(&b->index, hash_bytes(file, len), b->n, build_again, b->build))
		return false;
	b->n++;
	b->missing++;
	return true;
}

struct module *
builds_module(const struct builds *b, const char *file, size_t len)
{
	const struct build *build = find(b, file, len);

	return build ? build->module : NULL;
}

static size_t
id_text(const struct elf *e, char *text)
{
	for (unsigned i = 0; i < e->build_id_len; i++)
		snprintf(text + 2 * i, 3, "%02x", e->build_id[i]);
	return 2u * e->build_id_len;
}

/* Takes the file behind FD for BUILD, or (NULL) for whichever its id is that of.  Closes FD. */
static void
take(struct builds *b, struct modules *ms, struct build *build, int fd, const char *path)
{
	char id[2 * sizeof ((struct elf *)0)->build_id + 1];
	struct arena scratch = { 0 };
	struct filemap map;
	struct elf elf;

	if (fd < 0)
		return;
	if (!filemap_open(&map, fd)) {
		if (!elf_open(&elf, cur_of(map.data, map.size, false), false, &scratch)) {
			struct build *is = elf.build_id_len ? find(b, id, id_text(&elf, id)) : NULL;

			build = build && !build->by_id ? build : is && (!build || is == build) ? is : NULL;
			if (build && !build->module && (build->module = module_file(ms, fd, path)))
				b->missing--;
		}
		filemap_close(&map);
	}
	arena_free(&scratch);
	close(fd);
}

/* FILE below DIR, which may be "" or end with a slash. */
static bool
join(char *path, const char *dir, const char *file)
{
	size_t n = strlen(dir);

	while (n && dir[n - 1] == '/')
		n--;
	return snprintf(path, PATH_ROOM, "%.*s/%s", (int)n, dir, file + (*file == '/')) < PATH_ROOM;
}

/* By the directories that are made for it, and by path. */
static void
find_directly(struct builds *b, struct modules *ms, const struct places *p)
{
	static const char *const ends[] = { "", ".debug" };
	int root = p->sysroot ? foreign_directory(p->sysroot) : -1;   /* paths of a profile lead nowhere else */
	char path[PATH_ROOM], name[128];

	for (uint32_t i = 0; i < b->n; i++) {
		struct build *build = &b->build[i];

		if (!build->by_id && (root >= 0 || !p->sysroot))
			take(b, ms, build, foreign_file(root, build->file), build->file);
		for (unsigned k = 0; build->by_id && k < 2 * (p->dirs + 1); k++) {
			const char *end = ends[k & 1];
			bool usual = k / 2 == p->dirs;

			snprintf(name, sizeof name, "%s.build-id/%.2s/%.80s%s", usual ? "usr/lib/debug/" : "", build->file, build->file + 2, end);
			if (!build->module && join(path, usual ? p->sysroot ? p->sysroot : "" : p->dir[k / 2], name))
				take(b, ms, build, foreign_file(-1, path), path);
		}
	}
	if (root >= 0)
		close(root);
}

/* Directories still to be looked through. */
struct search {
	struct arena arena;
	const char **dir;
	uint32_t n, cap;
};

static void
push(struct search *s, const char *dir)
{
	if (s->n < DIRS_MAX && vec_room(&s->dir, &s->cap, (uint64_t)s->n + 1, sizeof *s->dir) &&
	    (s->dir[s->n] = arena_str(&s->arena, dir, strlen(dir))))
		s->n++;
}

/* The directories in DIR are for later; its files, if they begin as ELF files do, are looked at. */
static void
look_through(struct search *s, struct builds *b, struct modules *ms, const char *dir)
{
	char path[PATH_ROOM], magic[4];
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	while (d && b->missing && (e = readdir(d))) {
		int fd;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !join(path, dir, e->d_name) || lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode)) {
			push(s, path);
		} else if (S_ISREG(st.st_mode) && (fd = foreign_file(-1, path)) >= 0) {
			if (pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0)
				take(b, ms, NULL, fd, path);
			else
				close(fd);
		}
	}
	if (d)
		closedir(d);
}

static void
find_anywhere(struct builds *b, struct modules *ms, const struct places *p)
{
	static const char *const usual[] = { "/usr/local", "/opt", "/sbin", "/bin", "/lib64", "/lib", "/usr/libexec", "/usr/lib64",
		                             "/usr/lib", "/usr/sbin", "/usr/bin" };
	struct search s = { 0 };

	if (p->sysroot)
		push(&s, p->sysroot);
	else
		for (unsigned i = 0; i < sizeof usual / sizeof *usual; i++)
			push(&s, usual[i]);
	for (uint32_t i = 0; i < DIRS_MAX && s.n && b->missing; i++)
		look_through(&s, b, ms, s.dir[--s.n]);
	arena_free(&s.arena);
	vec_free(&s.dir, &s.cap, sizeof *s.dir);
}

void
builds_find(struct builds *b, struct modules *ms, const struct places *p)
{
	find_directly(b, ms, p);
	if (b->missing)
		find_anywhere(b, ms, p);
}

void
builds_tell_missing(const struct builds *b)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < b->n && told < TOLD_MAX; i++)
		if (!b->build[i].module && ++told)
			warn("%s %s: not found; its frames stay as they are", b->build[i].by_id ? "build-id" : "file", b->build[i].file);
	if (b->missing > told)
		warn("and %u more", b->missing - told);
}
