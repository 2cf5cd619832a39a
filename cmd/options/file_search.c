/* See file_search.h.  prof looks for files by path, and where debuggers keep them by id (DIR/.build-id/xx/yyyy).  For those still
 * missing it looks at all files below --sysroot and --debug-dir, but not at all files of this machine: nobody asked for that. */
#include "file_search.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "lib/progress.h"
#include "lib/text.h"
#include "sample/tasks/foreign.h"

enum { DIRS_MAX = 1 << 18, TOLD_MAX = 5, PATH_ROOM = 4096 };

struct wanted_file {
	const char *file;            /* an id in hexadecimal, or a path */
	const char *path;            /* of an id: where it was, or NULL */
	bool by_id;
	struct module *module;
};

static struct wanted_file *
find(const struct file_search *b, const char *file, size_t len)
{
	uint32_t slot, i;

	for (slot = index_first(&b->index, hash_bytes(file, len)); (i = index_at(&b->index, slot)) != INDEX_NONE;
	     slot = index_next(&b->index, slot))
		if (strlen(b->wanted[i].file) == len && memcmp(b->wanted[i].file, file, len) == 0)
			return &b->wanted[i];
	return NULL;
}

bool
file_search_want(struct file_search *b, const char *file, size_t len, bool by_id)
{
	struct wanted_file new = { .by_id = by_id };

	if (find(b, file, len))
		return true;
	if (!(new.file = arena_str(&b->arena, file, len)) || !vec_room(&b->wanted, &b->cap, (uint64_t)b->n + 1, sizeof new))
		return false;
	b->wanted[b->n] = new;
	if (!index_add(&b->index, hash_bytes(file, len), b->n))
		return false;
	if (!by_id)
		b->wanted[b->n].path = new.file;
	b->n++;
	b->missing++;
	return true;
}

void
file_search_was_at(struct file_search *b, const char *build_id, const char *path)
{
	struct wanted_file *wanted = *path == '/' ? find(b, build_id, strlen(build_id)) : NULL;

	if (wanted && !wanted->path)
		wanted->path = arena_str(&b->arena, path, strlen(path));
}

struct module *
file_search_module(const struct file_search *b, const char *file, size_t len)
{
	const struct wanted_file *build = find(b, file, len);

	return build ? build->module : NULL;
}

static size_t
id_text(const struct elf *e, char *text)
{
	for (unsigned i = 0; i < e->build_id_len; i++)
		snprintf(text + 2 * i, 3, "%02x", e->build_id[i]);
	return 2u * e->build_id_len;
}

/* Takes the file behind FD for BUILD, or (NULL) for the build that has its id.  Closes FD. */
static void
take(struct file_search *b, struct modules *ms, struct wanted_file *build, int fd, const char *path)
{
	char id[2 * sizeof ((struct elf *)0)->build_id + 1];
	struct arena scratch = { 0 };
	struct filemap map;
	struct elf elf;

	if (fd < 0)
		return;
	if (!filemap_open(&map, fd)) {
		if (!elf_open(&elf, cur_of(map.data, map.size, false), false, &scratch)) {
			struct wanted_file *is = elf.build_id_len ? find(b, id, id_text(&elf, id)) : NULL;

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

/* Looks in the directories that are made for ids, and by path. */
static void
find_directly(struct file_search *b, struct modules *ms, const struct search_dirs *p)
{
	static const char *const ends[] = { "", ".debug" };
	int root = p->sysroot ? foreign_directory(p->sysroot) : -1;   /* paths of a profile must lead nowhere else */
	char path[PATH_ROOM], name[128];

	for (uint32_t i = 0; i < b->n; i++) {
		struct wanted_file *build = &b->wanted[i];

		if (build->path && (root >= 0 || !p->sysroot))
			take(b, ms, build, foreign_file(root, build->path), build->path);
		for (unsigned k = 0; build->by_id && k < 2 * (p->ndir + 1); k++) {
			const char *end = ends[k & 1];
			bool usual = k / 2 == p->ndir;

			snprintf(name, sizeof name, "%s.build-id/%.2s/%.80s%s", usual ? "usr/lib/debug/" : "", build->file, build->file + 2, end);
			if (!build->module && join(path, usual ? p->sysroot ? p->sysroot : "" : p->dir[k / 2], name))
				take(b, ms, build, foreign_file(-1, path), path);
		}
	}
	if (root >= 0)
		close(root);
}

/* Directories that it has still to look through. */
struct directories {
	struct arena arena;
	const char **dir;
	uint32_t n, cap;
	uint64_t files;            /* that prof looked at */
	struct progress progress;
};

static void
push(struct directories *s, const char *dir)
{
	if (s->n < DIRS_MAX && vec_room(&s->dir, &s->cap, (uint64_t)s->n + 1, sizeof *s->dir) &&
	    (s->dir[s->n] = arena_str(&s->arena, dir, strlen(dir))))
		s->n++;
}

/* Whether the kernel makes up the files there: none of them is a program. */
static bool
is_made_up(int dir)
{
	static const uint32_t magic[] = { 0x9fa0 /* proc */, 0x62656572 /* sysfs */, 0x64626720 /* debugfs */, 0x74726163 /* tracefs */,
	                                  0x27e0eb /* cgroup */, 0x63677270 /* cgroup2 */, 0xcafe4a11 /* bpf */ };
	struct statfs fs;

	for (unsigned i = 0; i < sizeof magic / sizeof *magic && !fstatfs(dir, &fs); i++)
		if ((uint32_t)fs.f_type == magic[i])
			return true;
	return false;
}

static void
look_at(struct directories *s, struct file_search *b, struct modules *ms, const char *path)
{
	char magic[4];
	int fd = foreign_file(-1, path);

	s->files++;
	if (progress_due(&s->progress))
		progress_say(&s->progress, "looked at %llu file%s, %u of %u found", (unsigned long long)s->files, plural(s->files), b->n - b->missing, b->n);
	if (fd < 0)
		return;
	if (pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0)
		take(b, ms, NULL, fd, path);
	else
		close(fd);
}

/* Keeps the directories in DIR for later, and looks at its files, if they begin as ELF files do. */
static void
look_through(struct directories *s, struct file_search *b, struct modules *ms, const char *dir)
{
	char path[PATH_ROOM];
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	while (d && !is_made_up(dirfd(d)) && b->missing && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !join(path, dir, e->d_name) || lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			push(s, path);
		else if (S_ISREG(st.st_mode))
			look_at(s, b, ms, path);
	}
	if (d)
		closedir(d);
}

static void
find_below(struct file_search *b, struct modules *ms, const struct search_dirs *p)
{
	struct directories s = { 0 };

	for (unsigned i = p->ndir; i--; )
		push(&s, p->dir[i]);
	if (p->sysroot)
		push(&s, p->sysroot);
	progress_open(&s.progress, PROGRESS_PAUSE);
	for (uint32_t i = 0; i < DIRS_MAX && s.n && b->missing; i++)
		look_through(&s, b, ms, s.dir[--s.n]);
	progress_close(&s.progress);
	arena_free(&s.arena);
	vec_free(&s.dir, &s.cap, sizeof *s.dir);
}

void
file_search_find(struct file_search *b, struct modules *ms, const struct search_dirs *p)
{
	b->below = p->sysroot || p->ndir;
	find_directly(b, ms, p);
	if (b->missing)
		find_below(b, ms, p);
}

void
file_search_tell_missing(const struct file_search *b)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < b->n && told < TOLD_MAX; i++)
		if (!b->wanted[i].module && ++told)
			warn("%s %s: not found; its frames keep their addresses", b->wanted[i].by_id ? "build-id" : "file", b->wanted[i].file);
	if (b->missing > told)
		warn("and %u more", b->missing - told);
	if (told && !b->below)
		warn("prof did not search the whole machine; --sysroot DIR searches all of DIR");
}
