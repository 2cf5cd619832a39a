/* See asked_file.h.  One question is under way at a time, on a SOCK_SEQPACKET.  If an answer does not come in time, prof asks
 * nothing more: it would take the late answer for the next one. */
#include "asked_file.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"
#include "work.h"

/* Asks for SIZE bytes AT an offset; if SIZE is 0, for what stat tells. */
struct question {
	uint64_t at;
	uint32_t size, zero;
};

/* Sends one message of one or two pieces if SEND, else takes one. */
static ssize_t
move(int fd, void *a, size_t na, void *b, size_t nb, bool send)
{
	struct iovec piece[2] = { { a, na }, { b, nb } };
	struct msghdr m = { .msg_iov = piece, .msg_iovlen = nb ? 2 : 1 };
	ssize_t n;

	do
		n = syscall(send ? SYS_sendmsg : SYS_recvmsg, fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n;
}

static ssize_t
ask(int fd, struct question q, void *to, size_t n)
{
	int32_t err = EIO;
	ssize_t got = -1;

	work_wait(true);
	if (!answer_hopeless() && !work_over() && move(fd, &q, sizeof q, NULL, 0, true) == sizeof q && answer_comes(fd))
		got = move(fd, &err, sizeof err, to, n, false);
	work_wait(false);
	if (got >= (ssize_t)sizeof err) {
		errno = err;
		return err ? -1 : got - (ssize_t)sizeof err;
	}
	syscall(SYS_shutdown, fd, SHUT_RDWR);
	work_stop("is on a file system that does not answer");
	errno = ETIMEDOUT;
	return -1;
}

bool
asked_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

bool
asked_file_stat(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return false;
	return !S_ISSOCK(st->st_mode) || ask(fd, (struct question){ 0 }, st, sizeof *st) == sizeof *st;
}

ssize_t
asked_file_read(int fd, void *to, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got = pread(fd, to, n, (off_t)at);

	if (got >= 0 || errno != ESPIPE)
		return got;
	for (; done < n && (got = ask(fd, (struct question){ at + done, (uint32_t)(n - done < ASKED_FILE_MOST ? n - done : ASKED_FILE_MOST), 0 },
	                             (char *)to + done, n - done)) > 0; done += (size_t)got)
		;
	return got < 0 && !done ? -1 : (ssize_t)done;
}

bool
asked_file_answer(int socket, int file)
{
	static char bytes[ASKED_FILE_MOST];
	struct question q;
	struct stat st;
	ssize_t n;
	int32_t err;

	if (move(socket, &q, sizeof q, NULL, 0, false) != sizeof q)
		return false;
	if (q.size) {
		n = pread(file, bytes, q.size < sizeof bytes ? q.size : sizeof bytes, (off_t)q.at);
	} else {
		n = fstat(file, &st) ? -1 : (ssize_t)sizeof st;
		memcpy(bytes, &st, sizeof st);
	}
	err = n < 0 ? errno : 0;
	return move(socket, &err, sizeof err, bytes, n < 0 ? 0 : (size_t)n, true) > 0;
}
