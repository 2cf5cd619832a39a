/* Paths of source files (DWARF 5 section 6.2.4): prof puts them together from their parts, and keeps each once for all
 * modules. */
#include "path.h"

#include <string.h>

enum { PATH_LIMIT = 4096 };

struct paths {
	struct module_owned owned;
	const char **path;         /* in the modules' arena */
	uint32_t n, cap;
	struct index index;
};

static void
free_paths(struct module_owned *o)
{
	struct paths *p = (struct paths *)o;

	vec_free(&p->path, &p->cap, sizeof(const char *));
	index_free(&p->index);
}

/* NULL at the memory cap. */
static struct paths *
paths_of(struct modules *ms)
{
	if (!ms->paths && (ms->paths = arena_alloc(&ms->arena, sizeof *ms->paths)))
		modules_own(ms, &ms->paths->owned, free_paths);
	return ms->paths;
}

static const char *
keep(struct modules *ms, const char *path)
{
	uint32_t hash = hash_str(path), slot, i;
	struct paths *p = paths_of(ms);
	char *copy;

	if (!p)
		return NULL;
	for (slot = index_first(&p->index, hash); (i = index_at(&p->index, slot)) != INDEX_NONE; slot = index_next(&p->index, slot))
		if (strcmp(p->path[i], path) == 0)
			return p->path[i];
	if (!(copy = arena_str(&ms->arena, path, strlen(path))) ||
	    !vec_room(&p->path, &p->cap, (uint64_t)p->n + 1, sizeof(const char *)) ||
	    !index_add(&p->index, hash, p->n))
		return NULL;
	return p->path[p->n++] = copy;
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
