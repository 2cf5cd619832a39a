#include "test.h"
#include "sample/rights/keeper_ask.c"
#include "sample/rights/keeper.c"
#include "sample/rights/keeper_serve.c"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "sample/tasks/whose.h"
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
	CHECK(ask_jit("/tmp/perf-12.map") && ask_jit("/home/x/jit-3.dump") && ask_jit("jit-3.dump") && ask_jit("/tmp/jit-4-3.dump"));
	CHECK(!ask_jit("/tmp/perf-4-3.map") && !ask_jit("/tmp/jit-4-.dump") && !ask_jit("/tmp/jit-4-3-2.dump"));
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
	CHECK(packed_module_is("/lib/x.ko.xz", (const uint8_t *)"\3757zXZ", 6) && packed_module_is("/lib/x.ko.gz", NULL, 0));
	CHECK(!packed_module_is("/lib/x.ko.zst", (const uint8_t *)"\3757zXZ", 6) && !packed_module_is("/lib/x.ko.xz", (const uint8_t *)"\3757z", 3));
	CHECK(!packed_module_is("/root/x.xz", NULL, 0) && !packed_module_is(".ko.xz", NULL, 0) && !packed_module_is("/lib/x.ko.xz/y", NULL, 0));
}

/* ---- a keeper that is really there, for a capture of a process of nobody's ---- */

static pid_t target;
static struct opener opener;

static long
serve_caller(void *ctx, const struct ask *a, int with, int *fd, char *text, size_t size)
{
	(void)ctx;
	(void)with;
	(void)fd;
	return snprintf(text, size, "%u %s", a->number, a->path) + 1;
}

static const struct keeper_also also = { .serve = serve_caller };

/* Waits until the child has the ids and the program that it shall have: FILE in its /proc directory belongs to UID, and has the
 * number INO, unless that is 0. */
static void
wait_until(const char *file, uid_t uid, ino_t ino)
{
	char path[PROC_PATH_MAX];
	struct stat st;

	for (unsigned i = 0; i < 10000; i++, usleep(1000))
		if (!stat(proc_path(path, target, "%s", file), &st) && st.st_uid == uid && (!ino || st.st_ino == ino))
			return;
}

static bool
keep_nobodys(void)
{
	if (!(target = fork())) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);   /* which other ids forget */
		prctl(PR_SET_DUMPABLE, 1);
		for (;;)
			pause();
	}
	wait_until("maps", 65534, 0);
	opener.capture = (struct capture){ .target = TARGET_PROCESSES, .pid = &target, .npid = 1 };
	return keeper_start(&opener, NULL, &also);
}

/* A container: root's process in a pid and a mount namespace of its own, with a root directory of its own. */
static bool
keep_containers(const char *root)
{
	struct stat st;

	if (!(target = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0))) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(root) || chdir("/"))
			_exit(1);
		for (;;)
			pause();
	}
	wait_until("root", 0, !stat(root, &st) ? st.st_ino : 0);
	return keeper_start(&opener, NULL, &also);
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

/* An asker that an attacker has taken over can name places only by the descriptors that it got. */
static void
only_roots_that_were_given(void)
{
	int root = proc_file(target, "root"), other = open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);

	CHECK(root >= 0 && other >= 0);
	CHECK(given(keeper_file(root, "/bin/true", false)) && denied(keeper_file(other, "/bin/true", false), EPERM));
	close(root);
	close(other);
}

/* A message with more than one descriptor, or without room for it, costs the keeper no descriptor. */
static void
descriptors_are_counted(void)
{
	union { char room[CMSG_SPACE(2 * sizeof(int))]; struct cmsghdr head; } control = {
		.head = { .cmsg_len = CMSG_LEN(2 * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	static struct ask a = { .what = ASK_SMALL, .path = "/proc/1/stat" };
	struct iovec piece = { &a, offsetof(struct ask, path) + 13 };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(2 * sizeof(int)) };
	struct rlimit l, few;
	struct answer r;
	int fd;

	memcpy(CMSG_DATA(&control.head), (int[2]){ 0, 1 }, 2 * sizeof(int));
	for (unsigned i = 0; i < 3000; i++) {   /* more than it may have */
		CHECK(sendmsg(keeper.fd, &m, 0) > 0);
		CHECK(ask_get(keeper.fd, &r, sizeof r, &fd) >= (ssize_t)sizeof r.err && r.err == EMFILE && fd < 0);
	}
	CHECK(given(proc_file(1, "stat")));
	CHECK(!getrlimit(RLIMIT_NOFILE, &l));
	few = (struct rlimit){ 0, l.rlim_max };
	CHECK(!setrlimit(RLIMIT_NOFILE, &few) && denied(proc_file(1, "stat"), EMFILE));
	CHECK(!setrlimit(RLIMIT_NOFILE, &l) && given(proc_file(1, "stat")));
}

/* There are at most as many helpers as a capture can use. */
static void
helpers_are_counted(void)
{
	static int fd[HELPERS_MOST + 1];
	unsigned n = 0;

	while (n < HELPERS_MOST && (fd[n] = keeper_helper()) >= 0)
		n++;
	CHECK_U64(n, HELPERS_MOST);
	CHECK(denied(keeper_helper(), EAGAIN));
	while (n)
		close(fd[--n]);
	for (unsigned i = 0; i < 100 && (fd[0] = keeper_helper()) < 0; i++)
		usleep(20000);
	CHECK(given(fd[0]));
}

/* Packed modules by their links, as in RHEL's weak-updates: only to packed modules, in the same directory of the same root, and
 * through one link. */
static void
links_of_modules(const char *dir, int root)
{
	static const struct { const char *name, *text; bool given; } links[] = {
		{ "lib/modules/1/weak-updates/a.ko.xz", "/lib/modules/2/extra/x.ko.xz", true },
		{ "lib/modules/1/weak-updates/b.ko.xz", "../../2/extra/./x.ko.xz", true },
		{ "lib/modules/1/weak-updates/c.ko.xz", "../../../../secret.ko.xz", false },
		{ "lib/modules/1/weak-updates/d.ko.xz", "/secret.ko.xz", false },
		{ "lib/modules/1/weak-updates/e.ko.xz", "/lib/modules/2/extra/secret", false },
		{ "lib/modules/1/weak-updates/f.ko.xz", "a.ko.xz", false },
		{ "lib/modules/1/weak-updates/g.ko.xz", "/lib/modules/../../secret.ko.xz", false },
		{ "lib/modules/1/weak-updates/h.ko.xz", "/lib/modules/2/extra/none.ko.xz", false },
		{ "h.ko.xz", "/lib/modules/2/extra/x.ko.xz", false },
	};
	char text[256], path[64];

	snprintf(text, sizeof text, "cd %s && mkdir -p lib/modules/1/weak-updates lib/modules/2/extra && printf '\\3757zXZ\\0..' >secret.ko.xz && "
	         "cp secret.ko.xz lib/modules/2/extra/x.ko.xz && cp secret.ko.xz lib/modules/2/extra/secret", dir);
	CHECK(!system(text));
	CHECK(given(keeper_file(root, "/lib/modules/2/extra/x.ko.xz", false)));
	for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
		snprintf(text, sizeof text, "%s/%s", dir, links[i].name);
		CHECK(!symlink(links[i].text, text));
		snprintf(path, sizeof path, "/%s", links[i].name);
		CHECK(given(keeper_file(root, path, false)) == links[i].given);
		CHECK(denied(keeper_file(root, path, true), ELOOP));
	}
	snprintf(text, sizeof text, "cd %s && rm -r lib *.xz", dir);
	CHECK(!system(text));
}

/* What a link's text leads to, without a look at the disk. */
static void
ways_of_links(void)
{
	static const char weak[] = "/lib/modules/1/weak-updates/x.ko.gz";
	char to[40];

	CHECK(module_link(weak, "../../2/y.ko.gz", to, sizeof to) && !strcmp(to, "/lib/modules/2/y.ko.gz"));
	CHECK(module_link(weak, "/usr/lib/modules/2//./y.ko.xz", to, sizeof to) && !strcmp(to, "/usr/lib/modules/2/y.ko.xz"));
	CHECK(module_link(weak, "../../../../../../lib/modules/y.ko.gz", to, sizeof to) && !strcmp(to, "/lib/modules/y.ko.gz"));
	CHECK(!module_link(weak, "../../../y.ko.gz", to, sizeof to) && !module_link(weak, "..", to, sizeof to));
	CHECK(!module_link(weak, "", to, sizeof to) && !module_link(weak, "/lib/modules/2/y.ko", to, sizeof to));
	CHECK(!module_link("/lib/modules/../x.ko.gz", "/lib/modules/2/y.ko.gz", to, sizeof to));
	CHECK(module_link(weak, "/lib/modules/2/345678901234567890.ko.gz", to, sizeof to) && strlen(to) == 39);
	CHECK(!module_link(weak, "/lib/modules/2/3456789012345678901.ko.gz", to, sizeof to));
}

/* Root of a container is not root of the machine: it gets no processes and no files of others. */
static void
a_container_is_all_there_is(void)
{
	char dir[] = "/tmp/prof-keeper.XXXXXX", secret[64];
	int root;
	char byte;

	CHECK(mkdtemp(dir));
	snprintf(secret, sizeof secret, "cp /bin/true %s/secret", dir);
	CHECK(!system(secret));
	snprintf(secret, sizeof secret, "%s/secret", dir);
	CHECK(keep_containers(dir));
	CHECK(given(proc_file(target, "maps")) && given(proc_file(target, "mem")));
	CHECK(keeper_read(target, (uintptr_t)&opener, &byte, 1) == 1);
	for (int32_t pid = 1; pid; pid = pid == 1 ? getpid() : pid == getpid() ? keeper.pid : 0) {
		CHECK(denied(proc_file(pid, "maps"), EPERM) && denied(proc_file(pid, "mem"), EPERM) && denied(proc_file(pid, "root"), EPERM));
		CHECK(keeper_read(pid, (uintptr_t)&opener, &byte, 1) == 0 && denied(keeper_event(0, pid, 0, 0, false), EPERM));
		CHECK(given(proc_file(pid, "stat")));
	}
	CHECK((root = proc_file(target, "root")) >= 0);
	CHECK(given(keeper_file(root, "/secret", false)));   /* its own */
	CHECK(denied(keeper_file(AT_FDCWD, secret, false), EACCES) && given(keeper_file(AT_FDCWD, "/bin/true", false)));
	links_of_modules(dir, root);
	close(root);
	keeper_end();
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	unlink(secret);
	rmdir(dir);
}

/* A pid that now belongs to another process. */
static void
a_number_is_no_process(void)
{
	pid_t pid = fork();
	int dir;

	if (!pid)
		for (;;)
			pause();
	CHECK((dir = whose_open(pid)) >= 0 && whose_alive(dir) && whose_process(dir) == pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(!whose_alive(dir) && whose_process(dir) < 0 && !whose_callers(dir));
	close(dir);
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

	CHECK_U64(keeper_ask(7, "x.json", -1, &fd, text, sizeof text), 9);
	CHECK_STR(text, "7 x.json");
	CHECK(fd < 0);
	CHECK(keeper_cpu() > 0);
}

/* If somebody kills a keeper, another one takes its place, and a new one waits. */
static void
killed(void)
{
	for (unsigned i = 1; i <= 3; i++) {
		kill(keeper.pid, SIGKILL);
		CHECK(given(proc_file(target, "maps")));
		CHECK(keeper_lost() == i && keeper_cpu() > 0 && keeper.spare_fd >= 0 && !keeper_gone());
	}
}

/* prof gives a keeper up that does not answer: this question fails, and the next one goes to another keeper. */
static void
left_alone(void)
{
	pid_t pid = keeper.pid;

	answer_patience(200000000, 20000000);
	kill(pid, SIGSTOP);
	CHECK(denied(proc_file(target, "maps"), ETIMEDOUT));
	CHECK(keeper.pid != pid && keeper.left == 1 && keeper_lost() == 3);
	CHECK(given(proc_file(target, "maps")));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	answer_patience(UINT64_C(3000000000), 50000000);
}

/* If all keepers have ended, that is an error like others. */
static void
without_it(void)
{
	unsigned n = 0;

	do
		shutdown(keeper.fd, SHUT_RDWR);
	while (keeper_cpu() && ++n < 100);
	CHECK(n >= 1 && n <= KEEPERS_MOST && keeper_gone());
	CHECK(denied(proc_file(target, "maps"), EPIPE));
	CHECK(keeper_read(target, (uintptr_t)&opener, &opener, 1) == 0 && keeper_cpu() == 0);
	keeper_end();
	CHECK(!keeper.on && waitpid(-1, NULL, WNOHANG) == 0);   /* except for the target */
}

int
main(void)
{
	RUN("keeper", requests);
	RUN("keeper", paths);
	RUN("keeper", contents);
	RUN("keeper", ways_of_links);
	if (getuid()) {
		printf("skip keeper/kept: must be root\n");
		return TEST_STATUS;
	}
	if (!keep_nobodys())
		return 1;
	RUN("keeper", only_the_captures_processes);
	RUN("keeper", only_programs);
	RUN("keeper", only_roots_that_were_given);
	RUN("keeper", descriptors_are_counted);
	RUN("keeper", helpers_are_counted);
	RUN("keeper", nonsense_is_answered);
	RUN("keeper", what_the_caller_keeps);
	RUN("keeper", killed);
	RUN("keeper", left_alone);
	RUN("keeper", without_it);
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	RUN("keeper", a_container_is_all_there_is);
	RUN("keeper", a_number_is_no_process);
	return TEST_STATUS;
}
