/* See end_signals.h. */
#include "end_signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "lib/msg.h"

bool
end_signals_take(struct end_signals *s, const struct target_options *t)
{
	sigset_t take;

	sigaddset(&s->ends, SIGTERM);
	sigaddset(&s->ends, SIGHUP);
	if (t->kind == TARGET_COMMAND) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	} else {
		sigaddset(&s->ends, SIGINT);
	}
	take = s->ends;
	sigaddset(&take, SIGCHLD);
	sigprocmask(SIG_BLOCK, &take, &s->mask);
	if ((s->fd = signalfd(-1, &take, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		error("cannot watch for signals: %s", strerror(errno));
	return s->fd >= 0;
}
