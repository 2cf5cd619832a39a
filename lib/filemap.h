/* Maps files of others.  A file that shrinks later reads as zeros. */
#ifndef LIB_FILEMAP_H
#define LIB_FILEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asked_map.h"

/* A file's bytes.  If the file is cut short after mapping, the missing bytes read as zeros. */
struct filemap {
	const uint8_t *data;
	size_t size;
	int fd;     /* of a large file, to read single pages (a touched page of a map brings its neighbours); or of a file that
	             * another process reads; else 0 */
	bool cut;   /* it happened */
	struct asked_map asked;   /* where another process reads it; else empty */
};

/* Maps FD, which stays the caller's to close.  NULL if all is well, else what is wrong, in words.
 * Stays registered by address: do not move the struct while it is open. */
const char *filemap_open(struct filemap *, int fd);
void filemap_close(struct filemap *);
/* Gives back the pages of all maps if more than BYTES of files may have come into this process's memory since the last time:
 * pages come again when read. */
void filemap_trim(size_t bytes);
/* Gives pages back from within a signal handler; it asks the kernel only for the number of faults. */
void filemap_trim_often(void);

#endif
