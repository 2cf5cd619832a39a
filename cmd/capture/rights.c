/* See rights.h.  ptrace(2), "Ptrace access mode checking": if a process is not dumpable, its /proc/PID belongs to root. */
#include "rights.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/proc.h"
#include "lib/msg.h"
#include "sample/tasks/proc_mount.h"
#include "sample/rights/keeper.h"
#include "sample/rights/keeper_ask.h"
#include "sample/rights/keeper_serve.h"
#include "sample/rights/sandbox.h"
#include "sample/events/lent_event.h"
#include "sample/tasks/target.h"
#include "sample/tasks/whose.h"

/* Numbers of ASK_CALLER. */
enum { OPEN, DONE, FAILED, OWN };

bool
rights_allow(const struct plan *p)
{
	static const char alone[] = "prof has more rights here than you; it uses them for your own processes only";
	struct capture c = { .count = p->count };
	const char *why;

	if (!sandbox_lent())
		return true;
	if (p->no_sandbox) {
		error("only root may use --no-sandbox: %s", alone);
		return false;
	}
	if (strcmp(proc_root, "/proc")) {   /* it would show which user has which processes */
		error("only root may use --proc-root: %s", alone);
		return false;
	}
	if (p->target.kind == TARGET_SYSTEM || p->wakers) {   /* these show stacks of all users */
		error("only root may see the stacks of other users: %s", alone);
		return false;
	}
	for (unsigned i = 0; i < p->target.npid; i++)
		if (!whose_may(p->target.pid[i])) {
			error("process %d is not yours: %s", (int)p->target.pid[i], alone);
			return false;
		}
	for (unsigned i = 0; i < p->nevent; i++)
		if ((why = lent_event_refused(&c, &p->event[i]))) {
			error("-e %s: %s", p->event[i].name, why);
			return false;
		}
	return true;
}

/* Makes all outputs readable only for their owner. */
static void
make_private(struct plan *p)
{
	p->stats.private = true;
	for (unsigned i = 0; i < p->noutput; i++)
		p->output[i].private = true;
}

void
rights_begin(struct plan *p)
{
	const char *why = proc_mount_adapt();
	bool others = sandbox_lent() || (!geteuid() && p->target.kind == TARGET_SYSTEM);
	uid_t uid;

	if (why && p->target.kind == TARGET_COMMAND)   /* of others it was said before they were looked for */
		warn("%s", why);
	for (unsigned i = 0; !geteuid() && i < p->target.npid; i++)
		others |= !target_owner(p->target.pid[i], "", &uid) || uid;
	if (others)
		make_private(p);
}

/* The output of that name, or NULL. */
static struct output *
output_named(struct plan *p, const char *path)
{
	if (p->stats.path && !strcmp(p->stats.path, path))
		return &p->stats;
	for (unsigned i = 0; i < p->noutput; i++)
		if (!strcmp(p->output[i].path, path))
			return &p->output[i];
	return NULL;
}

/* In the keeper: it opens only the files that the command line names. */
static long
serve(void *ctx, const struct ask *a, int with, int *fd, char *text, size_t size)
{
	struct rights *r = ctx;
	struct output *o = output_named(r->plan, a->path);
	struct place_words words;
	const char *why;
	char how = '!';

	if (a->number == OWN && r->serve)
		return r->serve(r->ctx, a->path, with, fd);
	if (!o || a->number > FAILED) {
		errno = EPERM;
		return -1;
	}
	if (a->number == OPEN) {
		r->file.pid = (int32_t)getppid();
		why = output_here.open(o, &r->file, fd, &words);
		r->writes = why ? NULL : o;
	} else if (r->writes != o) {
		how = '?';
		why = "the process that keeps prof's rights was killed while it wrote the file";
	} else {
		why = output_here.done(o, &r->file, a->number == DONE, &words);
		r->writes = NULL;
	}
	return snprintf(text, size, "%c%s", why ? how : '=', why ? why : o->path) + 1;
}

/* In the keeper: prof was killed while it wrote. */
static void
over(void *ctx)
{
	struct rights *r = ctx;

	if (r->writes && *r->file.beside)
		unlink(r->file.beside);
}

static const char *
ask_for(unsigned number, const struct output *o, struct output_file *file, int *fd, struct place_words *words)
{
	char text[sizeof *words + 1];
	long n = keeper_ask(number, o->path, -1, fd, text, sizeof text);

	if (n < 0 && errno == EPIPE)
		return "the processes that keep prof's rights were killed, and prof itself has no right to create the file";
	if (n < 2)
		return strerror(n < 0 ? errno : EIO);
	text[sizeof text - 1] = 0;
	file->again = *text == '?';
	if (*text == '!' || file->again) {
		memcpy(words->text, text + 1, sizeof words->text);
		return words->text;
	}
	if (number == DONE && o->fresh && strcmp(o->path, text + 1))
		snprintf(o->fresh->path, sizeof o->fresh->path, "%.*s", (int)sizeof o->fresh->path - 1, text + 1);
	return NULL;
}

static const char *
open_there(const struct output *o, struct output_file *file, int *fd, struct place_words *words)
{
	return ask_for(OPEN, o, file, fd, words);   /* the keeper has its own copy of FILE */
}

static const char *
done_there(const struct output *o, struct output_file *file, bool well, struct place_words *words)
{
	return ask_for(well ? DONE : FAILED, o, file, NULL, words);
}

int
rights_ask(const char *words, int with)
{
	int fd;

	keeper_ask(OWN, words, with, &fd, NULL, 0);
	return fd;
}

static const struct output_door there = { open_there, done_there };

/* Whether prof writes to this inherited descriptor: it keeps these only. */
static bool
is_outputs(void *ctx, int fd)
{
	const struct plan *p = ctx;
	bool is = p->stats.path && place_fd(p->stats.path) == fd;

	for (unsigned i = 0; i < p->noutput; i++)
		is |= place_fd(p->output[i].path) == fd;
	return is;
}

/* What others wrote is read without rights, or not at all. */
static bool
no_sandbox(const char *why, const char *mend)
{
	error("prof cannot enter its sandbox, in which it reads the files of other processes: %s", why);
	if (*mend)
		error("%s", mend);
	if (!sandbox_lent())
		error("--no-sandbox makes prof read them without a sandbox, with all of its rights");
	return false;
}

bool
rights_give_up(struct rights *r, struct session *s, struct plan *p)
{
	char words[128];
	const char *why;
	unsigned layers;

	r->plan = p;
	if (!session_keep(s, &(struct keeper_also){ serve, over, r }))
		return no_sandbox(errno == EMFILE ? "the limit of file descriptors is too low to start the process that keeps prof's rights"
		                                  : strerror(errno),
		                  errno == EMFILE ? "sudo prlimit --pid $$ --nofile=1024   (then prof again)" : "");
	p->stats.door = &there;
	for (unsigned i = 0; i < p->noutput; i++)
		p->output[i].door = &there;
	sandbox_close(is_outputs, p);
	if ((why = sandbox_lacks(layers = sandbox_enter(LAYERS_ALL))))
		return no_sandbox(why, "");
	verbose("sandbox: %s", sandbox_words(layers, words, sizeof words));
	return true;
}

void
rights_end(void)
{
	int last;
	unsigned n = sandbox_refused(&last);

	keeper_end();
	if (n)
		verbose("the sandbox refused %u system calls; the last one had the number %d", n, last);
}
