/* See keeper_ask.h.  The words between prof and its keeper, and which of them make sense at all: lengths, numbers, and paths
 * taken apart by their text alone.  keeper_serve.c judges what a path leads to, and whether the asker may have it.  See
 * proc(5); unix(7): each request and each answer is one message on a SOCK_SEQPACKET, SCM_RIGHTS carries descriptors. */
#include "keeper_ask.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/proc.h"
#include "lib/text.h"

/* Names below /proc/PID and /proc/PID/task/TID: those that everybody may read of every process, and those that prof may read
 * of processes of the capture only.  prof may also read the last of these (OWN) of itself. */
static const char *const everyones[] = { "comm", "stat", "status", "statm", "schedstat", "cgroup", "task", NULL },
                  *const targets[] = { "maps", "mem", "root", "wchan", "ns/mnt", NULL };
enum { OWN = 4 };

static bool
among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

bool
ask_check(const struct ask *a, size_t n)
{
	const size_t head = offsetof(struct ask, path);

	if (n <= head || n > sizeof *a)
		return false;
	return memchr(a->path, 0, n - head) == a->path + (n - head) - 1 && a->what < ASKS && a->pid >= -1 && a->size <= UINT16_MAX &&
	       (a->what == ASK_EVENT || a->size <= READ_MOST);
}

/* Behind "PROC/PID/" or "/proc/self/", or NULL. */
static const char *
below_proc(const char *path, int32_t *pid)
{
	size_t n = strlen(proc_root);
	uint64_t number = 0;

	*pid = 0;
	if (!strncmp(path, "/proc/self/", 11))
		return path + 11;
	if (strncmp(path, proc_root, n) || path[n] != '/')
		return NULL;
	path += n + 1;
	if (!text_dec(&path, &number) || !number || number > INT32_MAX)
		return NULL;
	*pid = (int32_t)number;
	return *path == '/' ? path + 1 : NULL;
}

bool
ask_proc(struct ask_proc *p, const char *path)
{
	static const char settings[] = "/proc/sys/kernel/perf_event_";
	const char *name = below_proc(path, &p->pid);
	uint64_t tid;

	*p = (struct ask_proc){ .pid = p->pid, .everyone = true };
	if (!name)
		return !strncmp(path, settings, sizeof settings - 1) && !strchr(path + sizeof settings - 1, '/');
	if (!strncmp(name, "task/", 5) && (name += 5, !text_dec(&name, &tid) || *name++ != '/'))
		return false;
	p->everyone = among(everyones, name);
	p->place = !strcmp(name, "root");
	return p->everyone || among(targets + (p->pid ? 0 : OWN), name);
}

bool
ask_mapped(struct ask_proc *p, const char *path)
{
	const char *name = below_proc(path, &p->pid);
	uint64_t lo, hi;

	if (!name || !p->pid)
		return false;
	if (!strcmp(name, "exe"))
		return true;
	return !strncmp(name, "map_files/", 10) && (name += 10, text_hex(&name, &lo)) && *name++ == '-' && text_hex(&name, &hi) &&
	       !*name && lo < hi;
}

bool
ask_jit(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	bool map = !strncmp(name, "perf-", 5);
	uint64_t pid;

	if (!map && strncmp(name, "jit-", 4))
		return false;
	name += map ? 5 : 4;
	return text_dec(&name, &pid) && (map || *name != '-' || (name++, text_dec(&name, &pid))) && !strcmp(name, map ? ".map" : ".dump");
}

bool
ask_code(const uint8_t *head, size_t n)
{
	/* of the type, whichever of its bytes comes first */
	return n >= EI_NIDENT + 2 && !memcmp(head, ELFMAG, SELFMAG) && head[EI_NIDENT] + head[EI_NIDENT + 1] != ET_CORE;
}

bool
ask_put(int to, const void *bytes, size_t n, int fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec piece = { (void *)(uintptr_t)bytes, n };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
	}
	do
		sent = syscall(SYS_sendmsg, to, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)n;
}

ssize_t
ask_get(int from, void *bytes, size_t n, int *fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { 0 } };
	struct iovec piece = { bytes, n };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room };
	ssize_t got;
	size_t n_fds = 0;

	do
		got = syscall(SYS_recvmsg, from, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*fd = -1;
	if (got < 0)
		return -1;
	if (m.msg_controllen >= CMSG_LEN(sizeof(int)) && control.head.cmsg_level == SOL_SOCKET &&
	    control.head.cmsg_type == SCM_RIGHTS)
		n_fds = (control.head.cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (n_fds == 1 && !(m.msg_flags & MSG_CTRUNC)) {
		memcpy(fd, CMSG_DATA(&control.head), sizeof *fd);
		return got;
	}
	for (size_t i = 0; i < n_fds; i++) {   /* the room for one descriptor may hold two, which nobody asked for */
		int extra;

		memcpy(&extra, CMSG_DATA(&control.head) + i * sizeof extra, sizeof extra);
		close(extra);
	}
	if (!n_fds && !(m.msg_flags & MSG_CTRUNC))
		return got;
	errno = EMFILE;
	return -1;
}
