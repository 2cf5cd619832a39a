/* See output.h. */
#include "output.h"

#include "lib/codec/deflate.h"
#include "formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
output_check(const struct output *o, struct place_words *words)
{
	int fd = place_fd(o->path);

	if (fd >= 0 && o->format->binary && isatty(fd)) {
		snprintf(words->text, sizeof words->text, "this is a terminal, and %s's format is binary", o->format->name);
		return words->text;
	}
	return place_check(o->path, words);
}

/* Under sudo a file that prof made belongs to who called. */
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

/* Writes to FD and closes it; closing may be the first to tell of a full disk. */
static const char *
write_and_close(const struct job *j, int fd, struct place_words *words)
{
	const char *why = write_to(j, fd, words);

	if (close(fd) && !why)
		why = place_complain(words, "write", errno);
	return why;
}

/* One that prof itself, or who opened it for prof, has left there when it was killed. */
static bool
is_stale(const char *temp)
{
	struct stat st;

	return !lstat(temp, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/* A new file beside PATH, its name with PID into TEMP (of PATH_MAX bytes).  -1 and errno. */
static int
open_beside(const char *path, int32_t pid, char *temp, mode_t mode)
{
	char buf[PATH_MAX];
	const char *dir = place_dir(path, buf);
	int fd = -1;

	for (unsigned i = 0; i < 100; i++) {
		int n = snprintf(temp, PATH_MAX, "%s/.prof-%d-%u.tmp", dir, (int)pid, i);

		if (n < 0 || n >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno == EEXIST && is_stale(temp) && !unlink(temp))
			fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* What is replaced hands its owner and mode on, as far as the system lets it. */
static void
hand_on(int fd, const struct stat *old)
{
	if (geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid))
		return;
	if (fchmod(fd, old->st_mode & 0777))
		return;
}

static const char *
open_here(const struct output *o, struct output_file *file, int *fd, struct place_words *words)
{
	const char *path = o->path, *why;
	bool exists, narrow = o->private && (o->fresh || o->sources || place_shared(path));
	struct stat st;

	*fd = -1;
	*file->beside = 0;
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
	if ((*fd = open_beside(path, file->pid, file->beside, narrow ? 0600 : 0666)) < 0) {
		*file->beside = 0;
		return place_complain(words, "create", errno);
	}
	if (exists && (!place_shared(path) || place_callers(&st)))   /* no other's idea of who may read it */
		hand_on(*fd, &st);
	else
		give_away(*fd);
	return NULL;
}

/* Never over or through what has the name meanwhile, unless the file system knows no other names for a file. */
static bool
put_fresh(struct fresh_name *fresh, const char *beside)
{
	for (unsigned i = 0; i < 100; i++) {
		if (!link(beside, fresh->path)) {
			unlink(beside);
			return true;
		}
		if (errno != EEXIST)
			return !rename(beside, fresh->path);
		fresh_name(fresh);
	}
	return false;
}

static const char *
done_here(const struct output *o, struct output_file *file, bool well, struct place_words *words)
{
	const char *why = NULL;

	if (*file->beside && well && !(o->fresh ? put_fresh(o->fresh, file->beside) : !rename(file->beside, o->path)))
		why = place_complain(words, "rename", errno);
	if (*file->beside && (!well || why))
		unlink(file->beside);
	*file->beside = 0;
	return why;
}

const struct output_door output_here = { open_here, done_here };

static const char *
do_job(const struct job *j, struct place_words *words)
{
	struct output *o = j->output;
	const struct output_door *door = o->door ? o->door : &output_here;
	struct place_words later;
	struct output_file file = { .pid = (int32_t)getpid() };
	int fd = place_fd(o->path);
	const char *why, *late;
	struct stat st;
	bool beside;

	if (fd >= 0)
		return write_to(j, fd, words);
	do {
		if ((why = door->open(o, &file, &fd, words)))
			return why;
		beside = !fstat(fd, &st) && S_ISREG(st.st_mode);
		why = write_and_close(j, fd, words);
		file.again = false;
		late = door->done(o, &file, !why, why ? &later : words);
	} while (!why && beside && file.again);
	return why ? why : beside || !file.again ? late : NULL;
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
