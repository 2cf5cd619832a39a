/* See file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int
open_here(int dirfd, const char *path, int flags)
{
	return openat(dirfd, path, flags);
}

int (*file_open)(int dirfd, const char *path, int flags) = open_here;

long
file_text(int dirfd, const char *path, char *buf, size_t cap)
{
	int fd = file_open(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	int err = 0;

	if (fd < 0)
		return -1;
	while (len < cap - 1) {
		ssize_t n = read(fd, buf + len, cap - 1 - len);

		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = errno;
			break;
		}
		len += (size_t)n;
	}
	buf[len] = 0;
	close(fd);
	errno = err;
	return err ? -1 : (long)len;
}
