/* See guard.h.  ptrace(2), "Ptrace access mode checking": of processes that are not dumpable /proc/PID is root's. */
#include "rights.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "sample/tasks/container.h"
#include "sample/rights/keeper.h"
#include "sample/rights/keeper_ask.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/target.h"

/* Numbers of ASK_CALLER. */
enum { OPEN, DONE, FAILED };

bool
guard_allows(const struct plan *p)
{
	static const char alone[] = "prof has rights here that you do not have, and uses them for your processes alone";
	uid_t uid;

	if (!sandbox_lent())
		return true;
	if (strcmp(proc_root, "/proc")) {   /* it would tell whose processes are whose */
		error("--proc-root is root's to choose: %s", alone);
		return false;
	}
	if (p->target == TARGET_SYSTEM || p->wakers) {   /* whose stacks are anybody's */
		error("others' stacks are root's to see: %s", alone);
		return false;
	}
	for (unsigned i = 0; i < p->npid; i++)
		if (!target_owner(p->pid[i], "maps", &uid) || uid != getuid()) {
			error("process %d is not yours: %s", (int)p->pid[i], alone);
			return false;
		}
	return true;
}

bool
guard_room(const struct plan *p)
{
	const char *why = p->noutput && !p->output[0].path ? output_check(&(struct output){ .path = "prof-.html" }) : NULL;

	if (why)
		error("%s; -o FILE writes elsewhere", why);
	return !why;
}

void
guard_begin(const struct plan *p)
{
	const char *why = container_adapt();
	uid_t uid;

	if (why && p->target == TARGET_COMMAND)   /* of others it was said before they were looked for */
		warn("%s", why);
	output_private = sandbox_lent() || (!geteuid() && p->target == TARGET_SYSTEM);
	for (unsigned i = 0; !geteuid() && i < p->npid; i++)
		output_private |= !target_owner(p->pid[i], "", &uid) || uid;
}

/* In the keeper: files are opened for what was asked for on the command line alone. */
static long
serve(void *ctx, const struct ask *a, int *fd, char *text, size_t size)
{
	const struct plan *p = ctx;
	const char *path = p->stats && !strcmp(p->stats, a->path) ? p->stats : NULL, *why;

	for (unsigned i = 0; i < p->noutput && !path; i++)
		if (!strcmp(p->output[i].path, a->path))
			path = p->output[i].path;
	if (!path) {
		errno = EPERM;
		return -1;
	}
	why = a->number == OPEN ? output_here.open(path, fd) : output_here.done(path, a->number == DONE);
	return snprintf(text, size, "%c%s", why ? '!' : '=', why ? why : path) + 1;
}

static const char *
ask_for(unsigned number, const char *path, int *fd)
{
	static char text[READ_MOST + 512];
	long n = keeper_ask(number, path, fd, text, sizeof text);

	if (n < 2)
		return strerror(n < 0 ? errno : EIO);
	text[sizeof text - 1] = 0;
	if (*text == '!')
		return text + 1;
	if (number == DONE && strcmp(path, text + 1))
		output_renamed(text + 1);
	return NULL;
}

static const char *
open_there(const char *path, int *fd)
{
	return ask_for(OPEN, path, fd);
}

static const char *
done_there(const char *path, bool well)
{
	return ask_for(well ? DONE : FAILED, path, NULL);
}

void
guard(struct session *s, struct plan *p)
{
	static const struct output_door there = { open_there, done_there };
	char words[128];

	if (!session_keep(s, &(struct keeper_also){ serve, p })) {
		warn("no sandbox: %s", strerror(errno));
		return;
	}
	output_door = &there;
	verbose("sandbox: %s", sandbox_words(sandbox_enter(LAYERS_ALL), words, sizeof words));
}

void
guard_over(void)
{
	int last;
	unsigned n = sandbox_refused(&last);

	keeper_end();
	if (n)
		verbose("sandbox: %u system calls refused, the last of number %d", n, last);
}
