/* Files that another process reads for this one, because their file system may never answer: a process that waits for it
 * cannot even be killed.  The descriptor of such a file is a socket to that process. */
#ifndef LIB_ASKED_FILE_H
#define LIB_ASKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Bytes of one answer. */
enum { ASKED_FILE_MOST = 128 << 10 };

/* Whether FD is such a socket.  The next two do fstat and pread for FD, also if it is an ordinary file.  If no answer comes
 * in time, the work in progress is over, and each later read of the file fails. */
bool asked_file(int fd);
bool asked_file_stat(int fd, struct stat *);
ssize_t asked_file_read(int fd, void *to, size_t n, uint64_t at);

/* The other end: takes one question about FILE from SOCKET, and answers it.  False if no more questions will come. */
bool asked_file_answer(int socket, int file);

#endif
