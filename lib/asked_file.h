/* Files that another process reads for this one, because their file system may never answer: who waits for it cannot even be
 * killed.  The descriptor of such a file is a socket to that process. */
#ifndef LIB_ASKED_FILE_H
#define LIB_ASKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Bytes of one answer. */
enum { ASKED_FILE_MOST = 128 << 10 };

/* Whether FD is such a socket.  As fstat and pread of FD, whatever it is: also a file that is there.  Where there is no answer in time, what is being worked on is
 * over, and the file reads as one that failed from then on. */
bool asked_file(int fd);
bool asked_file_stat(int fd, struct stat *);
ssize_t asked_file_read(int fd, void *to, size_t n, uint64_t at);

/* The other end: takes one question from SOCKET about FILE, and answers it.  False where there is none to come. */
bool asked_file_answer(int socket, int file);

#endif
