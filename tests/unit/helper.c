/* Helpers that fail to begin leave nothing behind. */
#include "sample/events/helper_process.c"

#include <dirent.h>
#include <sys/wait.h>

#include "test.h"

static unsigned
descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* The socket of a helper that is gone. */
static int
gone(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	close(pair[1]);
	return pair[0];
}

static int
none(void)
{
	errno = EAGAIN;
	return -1;
}

static void
leave_nothing(int (*helper)(void), int err)
{
	const struct opener_door door = { .helper = helper };
	struct opener o = { .door = helper ? &door : NULL, .nsample = 1, .capture = { .nevent = 1 } };
	const struct thread t = { -2, -2 };   /* there is none of that number */
	struct watches w = { 0 };
	unsigned before = descriptors();

	CHECK(!helper_open(&o, &w, &t, 1) || !err);
	if (err)
		CHECK_U64(errno, err);
	watches_close(&o, &w);
	watches_forget(&w);
	CHECK_U64(descriptors(), before);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);   /* no process either */
}

static void
one_that_cannot_be_had(void)
{
	leave_nothing(none, EAGAIN);
}

static void
one_that_is_gone(void)
{
	leave_nothing(gone, EPIPE);
}

static void
one_of_this_process(void)
{
	leave_nothing(NULL, 0);
}

int
main(void)
{
	RUN("helper", one_that_cannot_be_had);
	RUN("helper", one_that_is_gone);
	RUN("helper", one_of_this_process);
	return TEST_STATUS;
}
