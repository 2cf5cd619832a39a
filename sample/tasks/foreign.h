/* The one place where files of other processes are opened; each function gives a read-only descriptor or -1 with errno,
 * and reads no byte beyond what identity checks need. */
#ifndef SAMPLE_FOREIGN_H
#define SAMPLE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* What is known of a mapped file. */
struct file_id {
	const char *path;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint8_t build_id[20], build_id_len;   /* 0: not known */
};

/* The file that PID maps at [lo, hi): by /proc/PID/map_files, /proc/PID/root/PATH, the same in the ROOT that was kept (or
 * -1), PATH, then /proc/PID/exe; each checked against what is known (build-id first, else inode).  ESTALE: there is a file,
 * but not the one that was mapped. */
int foreign_mapped(int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *, int root);
/* PID's perf map or jitdump in its /tmp, through its namespaces: a regular file of PID's user (or root's), not a symlink. */
int foreign_perfmap(int32_t pid);
int foreign_jitdump(int32_t pid);
/* The directory at PATH: to open files in, not to be read. */
int foreign_directory(const char *path);
/* The mapped file as it lies below ROOT, if it is the same build. */
int foreign_build(int root, const struct file_id *);
/* The regular file at PATH below ROOT, -1: prof's own. */
int foreign_file(int root, const char *path);
/* Any regular file, at PATH below ROOT or AT_FDCWD, FLAGS as O_NOFOLLOW: what it is is still to be checked. */
int foreign_regular(int root, const char *path, uint64_t flags, struct stat *);
int foreign_kallsyms(void);
/* By whose number the memory and the files of PID are reached: its own, or another thread's where the first has ended. */
int32_t foreign_by(int32_t pid);
int foreign_maps(int32_t pid);    /* /proc/PID/maps */
int foreign_memory(int32_t pid);  /* /proc/PID/mem */
int foreign_root(int32_t pid);    /* to open files in, not to be read */
int foreign_mounts(int32_t pid);  /* its mount namespace */
/* As kbpf_names. */
size_t foreign_says(const char *addrs, char *text, size_t size);
/* The line of /proc/PID/task/TID/syscall, with its NUL; its length, or -1. */
long foreign_asleep(int32_t pid, int32_t tid, char *text, size_t n);
/* Copies up to N bytes of PID's memory from ADDR on; how many, 0 where it may not be read.  Of 0: of the kernel's memory the
 * tables of its names, see kcore_read. */
size_t foreign_read(int32_t pid, uint64_t addr, void *to, size_t n);

#endif
