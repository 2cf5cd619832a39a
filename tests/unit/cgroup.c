/* link: lib/mem.c lib/cursor.c lib/file.c lib/index.c sample/target.c */
/* Where prof's own cgroup is, by what /proc says; and one made and removed, where that is allowed. */
#include "test.h"
#include "sample/cgroup.c"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *
own(const char *text, bool *unified)
{
	static char buf[512];

	snprintf(buf, sizeof buf, "%s", text);
	return own_path(buf, unified);
}

static void
hierarchies(void)
{
	bool unified = false;

	CHECK_STR(own("0::/user.slice/a.scope\n", &unified), "/user.slice/a.scope");
	CHECK(unified);
	CHECK_STR(own("3:cpu,cpuacct:/x\n2:perf_event:/y\n1:name=systemd:/z\n0::/w\n", &unified), "/y");
	CHECK(!unified);
	CHECK_STR(own("3:cpu:/x\n0::/\n", &unified), "/");
	CHECK(unified);
	CHECK_STR(own("0::/a:b", &unified), "/a:b");
	CHECK(own("3:cpu:/x\n", &unified) == NULL);
	CHECK(own("", &unified) == NULL);
	CHECK(own("nonsense\n::\n:\n\n", &unified) != NULL);
}

static const char *
shown(const char *line, const char *path, bool unified)
{
	static char dir[64];

	return shows(line, path, unified, dir, sizeof dir) ? dir : "no";
}

static void
mounts(void)
{
	const char *two = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw",
	           *part = "41 31 0:38 /docker/x /cg rw - cgroup2 cgroup2 rw",
	           *one = "40 31 0:37 / /cg/perf rw - cgroup cgroup rw,perf_event", *other = "40 31 0:37 / /cg/cpu rw - cgroup cgroup rw,cpu";

	CHECK_STR(shown(two, "/", true), "/sys/fs/cgroup/");
	CHECK_STR(shown(two, "/a/b", true), "/sys/fs/cgroup/a/b");
	CHECK_STR(shown(two, "/a", false), "no");
	CHECK_STR(shown(part, "/docker/x", true), "/cg");
	CHECK_STR(shown(part, "/docker/x/y", true), "/cg/y");
	CHECK_STR(shown(part, "/docker/xy", true), "no");
	CHECK_STR(shown(part, "/", true), "no");
	CHECK_STR(shown(one, "/y", false), "/cg/perf/y");
	CHECK_STR(shown(one, "/y", true), "no");
	CHECK_STR(shown(other, "/y", false), "no");
	CHECK_STR(shown("1 2 3", "/", true), "no");
	CHECK_STR(shown("", "/", true), "no");
	CHECK_STR(shown(two, "/a/very/long/path/that/does/not/fit/into/the/room/that/there/is/for/it", true), "no");
}

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
	/* Of owners that are no more the empty ones go, and nothing else. */
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
	RUN("cgroup", hierarchies);
	RUN("cgroup", mounts);
	RUN("cgroup", made_and_removed);
	return TEST_STATUS;
}
