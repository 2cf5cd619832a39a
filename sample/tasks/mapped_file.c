/* See mapped_file.h. */
#include "mapped_file.h"
#include "lib/clock.h"
#include "sym/module/arm_vectors.h"
#include "container_image.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VDSO_MAX = 1 << 14 };

/* If prof could not open a file through one process, it may do so through the next: ns until prof tries again, at first and at
 * most. */
#define PAUSE_FIRST UINT64_C(500000)
#define PAUSE_MOST  UINT64_C(1000000000)

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Whether it is a name that the kernel gives to memory without a file. */
static bool
is_memory(const char *path)
{
	static const char *const names[] = { "//anon", "[anon", "[heap]", "[stack", "/memfd:", "/dev/zero", "/dev/shm/",
	                                     "/SYSV", "anon_inode:", "/anon_hugepage", "[jit" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(path, names[i]))
			return true;
	return !*path;
}

static uint32_t
hash(const struct file_id *id)
{
	uint32_t build = id->build_id_len ? hash_bytes(id->build_id, id->build_id_len) : 0;

	return hash_u64(id->ino ^ (uint64_t)id->maj << 52 ^ (uint64_t)id->min << 40 ^ hash_str(id->path) ^ build);
}

static bool
same(const struct file_id *a, const struct file_id *b)
{
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min && a->gen == b->gen &&
	       a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len) &&
	       !strcmp(a->path, b->path);
}

static bool
append(struct mapped_files *b, const struct file_id *id)
{
	struct mapped_file fresh = { .id = *id };

	if (!vec_room(&b->file, &b->cap, (uint64_t)b->n + 1, sizeof *b->file))
		return false;
	if (!(fresh.id.path = arena_str(&b->arena, id->path, strlen(id->path))))
		return false;
	fresh.memory = is_memory(id->path);
	b->file[b->n] = fresh;
	if (!index_add(&b->index, hash(id), b->n))
		return false;
	b->n++;
	return true;
}

bool
mapped_files_init(struct mapped_files *b, struct modules *modules)
{
	struct stat own;

	*b = (struct mapped_files){ .modules = modules };
	if (!stat("/", &own)) {
		b->own_dev = own.st_dev;
		b->own_ino = own.st_ino;
	}
	return append(b, &(struct file_id){ .path = "" });
}

void
mapped_files_free(struct mapped_files *b)
{
	vec_free(&b->file, &b->cap, sizeof *b->file);
	index_free(&b->index);
	arena_free(&b->arena);
}

uint32_t
mapped_file_number(struct mapped_files *b, const struct file_id *id)
{
	uint32_t slot, i;

	if (!*id->path || begins(id->path, "//anon"))
		return 0;
	for (slot = index_first(&b->index, hash(id)); (i = index_at(&b->index, slot)) != INDEX_NONE;
	     slot = index_next(&b->index, slot))
		if (same(&b->file[i].id, id))
			return i;
	return append(b, id) ? b->n - 1 : 0;
}

/* The kernel's pages in a 32-bit process (its vdso, or ARM's [vectors] and [sigpage]), read from its memory. */
static struct module *
foreign_page(struct modules *modules, const char *path, int32_t pid, uint64_t lo, uint64_t hi)
{
	uint8_t bytes[VDSO_MAX];
	size_t n = foreign_read(pid, lo, bytes, hi - lo < sizeof bytes ? (size_t)(hi - lo) : sizeof bytes);

	return n ? arm_vectors_module(modules, path, bytes, n) : module_lost(modules, path, "went away with its process");
}

/* The vdso is the same in all processes of prof's word size: prof reads its own.  Its end is that of its section headers. */
static struct module *
vdso(struct modules *modules, int32_t pid, uint64_t lo, uint64_t hi)
{
	const uint8_t *own = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uint64_t size = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct cursor c = cur_of(own, own ? 64 : 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	if (!own || (sizeof(void *) == 8 && hi >> 32 == 0))
		return foreign_page(modules, "[vdso]", pid, lo, hi);
	if (sizeof(void *) == 8) {
		cur_take(&c, 40);        /* to e_shoff */
		size = cur_u64(&c);
		cur_take(&c, 10);        /* to e_shentsize, e_shnum */
	} else {
		cur_take(&c, 32);
		size = cur_u32(&c);
		cur_take(&c, 10);
	}
	size += (uint64_t)cur_u16(&c) * cur_u16(&c);
	if (c.bad || size > hi - lo || size < page / 4)
		size = page;
	return module_image(modules, "[vdso]", own, (size_t)size);
}

/* The kernel's pages of a recording: prof's own, or what somebody kept. */
static struct module *
recorded_page(struct mapped_files *b, struct mapped_file *f, uint64_t lo, uint64_t hi)
{
	int fd = b->finder->file(b->finder->ctx, &f->id);
	struct module *m;

	if (fd < 0 && b->finder->here && !strcmp(f->id.path, "[vdso]") && (sizeof(void *) == 4 || hi >> 32))
		return vdso(b->modules, 0, lo, hi);
	if (fd < 0)
		return module_lost(b->modules, f->id.path, "is the kernel's own page");
	m = module_file(b->modules, fd, f->id.path);
	close(fd);
	return m;
}

static const char *
why(int err, const char *path)
{
	if (!strncmp(path, "/memfd:", 7))
		return "is memory that programs share, and no file";
	switch (err) {
	case EACCES:
	case EPERM:
		return "may not be read";
	case ENOENT:
	case ENOTDIR:
		return "is not there (deleted, or prof cannot reach it)";
	case ESTALE:
		return "was replaced by another file";
	case ESRCH:
		return "went away with its process";
	case EMFILE:
	case ENFILE:
		return "could not be opened: prof has too many files open";
	case ETIMEDOUT:
		return "is on a file system that does not answer";
	default:
		return "could not be opened";
	}
}

/* prof looks for its debug files below its own ROOT, so it keeps that root open even after the process has ended. */
static void
keep_root(struct mapped_files *b, struct module *m, int root)
{
	struct stat its;

	if (root >= 0 && !fstat(root, &its) && (its.st_dev != b->own_dev || its.st_ino != b->own_ino))
		m->root = modules_root(b->modules, root);
}

static struct module *
take_file(struct mapped_files *b, struct mapped_file *f, int fd, int root)
{
	uint32_t known = b->modules->n;
	struct module *m = module_file(b->modules, fd, f->id.path);

	close(fd);
	f->module = m;
	if (m && !b->finder && known < b->modules->n)
		keep_root(b, m, root);
	return m;
}

/* If prof cannot open the file, the target's own memory still has what it loaded of it. */
static struct module *
open_file(struct mapped_files *b, struct mapped_file *f, int32_t pid, uint64_t lo, uint64_t hi, int root)
{
	int fd = b->finder ? b->finder->file(b->finder->ctx, &f->id) : foreign_mapped(pid, lo, hi, &f->id, root), err = errno;
	struct module *m;

	if (fd < 0 && !b->finder && b->modules->places.sysroot)
		fd = foreign_build(b->modules->root[b->modules->places.sysroot - 1].fd, &f->id);
	if (fd < 0) {
		if (!f->lost && !b->finder && err != ETIMEDOUT && (m = container_image(b->modules, pid, lo, &f->id)))
			return f->module = m;
		b->missed++;
		f->tried = clock_now();
		f->root = root;
		f->pause = b->finder ? UINT64_MAX : !f->pause ? PAUSE_FIRST : f->pause < PAUSE_MOST ? f->pause * 2 : PAUSE_MOST;
		return f->lost = module_lost(b->modules, f->id.path, why(err, f->id.path));
	}
	return take_file(b, f, fd, root);
}

void
mapped_file_ahead(struct mapped_files *b, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root)
{
	struct mapped_file *f = &b->file[number];
	int fd = foreign_mapped(pid, lo, hi, &f->id, root);

	if (fd >= 0) {
		take_file(b, f, fd, root);
		return;
	}
	b->missed++;
	f->tried = clock_now();
}

bool
mapped_file_is_memory(const struct mapped_files *b, uint32_t number)
{
	return b->file[number].memory;
}

static bool
may_try(const struct mapped_file *f)
{
	return !f->lost || clock_now() - f->tried >= f->pause;
}

bool
mapped_file_is_due(const struct mapped_files *b, uint32_t number)
{
	const struct mapped_file *f = &b->file[number];

	return *f->id.path == '/' && !f->memory && !f->module && may_try(f);
}

bool
mapped_file_is_unopened(const struct mapped_files *b, uint32_t number)
{
	return *b->file[number].id.path == '/' && !b->file[number].module;
}

uint32_t
mapped_files_missed(const struct mapped_files *b)
{
	return b->missed;
}

struct module *
mapped_file_module(struct mapped_files *b, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root)
{
	struct mapped_file *f = &b->file[number < b->n ? number : 0];
	struct module *m;

	if (f->module)
		return f->module;
	if (b->finder && *f->id.path == '[' && !f->memory)
		return f->module = recorded_page(b, f, lo, hi);
	if (!strcmp(f->id.path, "[vdso]"))
		return vdso(b->modules, pid, lo, hi);
	if (!strcmp(f->id.path, "[vectors]") || !strcmp(f->id.path, "[sigpage]"))
		return foreign_page(b->modules, f->id.path, pid, lo, hi);
	if (*f->id.path == '[' && !f->memory)
		return f->module = module_lost(b->modules, f->id.path, "is the kernel's own page");
	if (!f->memory)
		return may_try(f) || f->root != root ? open_file(b, f, pid, lo, hi, root) : f->lost;
	/* A program can be run from a memfd or shared memory: then there is an image in it after all. */
	if (*f->id.path == '/' && !f->tried++ && (m = open_file(b, f, pid, lo, hi, root)) && m->kind != MODULE_LOST && !m->bad)
		return m;
	return f->module = NULL;
}
