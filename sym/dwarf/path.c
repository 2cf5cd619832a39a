/* Paths of source files (DWARF 5 section 6.2.4): put together from their parts, and kept once for all modules. */
#include <string.h>

#include "dwarf_file.h"

enum { PATH_LIMIT = 4096 };

static uint32_t
again(const void *ctx, uint32_t i)
{
	return hash_str(((const char *const *)ctx)[i]);
}

static const char *
keep(struct modules *ms, const char *path)
{
	uint32_t hash = hash_str(path), slot, i;
	char *copy;

	for (slot = index_first(&ms->paths, hash); (i = index_at(&ms->paths, slot)) != INDEX_NONE;
	     slot = index_next(&ms->paths, slot))
		if (strcmp(ms->path[i], path) == 0)
			return ms->path[i];
	if (!(copy = arena_str(&ms->arena, path, strlen(path))) ||
	    !vec_room(&ms->path, &ms->path_cap, (uint64_t)ms->npath + 1, sizeof(const char *)) ||
	    !index_add(&ms->paths, hash, ms->npath, again, ms->path))
		return NULL;
	return ms->path[ms->npath++] = copy;
}

/* Adds NAME to the path of *N bytes in TO, unless it does not fit. */
static bool
append(char *to, size_t *n, const char *name)
{
	size_t len = strlen(name);

	if (*n && to[*n - 1] != '/' && *n < PATH_LIMIT - 1)
		to[(*n)++] = '/';
	if (len >= PATH_LIMIT - *n)
		return false;
	memcpy(to + *n, name, len + 1);
	*n += len;
	return true;
}

const char *
path_keep(struct modules *ms, const char *comp_dir, const char *dir, const char *name)
{
	char path[PATH_LIMIT];
	size_t n = 0;

	if (*name == '/')
		return keep(ms, name);
	if (comp_dir && *comp_dir && (!dir || *dir != '/') && !append(path, &n, comp_dir))
		return NULL;
	if ((dir && *dir && !append(path, &n, dir)) || !append(path, &n, name))
		return NULL;
	return keep(ms, path);
}
