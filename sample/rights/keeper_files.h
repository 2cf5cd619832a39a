/* Files of file systems that may never answer: each such file system has a process that reads its files, and waits for it. */
#ifndef SAMPLE_RIGHTS_KEEPER_FILES_H
#define SAMPLE_RIGHTS_KEEPER_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

/* The function for foreign_apart (sample/tasks/foreign.h). */
bool keeper_files_open(int found, const struct stat *, int *fd);

#endif
