/* The one place that opens files of other processes.  Each function gives a read-only descriptor or -1 with errno, and reads no
 * byte beyond what identity checks need. */
#ifndef SAMPLE_TASKS_FOREIGN_H
#define SAMPLE_TASKS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

/* Opens files when prof itself no longer has the right to. */
struct foreign_door {
	int (*regular)(int root, const char *path, bool link);   /* LINK: fails if the file's name is a symlink */
	size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n);
	size_t (*says)(const char *addrs, char *text, size_t size);
	long (*asleep)(int32_t pid, int32_t tid, char *text, size_t n);
	uint64_t (*mount)(int fd);
	int (*source)(int root, const char *path);
};
extern const struct foreign_door *foreign_door;   /* NULL: prof itself */
/* Whether another process must read a regular file, which prof found by O_PATH: then *FD is a socket to that process, or -1
 * with errno (see lib/asked_file.h).  NULL: prof reads all files itself. */
extern bool (*foreign_apart)(int found, const struct stat *, int *fd);

/* What prof knows of a mapped file. */
struct file_id {
	const char *path;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint8_t build_id[20], build_id_len;   /* 0: not known */
};

/* The file that PID maps at [lo, hi): at /proc/PID/map_files, /proc/PID/root/PATH, PATH below the ROOT that prof kept (or
 * -1), PATH, then /proc/PID/exe.  Each must agree with ID: by build-id, or else by inode.  ESTALE: there is a file, but not
 * the one that was mapped. */
int foreign_mapped(int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *, int root);
/* PID's perf map and jitdump (NULL: not wanted) in its /tmp, through its namespaces: regular files of PID's user (or root's), no
 * symlinks.  What is not there stays as it is, and errno says why the last one is not. */
void foreign_jit_files(int32_t pid, int *map, int *dump);
/* The directory at PATH, to open files in; prof cannot read it. */
int foreign_directory(const char *path);
/* The mapped file below ROOT, if it has the same build-id. */
int foreign_build(int root, const struct file_id *);
/* The file at PATH below ROOT (-1: prof's own), if it is that of ID: by build-id, or (where HERE) by inode, or if ID says
 * neither.  ESTALE: it is another. */
int foreign_recorded(int root, const char *path, const struct file_id *, bool here);
/* The regular file at PATH below ROOT, -1: prof's own. */
int foreign_file(int root, const char *path);
/* Any regular file at PATH below ROOT or AT_FDCWD, with FLAGS such as O_NOFOLLOW.  The caller checks which file it is. */
int foreign_regular(int root, const char *path, uint64_t flags, struct stat *);
/* The text of the link at PATH below ROOT or AT_FDCWD, with a NUL behind. */
bool foreign_link(int root, const char *path, char *text, size_t size);
/* Any regular file that this user could open; a prof that may not become another user opens it as itself. */
enum { FOREIGN_NOBODY = 65534 };
int foreign_as(uid_t, gid_t, int root, const char *path, uint64_t flags, struct stat *);
/* The source file at PATH below ROOT or (-1) prof's own root.  Anybody may have chosen PATH, so prof opens only what that
 * user, or the user of the capture, could open. */
int foreign_source(uid_t, gid_t, int root, const char *path);
int foreign_kallsyms(void);
/* The number by which /proc shows the memory and files of PID: PID, or another thread's if the first thread has ended. */
int32_t foreign_by(int32_t pid);
int foreign_maps(int32_t pid);    /* /proc/PID/maps */
int foreign_memory(int32_t pid);  /* /proc/PID/mem */
int foreign_root(int32_t pid);    /* to open files in; prof cannot read it */
int foreign_mounts(int32_t pid);  /* its mount namespace */
/* The id of FD's mount; each namespace has its own (0: not known, before Linux 5.8). */
uint64_t foreign_mount(int fd);
/* Does what bpf_names does. */
size_t foreign_says(const char *addrs, char *text, size_t size);
/* The line of /proc/PID/task/TID/syscall, with its NUL; its length, or -1. */
long foreign_asleep(int32_t pid, int32_t tid, char *text, size_t n);
/* Copies up to N bytes of PID's memory from ADDR on.  Returns how many; 0 if prof may not read it.  PID 0: only the tables of
 * names in the kernel's memory, see kcore_read. */
size_t foreign_read(int32_t pid, uint64_t addr, void *to, size_t n);

#endif
