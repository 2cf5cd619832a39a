/* See recorded_kernel.h. */
#include "recorded_kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/msg.h"
#include "lib/sort.h"
#include "lib/text.h"
#include "sym/kernel/packed_module.h"

static const char own_code[] = "[kernel.kallsyms]";   /* as perf calls it */

/* The address of SYMBOL in a text like /proc/kallsyms; 0: none. */
static uint64_t
symbol_at(int fd, const char *symbol)
{
	size_t len = strlen(symbol);
	struct lines l;
	char *line;

	if (lseek(fd, 0, SEEK_SET))
		return 0;
	lines_open(&l, fd);
	while ((line = lines_next(&l))) {
		const char *p = line;
		uint64_t addr;

		if (text_hex(&p, &addr) && p[0] == ' ' && p[1] && p[2] == ' ' && !strncmp(p + 3, symbol, len) && !p[3 + len])
			return addr;
	}
	return 0;
}

static bool
is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4);
}

static bool
add_file(struct recorded_kernel *k, const struct kernel_file *file)
{
	struct names *n = k->names;

	if (!file->file || file->file->bad || !vec_room(&k->file, &k->file_cap, (uint64_t)n->kernel_files + 1, sizeof *file))
		return false;
	k->file[n->kernel_files++] = *file;
	n->kernel_file = k->file;
	return true;
}

static struct file_id
id_of(const char *path, const uint8_t *build_id, uint8_t len)
{
	struct file_id id = { .path = path, .build_id_len = len };

	memcpy(id.build_id, build_id, len);
	return id;
}

/* What the recording says of the kernel itself. */
static struct file_id
kernel_id(const struct recorded_kernel *k)
{
	const struct recorded_build *b = header_build_kernel(perfdata_header(k->data));
	uint32_t n;
	const struct kernel_map *m = perfdata_kernel_maps(k->data, &n);

	for (uint32_t i = 0; i < n && !b; i++)
		if (!m[i].path)
			return id_of(own_code, m[i].build_id, m[i].build_id_len);
	return b ? id_of(b->path, b->id, b->len) : (struct file_id){ .path = own_code };
}

static bool
is_recorded(const struct module *m, const struct file_id *id)
{
	return !id->build_id_len || (m->elf.build_id_len == id->build_id_len && !memcmp(m->elf.build_id, id->build_id, id->build_id_len));
}

/* vmlinux, if it is the one that was recorded. */
static struct module *
vmlinux(const struct recorded_kernel *k, int fd, const struct file_id *id)
{
	struct module *m = module_file(k->modules, fd, k->how->kallsyms ? k->how->kallsyms : "vmlinux");

	if (!m || m->bad || is_recorded(m, id))
		return m;
	warn("%s%s: this is not the kernel that was recorded: its build-id is another", k->how->kallsyms ? "--kallsyms " : "", m->path);
	return NULL;
}

/* Takes the names from FD, a text or vmlinux.  False if the symbol that the recording names is not there. */
static bool
use(struct recorded_kernel *k, int fd, const struct file_id *id)
{
	struct kernel_file file = { 0 };
	const char *symbol;
	uint64_t text = perfdata_kernel_text(k->data, &symbol), at = 0;

	if (fd < 0)
		return false;
	symbol = text ? symbol : "_stext";
	if (!is_elf(fd)) {
		if ((at = symbol_at(fd, symbol)))
			k->names->kallsyms_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	} else if ((file.file = vmlinux(k, fd, id)) && (at = kernel_file_address(file.file, symbol)) && !add_file(k, &file)) {
		at = 0;
	}
	k->moved = at && text ? text - at : 0;
	k->names->kernel_moved = k->moved;
	return at;
}

/* [nf_tables] of /lib/modules/…/nf-tables.ko */
static const char *
module_name(struct recorded_kernel *k, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char name[64];

	snprintf(name, sizeof name, "[%.*s", (int)sizeof name - 3, last);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
		else if (*p == '.')
			*p = 0;
	strcat(name, "]");
	return arena_str(&k->modules->arena, name, strlen(name));
}

static struct module *
packed(struct recorded_kernel *k, const struct file_id *id)
{
	int fd = packed_module_is(id->path, NULL, 0) ? recorded_files_packed(k->files, id) : -1;
	struct module *m = fd < 0 ? NULL : packed_module(k->modules, fd, id->path, &k->unpacked);

	if (fd >= 0)
		close(fd);
	return m && is_recorded(m, id) ? m : NULL;
}

static void
use_module(struct recorded_kernel *k, const struct kernel_map *map)
{
	const struct file_id id = id_of(map->path, map->build_id, map->build_id_len);
	struct kernel_file file = { .lo = map->lo, .hi = map->hi, .module = module_name(k, map->path), .file = packed(k, &id) };
	int fd = file.file ? -1 : k->files->finder.file(k->files->finder.ctx, &id);

	if (fd >= 0) {
		file.file = module_file(k->modules, fd, id.path);
		close(fd);
	}
	if (file.module)
		add_file(k, &file);
}

/* The codes of the kernel, in order; a vector. */
static uint32_t
kernel_codes(const struct recorded_kernel *k, const struct codes *codes, struct item **item, uint32_t *cap)
{
	uint32_t n = 0;

	if (!vec_room(item, cap, codes->n, sizeof **item))
		return 0;
	for (uint32_t i = 0; i < codes->n; i++)
		if (codes->code[i].module == k->modules->kernel->id)
			(*item)[n++] = (struct item){ codes->code[i].vaddr, i, 0 };
	return sort_items(*item, n) ? n : 0;
}

void
recorded_kernel_modules(struct recorded_kernel *k, const struct codes *codes)
{
	uint32_t maps, cap = 0, n;
	const struct kernel_map *m = perfdata_kernel_maps(k->data, &maps);
	struct item *item = NULL;

	if (k->own || !k->names)   /* what runs now says itself where its modules are */
		return;
	n = kernel_codes(k, codes, &item, &cap);
	for (uint32_t i = 0; i < maps && n; i++)
		if (m[i].path && *m[i].path == '/' && m[i].lo && m[i].lo < m[i].hi && sort_upto(item, n, m[i].lo - 1) < sort_upto(item, n, m[i].hi - 1))
			use_module(k, &m[i]);
	vec_free(&item, &cap, sizeof *item);
}

/* Where the kernel's own code was: what perf says may go on beyond its modules. */
static void
find_range(struct recorded_kernel *k)
{
	uint32_t n;
	const struct kernel_map *m = perfdata_kernel_maps(k->data, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!m[i].path) {
			k->lo = m[i].lo;
			k->hi = m[i].hi;
		}
	for (uint32_t i = 0; i < n; i++)
		if (m[i].path && m[i].lo > k->lo && m[i].lo < k->hi)
			k->hi = m[i].lo;
}

/* Tries FD, and closes it. */
static bool
try(struct recorded_kernel *k, int fd, const struct file_id *id)
{
	bool found = use(k, fd, id);

	if (fd >= 0)
		close(fd);
	return found;
}

/* The names that the user gives, that perf kept, of the kernel that runs now if it is the same one, or of its file. */
bool
recorded_kernel_find(struct recorded_kernel *k, bool here)
{
	const struct file_id id = kernel_id(k);
	const struct recording_how *how = k->how;
	char hex[2 * sizeof id.build_id + 1] = "";
	bool found;

	for (unsigned i = 0; i < id.build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id.build_id[i]);
	if (k->names->kallsyms_fd >= 0)
		close(k->names->kallsyms_fd);
	k->names->kallsyms_fd = -1;
	if (how->kallsyms)
		found = use(k, how->kallsyms_fd, &id);
	else
		found = (*hex && try(k, how->kept(how, hex), &id)) || (k->own = here && use(k, how->own_fd, &id)) ||
		        try(k, recorded_files_vmlinux(k->files, &id, perfdata_header(k->data)->release), &id);
	if (!k->own) {
		k->names->kernel_read = NULL;
		k->names->kernel_says = NULL;
	}
	find_range(k);
	return found;
}

void
recorded_kernel_free(struct recorded_kernel *k)
{
	vec_free(&k->file, &k->file_cap, sizeof *k->file);
}
