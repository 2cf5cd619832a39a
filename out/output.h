/* One file to write: checked before anything starts, written beside its name and renamed, so that a reader never sees
 * half of it.  A symlink, FIFO, device or descriptor is written through. */
#ifndef OUT_OUTPUT_H
#define OUT_OUTPUT_H

#include "out/format/format.h"

struct output {
	const char *path;          /* "-" is stdout */
	const struct format *format;
	uint64_t size;             /* bytes written, once written */
};

/* What is wrong with writing there (directory missing, not writable), in words, or NULL.  Creates nothing. */
const char *output_check(const struct output *);
/* Writes it; NULL if all is well, else what went wrong, in words (with the system's). */
const char *output_write(struct output *, const struct profile *);
/* The same for any other text: WRITE gets CTX; *SIZE (or NULL) becomes the bytes written. */
const char *output_stream(const char *path, void (*write)(struct sink *, const void *ctx), const void *ctx,
                          uint64_t *size);
/* A default name that exists not yet: STEM.SUFFIX, STEM.2.SUFFIX, … in BUF.  Where it exists once it is to be written, BUF
 * becomes the next one: all three stay where they are. */
const char *output_fresh(char *buf, size_t n, const char *stem, const char *suffix);
/* That happened elsewhere. */
void output_renamed(const char *name);
/* Files of default names and in directories that others can write to are for nobody else's eyes. */
extern bool output_private;

/* Who opens a file for PATH, and puts it in its place once it is written and WELL: this process, or one that has the rights.
 * What went wrong, in words, or NULL. */
struct output_door {
	const char *(*open)(const char *path, int *fd);
	const char *(*done)(const char *path, bool well);
};
extern const struct output_door output_here, *output_door;

#endif
