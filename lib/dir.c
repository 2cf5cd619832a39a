/* See dir.h. */
#include "dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **
dir_names(int dirfd, const char *path, struct arena *arena)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const char **name = NULL, **kept;
	uint32_t n = 0, cap = 0;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while ((e = readdir(d)))
		if (*e->d_name != '.' && vec_room(&name, &cap, (uint64_t)n + 1, sizeof *name) &&
		    (name[n] = arena_str(arena, e->d_name, strlen(e->d_name))))
			n++;
	closedir(d);
	if (n)
		qsort(name, n, sizeof *name, by_name);
	if ((kept = arena_alloc(arena, (n + 1) * sizeof *kept)) && n)
		memcpy(kept, name, n * sizeof *kept);
	vec_free(&name, &cap, sizeof *name);
	errno = kept ? 0 : ENOMEM;
	return kept;
}
