/* Files of others: mapped so that one that shrinks under us reads as zeros, and text read line by line. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file's bytes.  Where the file is cut short after mapping, what is gone reads as zeros. */
struct filemap {
	const uint8_t *data;
	size_t size;
	int fd;     /* of a large file, to read a page by, where each that is looked at brings its neighbours along; else 0 */
	bool cut;   /* it happened */
};

/* Maps FD, which stays the caller's to close.  NULL if all is well, else what is wrong, in words.
 * Stays registered by address: do not move the struct while it is open. */
const char *filemap_open(struct filemap *, int fd);
void filemap_close(struct filemap *);
/* Gives back the pages of all maps where more than BYTES of files may be in this process's memory since the last time: they
 * come again when read. */
void filemap_trim(size_t bytes);

/* How files of /proc, /sys and cgroups are opened, as openat does: by prof itself, unless it has no right to any more. */
extern int (*file_open)(int dirfd, const char *path, int flags);

/* Reads all of PATH (below DIRFD, AT_FDCWD for none), at most CAP - 1 bytes, with a NUL behind: for small files
 * of /proc and /sys.  The length, or -1 and errno. */
long file_text(int dirfd, const char *path, char *buf, size_t cap);

/* Where /proc is for all that is read of other processes: "/proc", unless --proc-root says so. */
enum { PROC_ROOT_MAX = 160, PROC_PATH_MAX = 256 };
extern const char *proc_root;
/* "PROC/PID/NAME" into a buffer of PROC_PATH_MAX, which it returns. */
__attribute__((format(printf, 3, 4))) const char *proc_path(char *path, int32_t pid, const char *name, ...);
/* Whether it is mounted there, and knows prof. */
bool proc_there(void);
/* The text of PROC/PID/NAME, as file_text. */
long file_proc(int32_t pid, const char *name, char *buf, size_t cap);

/* Lines of a descriptor.  A line longer than the buffer is cut there and the rest of it skipped. */
struct lines {
	int fd;
	bool eof;
	uint32_t lo, hi;
	uint64_t left;   /* bytes that may still be read: no limit, unless set after lines_open */
	char buf[8192];
};

void lines_open(struct lines *, int fd);
/* The next line without its newline, NUL-terminated and alive until the next call, or NULL. */
char *lines_next(struct lines *);

/* A number at *P, which moves past it: false where there is none or it does not fit. */
bool text_hex(const char **p, uint64_t *v);
bool text_dec(const char **p, uint64_t *v);
/* The same with a fraction, times ten to the PLACES; what is finer is dropped. */
bool text_decimal(const char **p, unsigned places, uint64_t *v);

#endif
