/* See debug_search.h.  GDB's manual, "Debugging Information in Separate Files"; dwz(1); debuginfod-find(1).  Names are claims of
 * a file that may be hostile: they lead only to regular files below the roots, and a file found there must prove its
 * identity. */
#include "debug_search.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/work.h"
#include "lib/codec/crc.h"

enum { PATH_ROOM = 4096, CRC_PIECE = 1 << 20, CRC_STEP = 8, DIRS_KNOWN = 32 };
#define CRC_MOST ((uint64_t)8 << 30)   /* bytes of all files together: some twenty seconds */

/* Where a file may be: below each root (a board's, the target's, prof's own), each directory that the user gives, or
 * debuginfod's.  %b is its build-id as xx/yyyy and %B in one piece; %d and %n directory and name of the module's path, %s its
 * directory without /usr; %l the link, %f its last part, %r the link where it is relative and %a where it is absolute; %c
 * where the unit was compiled.  If the module lacks something that a place needs, prof does not look there. */
enum scope { ROOTS, BOARD, DIRS, CACHES };

static const struct place {
	enum debug_kind kind;
	enum scope scope;
	const char *form;
} places[] = {
	{ DEBUG_DETACHED, DIRS, "/.build-id/%b.debug" },
	{ DEBUG_DETACHED, DIRS, "%d/%l" },
	{ DEBUG_DETACHED, DIRS, "/%l" },
	{ DEBUG_DETACHED, DIRS, "%d/%n" },
	{ DEBUG_DETACHED, DIRS, "/%n.debug" },
	{ DEBUG_DETACHED, DIRS, "/%n" },
	{ DEBUG_DETACHED, DIRS, "/%B/debuginfo" },
	{ DEBUG_DETACHED, BOARD, "%d/%n" },
	{ DEBUG_DETACHED, ROOTS, "/usr/lib/debug/.build-id/%b.debug" },
	{ DEBUG_DETACHED, ROOTS, "%d/%l" },
	{ DEBUG_DETACHED, ROOTS, "%d/.debug/%l" },
	{ DEBUG_DETACHED, ROOTS, "/usr/lib/debug%d/%l" },
	{ DEBUG_DETACHED, ROOTS, "/usr/lib/debug%s/%l" },

	{ DEBUG_CACHED, CACHES, "/%B/debuginfo" },

	{ DEBUG_ALT, ROOTS, "%a" },
	{ DEBUG_ALT, ROOTS, "%d/%r" },
	{ DEBUG_ALT, DIRS, "/.build-id/%b.debug" },
	{ DEBUG_ALT, DIRS, "/.dwz/%f" },
	{ DEBUG_ALT, DIRS, "/%f" },
	{ DEBUG_ALT, DIRS, "%a" },
	{ DEBUG_ALT, ROOTS, "/usr/lib/debug/.build-id/%b.debug" },
	{ DEBUG_ALT, ROOTS, "/usr/lib/debug/.dwz/%f" },
	{ DEBUG_ALT, CACHES, "/%B/debuginfo" },

	{ DEBUG_DWO, DIRS, "%a" },
	{ DEBUG_DWO, DIRS, "%c/%r" },
	{ DEBUG_DWO, DIRS, "/%f" },
	{ DEBUG_DWO, ROOTS, "%a" },
	{ DEBUG_DWO, ROOTS, "%c/%r" },
	{ DEBUG_DWO, ROOTS, "%d/%r" },
	{ DEBUG_DWO, ROOTS, "%d/%f" },

	{ DEBUG_DWP, DIRS, "%d/%n.dwp" },
	{ DEBUG_DWP, DIRS, "/%n.dwp" },
	{ DEBUG_DWP, ROOTS, "%d/%n.dwp" },
	{ DEBUG_DWP, ROOTS, "%d/.debug/%n.dwp" },
};

/* The results of earlier searches. */
struct debug_searched {
	struct {
		const char *path;
		uint8_t root;
		bool gone;
	} dir[DIRS_KNOWN];         /* where prof has looked for such files */
	uint32_t ndir;
	uint64_t summed;           /* bytes of files of which prof has computed the checksum */
};

/* ---- a place's path ---- */

struct path {
	char s[PATH_ROOM];
	size_t n;
	bool bad;                  /* something is not known, or the path is too long */
};

static void
append(struct path *p, const char *s, size_t n)
{
	if (n >= sizeof p->s - p->n) {
		p->bad = true;
		return;
	}
	memcpy(p->s + p->n, s, n);
	p->n += n;
	p->s[p->n] = 0;
}

static void
append_hex(struct path *p, const struct debug_wanted *w, bool split)
{
	p->bad |= w->build_id_len < 2;
	for (unsigned i = 0; i < w->build_id_len; i++) {
		append(p, &"0123456789abcdef"[w->build_id[i] >> 4], 1);
		append(p, &"0123456789abcdef"[w->build_id[i] & 15], 1);
		if (split && !i)
			append(p, "/", 1);
	}
}

static void
append_known(struct path *p, const char *s, bool known)
{
	if (known && s && *s)
		append(p, s, strlen(s));
	else
		p->bad = true;
}

static void
append_dir(struct path *p, const char *path, size_t skip)
{
	const char *slash = strrchr(path, '/');

	if (!slash || *path != '/' || (skip && strncmp(path, "/usr/", skip + 1)))
		p->bad = true;
	else if ((size_t)(slash - path) > skip)
		append(p, path + skip, (size_t)(slash - path) - skip);
}

static void
append_part(struct path *p, const struct debug_wanted *w, char part)
{
	bool absolute = w->link && *w->link == '/';
	const char *slash = w->link ? strrchr(w->link, '/') : NULL;

	switch (part) {
	case 'b':
	case 'B':
		append_hex(p, w, part == 'b');
		break;
	case 'd':
	case 's':
		append_dir(p, w->of->path, part == 's' ? 4 : 0);
		break;
	case 'n':
		append_known(p, w->of->name, *w->of->name != '[');
		break;
	case 'c':
		append_known(p, w->comp_dir, w->comp_dir && *w->comp_dir == '/');
		break;
	case 'f':
		append_known(p, slash ? slash + 1 : w->link, true);
		break;
	default:   /* l, a, r */
		append_known(p, w->link, part == 'l' || absolute == (part == 'a'));
		break;
	}
}

static bool
make_path(struct path *p, const char *below, const char *form, const struct debug_wanted *w)
{
	p->n = 0;
	p->bad = false;
	append(p, below, strlen(below));
	for (; *form && !p->bad; form++)
		if (*form == '%')
			append_part(p, w, *++form);
		else
			append(p, form, 1);
	return !p->bad;
}

/* ---- a file that was found ---- */

bool
debug_search_has(const struct module *file, const char *section, struct section *s)
{
	char old[64] = ".z";       /* .debug_info compressed as GNU's tools did before there was a flag for it */

	if (file->bad)
		return false;
	if (elf_section_named(&file->elf, section, s))
		return cur_left(&s->data) != 0;
	if (*section != '.' || strlen(section) > sizeof old - 3)
		return false;
	memcpy(old + 2, section + 1, strlen(section));
	return elf_section_named(&file->elf, old, s) && cur_left(&s->data);
}

static bool
same_build_id(const struct elf *e, const struct debug_wanted *w)
{
	return e->build_id_len == w->build_id_len && !memcmp(e->build_id, w->build_id, w->build_id_len);
}

/* It gives back the file's pages as it goes: the file may be large, and is perhaps not the right one. */
static bool
same_crc(struct modules *ms, const struct elf *e, uint32_t crc)
{
	struct cursor c = e->bytes;
	uint32_t sum = 0;

	if (cur_left(&c) > CRC_MOST - ms->searched->summed)
		return false;
	ms->searched->summed += cur_left(&c);
	while (cur_left(&c)) {
		size_t n = cur_left(&c) < CRC_PIECE ? cur_left(&c) : CRC_PIECE;
		const uint8_t *p = cur_take(&c, n);

		if (!p || !work_step(n / CRC_STEP))
			return false;
		sum = crc32_add(sum, p, n);
		filemap_trim(2 * CRC_PIECE);
	}
	return sum == crc;
}

/* Whether FILE is the wanted one.  For split files the caller checks that later, by their units. */
static bool
is_it(struct modules *ms, const struct module *file, const struct debug_wanted *w)
{
	const struct elf *e = &file->elf;
	struct section s;

	if (file == w->of || file->bad || e->is64 != w->of->elf.is64 || e->bytes.big != w->of->elf.bytes.big ||
	    e->machine != w->of->elf.machine || !debug_search_has(file, w->section, &s))
		return false;
	if (w->kind == DEBUG_DWO || w->kind == DEBUG_DWP)
		return true;
	if (w->build_id_len && (e->build_id_len || w->kind == DEBUG_ALT))
		return same_build_id(e, w);
	return w->kind == DEBUG_DETACHED && w->link && same_crc(ms, e, w->crc);
}

static int
open_below(struct modules *ms, uint8_t root, const char *path)
{
	return ms->open(root ? ms->root[root - 1].fd : -1, path);
}

/* Whether the directory above PATH's last UP parts does not exist.  Most machines have none of these directories: so prof
 * looks for each directory once, and not for each file in it. */
static bool
gone(struct modules *ms, uint8_t root, const char *path, unsigned up)
{
	struct debug_searched *known = ms->searched;
	uint32_t i;
	size_t n = strlen(path);
	int fd;

	for (; up; up--)
		while (n && path[--n] != '/')
			;
	for (i = 0; i < known->ndir; i++)
		if (known->dir[i].root == root && !strncmp(known->dir[i].path, path, n) && !known->dir[i].path[n])
			return known->dir[i].gone;
	if (!n || i == DIRS_KNOWN || !(known->dir[i].path = arena_str(&ms->arena, path, n)))
		return false;
	known->dir[i].root = root;
	fd = open_below(ms, root, known->dir[i].path);
	known->dir[i].gone = fd < 0 && errno == ENOENT;
	if (fd >= 0)
		close(fd);
	known->ndir++;
	return known->dir[i].gone;
}

/* UP: how many of PATH's last parts only this file has. */
static struct module *
try_file(struct modules *ms, const struct debug_wanted *w, uint8_t root, const char *path, unsigned up)
{
	int fd = gone(ms, root, path, up) ? -1 : open_below(ms, root, path);
	struct module *m;

	if (fd < 0)
		return NULL;
	m = module_file(ms, fd, path);
	close(fd);
	if (!m || !is_it(ms, m, w))
		return NULL;
	m->root = root;
	return m;
}

/* How many last parts of a path are only this file's: a build-id makes a directory, too. */
static unsigned
parts_of(const char *form)
{
	return strstr(form, "%b") || strstr(form, "%B") ? 2 : 1;
}

static struct module *
try_below(struct modules *ms, const struct debug_wanted *w, const char *form, const char *const *dir, unsigned n)
{
	struct module *m = NULL;
	struct path p;

	for (unsigned i = 0; i < n && dir[i] && !m; i++)
		if (make_path(&p, dir[i], form, w))
			m = try_file(ms, w, 0, p.s, parts_of(form));
	return m;
}

static struct module *
try_roots(struct modules *ms, const struct debug_wanted *w, const char *form, bool board)
{
	const uint8_t root[] = { ms->places.sysroot, w->of->root, 0 };
	struct module *m = NULL;
	struct path p;

	if (!make_path(&p, "", form, w))
		return NULL;
	for (unsigned i = 0; i < (board ? 1 : 3) && !m; i++)
		if (root[i] || (i == 2))
			m = try_file(ms, w, root[i], p.s, parts_of(form));
	return m;
}

struct module *
debug_search(struct modules *ms, const struct debug_wanted *w)
{
	struct module *m = NULL;

	if (!ms->searched && !(ms->searched = arena_alloc(&ms->arena, sizeof *ms->searched)))
		return NULL;
	for (unsigned i = 0; ms->open && i < sizeof places / sizeof *places && !m; i++) {
		const char *form = places[i].form;

		if (places[i].kind != w->kind)
			continue;
		switch (places[i].scope) {
		case ROOTS:
		case BOARD:
			m = try_roots(ms, w, form, places[i].scope == BOARD);
			break;
		case DIRS:
			m = try_below(ms, w, form, ms->places.dir, DEBUG_DIRS);
			break;
		case CACHES:
			m = try_below(ms, w, form, ms->places.cache, DEBUG_CACHES);
			break;
		}
	}
	return m;
}
