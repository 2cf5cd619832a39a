/* The names in a directory. */
#ifndef LIB_DIR_H
#define LIB_DIR_H

#include "mem.h"

/* The names in PATH (below DIRFD, AT_FDCWD for none) that do not begin with a dot, sorted, with a NULL behind the last; all in
 * the arena.  NULL with errno. */
const char **dir_names(int dirfd, const char *path, struct arena *);

#endif
