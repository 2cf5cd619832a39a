/* Lines of /proc/PID/cgroup and mountinfo, of both versions. */
#include "test.h"
#include "sample/tasks/cgroup_dir.c"

static const char *
own(const char *text, bool *unified)
{
	static char buf[512];

	snprintf(buf, sizeof buf, "%s", text);
	return path_in(buf, CGROUP_EVENTS, unified);
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
	CHECK_STR(own("4:cpu,perf_event_x:/x\n3:x,perf_event,cpu:/y\n", &unified), "/y");
	CHECK(!unified);
	CHECK(own("3:cpu:/x\n", &unified) == NULL);
	CHECK(own("", &unified) == NULL);
	CHECK(own("nonsense\n::\n:\n\n", &unified) != NULL);
}

static const char *
shown(const char *line, const char *path, bool unified)
{
	static char dir[64];

	return shows(line, path, CGROUP_EVENTS, unified, dir, sizeof dir) ? dir : "no";
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
	CHECK_STR(shown("41 31 0:38 /../.. /host/cg rw - cgroup2 cgroup2 rw", "/../../docker/y", true), "/host/cg/docker/y");
	CHECK_STR(shown(two, "/../y", true), "no");
	CHECK_STR(shown("40 31 0:37 / /cg/cpu,perf_event rw - cgroup cgroup rw,cpu,perf_event", "/y", false), "/cg/cpu,perf_event/y");
	CHECK_STR(shown("1 2 3", "/", true), "no");
	CHECK_STR(shown("", "/", true), "no");
	CHECK_STR(shown(two, "/a/very/long/path/that/does/not/fit/into/the/room/that/there/is/for/it", true), "no");
}

int
main(void)
{
	RUN("cgroup_dir", hierarchies);
	RUN("cgroup_dir", mounts);
	return TEST_STATUS;
}
