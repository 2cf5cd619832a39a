#include "test.h"
#include "sample/rights/sandbox.c"

#include <dirent.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

static pid_t parent;

/* Things that an attacker would try from inside prof: each returns 0 if the sandbox allowed it, or an errno. */

static int
opening(void)
{
	return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) < 0 ? errno : 0;
}

static int
making(void)
{
	return syscall(SYS_openat, AT_FDCWD, "/tmp/prof-sandbox-made", O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
}

static int
connecting(void)
{
	return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int
executing(void)
{
	char *argv[] = { "/bin/true", NULL };

	return syscall(SYS_execve, argv[0], argv, argv + 1) < 0 ? errno : 0;
}

static int
tracing(void)
{
	return syscall(SYS_ptrace, PTRACE_SEIZE, parent, NULL, NULL) < 0 ? errno : 0;
}

static int
killing(void)
{
	return syscall(SYS_kill, parent, 0) < 0 ? errno : 0;
}

static int
forking(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 ? errno : 0;
}

static int
reading_memory(void)
{
	char byte;
	struct iovec own = { &byte, 1 }, its = { (void *)calls, 1 };

	return syscall(SYS_process_vm_readv, parent, &own, 1, &its, 1, 0) < 0 ? errno : 0;
}

static int
running_data(void)
{
	return syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) < 0 ? errno : 0;
}

static int
typing(void)
{
	return syscall(SYS_ioctl, 0, TIOCSTI, "x") < 0 ? errno : 0;
}

static int
signalling(void)
{
	return syscall(SYS_fcntl, 0, F_SETOWN, parent) < 0 ? errno : 0;
}

static int
regaining(void)
{
	return syscall(SYS_setresuid, 0, 0, 0) < 0 ? errno : 0;
}

static int
tracing_kernel(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 ? errno : 0;
}

static int
others_priority(void)
{
	return syscall(SYS_setpriority, 0, parent, 19) < 0 ? errno : 0;
}

/* The filter cannot see paths, so prof asks about open files by fstat. */
static int
telling_of_paths(void)
{
	struct stat st;

	return syscall(SYS_newfstatat, AT_FDCWD, "/etc/shadow", &st, AT_EMPTY_PATH) ? errno : 0;
}

static int
telling_more_of_paths(void)
{
	struct statx st;

	return syscall(SYS_statx, AT_FDCWD, "/etc/shadow", 0, STATX_ALL, &st) ? errno : 0;
}

/* What remains must go on. */
static int
remaining(void)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };
	struct timespec t = { 0, 1000 };
	struct stat st;
	char *p;
	int fd;

	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || munmap(p, 4096) || syscall(SYS_fstat, 0, &st) || sigaction(SIGUSR1, &sa, NULL))
		return errno;
	if ((fd = fcntl(0, F_DUPFD_CLOEXEC, 3)) < 0 || close(fd) || nanosleep(&t, NULL))
		return errno;
	return 0;
}

/* TRY's answer inside of those layers; -1 if they do not hold, -2 if the kernel ended the process. */
static int
inside(unsigned layers, int (*try)(void), unsigned *count, int *last)
{
	int out[2], said[3] = { -2, 0, 0 };
	pid_t pid;

	if (pipe(out))
		return -3;
	if (!(pid = fork())) {
		unsigned got = sandbox_enter(layers);

		said[0] = got == layers ? try() : -1;
		said[1] = (int)sandbox_refused(&said[2]);
		syscall(SYS_exit_group, write(out[1], said, sizeof said) < 0);   /* _exit asks the sanitizer for more */
	}
	close(out[1]);
	if (read(out[0], said, sizeof said) < 0)
		said[0] = -3;
	close(out[0]);
	waitpid(pid, NULL, 0);
	if (count)
		*count = (unsigned)said[1];
	if (last)
		*last = said[2];
	return said[0];
}

static void
nothing_else_is_let_through(void)
{
	static int (*const tries[])(void) = { opening, making, connecting, executing, tracing, killing, forking, reading_memory,
	                                      running_data, typing, signalling, regaining, tracing_kernel, others_priority, telling_of_paths };
	const unsigned harmless = 3;

	for (unsigned i = 0; i < sizeof tries / sizeof *tries; i++) {
		unsigned n;
		int last;

		CHECK(i >= harmless || inside(0, tries[i], NULL, NULL) == 0);   /* it is the sandbox that refuses */
		CHECK_U64(inside(LAYER_NO_NEW | LAYER_CALLS, tries[i], &n, &last), EPERM);
		CHECK_U64(n, 1);
		CHECK(last > 0);
	}
	unlink("/tmp/prof-sandbox-made");
	CHECK_U64(inside(LAYER_NO_NEW | LAYER_CALLS, telling_more_of_paths, NULL, NULL), ENOSYS);
}

static void
what_remains_is(void)
{
	unsigned n;

	CHECK_U64(inside(LAYER_NO_NEW | LAYER_CALLS, remaining, &n, NULL), 0);
	CHECK_U64(n, 0);
	CHECK_U64(inside(LAYERS_ALL & sandbox_try(), remaining, NULL, NULL), 0);
}

/* Each layer holds by itself. */
static void
layers_alone(void)
{
	unsigned layers = sandbox_try();
	char words[128];

	CHECK(layers & LAYER_NO_NEW);
	CHECK(layers & LAYER_CALLS);
	if (layers & LAYER_FILES) {
		CHECK_U64(inside(LAYER_NO_NEW | LAYER_FILES, opening, NULL, NULL), EACCES);
		CHECK_U64(inside(LAYER_NO_NEW | LAYER_FILES, executing, NULL, NULL), EACCES);
	}
	if (!getuid()) {
		CHECK_U64(inside(LAYER_RIGHTS, tracing_kernel, NULL, NULL), EFAULT);
		CHECK_U64(inside(LAYER_RIGHTS, tracing, NULL, NULL), EPERM);
	}
	CHECK_STR(sandbox_words(LAYERS_ALL, words, sizeof words), "no capabilities, no way to gain any, few system calls, no files");
	CHECK_STR(sandbox_words(0, words, sizeof words), "all of prof's capabilities");
}

/* A capture goes on without the layers that old kernels lack, but not without others. */
static void
what_is_required(void)
{
	CHECK(!sandbox_lacks(LAYERS_ALL) && !sandbox_lacks(LAYERS_ALL & ~(unsigned)LAYER_FILES));
	CHECK(sandbox_lacks(LAYERS_ALL & ~(unsigned)LAYER_CALLS) && strstr(sandbox_lacks(LAYERS_ALL & ~(unsigned)LAYER_CALLS), "CONFIG_SECCOMP_FILTER"));
	CHECK(sandbox_lacks(LAYERS_ALL & ~(unsigned)LAYER_RIGHTS) && sandbox_lacks(LAYERS_ALL & ~(unsigned)LAYER_NO_NEW));
	CHECK(sandbox_lacks(0));
}

static bool
keeps(void *ctx, int fd)
{
	return fd == *(const int *)ctx;
}

/* In a child descriptors 0 and 1 are not the old ones any more, and inherited ones are closed. */
static void
inherited_descriptors_go(void)
{
	int kept = 71, status;
	pid_t pid = fork();

	if (!pid) {
		struct stat st, root;
		int own = fcntl(0, F_DUPFD_CLOEXEC, 80);

		if (dup2(2, 70) < 0 || dup2(2, kept) < 0)
			_exit(1);
		sandbox_close(keeps, &kept);
		_exit(!(fcntl(70, F_GETFD) < 0 && fcntl(kept, F_GETFD) >= 0 && fcntl(own, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0 &&
		        !stat("/", &root) && !fstat(0, &st) && st.st_ino == root.st_ino && (fcntl(1, F_GETFL) & O_PATH)));
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int
our_ids(void)
{
	return getuid() == 65534 && geteuid() == 65534 && getgid() == 65534 ? 0 : 1;
}

static void
under_sudo_the_callers_ids(void)
{
	if (getuid()) {
		printf("skip sandbox/under_sudo_the_callers_ids: must be root\n");
		return;
	}
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	CHECK_U64(inside(LAYER_RIGHTS, our_ids, NULL, NULL), 0);
	setenv("SUDO_UID", "65534x", 1);
	CHECK_U64(inside(LAYER_RIGHTS, our_ids, NULL, NULL), 1);
	setenv("SUDO_UID", "4294967295", 1);
	CHECK_U64(inside(LAYER_RIGHTS, our_ids, NULL, NULL), 1);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	CHECK_U64(inside(LAYER_RIGHTS, our_ids, NULL, NULL), 1);
}

int
main(void)
{
	parent = getpid();
	RUN("sandbox", nothing_else_is_let_through);
	RUN("sandbox", what_remains_is);
	RUN("sandbox", layers_alone);
	RUN("sandbox", what_is_required);
	RUN("sandbox", inherited_descriptors_go);
	RUN("sandbox", under_sudo_the_callers_ids);
	return TEST_STATUS;
}
