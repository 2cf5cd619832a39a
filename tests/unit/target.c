#include "test.h"
#include "sample/tasks/target.c"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void
stat_lines(void)
{
	char odd[] = "77 (a) b (c) S) R 1 77 77 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9\n";
	char zombie[] = "77 (x) Z 1 77 77 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9\n";
	char headless[] = "77 (x) Z 1 77 77 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 12 0 123456 9 9\n";
	char brief[] = "77 (x) R 1 2 3", none[] = "", open_only[] = "1 (x", swapped[] = "1 )x( R 1";
	const char *comm;
	uint64_t start = 0;

	CHECK(parse_stat(odd, &comm, &start));
	CHECK_STR(comm, "a) b (c) S");
	CHECK_U64(start, 123456);
	CHECK(!parse_stat(zombie, &comm, &start));
	CHECK(parse_stat(headless, &comm, &start));
	CHECK(!parse_stat(brief, &comm, &start));
	CHECK(!parse_stat(none, &comm, &start));
	CHECK(!parse_stat(open_only, &comm, &start));
	CHECK(!parse_stat(swapped, &comm, &start));
}

static pid_t
start(const char *argv0, const char *comm)
{
	pid_t pid = fork();
	int32_t other;

	if (!pid) {
		if (comm) {
			prctl(PR_SET_NAME, comm);
			pause();
		}
		execl("/bin/sleep", argv0, "100", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < 200 && pid > 0; i++) {   /* until it is called so */
		if (target_named(comm ? comm : argv0, &other, 1))
			break;
		usleep(5000);
	}
	return pid;
}

static void
named(void)
{
	pid_t a = start("prof-test-zed", NULL), b, c;
	int32_t pid[8], leader;
	char comm[17];

	usleep(30000);   /* the start time's unit is 10 ms */
	b = start("/x/y/prof-test-zed", "prof-te) st (x");
	CHECK_U64(target_named("prof-test-zed", pid, 8), 1);
	CHECK(pid[0] == a);
	CHECK_U64(target_named("prof-te) st (x", pid, 8), 1);
	CHECK(pid[0] == b);
	CHECK_STR(target_comm(b, comm, sizeof comm), "prof-te) st (x");
	c = start("prof-test-zed", NULL);
	usleep(30000);
	CHECK_U64(target_named("prof-test-zed", pid, 8), 2);
	CHECK(pid[0] == c && pid[1] == a);
	CHECK_U64(target_named("prof-test-zed", pid, 1), 1);
	CHECK(pid[0] == c);
	CHECK(target_pid_exists(a) && target_tid_exists(a, &leader) && leader == a);
	kill(a, SIGKILL);
	waitpid(a, NULL, 0);
	CHECK(!target_pid_exists(a));
	CHECK(!target_tid_exists(a, &leader));
	CHECK_STR(target_comm(a, comm, sizeof comm), "?");
	CHECK_U64(target_named("prof-test-zed", pid, 8), 1);
	kill(b, SIGKILL);
	kill(c, SIGKILL);
	waitpid(b, NULL, 0);
	waitpid(c, NULL, 0);
	CHECK_U64(target_named("prof-test-zed", pid, 8), 0);
	CHECK_U64(target_named("", pid, 8), 0);
	CHECK(!target_pid_exists(0) && !target_pid_exists(-1));
}

int
main(void)
{
	RUN("target", stat_lines);
	RUN("target", named);
	return TEST_STATUS;
}
