/* See search_dirs.h.  The cache: debuginfod_find_debuginfo(3), "Cache". */
#include "search_dirs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/msg.h"
#include "sample/tasks/foreign.h"
#include "sample/rights/sandbox.h"

static bool
is_dir(const char *option, const char *path)
{
	struct stat st;

	errno = ENOTDIR;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return true;
	error("%s %s: %s", option, path, strerror(errno));
	return false;
}

bool
search_dirs_add(struct search_dirs *p, const char *dir)
{
	if (!is_dir("--debug-dir", dir))
		return false;
	if (p->ndir == DEBUG_DIRS) {
		error("--debug-dir: too many; at most %d are possible", DEBUG_DIRS);
		return false;
	}
	p->dir[p->ndir++] = dir;
	return true;
}

bool
search_dirs_sysroot(struct search_dirs *p, const char *dir)
{
	p->sysroot = dir;
	return is_dir("--sysroot", dir);
}

static const char *
joined(struct arena *a, const char *dir, const char *rest)
{
	size_t n = strlen(dir) + strlen(rest) + 1;
	char *s = *dir == '/' ? arena_alloc(a, n) : NULL;

	if (s)
		snprintf(s, n, "%s%s", dir, rest);
	return s;
}

/* The cache directory, as debuginfod's client chooses it: the one that a variable names, else an old one that still exists,
 * else the usual one. */
static void
find_cache(struct modules *ms)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char **cache = ms->places.cache;

	if (sandbox_lent())   /* the user who set these variables has fewer rights than prof */
		return;
	if (own && *own) {
		*cache = own;
		return;
	}
	if (home && (*cache = joined(&ms->arena, home, "/.debuginfod_client_cache")) && !access(*cache, F_OK))
		cache++;
	*cache = xdg && *xdg ? joined(&ms->arena, xdg, "/debuginfod_client")
	                     : joined(&ms->arena, home ? home : "", "/.cache/debuginfod_client");
}

void
search_dirs_use(const struct search_dirs *p, struct modules *ms)
{
	int fd = p->sysroot ? foreign_directory(p->sysroot) : -1;

	ms->open = foreign_file;
	for (unsigned i = 0; i < p->ndir; i++)
		ms->places.dir[i] = p->dir[i];
	find_cache(ms);
	if (fd >= 0) {
		ms->places.sysroot = modules_root(ms, fd);
		close(fd);
	}
}
