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

static unsigned opened;

static int
counted(int dir, const char *path, int flags)
{
	opened++;
	return openat(dir, path, flags);
}

static void
put_text(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* Each look at a cgroup opens one file, because a process with rights opens it for prof. */
static void
one_file_says_whether_it_is_over(void)
{
	int (*before)(int, const char *, int) = file_open;
	char path[] = "/tmp/cgroup-XXXXXX";
	struct cgroup two = { 0 }, one = { 0 };

	CHECK(mkdtemp(path));
	two.fd = one.fd = open(path, O_RDONLY | O_DIRECTORY);
	two.has_events = true;
	file_open = counted;
	put_text(two.fd, "cgroup.procs", "");
	CHECK(!cgroup_over(&one));
	put_text(two.fd, "cgroup.events", "populated 1\nfrozen 0\n");
	CHECK(!cgroup_over(&two));
	put_text(two.fd, "cgroup.events", "populated 0\nfrozen 0\n");
	CHECK(!cgroup_over(&one));
	CHECK(cgroup_over(&two));
	CHECK_U64(opened, 4);
	unlinkat(two.fd, "cgroup.procs", 0);
	unlinkat(two.fd, "cgroup.events", 0);
	CHECK(cgroup_over(&one));
	CHECK(cgroup_over(&two));
	file_open = before;
	close(two.fd);
	rmdir(path);
}

int
main(void)
{
	RUN("cgroup", made_and_removed);
	RUN("cgroup", one_file_says_whether_it_is_over);
	return TEST_STATUS;
}
