/* See msg.h.  A message is one write, so that lines of several processes do not mix. */
#include "msg.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int msg_level;

__attribute__((format(printf, 1, 0))) static void
say(const char *fmt, va_list ap)
{
	char line[2048] = "prof: ";
	int n = vsnprintf(line + 6, sizeof line - 7, fmt, ap);
	size_t len = n < 0 ? 6 : (size_t)n + 6 < sizeof line - 2 ? (size_t)n + 6 : sizeof line - 2;

	for (size_t i = 0; i < len; i++) {   /* a hostile name must not drive the terminal, which knows U+0080 to U+009F as well */
		unsigned char c = (unsigned char)line[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c >= 0x80 && c < 0xa0 && line[i - 1] == '\xc2'))
			line[i] = '?';
	}
	line[len] = '\n';
	if (write(STDERR_FILENO, line, len + 1) < 0)
		return;
}

void
error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (msg_level >= 0)
		say(fmt, ap);
	va_end(ap);
}

void
verbose(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (msg_level > 0)
		say(fmt, ap);
	va_end(ap);
}
