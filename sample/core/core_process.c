/* See core_process.h.  prof knows a file by its build-id, which lies in its first page: the kernel writes that page into the
 * core.  prof looks for the file below --sysroot, then at its path.  If it finds none, the file may be in the core itself, if
 * all its pages are there. */
#include "core_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "sample/tasks/foreign.h"
#include "sym/jit/jit.h"
#include "sym/module/arm_vectors.h"

enum { PAGE = 4096, VDSO_MOST = 1 << 14, IMAGE_MOST = 64 << 20, PATH_MOST = 1024 };

/* The build-id of the file that is at M, by its beginning. */
static void
read_build_id(const struct core *core, const struct core_map *m, struct file_id *id)
{
	uint8_t head[PAGE];
	struct elf elf;
	size_t n;

	while (m > core->map && m->off && !strcmp(m[-1].path, m->path))
		m--;
	if (m->off || !(n = core_read(core, m->lo, head, sizeof head)) || !elf_begins(&elf, cur_of(head, n, false)))
		return;
	memcpy(id->build_id, elf.build_id, elf.build_id_len);
	id->build_id_len = elf.build_id_len;
}

/* A descriptor, or -1 with errno. */
static int
open_file(const struct modules *ms, const struct file_id *id, bool *below)
{
	int root = ms->places.sysroot ? ms->root[ms->places.sysroot - 1].fd : -1, fd = -1, err = ENOENT;

	if (root >= 0) {
		fd = id->build_id_len ? foreign_build(root, id) : foreign_file(root, id->path);
		err = errno;
	}
	*below = fd >= 0;
	if (fd < 0) {
		fd = id->build_id_len ? foreign_build(AT_FDCWD, id) : foreign_file(-1, id->path);
		err = err == ESTALE ? err : errno;
	}
	errno = err;
	return fd;
}

/* The image in the core of the file that has M, if the core has its code. */
static struct module *
image(struct core_process *p, const struct core_map *m)
{
	const struct core *core = p->core;
	const struct core_map *first = m, *last = m, *end = core->map + core->nmap;
	struct module *made = NULL;
	uint8_t *bytes = NULL;
	const struct core_load *l = core_load_at(core, m->lo);
	uint32_t cap = 0;
	size_t size;

	while (first > core->map && first->off && !strcmp(first[-1].path, m->path))
		first--;
	while (last + 1 < end && last[1].off && !strcmp(last[1].path, m->path))
		last++;
	if (first->off || last->hi - first->lo > IMAGE_MOST || !l || l->size < m->hi - l->lo)
		return NULL;
	size = (size_t)(last->hi - first->lo);
	if (!vec_room(&bytes, &cap, size, 1))
		return NULL;
	for (uint64_t at = 0; at < size; at += PAGE)
		core_read(core, first->lo + at, bytes + at, size - at < PAGE ? (size_t)(size - at) : PAGE);
	made = module_image(p->modules, m->path, bytes, size);
	vec_free(&bytes, &cap, 1);
	return made && !made->bad ? made : NULL;
}

static struct module *
open_module(struct core_process *p, const struct core_map *m)
{
	struct file_id id = { .path = m->path };
	struct module *made;
	bool below;
	int fd, err;

	read_build_id(p->core, m, &id);
	fd = open_file(p->modules, &id, &below);
	err = errno;
	if (fd >= 0) {
		made = module_file(p->modules, fd, m->path);
		close(fd);
		if (made && below)
			made->root = p->modules->places.sysroot;
		return made;
	}
	if ((made = image(p, m)))
		return made;
	p->elsewhere += err == ESTALE;
	return module_lost(p->modules, m->path, err == ESTALE ? "is not the build that ran; use --sysroot DIR if DIR has that one"
	                                                      : "is not there; use --sysroot DIR if DIR has the files of that machine");
}

/* The module of a mapped file, which prof opens once. */
static struct module *
module_of(struct core_process *p, const struct core_map *m)
{
	size_t i = (size_t)(m - p->core->map);

	if (!vec_room(&p->opened, &p->cap_opened, p->core->nmap, sizeof *p->opened))
		return NULL;
	if (!p->opened[i])
		p->opened[i] = open_module(p, m);
	return p->opened[i];
}

/* The program, if the core names no files (qemu's cores do not): the core tells the program's path and its entry. */
static struct module *
program(struct core_process *p, struct map *m)
{
	const struct core *core = p->core;
	char path[PATH_MOST] = "";
	struct module *made = NULL;
	bool below;
	int fd;

	if (core->nmap || core->entry < m->lo || core->entry >= m->hi || !core_read(core, core->execfn, path, sizeof path - 1))
		return NULL;
	fd = open_file(p->modules, &(struct file_id){ .path = path }, &below);
	if (fd >= 0) {
		made = module_file(p->modules, fd, path);
		close(fd);
	}
	if (!made || made->bad)
		return module_lost(p->modules, path, "is not there; use --sysroot DIR if DIR has the files of that machine");
	m->off = m->lo - (core->entry - made->elf.entry);   /* as linked, and with the first segment's place in the file: */
	if (made->elf.nload)
		m->off -= made->elf.load[0].vaddr - made->elf.load[0].off;
	return made;
}

static void
open_map(struct space *space, struct map *m)
{
	struct core_process *p = (struct core_process *)space;
	const struct core *core = p->core;
	struct module *module, *first = NULL;
	uint8_t vdso[VDSO_MOST];
	size_t n;

	if (m->file)
		module = module_of(p, &core->map[m->file - 1]);
	else if (core->vdso >= m->lo && core->vdso < m->hi && (n = core_read(core, m->lo, vdso, sizeof vdso)))
		module = arm_vectors_module(p->modules, "[vdso]", vdso, n);
	else if (!(module = program(p, m)))
		module = p->jit ? p->jit : (first = p->jit = jit_module(p->modules, core->pid, NULL));
	if (module)
		space_bind(m, module);
	if (first)
		jit_registered_all(first, space);
}

static size_t
read_memory(struct space *space, uint64_t addr, void *to, size_t n)
{
	struct core_process *p = (struct core_process *)space;
	const struct core_map *m;
	const struct module *file;
	size_t got = core_read(p->core, addr, to, n);
	struct cursor c;

	/* The kernel leaves out pages that no process has changed: these are still in the file. */
	if (got || !(m = core_map_at(p->core, addr)) || !(file = module_of(p, m)) || file->kind != MODULE_FILE || file->bad)
		return got;
	n = m->hi - addr < n ? (size_t)(m->hi - addr) : n;
	c = cur_slice(&file->elf.bytes, m->off + (addr - m->lo), n);
	if (cur_left(&c) < n)
		return 0;
	memcpy(to, c.pos, n);
	return n;
}

/* A part of a file may be code unless the core says it is not: gdb leaves out pages that no process has changed. */
static bool
add_file(struct space *space, const struct core *core, uint32_t i)
{
	const struct core_map *from = &core->map[i];
	const struct core_load *l = core_load_at(core, from->lo);
	struct map m = { .lo = from->lo, .hi = from->hi, .off = from->off, .exec = true, .file = i + 1 };

	return (l && !l->exec) || space_add(space, &m);
}

/* Code that no file has. */
static bool
add_memory(struct space *space, const struct core *core, const struct core_load *l)
{
	struct map m = { .lo = l->lo, .hi = l->hi, .off = l->lo, .exec = true };

	return !l->exec || core_map_at(core, l->lo) || space_add(space, &m);
}

/* Adds maps in the order of addresses, because a space is quick with that. */
static bool
add_maps(struct core_process *p)
{
	const struct core *core = p->core;
	struct space *space = &p->process.maps.space;
	uint32_t i = 0, k = 0;
	bool good = true;

	while (good && (i < core->nmap || k < core->nload))
		if (k == core->nload || (i < core->nmap && core->map[i].lo <= core->load[k].lo))
			good = add_file(space, core, i++);
		else
			good = add_memory(space, core, &core->load[k++]);
	return good;
}

bool
core_process_init(struct core_process *p, const struct core *core, struct modules *ms)
{
	struct space *space = &p->process.maps.space;

	*p = (struct core_process){ .core = core, .modules = ms };
	p->process.pid = core->pid;
	space_init(space);
	space->open = open_map;
	space->read = read_memory;
	return add_maps(p);
}

void
core_process_free(struct core_process *p)
{
	space_free(&p->process.maps.space);
	vec_free(&p->opened, &p->cap_opened, sizeof *p->opened);
}
