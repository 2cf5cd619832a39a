/* Whether a process of some user answers for a file's bytes, and so may never answer. */
#ifndef SAMPLE_RIGHTS_USER_FILES_H
#define SAMPLE_RIGHTS_USER_FILES_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether FOUND (opened by O_PATH, or as any file) lies on a FUSE, or on an overlayfs, as DEV, that may have a layer on one. */
bool user_files_hold(int found, dev_t dev);

#endif
