/* See rights.h.  ptrace(2), "Ptrace access mode checking": if a process is not dumpable, its /proc/PID belongs to root. */
#include "rights.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options/lent_rights.h"
#include "lib/proc.h"
#include "lib/msg.h"
#include "sample/tasks/proc_mount.h"
#include "sample/rights/keeper.h"
#include "sample/rights/keeper_ask.h"
#include "sample/rights/keeper_serve.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/target.h"

/* Numbers of ASK_CALLER. */
enum { OPEN, DONE, FAILED, OWN };

bool
rights_allow(const struct plan *p)
{
	static const char stacks[] = "see the stacks of other users";
	const char *what = !sandbox_lent() ? NULL
	                   : p->jit_names ? "use --jit-names"   /* it signals processes */
	                   : p->no_sandbox ? "use --no-sandbox"
	                   : strcmp(proc_root, "/proc") ? "use --proc-root"   /* it would show which user has which processes */
	                   : p->wakers ? stacks : NULL;

	if (what)
		lent_rights_refuse(what);
	return !what && lent_rights_allow(&p->target, p->event, p->nevent, p->count, stacks);
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

	if (why && p->target.kind == TARGET_COMMAND)   /* prof said it of the others before it looked for them */
		warn("%s", why);
	for (unsigned i = 0; !geteuid() && i < p->target.npid; i++)
		others |= !target_owner(p->target.pid[i], "", &uid) || uid;
	if (others)
		make_private(p);
}

/* The output of that name, or NULL. */
static struct output *
output_named(const struct rights *r, const char *path)
{
	for (unsigned i = 0; i < r->noutput; i++)
		if (!strcmp(r->output[i]->path, path))
			return r->output[i];
	return NULL;
}

/* In the keeper: it opens only the files that the command line names. */
static long
serve(void *ctx, const struct ask *a, int with, int *fd, char *text, size_t size)
{
	struct rights *r = ctx;
	struct output *o = output_named(r, a->path);
	struct place_words words;
	const char *why;

	if (a->number == OWN && r->serve)
		return r->serve(r->ctx, a->path, with, fd);
	if (!o || a->number > FAILED) {
		errno = EPERM;
		return -1;
	}
	if (a->number == OPEN) {
		o->file.pid = (int32_t)getppid();
		why = output_here.open(o, fd, &words);
		return snprintf(text, size, "%c%s", why ? '!' : '=', why ? why : o->file.beside) + 1;
	}
	if (!*o->file.beside) {   /* another keeper opened it */
		o->file.again = true;
		why = "the process that keeps prof's rights was killed while it wrote the file";
	} else {
		why = output_here.done(o, a->number == DONE, &words);
	}
	return snprintf(text, size, "%c%s", !why ? '=' : o->file.again ? '?' : '!', why ? why : o->path) + 1;
}

/* In the keeper: prof was killed before it had written all. */
static void
over(void *ctx)
{
	const struct rights *r = ctx;

	for (unsigned i = 0; i < r->noutput; i++)
		if (*r->output[i]->file.beside)
			unlinkat(r->output[i]->file.dir, r->output[i]->file.beside, 0);
}

static const char *
ask_for(unsigned number, struct output *o, int *fd, struct place_words *words)
{
	static const char killed[] = "the processes that keep prof's rights were killed";
	char text[sizeof *words + 1];
	long n = keeper_ask(number, o->path, -1, fd, text, sizeof text);

	if (n < 0 && errno == EPIPE) {
		if (number == OPEN)
			snprintf(words->text, sizeof words->text, "%s, and prof itself has no right to create the file", killed);
		else
			snprintf(words->text, sizeof words->text, "%s before they could rename the file; it is complete: %s in the same directory",
			         killed, o->file.beside);
		return words->text;
	}
	if (n < 2)
		return strerror(n < 0 ? errno : EIO);
	text[sizeof text - 1] = 0;
	o->file.again = *text == '?';
	if (*text == '!' || o->file.again) {
		memcpy(words->text, text + 1, sizeof words->text);
		return words->text;
	}
	if (number == OPEN)
		snprintf(o->file.beside, sizeof o->file.beside, "%.*s", (int)sizeof o->file.beside - 1, text + 1);
	if (number == DONE && o->fresh && strcmp(o->path, text + 1))
		snprintf(o->fresh->path, sizeof o->fresh->path, "%.*s", (int)sizeof o->fresh->path - 1, text + 1);
	return NULL;
}

static const char *
open_there(struct output *o, int *fd, struct place_words *words)
{
	return ask_for(OPEN, o, fd, words);   /* the keeper has its own copy of the file's state */
}

static const char *
done_there(struct output *o, bool well, struct place_words *words)
{
	return *o->file.beside ? ask_for(well ? DONE : FAILED, o, NULL, words) : NULL;
}

int
rights_ask(const char *words, int with)
{
	int fd;

	keeper_ask(OWN, words, with, &fd, NULL, 0);
	return fd;
}

static const struct output_door there = { open_there, done_there };

/* Whether prof uses this inherited descriptor: it keeps these only. */
static bool
is_used(void *ctx, int fd)
{
	const struct rights *r = ctx;
	bool is = fd == STDIN_FILENO && r->reads_stdin;

	for (unsigned i = 0; i < r->noutput; i++)
		is |= place_fd(r->output[i]->path) == fd;
	return is;
}

/* prof reads what others wrote without rights, or not at all. */
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

/* The keepers need the directories to rename the files, so these come into DIRS; false after an error message. */
static bool
open_ahead(struct rights *r, int *dirs, unsigned *ndir)
{
	struct place_words words;
	const char *why;

	for (unsigned i = 0; i < r->noutput; i++) {
		struct output *o = r->output[i];

		if ((why = output_ahead(o, i, &words))) {
			error("%s: %s", o->path, why);
			return false;
		}
		if (*o->file.beside)
			dirs[(*ndir)++] = o->file.dir;
	}
	return true;
}

/* Gives up rights, with a session, or for the processes that the opener's capture names. */
static bool
give_up(struct rights *r, struct session *s, struct opener *o, const struct modules *ms)
{
	int dirs[OUTPUTS_MAX + 1];
	struct keeper_also also = { serve, over, r, dirs, 0, r->owned, r->owner };
	char words[128];
	const char *why;
	unsigned layers;

	_Static_assert(OUTPUTS_MAX + 1 <= KEEPER_FDS, "each output has a directory");
	if (!open_ahead(r, dirs, &also.nfd))
		return false;
	if (s ? !session_keep(s, &also) : !keeper_start(o, ms, &also))
		return no_sandbox(errno == EMFILE ? "the limit of file descriptors is too low to start the process that keeps prof's rights"
		                                  : strerror(errno),
		                  errno == EMFILE ? "sudo prlimit --pid $$ --nofile=1024   (then prof again)" : "");
	for (unsigned i = 0; i < r->noutput; i++)
		r->output[i]->door = &there;
	while (also.nfd)
		close(dirs[--also.nfd]);
	sandbox_close(is_used, r);
	if ((why = sandbox_lacks(layers = sandbox_enter(LAYERS_ALL))))
		return no_sandbox(why, "");
	verbose("sandbox: %s", sandbox_words(layers, words, sizeof words));
	return true;
}

void
rights_output(struct rights *r, struct output *o)
{
	if (r->noutput < sizeof r->output / sizeof *r->output)
		r->output[r->noutput++] = o;
}

bool
rights_give_up(struct rights *r, struct session *s, struct plan *p)
{
	for (unsigned i = 0; i < p->noutput; i++)
		rights_output(r, &p->output[i]);
	if (p->stats.path)
		rights_output(r, &p->stats);
	return give_up(r, s, NULL, NULL);
}

bool
rights_give_up_for(struct rights *r, struct opener *o, const struct modules *ms)
{
	return give_up(r, NULL, o, ms);
}

void
rights_end(struct rights *r)
{
	int last;
	unsigned n = sandbox_refused(&last);

	for (unsigned i = 0; i < r->noutput; i++)
		output_drop(r->output[i]);
	keeper_end();
	if (n)
		verbose("the sandbox refused %u system calls; the last one had the number %d", n, last);
}
