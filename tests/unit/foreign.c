#include "test.h"
#include "sample/tasks/foreign.c"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char dir[64] = "/tmp/prof-foreign.XXXXXX";
static char path[256];

static char *
in_dir(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void
make(const char *file, const void *bytes, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	if (fd >= 0)
		close(fd);
}

/* A process that has mapped FILE (or NULL) and then does PREPARE; killed by stop(). */
static struct {
	uint64_t lo, hi;
	struct stat st;
} *told;

static pid_t
start(const char *file, void (*prepare)(void))
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (!told)
		told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe2(ready, O_CLOEXEC) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fd >= 0) {
			void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

			told->lo = (uintptr_t)p;
			told->hi = told->lo + 4096;
			fstat(fd, &told->st);
			close(fd);
		}
		if (prepare)
			prepare();
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		byte = 1;
	close(ready[0]);
	if (byte) {
		waitpid(pid, NULL, 0);
		return -1;
	}
	return pid;
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct file_id
id_of(const char *name)
{
	return (struct file_id){ .path = name, .maj = major(told->st.st_dev), .min = minor(told->st.st_dev), .ino = told->st.st_ino };
}

/* Whether FD is a file of just these bytes; closes it. */
static bool
holds(int fd, const char *text)
{
	char buf[64] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text) && !memcmp(buf, text, (size_t)n);
}

static bool
refused(int fd, int err)
{
	if (fd >= 0)
		close(fd);
	else if (errno != err)
		printf("# errno %d\n", errno);
	return fd < 0 && errno == err;
}

static void
mapped(void)
{
	struct file_id id;
	pid_t pid;

	make(in_dir("lib"), "one", 3);
	pid = start(in_dir("lib"), NULL);
	id = id_of(in_dir("lib"));
	CHECK(holds(foreign_mapped(pid, told->lo, told->hi, &id, -1), "one"));
	CHECK(holds(foreign_mapped(pid, 1, 2, &id, -1), "one"));       /* not by map_files, but by its path */
	id.min ^= 1;
	CHECK(major(told->st.st_dev) ? refused(foreign_mapped(pid, 1, 2, &id, -1), ESTALE) : true);
	id.maj = 0;                                                /* another device, as overlayfs has it: fine */
	CHECK(holds(foreign_mapped(pid, 1, 2, &id, -1), "one"));
	id.ino++;
	CHECK(refused(foreign_mapped(pid, told->lo, told->hi, &id, -1), ESTALE));
	id = id_of("/no/such/file");
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), ENOENT));
	id = id_of("[anon]");
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), ENOENT));
	stop(pid);
	id = id_of(in_dir("lib"));                                 /* ended: the path is what is left */
	CHECK(holds(foreign_mapped(pid, told->lo, told->hi, &id, -1), "one"));
	id.ino = 0;                                                /* but not for a file of which prof knows nothing */
	CHECK(refused(foreign_mapped(pid, told->lo, told->hi, &id, -1), ESTALE));
}

static void
generation(void)
{
	struct file_id id;
	uint32_t gen[2] = { 0 };
	int fd;
	pid_t pid;

	make(in_dir("gen"), "gen", 3);
	pid = start(in_dir("gen"), NULL);
	id = id_of(in_dir("gen"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!syscall(SYS_ioctl, fd, FS_IOC_GETVERSION, gen) && gen[0]) {
		id.gen = gen[0];
		CHECK(holds(foreign_mapped(pid, told->lo, told->hi, &id, -1), "gen"));
		id.gen ^= 1;
		CHECK(refused(foreign_mapped(pid, told->lo, told->hi, &id, -1), ESTALE));
	} else {
		id.gen = 7;   /* a file system that gives none refuses none */
		CHECK(holds(foreign_mapped(pid, told->lo, told->hi, &id, -1), "gen"));
	}
	close(fd);
	stop(pid);
}

/* A program is rebuilt while it runs: prof never gives the new file's names to the old file's code. */
static void
replaced(void)
{
	struct file_id id;
	char fresh[256];
	pid_t pid;
	int fd;

	make(in_dir("prog"), "old", 3);
	pid = start(in_dir("prog"), NULL);
	snprintf(fresh, sizeof fresh, "%s/fresh", dir);
	make(fresh, "new", 3);
	CHECK(!rename(fresh, in_dir("prog")));
	id = id_of(in_dir("prog"));
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), ESTALE));
	fd = foreign_mapped(pid, told->lo, told->hi, &id, -1);
	CHECK(fd >= 0 ? holds(fd, "old") : errno == ESTALE);   /* map_files takes privileges */
	CHECK(!geteuid() ? fd >= 0 : true);
	unlink(path);
	fd = foreign_mapped(pid, told->lo, told->hi, &id, -1);
	CHECK(fd >= 0 ? holds(fd, "old") : errno == ENOENT);
	stop(pid);
}

static void
deleted_program(void)
{
	struct file_id id = { .path = in_dir("sleep") };
	char copy[300];
	struct stat st;
	pid_t pid;
	int fd;

	snprintf(copy, sizeof copy, "cp /bin/sleep %s/sleep", dir);
	if (system(copy) || stat(id.path, &st))
		return;
	if (!(pid = fork())) {
		execl(id.path, "sleep", "100", (char *)NULL);
		_exit(1);
	}
	usleep(50000);
	unlink(id.path);
	id.maj = major(st.st_dev);
	id.min = minor(st.st_dev);
	id.ino = st.st_ino;
	CHECK((fd = foreign_mapped(pid, 1, 2, &id, -1)) >= 0);   /* by /proc/PID/exe */
	CHECK(fd < 0 || (!fstat(fd, &st) && st.st_ino == id.ino));
	if (fd >= 0)
		close(fd);
	stop(pid);
}

static void
hostile_kinds(void)
{
	struct file_id id = { .path = in_dir("fifo"), .ino = 1 };
	struct stat st;
	pid_t pid = start(NULL, NULL);

	CHECK(!mkfifo(path, 0644));
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), EINVAL));   /* and does not hang */
	id.path = dir;
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), EISDIR));
	id.path = "/dev/null";
	CHECK(refused(foreign_mapped(pid, 1, 2, &id, -1), EINVAL));
	CHECK(!symlink("/proc/self/exe", in_dir("magic")));
	CHECK(refused(foreign_regular(open("/", O_PATH | O_CLOEXEC), path, 0, &st), ELOOP));
	stop(pid);
}

/* While somebody renames anything, the kernel may not be sure where ".." leads, and then it says so. */
static void
renamed_meanwhile(void)
{
	char here[256];
	unsigned refusals = 0;
	int root = open(dir, O_PATH | O_CLOEXEC), fd;
	pid_t pid;

	CHECK(!mkdir(in_dir("a"), 0755));
	make(in_dir("x"), "x", 1);
	snprintf(here, sizeof here, "%s", path);
	in_dir("a/x");
	if (!(pid = fork())) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!rename(here, path) && !rename(path, here))
			;
		_exit(1);
	}
	for (unsigned i = 0; i < 5000; i++)
		if ((fd = open_in(root, "a/../a/../a", O_PATH)) >= 0)
			close(fd);
		else
			refusals++;
	CHECK_U64(refusals, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(root);
}

static void
build_ids(void)
{
	struct file_id id = { .path = "/proc/self/exe", .build_id_len = 20 };
	struct filemap map;
	struct arena arena = { 0 };
	struct elf elf = { .build_id_len = 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK(!filemap_open(&map, fd) && !elf_open(&elf, cur_of(map.data, map.size, false), false, &arena));
	memcpy(id.build_id, elf.build_id, 20);
	id.build_id_len = elf.build_id_len;
	if (elf.build_id_len) {
		char own[256];
		ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
		int got, root;

		own[n > 0 ? n : 0] = 0;
		id.path = own;
		id.ino = 1;   /* the build-id is what counts */
		CHECK((got = foreign_mapped(getpid(), 1, 2, &id, -1)) >= 0);
		if (got >= 0)
			close(got);
		root = foreign_directory("/");
		CHECK((got = foreign_build(root, &id)) >= 0);
		if (got >= 0)
			close(got);
		id.build_id[3] ^= 1;
		CHECK(refused(foreign_mapped(getpid(), 1, 2, &id, -1), ESTALE));
		CHECK(refused(foreign_build(root, &id), ESTALE));
		id.build_id_len = 0;
		CHECK(refused(foreign_build(root, &id), ENOENT));   /* nothing to tell it by */
		id.build_id_len = elf.build_id_len;
		close(root);
		make(in_dir("lib"), "one", 3);
		id.path = path;
		CHECK(refused(foreign_mapped(getpid(), 1, 2, &id, -1), ESTALE));   /* no ELF file at all */
	} else
		printf("skip foreign/build_id: this test was linked without one\n");
	filemap_close(&map);
	arena_free(&arena);
	close(fd);
}

static int
perf_map(pid_t pid)
{
	int fd = -1;

	foreign_jit_files(pid, &fd, NULL);
	return fd;
}

static void
perf_maps(void)
{
	char map[64], other[80];
	pid_t pid = start(NULL, NULL);

	snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)pid);
	snprintf(other, sizeof other, "%s/real", dir);
	CHECK(refused(perf_map(pid), ENOENT));
	make(map, "1 2 f", 5);
	CHECK(holds(perf_map(pid), "1 2 f"));
	if (!geteuid()) {
		CHECK(!chown(map, 65534, 65534));
		CHECK(refused(perf_map(pid), EPERM));   /* somebody else's names on root's process */
	}
	unlink(map);
	make(other, "1 2 g", 5);
	CHECK(!symlink(other, map));
	CHECK(refused(perf_map(pid), ELOOP));
	unlink(map);
	CHECK(!mkfifo(map, 0644));
	CHECK(refused(perf_map(pid), EINVAL));
	unlink(map);
	make(map, "1 2 h", 5);
	stop(pid);
	CHECK(holds(perf_map(pid), "1 2 h"));   /* ended */
	unlink(map);
}

static void
as_nobody(void)
{
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		_exit(1);
}

static void
perf_map_of_other_user(void)
{
	char map[64];
	pid_t pid;

	if (geteuid()) {
		printf("skip foreign/other_user: needs root\n");
		return;
	}
	pid = start(NULL, as_nobody);
	snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)pid);
	make(map, "1 2 f", 5);
	CHECK(!chown(map, 65534, 65534));
	CHECK(holds(perf_map(pid), "1 2 f"));   /* of its own user */
	CHECK(!chown(map, 0, 0));
	CHECK(holds(perf_map(pid), "1 2 f"));   /* or root's */
	CHECK(!chown(map, 1, 1));
	CHECK(refused(perf_map(pid), EPERM));
	unlink(map);
	stop(pid);
}

/* In a mount and a pid namespace of its own, with another /tmp and a library that is only there. */
static void
in_namespaces(void)
{
	char inside[300];
	pid_t pid;
	int ready[2], fd;

	if (geteuid()) {
		printf("skip foreign/namespaces: needs root\n");
		return;
	}
	make(in_dir("host"), "host", 4);
	mkdir(in_dir("root"), 0755);
	if (pipe2(ready, O_CLOEXEC) || (pid = fork()) < 0)
		return;
	if (!pid) {
		if (unshare(CLONE_NEWNS | CLONE_NEWPID) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
			_exit(77);
		if (!(pid = fork())) {
			if (mount("none", in_dir("root"), "tmpfs", 0, NULL) || chroot(path) || chdir("/") || mkdir("/tmp", 0777) ||
			    symlink("/target", "/link") || symlink("../../../../target", "/climb"))
				_exit(77);
			make("/target", "inside", 6);
			make("/tmp/perf-1.map", "1 2 in", 6);   /* it is pid 1 there */
			fd = open("/target", O_RDONLY | O_CLOEXEC);
			fstat(fd, &told->st);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		if (write(ready[1], &pid, sizeof pid) != sizeof pid)
			_exit(1);
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	close(ready[1]);
	{
		unsigned char got[5] = { 0 };   /* the inner pid as the outer sees it, and the inner's byte, in either order */
		size_t n = 0;
		ssize_t more;
		pid_t inner_pid;

		while (n < sizeof got && (more = read(ready[0], got + n, sizeof got - n)) > 0)
			n += (size_t)more;
		close(ready[0]);
		if (n < sizeof got) {
			printf("skip foreign/namespaces: no namespaces here\n");
			waitpid(pid, NULL, 0);
			return;
		}
		memcpy(&inner_pid, got, sizeof inner_pid);
		if (inner_pid <= 0 || kill(inner_pid, 0))
			memcpy(&inner_pid, got + 1, sizeof inner_pid);
		snprintf(inside, sizeof inside, "%s/host", dir);
		{
			struct file_id id = { .path = "/target", .maj = major(told->st.st_dev), .min = minor(told->st.st_dev),
			                      .ino = told->st.st_ino };

			CHECK(holds(foreign_mapped(inner_pid, 1, 2, &id, -1), "inside"));
			id.path = "/link";       /* an absolute symlink stays in the target's root */
			CHECK(holds(foreign_mapped(inner_pid, 1, 2, &id, -1), "inside"));
			id.path = "/climb";
			CHECK(holds(foreign_mapped(inner_pid, 1, 2, &id, -1), "inside"));
			id.path = inside;        /* nothing of ours under a path of theirs */
			CHECK(refused(foreign_mapped(inner_pid, 1, 2, &id, -1), ENOENT));
		}
		CHECK(holds(perf_map(inner_pid), "1 2 in"));
		CHECK(!same_mounts(inner_pid));
		CHECK(same_mounts(getpid()));
		kill(inner_pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void
proc_files(void)
{
	int fd = foreign_maps(getpid());

	CHECK(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
	close(fd);
	CHECK((fd = foreign_memory(getpid())) >= 0);
	close(fd);
	if ((fd = foreign_kallsyms()) >= 0)
		close(fd);
	CHECK(refused(foreign_maps(0x7ffffff0), ENOENT));
}

int
main(void)
{
	char rm[128];

	if (!mkdtemp(dir))
		return 1;
	RUN("foreign", mapped);
	RUN("foreign", generation);
	RUN("foreign", replaced);
	RUN("foreign", deleted_program);
	RUN("foreign", hostile_kinds);
	RUN("foreign", renamed_meanwhile);
	RUN("foreign", build_ids);
	RUN("foreign", perf_maps);
	RUN("foreign", perf_map_of_other_user);
	RUN("foreign", in_namespaces);
	RUN("foreign", proc_files);
	snprintf(rm, sizeof rm, "rm -rf %s", dir);
	return system(rm) | TEST_STATUS;
}
