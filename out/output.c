/* See output.h. */
#include "output.h"

#include "lib/codec/deflate.h"
#include "formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many names prof tries; and how often it writes a file again that somebody removes before it has its name. */
enum { NAMES_MOST = 100, TRIES_MOST = 10 };

const char *
output_check(const struct output *o, struct place_words *words)
{
	int fd = place_fd(o->path);

	if (fd >= 0 && o->format->binary && isatty(fd)) {
		snprintf(words->text, sizeof words->text, "this is a terminal, and %s's format is binary; use -o FILE", o->format->name);
		return words->text;
	}
	return place_check(o->path, words);
}

/* Under sudo a file that prof makes belongs to the user who called sudo. */
static void
give_away(int fd)
{
	uid_t uid;
	gid_t gid;

	if (place_caller(&uid, &gid) && fchown(fd, uid, gid))
		return;   /* it stays root's then */
}

/* What is to be written. */
struct job {
	struct output *output;
	void (*write)(struct sink *, const void *ctx);
	const void *ctx;
};

static const char *
write_to(const struct job *j, int fd, struct place_words *words)
{
	struct sink s;
	int err;

	sink_open(&s, fd);
	j->write(&s, j->ctx);
	sink_flush(&s);
	j->output->size = sink_total(&s);
	err = sink_close(&s);
	return err ? place_complain(words, "write", err) : NULL;
}

/* Writes to FD and closes it; a full disk may show only when it closes. */
static const char *
write_and_close(const struct job *j, int fd, struct place_words *words)
{
	const char *why = write_to(j, fd, words);

	if (close(fd) && !why)
		why = place_complain(words, "write", errno);
	return why;
}

/* Whether it is a file that prof, or the process that opened it for prof, left there when it was killed. */
static bool
is_stale(const struct output_file *f)
{
	struct stat st;

	return !fstatat(f->dir, f->beside, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int
create(const struct output_file *f, mode_t mode)
{
	return openat(f->dir, f->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

static void
forget(struct output_file *f)
{
	close(f->dir);
	*f->beside = 0;
}

/* A new file beside PATH; -1 and errno.  Its directory stays open, because somebody may rename it, or give its name to
 * another one. */
static int
open_beside(const char *path, struct output_file *f, mode_t mode)
{
	char buf[PATH_MAX];
	int fd = -1, err;

	f->dir = open(place_dir(path, buf), O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; f->dir >= 0 && i < NAMES_MOST; i++) {
		snprintf(f->beside, sizeof f->beside, ".prof-%d-%u.tmp", (int)f->pid, f->nth * NAMES_MOST + i);
		fd = create(f, mode);
		if (fd < 0 && errno == EEXIST && is_stale(f) && !unlinkat(f->dir, f->beside, 0))
			fd = create(f, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0 && f->dir >= 0) {
		err = errno;
		forget(f);
		errno = err;
	}
	return fd;
}

/* The new file gets owner and mode of the file that it replaces, as far as the system allows. */
static void
hand_on(int fd, const struct stat *old)
{
	if (geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid))
		return;
	if (fchmod(fd, old->st_mode & 0777))
		return;
}

static const char *
open_here(struct output *o, int *fd, struct place_words *words)
{
	const char *path = o->path, *why;
	bool exists, narrow = o->private && (o->fresh || o->sources || place_shared(path));
	struct stat st;

	*fd = -1;
	if (*o->file.beside)   /* what was opened before is gone */
		forget(&o->file);
	if (!(exists = !o->fresh && lstat(path, &st) == 0) && !o->fresh && errno != ENOENT)
		return place_complain(words, "open", errno);
	if (exists && !S_ISREG(st.st_mode)) {
		if ((why = place_check_through(path, &st)))
			return why;
		*fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
		if (*fd < 0 && errno == ENOENT && (*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) >= 0)
			give_away(*fd);
		return *fd < 0 ? place_complain(words, "open", errno) : NULL;
	}
	if ((*fd = open_beside(path, &o->file, narrow ? 0600 : 0666)) < 0)
		return place_complain(words, "create", errno);
	if (exists && (!place_shared(path) || place_callers(&st)))   /* another user does not decide who may read it */
		hand_on(*fd, &st);
	else
		give_away(*fd);
	return NULL;
}

/* PATH's last part. */
static const char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Gives the file its name, and never replaces or follows what has the name meanwhile, unless the file system has no second
 * names for files. */
static bool
put_fresh(struct fresh_name *fresh, const struct output_file *f)
{
	for (unsigned i = 0; i < 100; i++) {
		if (!linkat(f->dir, f->beside, f->dir, name_of(fresh->path), 0)) {
			unlinkat(f->dir, f->beside, 0);
			return true;
		}
		if (errno != EEXIST)
			return !renameat(f->dir, f->beside, f->dir, name_of(fresh->path));
		fresh_name(fresh);
	}
	return false;
}

static const char *
done_here(struct output *o, bool well, struct place_words *words)
{
	struct output_file *f = &o->file;
	const char *why = NULL;

	f->again = false;
	if (!*f->beside)
		return NULL;
	if (well && !(o->fresh ? put_fresh(o->fresh, f) : !renameat(f->dir, f->beside, f->dir, name_of(o->path)))) {
		f->again = errno == ENOENT;
		why = place_complain(words, "rename", errno);
	}
	if (!well || why)
		unlinkat(f->dir, f->beside, 0);
	forget(f);
	return why;
}

const struct output_door output_here = { open_here, done_here };

static const struct output_door *
door_of(const struct output *o)
{
	return o->door ? o->door : &output_here;
}

const char *
output_ahead(struct output *o, unsigned nth, struct place_words *words)
{
	const char *why;
	struct stat st;

	if (place_fd(o->path) >= 0 || (!o->fresh && !lstat(o->path, &st) && !S_ISREG(st.st_mode)))
		return NULL;
	o->file.pid = (int32_t)getpid();
	o->file.nth = nth;
	if (!(why = open_here(o, &o->file.fd, words)))
		o->file.ahead = true;
	return why;
}

void
output_drop(struct output *o)
{
	struct place_words words;

	if (!o->file.ahead)
		return;
	close(o->file.fd);
	o->file.ahead = false;
	door_of(o)->done(o, false, &words);
}

/* The descriptor of a file that was opened ahead and still has its name, or -1. */
static int
take_ahead(struct output_file *f)
{
	struct stat st;

	if (!f->ahead)
		return -1;
	f->ahead = false;
	if (!fstat(f->fd, &st) && st.st_nlink)
		return f->fd;
	close(f->fd);
	return -1;
}

static const char *
do_job(const struct job *j, struct place_words *words)
{
	struct output *o = j->output;
	struct place_words later;
	int fd = place_fd(o->path);
	const char *why, *late;
	unsigned tries = 0;
	struct stat st;
	bool beside;

	if (fd >= 0)
		return write_to(j, fd, words);
	fd = take_ahead(&o->file);
	o->file.pid = (int32_t)getpid();
	do {
		if (fd < 0 && (why = door_of(o)->open(o, &fd, words)))
			return why;
		beside = !fstat(fd, &st) && S_ISREG(st.st_mode);
		why = write_and_close(j, fd, words);
		fd = -1;
		o->file.again = false;
		late = door_of(o)->done(o, !why, why ? &later : words);
	} while (!why && beside && o->file.again && ++tries < TRIES_MOST);
	return why ? why : beside || !o->file.again ? late : NULL;
}

const char *
output_text(struct output *o, void (*write_text)(struct sink *, const void *), const void *ctx, struct place_words *words)
{
	const char *why = do_job(&(struct job){ o, write_text, ctx }, words);

	if (why)
		o->size = 0;
	return why;
}

struct formatted {
	const struct format *format;
	const struct profile *profile;
};

static void
write_formatted(struct sink *s, const void *ctx)
{
	const struct formatted *f = ctx;

	f->format->write(s, f->profile);
}

static void
write_packed(struct sink *s, const void *ctx)
{
	struct deflater d;
	struct sink packed;

	if (!deflate_open(&d, s, DEFLATE_GZIP)) {
		sink_fail(s, ENOMEM);
		return;
	}
	deflate_sink(&packed, &d);
	write_formatted(&packed, ctx);
	sink_fail(s, sink_close(&packed));
	deflate_close(&d);
}

const char *
output_write(struct output *o, const struct profile *p, struct place_words *words)
{
	return output_text(o, format_packed(o->path) ? write_packed : write_formatted, &(struct formatted){ o->format, p }, words);
}
