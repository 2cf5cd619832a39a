/* See progress.h.  No escape sequences: blanks and a carriage return are known to every terminal. */
#include "progress.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "msg.h"

enum { COLUMNS_MOST = 200 };

void
progress_open(struct progress *p, uint64_t first)
{
	*p = (struct progress){ .on = !msg_level && isatty(STDERR_FILENO), .said = clock_now() + first - PROGRESS_PAUSE,
	                         .group = getpgrp() };
}

bool
progress_due(const struct progress *p)
{
	return p->on && clock_now() >= p->said + PROGRESS_PAUSE;
}

/* Whether a write would come back at once.  To write from the background may stop a program. */
static bool
takes_bytes(const struct progress *p)
{
	struct pollfd poll_fd = { .fd = STDERR_FILENO, .events = POLLOUT };
	pid_t front = -1;

	return (ioctl(STDERR_FILENO, TIOCGPGRP, &front) || front == p->group) && poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLOUT;
}

/* The first N bytes of TEXT, and blanks over what stood there. */
static void
put(struct progress *p, const char *text, unsigned n)
{
	char line[2 * COLUMNS_MOST + 16];
	unsigned blanks = p->columns > n ? p->columns - n : 0;
	int len = snprintf(line, sizeof line, "\r%.*s%*s%s", (int)n, text, (int)blanks, "", n ? "" : "\r");

	if (takes_bytes(p) && write(STDERR_FILENO, line, (size_t)len) == len)
		p->columns = n;
}

void
progress_say(struct progress *p, const char *fmt, ...)
{
	struct winsize w = { .ws_col = 80 };
	char text[COLUMNS_MOST + 1];
	unsigned room;
	va_list ap;
	int n;

	if (!p->on)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
	room = !w.ws_col ? 79 : w.ws_col - 1 < COLUMNS_MOST ? w.ws_col - 1u : COLUMNS_MOST;
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	p->said = clock_now();
	put(p, text, n < 0 ? 0 : (unsigned)n < room ? (unsigned)n : room);
}

void
progress_close(struct progress *p)
{
	if (p->columns)
		put(p, "", 0);
	p->on = false;
}
