/* Text read line by line. */
#ifndef LIB_LINES_H
#define LIB_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* Lines of a descriptor.  A line longer than the buffer is cut there and the rest of it skipped. */
struct lines {
	int fd;
	bool eof, placed;
	uint32_t lo, hi;
	uint64_t left;   /* bytes that it may still read: no limit, unless set after lines_open */
	uint64_t at;     /* PLACED: where it reads the next ones */
	char buf[8192], head[8192];   /* HEAD: of a line that is too long */
};

void lines_open(struct lines *, int fd);
/* The lines of a file from AT on.  Another process may read the file (asked_file.h). */
void lines_open_at(struct lines *, int fd, uint64_t at);
/* The next line without its newline, NUL-terminated and alive until the next call, or NULL.  Sixteen bytes can be read, though the
 * line may be shorter. */
char *lines_next(struct lines *);

#endif
