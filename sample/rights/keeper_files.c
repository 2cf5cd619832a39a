/* See keeper_files.h.  A FUSE file system is a process that any user may run, and an overlayfs may lie on one (user_files.c).
 * A process that wants a page of such a file system, or closes a file there, waits uninterruptibly; not even SIGKILL ends that.
 * So prof and the keeper never have such a file open.  They find it by O_PATH, which needs only its name.  A child of the
 * keeper's opens the file, reads bytes for the process that has the socket, and looks at none of them.  It ends with its
 * sockets, once its file system lets it. */
#include "keeper_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper_ask.h"
#include "lib/asked_file.h"
#include "user_files.h"

enum { SYSTEMS_MOST = 16, FILES_MOST = 1000 };

static struct {
	dev_t dev;
	int fd;                    /* of the socket to its process, or -1: it is full */
} of[SYSTEMS_MOST];
static unsigned systems;

static int
open_found(int found)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* A file comes as two messages: itself, and the socket by which prof asks for its bytes. */
static bool
take_file(int control, struct pollfd *p, int *file)
{
	int found, fd;
	char c;

	if (ask_get(control, &c, 1, &found) <= 0 || found < 0 || ask_get(control, &c, 1, &fd) <= 0 || fd < 0)
		return false;
	*file = open_found(found);
	close(found);
	*p = (struct pollfd){ .fd = fd, .events = POLLIN };
	return true;
}

static _Noreturn void
read_files(int control)
{
	struct pollfd p[1 + FILES_MOST] = { { .fd = control, .events = POLLIN } };
	int file[1 + FILES_MOST];
	unsigned n = 1;

	while (p[0].fd >= 0 || n > 1) {
		if (poll(p, n, -1) < 0)
			continue;
		for (unsigned i = n; --i;) {
			if (!p[i].revents || (file[i] >= 0 && asked_file_answer(p[i].fd, file[i])))
				continue;
			close(p[i].fd);
			if (file[i] >= 0)
				close(file[i]);
			p[i] = p[--n];
			file[i] = file[n];
		}
		if (p[0].revents && (n == 1 + FILES_MOST || !take_file(control, &p[n], &file[n]))) {
			close(control);
			p[0].fd = -1;
		} else if (p[0].revents)
			n++;
	}
	_exit(0);
}

/* The child's end sends no signal, so that nobody takes it for a helper that holds events. */
static int
start_reader(void)
{
	int pair[2];
	long pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (!(pid = syscall(SYS_clone, 0, 0, 0, 0, 0))) {
		prctl(PR_SET_NAME, "prof-files");
		dup2(pair[1], 3);
#ifdef SYS_close_range
		if (syscall(SYS_close_range, 4, ~0u, 0))
#endif
			for (int fd = 4; fd < 1024; fd++)
				close(fd);
		read_files(3);
	}
	close(pair[1]);
	if (pid > 0 && !fcntl(pair[0], F_SETFL, O_NONBLOCK))
		return pair[0];
	close(pair[0]);
	return -1;
}

/* The socket of DEV's process, or -1. */
static int
reader_of(dev_t dev)
{
	unsigned i = 0;

	while (i < systems && of[i].dev != dev)
		i++;
	if (i == SYSTEMS_MOST)
		return -1;
	if (i == systems) {
		of[i].dev = dev;
		of[i].fd = start_reader();
		systems++;
	}
	return of[i].fd;
}

/* Hands FOUND over.  Returns the socket by which prof asks for its bytes. */
static int
hand_over(dev_t dev, int found)
{
	int reader = reader_of(dev), pair[2];
	bool sent;

	if (reader < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	sent = ask_put(reader, "", 1, found) && ask_put(reader, "", 1, pair[1]);
	close(pair[1]);
	if (sent && !fcntl(pair[0], F_SETFL, O_NONBLOCK))
		return pair[0];
	close(pair[0]);
	return -1;
}

/* Checks the rights of the user that foreign_as has chosen.  Before Linux 5.8 this works only for the process's own user. */
static bool
may_read(int found)
{
	if (!syscall(SYS_faccessat2, found, "", R_OK, AT_EMPTY_PATH | AT_EACCESS))
		return true;
	return errno == ENOSYS && (uid_t)setfsuid(UINT32_MAX) == geteuid();
}

/* The other process opens the file with the keeper's rights.  So the keeper checks first whether the user it asks for may read
 * it. */
bool
keeper_files_open(int found, const struct stat *st, int *fd)
{
	if (!user_files_hold(found, st->st_dev))
		return false;
	*fd = -1;
	if (!may_read(found))
		return true;
	*fd = hand_over(st->st_dev, found);
	errno = ETIMEDOUT;
	return true;
}
