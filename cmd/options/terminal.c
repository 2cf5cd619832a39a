/* See terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool
terminal_colour(void)
{
	const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");

	return !(plain && *plain) && !(term && strcmp(term, "dumb") == 0);
}

bool
terminal_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *term = getenv("TERM"), *locale = NULL;

	for (unsigned i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
		locale = getenv(names[i]);
	return (term && strcmp(term, "dumb") == 0) || (locale && (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0));
}

void
terminal_report(struct report *r, unsigned rows)
{
	struct winsize w = { .ws_col = 80 };

	if (!isatty(STDOUT_FILENO))
		return;
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	r->width = w.ws_col ? w.ws_col : 80;
	r->colour = terminal_colour();
	r->ascii = terminal_ascii();
	r->bars = r->width >= 76;
	r->top = rows;
}
