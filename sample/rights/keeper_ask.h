/* The requests of the process without rights to the keeper, and what it may get.  The keeper checks each request as if an
 * attacker had taken over the process that asks. */
#ifndef SAMPLE_RIGHTS_KEEPER_ASK_H
#define SAMPLE_RIGHTS_KEEPER_ASK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ask_what {
	ASK_SMALL,                 /* PATH of /proc, or below a cgroup's directory that came with it */
	ASK_FILE,                  /* the program or library at PATH, below the directory that came with it */
	ASK_SOURCE,                /* any regular file below that directory, if the capture's user may read it */
	ASK_READ,                  /* SIZE bytes of PID's memory at AT, see foreign_read */
	ASK_SAYS,                  /* the kernel's names of the addresses in PATH: see foreign_says */
	ASK_ASLEEP,                /* what the kernel says of thread AT of PID, which is asleep: see foreign_asleep */
	ASK_MOUNT,                 /* the mount of the directory that came with it: see foreign_mount */
	ASK_EVENT,                 /* event NUMBER on thread PID (-1: all) and CPU, with SIZE bytes of stack */
	ASK_HELPER,                /* one more helper that holds events */
	ASK_FIRST,                 /* prof is real-time again, see priority_first; NUMBER 0: it need not be any more */
	ASK_CGROUP,                /* the command's cgroup is not needed any more */
	ASK_CPU,                   /* ns of CPU that keeping took */
	ASK_SPARE,                 /* another keeper, for when this one is gone: its socket, and its pid */
	ASK_LEAVE,                 /* nothing any more: prof takes another keeper, and does not wait for this one */
	ASK_CALLER,                /* what the caller of keeper_start knows about: NUMBER, PATH */
	ASKS,
};

struct ask {
	uint32_t what, number;
	int32_t pid, cpu;
	uint64_t at;
	uint32_t size;
	bool chain, link;          /* ASK_EVENT: the kernel's user chain, too; ASK_FILE: not where its name is a symlink */
	char path[PATH_MAX];
};

enum { READ_MOST = 16 << 10 };   /* bytes of an answer */

struct answer {
	int32_t err;
	char bytes[READ_MOST + 512];
};

/* One message, with a descriptor or -1. */
bool ask_put(int to, const void *bytes, size_t n, int fd);
/* The message's length, -1 for none; and its descriptor, or -1.  EMFILE: it has taken the message, but there was no free number
 * for its descriptor. */
ssize_t ask_get(int from, void *bytes, size_t n, int *fd);

/* Whether N bytes are a request. */
bool ask_check(const struct ask *, size_t n);

/* A path of /proc: which process it is of (0: prof itself), and what. */
struct ask_proc {
	int32_t pid;
	bool everyone;             /* anybody may read this file of any process */
	bool place;                /* to open files in, not to be read */
};
/* False if profiling does not need this PATH of /proc. */
bool ask_proc(struct ask_proc *, const char *path);
/* False if PATH is not one of those that lead to a mapped file: map_files/LO-HI and exe. */
bool ask_mapped(struct ask_proc *, const char *path);
/* Whether PATH has the name of a JIT's map of names, or of its dump. */
bool ask_jit(const char *path);
/* Whether the first N bytes of a file are those of a program, a library or debug information; not of a process's memory. */
bool ask_code(const uint8_t *head, size_t n);

#endif
