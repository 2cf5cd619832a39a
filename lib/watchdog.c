/* See watchdog.h. */
#include "watchdog.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "filemap.h"
#include "work.h"

/* us between looks: rings hold at least some tens of ms of samples. */
enum { PAUSE = 10000 };

static void (*tick_of)(void *);
static void *ctx_of;
static bool there, looking;

static void
on_alarm(int sig)
{
	int err = errno;

	(void)sig;
	work_look();
	if (work_busy()) {
		filemap_trim_often();
		if (tick_of)
			tick_of(ctx_of);
	}
	errno = err;
}

void
watchdog_start(void (*tick)(void *ctx), void *ctx)
{
	struct sigaction sa = { .sa_flags = SA_RESTART };
	sigset_t set;

	tick_of = NULL;
	if (!tick)
		return;
	ctx_of = ctx;
	tick_of = tick;
	sa.sa_handler = on_alarm;
	sigaction(SIGALRM, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	there = true;
}

void
watchdog_look(bool on)
{
	struct itimerval t = { { 0, on ? PAUSE : 0 }, { 0, on ? PAUSE : 0 } };

	if (!there)
		return;
	if (on != looking)
		setitimer(ITIMER_REAL, &t, NULL);
	looking = on;
}
