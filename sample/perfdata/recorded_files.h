/* Where the files of a recording are: on this machine or below a sysroot, by path, or where debuggers and perf keep files by their
 * build-id. */
#ifndef SAMPLE_PERFDATA_RECORDED_FILES_H
#define SAMPLE_PERFDATA_RECORDED_FILES_H

#include "sample/tasks/mapped_file.h"

struct recorded_files {
	struct file_finder finder;
	const struct modules *modules;   /* their places: --sysroot, --debug-dir */
	const char *cache;               /* perf's, ~/.debug; or NULL */
	unsigned denied;                 /* how many prof may not read */
};

/* HERE: they ran on this machine, under the kernel that runs now. */
void recorded_files_init(struct recorded_files *, const struct modules *, const char *cache);
void recorded_files_here(struct recorded_files *, bool here);
/* A compressed kernel module, which may be another than ID says; -1: there is none. */
int recorded_files_packed(const struct recorded_files *, const struct file_id *);
/* The vmlinux of the kernel RELEASE (or NULL) with that build-id; without one, only a file below a sysroot.  -1: there is none. */
int recorded_files_vmlinux(const struct recorded_files *, const struct file_id *, const char *release);

#endif
