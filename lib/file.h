/* Small files of /proc, /sys and cgroups: opened in one way, read whole. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include <stddef.h>

/* Opens files of /proc, /sys and cgroups, as openat does: in prof itself, as long as prof has the right to. */
extern int (*file_open)(int dirfd, const char *path, int flags);

/* Reads all of PATH (below DIRFD, AT_FDCWD for none), at most CAP - 1 bytes, with a NUL behind: for small files
 * of /proc and /sys.  The length, or -1 and errno. */
long file_text(int dirfd, const char *path, char *buf, size_t cap);

#endif
