/* A cgroup made and removed, where that is allowed. */
#include "test.h"
#include "sample/tasks/cgroup.c"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void
made_and_removed(void)
{
	struct cgroup c = { 0 };
	char text[4096], old[600];
	struct stat st;
	const char *why = cgroup_make(&c);
	pid_t pid;
	char *slash;

	if (why) {
		printf("skip %s: %s\n", test_name_, why);
		return;
	}
	if ((pid = fork()) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	CHECK(cgroup_put(&c, pid));
	CHECK(file_text(c.fd, "cgroup.procs", text, sizeof text) > 0 && atoi(text) == pid);
	CHECK(rmdir(c.path) != 0);
	/* prof removes the empty cgroups of owners that have ended, and nothing else. */
	snprintf(old, sizeof old, "%s", c.path);
	slash = strrchr(old, '/');
	snprintf(slash, sizeof old - (size_t)(slash - old), "/prof-%d-1", (int)getpid());
	CHECK(!mkdir(old, 0755));
	*slash = 0;
	remove_old(old);
	*slash = '/';
	CHECK(stat(old, &st) != 0);
	CHECK(!stat(c.path, &st));
	cgroup_remove(&c);
	CHECK(stat(c.path, &st) != 0);
	CHECK(!kill(pid, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int
main(void)
{
	RUN("cgroup", made_and_removed);
	return TEST_STATUS;
}
