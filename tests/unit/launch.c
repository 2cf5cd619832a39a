#include "test.h"
#include "sample/tasks/launch.c"

#include <poll.h>
#include <sys/prctl.h>

#include "lib/file.h"
#include "lib/text.h"

static char dir[64] = "/tmp/prof-launch.XXXXXX";
static char path[256];

static char *
in_dir(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void
make(const char *name, const void *bytes, size_t n, mode_t mode)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	if (fd >= 0) {
		fchmod(fd, mode);
		close(fd);
	}
}

static void
script(const char *name, const char *text, mode_t mode)
{
	make(name, text, strlen(text), mode);
}

static int
check(const char *name, const char **why)
{
	char *argv[] = { (char *)(uintptr_t)name, NULL };

	*why = NULL;
	return launch_check(argv, why);
}

static void
checks(void)
{
	const char *why;

	CHECK_U64(check("true", &why), 0);
	CHECK_U64(check("/bin/sh", &why), 0);
	CHECK_U64(check("no-such-command-here", &why), 127);
	CHECK_STR(why, "no such command");
	CHECK_U64(check("", &why), 127);
	CHECK_U64(check("./no/such", &why), 127);
	CHECK_STR(why, "no such file");
	CHECK_U64(check(dir, &why), 126);
	CHECK_STR(why, "is a directory");
	CHECK_U64(check("/dev/null", &why), 126);
	script("plain", "x", 0644);
	CHECK_U64(check(in_dir("plain"), &why), 126);
	CHECK_STR(why, "no permission to execute it");
	CHECK_U64(check(in_dir("plain/x"), &why), 126);
	script("orphan", "#! /no/such/interpreter -x\n", 0755);
	CHECK_U64(check(in_dir("orphan"), &why), 127);
	CHECK(why && strstr(why, "interpreter"));
	script("good", "#!/bin/sh\nexit 3\n", 0755);
	CHECK_U64(check(in_dir("good"), &why), 0);
	script("dos", "#!/bin/sh\r\nexit 3\r\n", 0755);
	CHECK_U64(check(in_dir("dos"), &why), 127);
	script("text", "exit 4\n", 0755);
	CHECK_U64(check(in_dir("text"), &why), 0);
	script("empty", "", 0755);
	CHECK_U64(check(in_dir("empty"), &why), 0);
}

static void
searches_path(void)
{
	char *old = strdup(getenv("PATH") ? getenv("PATH") : "/bin"), value[256];
	const char *why;

	mkdir(in_dir("a"), 0755);
	mkdir(in_dir("b"), 0755);
	script("a/tool", "#!/bin/sh\n", 0644);
	snprintf(value, sizeof value, "%s/none:%s/a", dir, dir);
	setenv("PATH", value, 1);
	CHECK_U64(check("tool", &why), 126);
	CHECK_STR(why, "no permission to execute it");
	snprintf(value, sizeof value, "%s/a:%s/b", dir, dir);
	setenv("PATH", value, 1);
	script("b/tool", "#!/bin/sh\n", 0755);
	CHECK_U64(check("tool", &why), 0);   /* goes on past what is not executable */
	script("b/tool", "#!/no/such\n", 0755);
	unlink(in_dir("a/tool"));
	CHECK_U64(check("tool", &why), 127);
	CHECK(why && strstr(why, "interpreter"));
	setenv("PATH", "", 1);
	CHECK_U64(check("tool", &why), 127);
	if (!chdir(in_dir("b"))) {   /* an empty element is the current directory */
		script("b/tool", "#!/bin/sh\n", 0755);
		CHECK_U64(check("tool", &why), 0);
		CHECK(!chdir("/"));
	}
	unsetenv("PATH");
	CHECK_U64(check("sh", &why), 0);
	setenv("PATH", old, 1);
	free(old);
}

/* 64-bit little-endian with one PT_INTERP at 120. */
static void
elf_loaders(void)
{
	uint8_t elf[200] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	const char *why;

	elf[32] = 64;    /* e_phoff */
	elf[54] = 56;    /* e_phentsize */
	elf[56] = 1;     /* e_phnum */
	elf[64] = PT_INTERP;
	elf[72] = 120;   /* p_offset */
	elf[96] = 16;    /* p_filesz */
	strcpy((char *)elf + 120, "/no/such/ld.so");
	make("elf", elf, sizeof elf, 0755);
	CHECK_U64(check(in_dir("elf"), &why), 127);
	CHECK(why && strstr(why, "loader"));
	strcpy((char *)elf + 120, "/dev/null");
	CHECK(loader_there(elf, sizeof elf));
	memset(elf + 120, 'x', 80);   /* a string that does not end: the kernel may judge */
	CHECK(loader_there(elf, sizeof elf));
	for (size_t n = EI_NIDENT + 1; n < sizeof elf; n++)   /* cut off anywhere */
		CHECK(loader_there(elf, n));
	elf[54] = 0;
	elf[56] = elf[57] = 0xff;
	CHECK(loader_there(elf, sizeof elf));
}

static int
run(const char *a, const char *b, const char *c, int *err)
{
	char *argv[] = { (char *)(uintptr_t)a, (char *)(uintptr_t)b, (char *)(uintptr_t)c, NULL };
	struct launch l;
	int status = -1;

	*err = -1;
	if (!launch_fork(&l, argv))
		return -1;
	*err = launch_go(&l) ? 0 : errno;
	if (*err)
		return waitpid(l.pid, &status, WNOHANG) < 0 ? 1000 : 1001;   /* already waited for */
	waitpid(l.pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void
runs(void)
{
	int err;

	CHECK_U64(run("sh", "-c", "exit 7", &err), 7);
	CHECK_U64(err, 0);
	CHECK_U64(run("sh", "-c", "kill -9 $$", &err), 137);
	CHECK_U64(run("no-such-command-here", NULL, NULL, &err), 1000);
	CHECK_U64(err, ENOENT);
	CHECK_U64(run("/dev/null", NULL, NULL, &err), 1000);
	CHECK_U64(err, EACCES);
	script("text", "test \"$1\" = word || exit 5\nexit 4\n", 0755);
	CHECK_U64(run(in_dir("text"), "word", NULL, &err), 4);
	CHECK_U64(run(in_dir("text"), "other", NULL, &err), 5);
	make("bad", "\177ELF nothing", 12, 0755);
	CHECK_U64(run(in_dir("bad"), NULL, NULL, &err), 1000);
	CHECK_U64(err, ENOEXEC);
}

static bool
gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

static void
waits_until_let_go(void)
{
	char *touch[] = { "touch", strdup(in_dir("touched")), NULL };
	struct pollfd p = { .events = POLLIN };
	struct launch l;
	pid_t pid;

	CHECK(launch_fork(&l, touch));
	p.fd = l.failed;
	CHECK(poll(&p, 1, 50) == 0);
	CHECK(access(touch[1], F_OK));
	launch_drop(&l);
	CHECK(gone(l.pid));
	CHECK(access(touch[1], F_OK));
	launch_drop(&l);   /* twice is harmless */

	CHECK(launch_fork(&l, touch));   /* prof dies: the child ends by itself, unexecuted */
	pid = l.pid;
	close(l.go);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(access(touch[1], F_OK));
	close(l.failed);

	CHECK(launch_fork(&l, touch));   /* the child dies first: no SIGPIPE here, and no errno */
	kill(l.pid, SIGINT);
	usleep(10000);
	CHECK(launch_go(&l));
	CHECK(access(touch[1], F_OK));
	free(touch[1]);
}

/* What the command finds: descriptors, signals, group. */
static void
leaves_no_trace(void)
{
	struct sigaction sa = { 0 };
	char text[512];
	sigset_t set, old;
	int err, strange = 0, extra = open("/dev/null", O_RDONLY | O_CLOEXEC);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);   /* as a profiler would for itself */
	snprintf(text, sizeof text, "ls /proc/self/fd >%s/fds; grep -E 'SigIgn|SigBlk' /proc/self/status >%s/sig; ps -o pgid= -p $$ >%s/pgid",
	         dir, dir, dir);
	CHECK_U64(run("sh", "-c", text, &err), 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(extra);
	CHECK(file_text(AT_FDCWD, in_dir("sig"), text, sizeof text) > 0);
	CHECK(strstr(text, "SigBlk:\t0000000000000000"));
	if (!(started.ignored >> SIGPIPE & 1)) {
		const char *p = strstr(text, "SigIgn:\t");
		uint64_t ignored = UINT64_MAX;

		CHECK(p && (p += 8, text_hex(&p, &ignored)) && !(ignored >> (SIGPIPE - 1) & 1));
	}
	CHECK(file_text(AT_FDCWD, in_dir("fds"), text, sizeof text) > 0);
	for (const char *p = text; *p; p += strspn(p, "\n")) {
		uint64_t fd;

		if (!text_dec(&p, &fd))
			break;
		if (fd > 2 && (fcntl((int)fd, F_GETFD) < 0 || (fcntl((int)fd, F_GETFD) & FD_CLOEXEC)))
			strange++;
	}
	CHECK(strange <= 1);   /* one is ls's own */
	if (file_text(AT_FDCWD, in_dir("pgid"), text, sizeof text) > 0)
		CHECK_U64(atoi(text), getpgrp());
	started.ignored |= 1u << SIGHUP;   /* as under nohup */
	snprintf(text, sizeof text, "grep SigIgn /proc/self/status >%s/sig", dir);
	CHECK_U64(run("sh", "-c", text, &err), 0);
	started.ignored &= ~(1u << SIGHUP);
	if (file_text(AT_FDCWD, in_dir("sig"), text, sizeof text) > 8) {
		const char *p = text + 8;
		uint64_t ignored = 0;

		CHECK(text_hex(&p, &ignored) && (ignored & 1));
	}
}

int
main(void)
{
	char rm[128];

	if (!mkdtemp(dir))
		return 1;
	RUN("launch", checks);
	RUN("launch", searches_path);
	RUN("launch", elf_loaders);
	RUN("launch", runs);
	RUN("launch", waits_until_let_go);
	RUN("launch", leaves_no_trace);
	snprintf(rm, sizeof rm, "rm -rf %s", dir);
	return system(rm) | TEST_STATUS;
}
