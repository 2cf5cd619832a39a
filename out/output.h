/* One file to write: checked before anything starts, written beside its name and renamed, so that a reader never sees
 * half of it.  A symlink, FIFO, device or descriptor is written through. */
#ifndef OUT_OUTPUT_H
#define OUT_OUTPUT_H

#include "format.h"

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
/* A default name that exists not yet: STEM.SUFFIX, STEM.2.SUFFIX, … in BUF. */
const char *output_fresh(char *buf, size_t n, const char *stem, const char *suffix);

#endif
