/* See kernel_function.h.  /proc/kallsyms: "ADDRESS TYPE NAME", and [MODULE] behind a tab. */
#include "kernel_function.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/nearest.h"
#include "sample/tasks/foreign.h"

enum { NEAR_MOST = 64, NAME_MOST = 64 };

void
kernel_function_near(const char *name, char *near, size_t size)
{
	char want[NAME_MOST], all[NEAR_MOST][NAME_MOST];
	const char *known[NEAR_MOST + 1], *best;
	int fd = foreign_kallsyms();
	struct lines in;
	unsigned n = 0;

	*near = 0;
	snprintf(want, sizeof want, "%.*s", (int)strcspn(name, "+"), name);
	if (fd < 0)
		return;
	lines_open(&in, fd);
	for (char *line, *at; n < NEAR_MOST && (line = lines_next(&in));) {
		const char *one[2] = { NULL };

		if (!(at = strchr(line, ' ')) || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ')
			continue;
		at += 3;
		at[strcspn(at, "\t")] = 0;
		one[0] = at;
		if (!strcmp(at, want)) {
			n = 0;
			break;
		}
		/* Most names are too long or too short by far: nearest is slow. */
		if (strlen(at) < NAME_MOST && strlen(at) + 2 >= strlen(want) && strlen(at) <= strlen(want) + 2 && nearest(want, one, "")) {
			strcpy(all[n], at);
			known[n] = all[n];
			n++;
		}
	}
	close(fd);
	known[n] = NULL;
	if ((best = nearest(want, known, "")))
		snprintf(near, size, "%s", best);
}
