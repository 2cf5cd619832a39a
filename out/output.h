/* One file to write: checked before anything starts, written beside its name and renamed, so that a reader never sees half of
 * it.  prof writes through a symlink, FIFO, device or descriptor.  A process that gives up the right to create files opens
 * regular files ahead. */
#ifndef OUT_OUTPUT_H
#define OUT_OUTPUT_H

#include "out/format/format.h"
#include "place.h"

/* A file that is being written. */
struct output_file {
	char beside[32];           /* its name until it is whole, or "" */
	int dir;                   /* the directory of that name, if there is a name */
	int fd;                    /* if AHEAD: the file */
	bool ahead;                /* it is open, and not written yet */
	int32_t pid;               /* prof's; the name holds it, and also which of prof's outputs the file is */
	unsigned nth;
	bool again;                /* the opened file is gone: prof must write it anew */
};

struct output {
	const char *path;          /* "-" is stdout */
	const struct format *format;
	uint64_t size;             /* bytes written, once written */
	struct fresh_name *fresh;  /* the name that prof made up, or NULL: if a file has that name already, it takes the next one */
	bool private;              /* under a fresh name, or where others can write, only its owner may read it */
	bool sources;              /* the file has text of other users' files: if it is private, it is so in every directory */
	const struct output_door *door;   /* NULL: output_here */
	struct output_file file;
};

/* Opens the file; then puts it in its place if writing went WELL, else removes it.  This process does so, or one that has the
 * rights.  Returns what went wrong, in words, or NULL. */
struct output_door {
	const char *(*open)(struct output *, int *fd, struct place_words *);
	const char *(*done)(struct output *, bool well, struct place_words *);
};
extern const struct output_door output_here;

/* Why prof cannot write there (directory missing, not writable), in words, or NULL. Creates nothing. */
const char *output_check(const struct output *, struct place_words *);
/* Opens the file, the NTH of several, for output_write, if it will be a regular file.  Returns what went wrong, in words, or
 * NULL. */
const char *output_ahead(struct output *, unsigned nth, struct place_words *);
/* Removes what was opened ahead, and not written. */
void output_drop(struct output *);
/* Writes it; NULL on success, else what went wrong, in words, with those of the system. */
const char *output_write(struct output *, const struct profile *, struct place_words *);
/* Writes another text in the same way: WRITE gets CTX. */
const char *output_text(struct output *, void (*write)(struct sink *, const void *ctx), const void *ctx, struct place_words *);

#endif
