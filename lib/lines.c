/* See lines.h. */
#include "lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "asked_file.h"

void
lines_open(struct lines *l, int fd)
{
	l->fd = fd;
	l->eof = l->placed = false;
	l->lo = l->hi = 0;
	l->left = UINT64_MAX;
}

void
lines_open_at(struct lines *l, int fd, uint64_t at)
{
	lines_open(l, fd);
	l->placed = true;
	l->at = at;
}

static bool
lines_fill(struct lines *l)
{
	size_t room = sizeof l->buf - 1 - (l->hi - l->lo);
	size_t most = room < l->left ? room : (size_t)l->left;
	ssize_t n;

	memmove(l->buf, l->buf + l->lo, l->hi - l->lo);
	l->hi -= l->lo;
	l->lo = 0;
	do
		n = l->placed ? asked_file_read(l->fd, l->buf + l->hi, most, l->at) : read(l->fd, l->buf + l->hi, most);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		l->eof = true;
	} else {
		l->hi += (uint32_t)n;
		l->left -= (uint64_t)n;
		l->at += (uint64_t)n;
	}
	return n > 0;
}

char *
lines_next(struct lines *l)
{
	for (;;) {
		char *line = l->buf + l->lo, *nl = memchr(line, '\n', l->hi - l->lo);

		if (nl) {
			*nl = 0;
			l->lo = (uint32_t)(nl + 1 - l->buf);
			return line;
		}
		if (l->hi - l->lo == sizeof l->buf - 1) {   /* too long: give its head, skip its tail */
			memcpy(l->head, line, sizeof l->buf - 1);
			l->head[sizeof l->head - 1] = 0;
			do {
				l->lo = l->hi;
				if (!lines_fill(l))
					return l->head;
			} while (!(nl = memchr(l->buf, '\n', l->hi)));
			l->lo = (uint32_t)(nl + 1 - l->buf);
			return l->head;
		}
		if (l->eof || !lines_fill(l)) {
			if (l->hi == l->lo)
				return NULL;
			line = l->buf + l->lo;
			l->buf[l->hi] = 0;
			l->lo = l->hi;
			return line;
		}
	}
}
