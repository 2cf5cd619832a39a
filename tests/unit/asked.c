/* Files that another process reads: lib/asked_file.c, lib/asked_map.c, lib/answer.c. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/answer.c"
#include "lib/asked_file.h"
#include "lib/clock.h"
#include "lib/filemap.h"
#include "lib/lines.h"
#include "lib/work.h"

enum { SIZE = (300 << 10) + 7 };

static pid_t reader;

/* A socket to a process that answers ANSWERS questions about a file of SIZE bytes, and no more after that. */
static int
asked(unsigned answers)
{
	char name[] = "/tmp/prof-asked-XXXXXX";
	int file = mkstemp(name), pair[2];

	unlink(name);
	for (unsigned i = 0; i < SIZE; i++)
		if (write(file, &(uint8_t){ i % 251 == 250 ? '\n' : (uint8_t)('a' + i / 1000 % 26) }, 1) != 1)
			return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (!(reader = fork())) {
		close(pair[0]);
		while (answers-- && asked_file_answer(pair[1], file))
			;
		pause();
	}
	close(pair[1]);
	close(file);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	return pair[0];
}

static void
done(int fd)
{
	close(fd);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
}

static uint8_t
byte_at(unsigned i)
{
	return i % 251 == 250 ? '\n' : (uint8_t)('a' + i / 1000 % 26);
}

static void
a_map_has_the_bytes(void)
{
	int fd = asked(100);
	struct filemap m;
	unsigned same = 0;

	CHECK(asked_file(fd));
	CHECK(!filemap_open(&m, fd));
	CHECK_U64(m.size, SIZE);
	for (unsigned i = SIZE; i--;)
		same += m.data[i] == byte_at(i);
	CHECK_U64(same, SIZE);
	CHECK_U64(m.data[SIZE], 0);   /* a string ends */
	filemap_trim(0);
	asked_map_trim();
	CHECK_U64(m.data[200000], byte_at(200000));
	filemap_close(&m);
	done(fd);
}

static void
reads_and_lines(void)
{
	int fd = asked(100);
	static char buf[SIZE];
	struct lines l;
	struct stat st;
	unsigned n = 0;

	CHECK(asked_file_stat(fd, &st) && S_ISREG(st.st_mode));
	CHECK_U64(st.st_size, SIZE);
	CHECK_U64(asked_file_read(fd, buf, sizeof buf, 3), SIZE - 3);
	CHECK_U64((uint8_t)buf[SIZE - 4], byte_at(SIZE - 1));
	CHECK_U64(asked_file_read(fd, buf, 10, SIZE), 0);
	CHECK(read(fd, buf, 1) < 0);   /* and prof does not wait */
	lines_open_at(&l, fd, 251);
	while (lines_next(&l))
		n++;
	CHECK_U64(n, (SIZE - 251 + 250) / 251);
	done(fd);
}

/* One answer describes the file; the next one does not come. */
static void
what_does_not_answer_is_given_up(void)
{
	int fd = asked(2);
	uint64_t t = clock_now();
	struct work w = { 0 };
	struct filemap m;

	answer_patience(400000000, 20000000);
	work_begin(&w);
	CHECK(!filemap_open(&m, fd));
	CHECK_U64(m.data[0], byte_at(0));
	CHECK_U64(m.data[200000], 0);
	CHECK_U64(m.data[299999], 0);
	work_end();
	CHECK(w.over && strstr(w.over, "does not answer"));
	t = clock_now() - t;
	CHECK(t >= 200000000 && t < 1000000000);
	CHECK_U64(answer_missed(), 1);
	CHECK(asked_file_read(fd, &(char){ 0 }, 1, 0) < 0);   /* and prof does not ask again */
	CHECK_U64(answer_missed(), 1);
	filemap_close(&m);
	done(fd);
}

static void
on_alarm(int sig)
{
	(void)sig;
	answer_hurry();
}

static void
a_wait_can_be_ended(void)
{
	uint64_t t = clock_now();
	int pair[2];

	answer_patience(UINT64_C(20000000000), 20000000);
	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	signal(SIGALRM, on_alarm);
	alarm(1);
	CHECK(!answer_comes(pair[0]));
	t = clock_now() - t;
	CHECK(t >= 1000000000 && t < 3000000000);
	close(pair[0]);
	close(pair[1]);
}

static void
all_waits_together_end(void)
{
	uint64_t t = clock_now();
	unsigned before = missed;
	int pair[2];

	answer_patience(400000000, 10000000);
	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	while (!answer_hopeless())
		CHECK(!answer_comes(pair[0]));
	CHECK_U64(missed - before, MISSED_MOST - before);
	CHECK(clock_now() - t < 1500000000);
	close(pair[0]);
	close(pair[1]);
}

int
main(void)
{
	RUN("asked", a_map_has_the_bytes);
	RUN("asked", reads_and_lines);
	RUN("asked", what_does_not_answer_is_given_up);
	RUN("asked", a_wait_can_be_ended);
	RUN("asked", all_waits_together_end);
	return TEST_STATUS;
}
