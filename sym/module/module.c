/* See module.h. */
#include "module.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/asked_file.h"
#include "lib/filemap.h"
#include "lib/codec/unpack.h"

/* prof finds a module's number again by its identity: for a file, dev, ino, size and mtime; for a memory image, its bytes
 * (INO is their hash); for a lost file, its path (INO is its hash). */
static uint32_t
hash(const struct module *m)
{
	return hash_u64(m->ino ^ m->dev << 48 ^ m->size << 24 ^ m->mtime << 1 ^ (uint64_t)m->kind << 60);
}

static bool
same(const struct module *m, const struct module *like, const char *path, const void *bytes)
{
	if (m->kind != like->kind || m->dev != like->dev || m->ino != like->ino || m->size != like->size ||
	    m->mtime != like->mtime)
		return false;
	return m->kind == MODULE_FILE ||
	       (!strcmp(m->path, path) && (!bytes || !memcmp(m->elf.bytes.pos, bytes, (size_t)m->size)));
}

static struct module *
find(struct modules *ms, const struct module *like, const char *path, const void *bytes)
{
	uint32_t slot, i;

	for (slot = index_first(&ms->index, hash(like)); (i = index_at(&ms->index, slot)) != INDEX_NONE;
	     slot = index_next(&ms->index, slot))
		if (same(ms->module[i], like, path, bytes))
			return ms->module[i];
	return NULL;
}

/* The last part of PATH, without the kernel's suffix for deleted files. */
static const char *
last_part(struct arena *a, const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
	size_t len = strlen(name), d = sizeof deleted - 1;

	if (len <= d || strcmp(name + len - d, deleted))
		return name;
	return arena_str(a, name, len - d);
}

/* A module like LIKE, with a number; if INTERNED, prof can find it again.  NULL at the memory cap. */
static struct module *
add(struct modules *ms, const struct module *like, const char *path, bool interned)
{
	struct module *m = arena_alloc(&ms->arena, sizeof *m);

	if (!m || !vec_room(&ms->module, &ms->cap, (uint64_t)ms->n + 1, sizeof(struct module *)))
		return NULL;
	*m = *like;
	m->id = ms->n;
	if (!(m->path = arena_str(&ms->arena, path, strlen(path))) || !(m->name = last_part(&ms->arena, m->path)))
		return NULL;
	ms->module[ms->n] = m;
	if (interned && !index_add(&ms->index, hash(m), ms->n))
		return NULL;
	ms->n++;
	return m;
}

bool
modules_init(struct modules *ms)
{
	*ms = (struct modules){ 0 };
	ms->mark = add(ms, &(struct module){ .kind = MODULE_MARK, .bad = "is prof's own marker" }, "", false);
	ms->kernel = add(ms, &(struct module){ .kind = MODULE_KERNEL, .bad = "is the kernel" }, "[kernel]", false);
	return ms->mark && ms->kernel;
}

void
modules_free(struct modules *ms)
{
	for (uint32_t i = 0; i < ms->n; i++)
		filemap_close(&ms->module[i]->file);
	for (struct module_owned *o = ms->owned; o; o = o->next)
		o->free(o);
	for (uint32_t i = 0; i < ms->nroot; i++)
		close(ms->root[i].fd);
	vec_free(&ms->module, &ms->cap, sizeof(struct module *));
	index_free(&ms->index);
	unpack_close(&ms->arena);
	arena_free(&ms->arena);
	*ms = (struct modules){ 0 };
}

struct module *
module_file(struct modules *ms, int fd, const char *path)
{
	struct module like = { .kind = MODULE_FILE }, *m;
	struct stat st;

	if (!asked_file_stat(fd, &st))
		return module_lost(ms, path, "cannot be examined");
	like.dev = st.st_dev;
	like.ino = st.st_ino;
	like.size = (uint64_t)st.st_size;
	like.mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if ((m = find(ms, &like, path, NULL)))
		return m;
	if (!(m = add(ms, &like, path, true)))
		return NULL;
	work_begin(&m->work);
	m->bad = filemap_open(&m->file, fd);
	work_allow(m->file.size);
	if (!m->bad)
		m->bad = elf_open(&m->elf, cur_of(m->file.data, m->file.size, false), false, &ms->arena);
	work_end();
	m->no_elf = m->file.size >= SELFMAG && memcmp(m->file.data, ELFMAG, SELFMAG) != 0;
	return m;
}

struct module *
module_lost(struct modules *ms, const char *path, const char *why)
{
	struct module like = { .kind = MODULE_LOST, .bad = why, .ino = hash_str(path) }, *m;

	return (m = find(ms, &like, path, NULL)) ? m : add(ms, &like, path, true);
}

struct module *
module_word(struct modules *ms, const char *word)
{
	struct module like = { .kind = MODULE_MARK, .bad = "is a word", .ino = hash_str(word) }, *m;

	return (m = find(ms, &like, word, NULL)) ? m : add(ms, &like, word, true);
}

struct module *
module_image(struct modules *ms, const char *path, const void *bytes, size_t n)
{
	struct module like = { .kind = MODULE_IMAGE, .ino = hash_bytes(bytes, n), .size = n }, *m;
	void *copy;

	if ((m = find(ms, &like, path, bytes)))
		return m;
	if (!(copy = arena_alloc(&ms->arena, n)))
		return NULL;
	memcpy(copy, bytes, n);
	like.elf.bytes = cur_of(copy, n, false);   /* before a search can find it */
	if (!(m = add(ms, &like, path, true)))
		return NULL;
	work_begin(&m->work);
	work_allow(n);
	m->bad = elf_open(&m->elf, m->elf.bytes, true, &ms->arena);
	work_end();
	return m;
}

struct module *
module_add(struct modules *ms, const struct module *like, const char *path)
{
	return add(ms, like, path, false);
}

void
modules_own(struct modules *ms, struct module_owned *o, void (*free)(struct module_owned *))
{
	o->free = free;
	o->next = ms->owned;
	ms->owned = o;
}

struct module *
module_bytes(struct modules *ms, const char *path, const void *bytes, size_t n)
{
	struct module like = { .kind = MODULE_FILE, .size = n }, *m = add(ms, &like, path, false);

	if (!m)
		return NULL;
	work_begin(&m->work);
	work_allow(n);
	m->bad = elf_open(&m->elf, cur_of(bytes, n, false), false, &ms->arena);
	work_end();
	return m;
}

uint8_t
modules_root(struct modules *ms, int fd)
{
	struct module_root *r = &ms->root[ms->nroot];
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	for (uint32_t i = 0; i < ms->nroot; i++)
		if (ms->root[i].dev == st.st_dev && ms->root[i].ino == st.st_ino)
			return (uint8_t)(i + 1);
	if (ms->nroot == MODULE_ROOTS || (fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0)
		return 0;
	*r = (struct module_root){ st.st_dev, st.st_ino, fd };
	return (uint8_t)++ms->nroot;
}
