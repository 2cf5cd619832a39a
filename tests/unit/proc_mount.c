/* Which /proc is prof's own. */
#include "test.h"
#include "sample/tasks/proc_mount.c"

static void
proc(void)
{
	char dir[] = "/tmp/prof-proc-XXXXXX", path[64], number[16], other[16];
	const char *why;

	CHECK(mkdtemp(dir) != NULL);
	CHECK((why = proc_mount_use(dir)) && strstr(why, "no /proc is mounted"));
	snprintf(path, sizeof path, "%s/self", dir);
	snprintf(number, sizeof number, "%d", (int)getpid());
	snprintf(other, sizeof other, "%d", (int)getpid() + 1);
	CHECK(!symlink(other, path));
	CHECK((why = proc_mount_use(dir)) && strstr(why, "another pid namespace"));
	CHECK_STR(proc_root, "/proc");
	unlink(path);
	CHECK(!symlink(number, path));
	CHECK(!proc_mount_use(dir));
	CHECK(proc_root == dir);
	CHECK(!proc_mount_adapt());
	proc_root = "/proc";
	unlink(path);
	rmdir(dir);
	CHECK(!proc_mount_adapt());
}

int
main(void)
{
	RUN("proc_mount", proc);
	return TEST_STATUS;
}
