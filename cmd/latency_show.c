/* See latency_show.h. */
#include "latency_show.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/options/terminal.h"
#include "lib/msg.h"
#include "out/output.h"

enum { COLUMNS = 100 };

static void
write_all(struct sink *out, const void *ctx)
{
	const struct latency_shown *l = ctx;
	struct screen screen;
	struct sink s;

	screen_open(&screen, &s, out, l->columns, l->columns && terminal_ascii());
	if (l->json) {
		durations_json(&s, l->d, l->n);
	} else if (l->n) {
		durations_table(&s, l->d, l->n);
		for (uint32_t i = 0; i < l->n && i < l->top; i++) {
			sink_fmt(&s, "\n%s\n", l->d[i].name);
			durations_chart(&s, &l->d[i], l->columns ? l->columns : COLUMNS);
		}
	}
	if (sink_close(&s))
		sink_fail(out, s.err);
}

bool
latency_show(struct latency_shown *l)
{
	struct output file = { .path = l->output };
	struct winsize w = { .ws_col = COLUMNS };
	struct place_words words;
	const char *why = NULL;
	struct sink out;

	if (l->output) {
		why = output_text(&file, write_all, l, &words);
	} else {
		if (isatty(l->fd)) {
			ioctl(l->fd, TIOCGWINSZ, &w);
			l->columns = w.ws_col ? w.ws_col : COLUMNS;
		}
		sink_open(&out, l->fd);
		write_all(&out, l);
		if (sink_close(&out))
			why = strerror(out.err);
	}
	if (why)
		error("%s: %s", l->output && strcmp(l->output, "-") ? l->output : l->fd == STDERR_FILENO ? "stderr" : "stdout", why);
	return !why;
}
