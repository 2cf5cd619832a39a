/* See container_image.h.  If nobody can open a file any more (it is deleted, or on a file system out of reach), a process still
 * has in memory what it loaded of it.  That includes names for the linker and unwind tables. */
#include "container_image.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/mem.h"
#include "sym/module/module.h"
#include "foreign.h"
#include "maps_line.h"

/* Bytes: of the largest image that is worth its memory; that prof reads at once; that it skips where it can read nothing. */
enum { IMAGE_MOST = 64 << 20, PIECE = 1 << 16, PAGE = 4096 };

/* Whether a line of maps is of that file, by its inode.  On overlayfs and btrfs, records and maps may differ in the device, and in the
 * inode's upper bits. */
static bool
is_of(const struct maps_line *m, const struct file_id *id)
{
	bool same_dev = m->maj == id->maj && m->min == id->min;

	if (id->build_id_len || !id->ino)
		return true;
	return same_dev ? m->ino == id->ino : !(m->maj && id->maj) && (uint32_t)m->ino == (uint32_t)id->ino;
}

/* What PID has mapped of the file at AT: from the file's beginning, at *BASE, to *END.  False if the beginning is not
 * mapped, or if it is another file. */
static bool
extent(int32_t pid, uint64_t at, const struct file_id *id, uint64_t *base, uint64_t *end)
{
	struct maps_line m, first = { 0 };
	int fd = foreign_maps(pid);
	struct lines l;
	char *line;

	*base = *end = 0;
	if (fd < 0)
		return false;
	lines_open(&l, fd);
	while ((line = lines_next(&l))) {
		if (!maps_line_parse(&m, line) || !m.ino)
			continue;
		if (!m.off && *end <= at) {
			first = m;
			*base = m.lo;
		}
		if (*base && m.ino == first.ino && m.maj == first.maj && m.min == first.min && (m.off || m.lo == *base))
			*end = m.hi;
	}
	close(fd);
	return is_of(&first, id) && *base <= at && at < *end && *end - *base <= IMAGE_MOST;
}

struct module *
container_image(struct modules *modules, int32_t pid, uint64_t at, const struct file_id *id)
{
	struct module *m = NULL;
	uint8_t *image = NULL;
	uint64_t base, end;
	char magic[SELFMAG];
	uint32_t cap = 0;

	if (!extent(pid, at, id, &base, &end) || foreign_read(pid, base, magic, SELFMAG) != SELFMAG || memcmp(magic, ELFMAG, SELFMAG) ||
	    !vec_room(&image, &cap, end - base, 1))
		return NULL;
	for (uint64_t addr = base, left, n; addr < end; addr += n) {
		left = end - addr < PIECE ? end - addr : PIECE;
		if (!(n = foreign_read(pid, addr, image + (addr - base), (size_t)left)))
			n = left < PAGE ? left : PAGE;
	}
	m = module_image(modules, id->path, image, (size_t)(end - base));
	vec_free(&image, &cap, 1);
	if (!m || m->bad)
		return NULL;
	return !id->build_id_len || (m->elf.build_id_len == id->build_id_len && !memcmp(m->elf.build_id, id->build_id, id->build_id_len)) ? m : NULL;
}
