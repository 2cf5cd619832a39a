/* Checks where to write a file: which names mean descriptors, whether prof can make a file there or write through one, and
 * which user it works for.  Creates nothing. */
#ifndef OUT_PLACE_H
#define OUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Room for words about what went wrong. */
struct place_words {
	char text[PATH_MAX + 128];
};

/* "DOING: what the system says of ERR". */
const char *place_complain(struct place_words *, const char *doing, int err);

/* The descriptor that PATH is a name of ("-", /dev/fd/3), or -1. */
int place_fd(const char *path);
/* PATH's directory, perhaps in DIR, which is of PATH_MAX bytes. */
const char *place_dir(const char *path, char *dir);
/* Whether others can put something into PATH's directory, or another directory in its place. */
bool place_shared(const char *path);
/* The user that prof works for, if it is not prof's own user: under sudo, the caller. */
bool place_caller(uid_t *uid, gid_t *gid);
/* Whether the file belongs to prof's user or to the caller. */
bool place_callers(const struct stat *);
/* In a directory where others can write, somebody may have put a link, FIFO or device there for prof to follow.  Says what is
 * wrong with writing through PATH, or NULL. */
const char *place_check_through(const char *path, const struct stat *);
/* Why prof cannot write there (directory missing, not writable), or NULL. */
const char *place_check(const char *path, struct place_words *);

/* A name that prof makes up: STEM.SUFFIX, STEM.2.SUFFIX and so on. */
struct fresh_name {
	char stem[64], suffix[32], path[128];
};
/* Sets PATH to the first of these names that no file has. */
void fresh_name(struct fresh_name *);

#endif
