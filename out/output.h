/* One file to write: checked before anything starts, written beside its name and renamed, so that a reader never sees
 * half of it.  A symlink, FIFO, device or descriptor is written through. */
#ifndef OUT_OUTPUT_H
#define OUT_OUTPUT_H

#include "out/format/format.h"
#include "place.h"

struct output {
	const char *path;          /* "-" is stdout */
	const struct format *format;
	uint64_t size;             /* bytes written, once written */
	struct fresh_name *fresh;  /* the name that prof made up, or NULL: if a file has that name already, it takes the next one */
	bool private;              /* under a fresh name, or where others can write, only its owner may read it */
	bool sources;              /* if the file is private, that holds in each directory: it has text of other users' files */
	const struct output_door *door;   /* NULL: output_here */
};

/* A file that is being written. */
struct output_file {
	char beside[PATH_MAX];     /* its name until it is whole, or "" */
	int32_t pid;               /* prof's, which is a part of it */
	bool again;                /* who opened it is gone, another is there: it has to be written anew */
};

/* Opens the file, and puts it in its place if writing went WELL: in this process, or in one that has the rights.  Says what
 * went wrong, in words, or NULL. */
struct output_door {
	const char *(*open)(const struct output *, struct output_file *, int *fd, struct place_words *);
	const char *(*done)(const struct output *, struct output_file *, bool well, struct place_words *);
};
extern const struct output_door output_here;

/* Why prof cannot write there (directory missing, not writable), in words, or NULL. Creates nothing. */
const char *output_check(const struct output *, struct place_words *);
/* Writes it; NULL on success, else what went wrong, in words, with those of the system. */
const char *output_write(struct output *, const struct profile *, struct place_words *);
/* Writes another text in the same way: WRITE gets CTX. */
const char *output_text(struct output *, void (*write)(struct sink *, const void *ctx), const void *ctx, struct place_words *);

#endif
