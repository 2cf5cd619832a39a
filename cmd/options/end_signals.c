/* See end_signals.h. */
#include "end_signals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/msg.h"

/* ns within which signals are one request. */
#define TOGETHER UINT64_C(200000000)

static uint64_t together_until;

static bool
is_ignored(int number)
{
	struct sigaction a;

	return !sigaction(number, NULL, &a) && a.sa_handler == SIG_IGN;
}

bool
end_signals_take(struct end_signals *s, const struct target_options *t)
{
	sigset_t take;

	sigaddset(&s->ends, SIGTERM);
	if (!is_ignored(SIGHUP))
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

bool
end_signals_next(struct end_signals *s, struct signalfd_siginfo *info)
{
	if (read(s->fd, info, sizeof *info) != sizeof *info)
		return false;
	if (!s->first && info->ssi_signo != SIGCHLD)
		s->first = clock_now();
	return true;
}

static void
end(int number)
{
	if (clock_now() < together_until)
		return;
	signal(number, SIG_DFL);
	raise(number);   /* it comes when this handler returns */
}

void
end_signals_release(struct end_signals *s)
{
	struct sigaction a = { .sa_handler = end, .sa_flags = SA_RESTART };

	together_until = s->first + TOGETHER;
	for (int i = 1; s->first && i < SIGRTMIN; i++)
		if (sigismember(&s->ends, i) == 1 && !is_ignored(i))
			sigaction(i, &a, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}
