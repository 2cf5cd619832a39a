#include "test.h"
#include "sample/rights/keeper_ask.c"
#include "sample/rights/keeper.c"
#include "sample/rights/keeper_serve.c"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static bool
checked(const struct ask *a, size_t n)
{
	struct ask *exact = malloc(n ? n : 1);   /* of just this size, so that a byte too many is seen */
	bool well;

	memcpy(exact, a, n);
	well = ask_check(exact, n);
	free(exact);
	return well;
}

static void
requests(void)
{
	const size_t head = offsetof(struct ask, path);
	static struct ask a = { .what = ASK_SMALL, .path = "/proc/1/stat" };

	CHECK(checked(&a, head + 13));
	CHECK(!checked(&a, 0) && !checked(&a, 1) && !checked(&a, head));
	CHECK(!checked(&a, head + 12));                         /* not ended */
	CHECK(!checked(&a, head + 14));                         /* ended twice */
	CHECK(checked(&(struct ask){ .what = ASK_HELPER }, head + 1));
	CHECK(!checked(&(struct ask){ .what = ASKS }, head + 1));
	CHECK(!checked(&(struct ask){ .what = ASK_EVENT, .pid = -2 }, head + 1));
	CHECK(!checked(&(struct ask){ .what = ASK_READ, .pid = 1, .size = READ_MOST + 1 }, head + 1));
	CHECK(!checked(&(struct ask){ .what = ASK_ASLEEP, .pid = 1, .size = READ_MOST + 1 }, head + 1));
	CHECK(checked(&(struct ask){ .what = ASK_READ, .pid = 1, .size = READ_MOST }, head + 1));
	CHECK(checked(&(struct ask){ .what = ASK_EVENT, .pid = 1, .size = UINT16_MAX }, head + 1));
	memset(a.path, 'x', sizeof a.path);
	CHECK(!checked(&a, sizeof a));
	a.path[sizeof a.path - 1] = 0;
	CHECK(checked(&a, head + sizeof a.path));
}

static bool
small(const char *path, int32_t pid, bool everyone)
{
	struct ask_proc p;

	return ask_proc(&p, path) && p.pid == pid && p.everyone == everyone;
}

static bool
mapped(const char *path)
{
	struct ask_proc p;

	return ask_mapped(&p, path) && p.pid == 12;
}

static void
paths(void)
{
	struct ask_proc p;

	CHECK(small("/proc/12/maps", 12, false) && small("/proc/12/stat", 12, true) && small("/proc/12/task", 12, true));
	CHECK(small("/proc/12/task/13/comm", 12, true) && small("/proc/12/ns/mnt", 12, false));
	CHECK(small("/proc/self/statm", 0, true) && small("/proc/sys/kernel/perf_event_paranoid", 0, true));
	CHECK(ask_proc(&p, "/proc/12/root") && p.place);
	CHECK(!ask_proc(&p, "/proc/12/environ") && !ask_proc(&p, "/proc/12/root/etc/shadow") && !ask_proc(&p, "/proc/12/"));
	CHECK(!ask_proc(&p, "/proc/12/task/13/environ") && !ask_proc(&p, "/proc/12/task/x/comm") && !ask_proc(&p, "/proc/12/cwd"));
	CHECK(!ask_proc(&p, "/proc/12/../1/maps") && !ask_proc(&p, "/proc/0/maps") && !ask_proc(&p, "/proc/99999999999/maps"));
	CHECK(!ask_proc(&p, "/proc/12") && !ask_proc(&p, "/etc/passwd") && !ask_proc(&p, "") && !ask_proc(&p, "/proc/kcore"));
	CHECK(!ask_proc(&p, "/proc/sys/kernel/perf_event_x/../core_pattern") && !ask_proc(&p, "/proc/sys/kernel/core_pattern"));
	CHECK(ask_proc(&p, "/proc/self/ns/mnt") && !ask_proc(&p, "/proc/self/mem") && !ask_proc(&p, "/proc/self/task/1/mem"));   /* the keeper's */
	CHECK(!ask_proc(&p, "/proc12/maps") && !ask_proc(&p, "/proc/12maps"));
	CHECK(mapped("/proc/12/exe") && mapped("/proc/12/map_files/1000-2f00"));
	CHECK(!mapped("/proc/12/map_files/1000-2f00/x") && !mapped("/proc/12/map_files/2f00-1000") && !mapped("/proc/12/map_files/"));
	CHECK(!mapped("/proc/12/fd/3") && !mapped("/proc/self/exe") && !mapped("/bin/true"));
	CHECK(ask_jit("/tmp/perf-12.map") && ask_jit("/home/x/jit-3.dump") && ask_jit("jit-3.dump"));
	CHECK(!ask_jit("/tmp/perf-12.dump") && !ask_jit("/tmp/perf-.map") && !ask_jit("/tmp/perf-12.map/../x") && !ask_jit("/tmp/perf-x.map"));
}

static void
contents(void)
{
	uint8_t head[18] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	head[16] = 3;
	CHECK(ask_code(head, 18) && !ask_code(head, 17));
	head[16] = 4;
	CHECK(!ask_code(head, 18));                             /* a core file, /proc/kcore */
	head[16] = 0;
	head[17] = 4;
	CHECK(!ask_code(head, 18));
	CHECK(!ask_code((const uint8_t *)"root:x:0:0:root:/root", 18));
}

/* ---- a keeper that is really there, for a capture of a process of nobody's ---- */

static pid_t target;
static struct opener opener;

static long
serve_caller(void *ctx, const struct ask *a, int *fd, char *text, size_t size)
{
	(void)ctx;
	(void)fd;
	return snprintf(text, size, "%u %s", a->number, a->path) + 1;
}

static bool
keep_nobodys(void)
{
	static const struct keeper_also also = { serve_caller, NULL };

	if (!(target = fork())) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);   /* which other ids forget */
		prctl(PR_SET_DUMPABLE, 1);
		for (;;)
			pause();
	}
	usleep(100000);
	opener.capture = (struct capture){ .target = TARGET_PROCESSES, .pid = &target, .npid = 1 };
	return keeper_start(&opener, &also);
}

static bool
denied(int fd, int err)
{
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == err;
}

static bool
given(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int
proc_file(pid_t pid, const char *name)
{
	char path[PROC_PATH_MAX];

	return file_open(AT_FDCWD, proc_path(path, pid, "%s", name), O_RDONLY);
}

static void
only_the_captures_processes(void)
{
	char byte;

	CHECK(given(proc_file(target, "maps")) && given(proc_file(target, "root")) && given(proc_file(target, "ns/mnt")));
	CHECK(denied(proc_file(1, "maps"), EPERM) && denied(proc_file(1, "root"), EPERM) && denied(proc_file(1, "mem"), EPERM));
	CHECK(given(proc_file(1, "stat")) && denied(proc_file(1, "environ"), EPERM));
	CHECK(denied(keeper_file(AT_FDCWD, "/proc/1/exe", false), EPERM));
	CHECK(keeper_read(target, (uintptr_t)&opener, &byte, 1) == 1);
	CHECK(keeper_read(getpid(), (uintptr_t)&opener, &byte, 1) == 0);
	CHECK(denied(keeper_event(0, 1, 0, 0, false), EPERM));
	CHECK(denied(keeper_event(0, -1, 0, 0, false), EPERM) && denied(keeper_event(77, target, 0, 0, false), EPERM));
}

static void
only_programs(void)
{
	char dir[] = "/tmp/prof-keeper.XXXXXX", name[64], map[64];
	int root;

	CHECK(mkdtemp(dir));
	snprintf(name, sizeof name, "%s/jit-1.dump", dir);
	snprintf(map, sizeof map, "%s/perf-1.map", dir);
	CHECK(given(keeper_file(AT_FDCWD, "/bin/true", false)));
	CHECK(denied(keeper_file(AT_FDCWD, "/etc/shadow", false), ENOEXEC));
	CHECK(!given(keeper_file(AT_FDCWD, "/proc/1/environ", false)));
	CHECK(denied(keeper_file(AT_FDCWD, "/dev/zero", false), EINVAL));
	CHECK(!symlink("/etc/shadow", name) && denied(keeper_file(AT_FDCWD, name, false), ELOOP));
	CHECK(given(open(map, O_CREAT | O_WRONLY, 0600)) && given(keeper_file(AT_FDCWD, map, true)));
	CHECK((root = proc_file(target, "root")) >= 0);
	CHECK(given(keeper_file(root, "/bin/true", false)) && denied(keeper_file(root, "/etc/shadow", false), ENOEXEC));
	CHECK(denied(file_open(root, "etc", O_RDONLY), EPERM));   /* it is no cgroup */
	close(root);
	CHECK(denied(file_open(AT_FDCWD, dir, O_PATH | O_DIRECTORY), EPERM));
	unlink(name);
	unlink(map);
	rmdir(dir);
}

static void
nonsense_is_answered(void)
{
	struct answer r;
	char noise[64];
	int fd;

	for (unsigned n = 1; n < sizeof noise; n++) {
		memset(noise, (int)n * 37, sizeof noise);
		CHECK(send(keeper.fd, noise, n, 0) == (ssize_t)n);
		CHECK(ask_get(keeper.fd, &r, sizeof r, &fd) == sizeof r.err && r.err == EINVAL && fd < 0);
	}
	CHECK(given(proc_file(target, "maps")));
}

static void
what_the_caller_keeps(void)
{
	char text[64];
	int fd;

	CHECK_U64(keeper_ask(7, "x.json", &fd, text, sizeof text), 9);
	CHECK_STR(text, "7 x.json");
	CHECK(fd < 0);
	CHECK(keeper_cpu() > 0);
}

/* Its end is an error like any. */
static void
without_it(void)
{
	shutdown(keeper.fd, SHUT_RDWR);
	CHECK(denied(proc_file(target, "maps"), EPIPE));
	CHECK(keeper_read(target, (uintptr_t)&opener, &opener, 1) == 0 && keeper_cpu() == 0);
	keeper_end();
	CHECK(!keeper_on() && waitpid(-1, NULL, WNOHANG) == 0);   /* but for the target */
}

int
main(void)
{
	RUN("keeper", requests);
	RUN("keeper", paths);
	RUN("keeper", contents);
	if (getuid()) {
		printf("skip keeper/kept: must be root\n");
		return TEST_STATUS;
	}
	if (!keep_nobodys())
		return 1;
	RUN("keeper", only_the_captures_processes);
	RUN("keeper", only_programs);
	RUN("keeper", nonsense_is_answered);
	RUN("keeper", what_the_caller_keeps);
	RUN("keeper", without_it);
	kill(target, SIGKILL);
	return TEST_STATUS;
}
