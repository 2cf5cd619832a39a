/* See launch.h.  What a shell does with a command: execvp(3), execve(2) on #! lines, env(1) for 126 and 127. */
#include "launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cursor.h"
#include "lib/mem.h"

/* Signals as prof was started with, noted before main() changes any of them: a command under nohup must go on ignoring SIGHUP,
 * but it must not ignore SIGPIPE because prof does. */
static struct {
	sigset_t mask;
	uint32_t ignored;
} started;

__attribute__((constructor)) static void
note_signals(void)
{
	struct sigaction sa;

	sigprocmask(SIG_SETMASK, NULL, &started.mask);
	for (int i = 1; i < 32; i++)
		if (!sigaction(i, NULL, &sa) && sa.sa_handler == SIG_IGN)
			started.ignored |= 1u << i;
}

static void
restore_signals(void)
{
	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, started.ignored >> i & 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &started.mask, NULL);
}

/* False if the ELF file that begins with HEAD names a loader that does not exist. */
static bool
loader_there(const uint8_t *head, size_t n)
{
	struct cursor file, c, path;
	const char *loader;
	uint64_t off, size;
	uint16_t entry, count;
	unsigned word;

	if (n < EI_NIDENT)
		return true;
	file = cur_of(head, n, head[EI_DATA] == ELFDATA2MSB);
	word = head[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	c = cur_slice(&file, 24 + word, 2 * word + 10);
	off = cur_uint(&c, word);
	cur_take(&c, word + 6);   /* e_shoff, e_flags, e_ehsize */
	entry = cur_u16(&c);
	count = cur_u16(&c);
	for (unsigned i = 0; i < count && !c.bad; i++) {
		c = cur_slice(&file, off + (uint64_t)i * entry, entry);
		if (cur_u32(&c) != PT_INTERP || c.bad)
			continue;
		cur_take(&c, word == 8 ? 4 : 0);
		path = c;
		off = cur_uint(&path, word);
		cur_take(&path, 2 * word);
		size = cur_uint(&path, word);
		path = cur_slice(&file, off, size);
		loader = cur_str(&path);
		return path.bad || !access(loader, F_OK);
	}
	return true;
}

/* The errno that execve would give for PATH, as far as prof can tell without trying; TEXT: a script without a #! line. */
static int
try(const char *path, const char **why, bool *text)
{
	uint8_t head[4096 + 1];
	struct stat st;
	ssize_t n;
	char *p;
	int fd;

	*text = false;
	if (stat(path, &st)) {
		*why = errno == EACCES ? "no permission to reach it" : errno == ENOENT ? "no such file" : "prof cannot reach it";
		return errno;
	}
	*why = S_ISDIR(st.st_mode) ? "is a directory" : S_ISREG(st.st_mode) ? "no permission to execute it" : "is not a file";
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return EACCES;
	*why = NULL;
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0)
		return 0;   /* executable, but not readable: this may work */
	n = pread(fd, head, sizeof head - 1, 0);
	close(fd);
	if (n <= 0)
		return 0;
	head[n] = 0;
	if (n >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG)) {
		*why = "its ELF loader is missing (is it for another libc or another machine?)";
		return loader_there(head, (size_t)n) ? 0 : ENOENT;
	}
	*text = true;
	if (memcmp(head, "#!", 2))
		return 0;
	*text = false;
	p = (char *)head + 2;
	p += strspn(p, " \t");
	p[strcspn(p, " \t\n")] = 0;
	*why = "the interpreter that its first line names is missing";
	return *p && access(p, F_OK) ? ENOENT : 0;
}

/* Walks PATH as execvp does, but skips a directory that it may not search, as shells do.  0 and the file in PATH[PATH_MAX],
 * or an errno. */
static int
find(const char *name, char *path, const char **why, bool *text)
{
	const char *dir = getenv("PATH"), *end, *this_why;
	int err = ENOENT;

	*why = "no such command";
	if (strchr(name, '/')) {
		if (strlen(name) >= PATH_MAX) {
			*why = "the name is too long";
			return ENAMETOOLONG;
		}
		strcpy(path, name);
		return try(path, why, text);
	}
	for (dir = *name ? dir ? dir : "/usr/local/bin:/bin:/usr/bin" : ""; *name; dir = end + 1) {
		int len, this_err;

		end = strchrnul(dir, ':');
		len = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dir), dir, end > dir ? "/" : "", name);
		this_err = len < PATH_MAX ? try(path, &this_why, text) : ENOENT;
		if (!this_err)
			return 0;
		if (err != EACCES && len < PATH_MAX && !access(path, F_OK)) {   /* it exists, but prof may not execute it */
			err = this_err;
			*why = this_why;
		}
		if (!*end)
			break;
	}
	return err;
}

int
launch_check(char *const argv[], const char **why)
{
	char path[PATH_MAX];
	bool text;
	int err = find(argv[0], path, why, &text);

	return !err ? 0 : err == ENOENT ? 127 : 126;
}

bool
launch_find(const char *name, char *path)
{
	const char *why;
	bool text;

	return !find(name, path, &why, &text);
}

/* Executes PATH, or gives the errno.  The shell runs a script without a #! line (TEXT), as execvp of most C libraries has it. */
static int
execute(char *path, bool text, char *const argv[])
{
	char **shell = NULL;
	uint32_t cap = 0, n = 0;
	int err;

	execv(path, argv);
	err = errno;
	while (argv[n])
		n++;
	if (err == ENOEXEC && text && vec_room(&shell, &cap, (uint64_t)n + 2, sizeof *shell)) {
		shell[0] = argv[0];
		shell[1] = path;
		for (uint32_t i = 1; i <= n; i++)
			shell[i + 1] = argv[i];
		execv("/bin/sh", shell);
		vec_free(&shell, &cap, sizeof *shell);
	}
	return err;
}

__attribute__((noreturn)) static void
child(int go, int failed, char *const argv[])
{
	char path[PATH_MAX], byte;
	const char *why;
	bool text = false;
	ssize_t n;
	int err;

	restore_signals();
	/* The tracer is another child of prof's, and not an ancestor.  Yama lets prof's children trace this process only after this
	 * call. */
	prctl(PR_SET_PTRACER, getppid());
	/* The search ends before prof measures anything, because its system calls are prof's. */
	err = find(argv[0], path, &why, &text);
	n = write(go, "", 1);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	if (!err)
		err = execute(path, text, argv);
	if (write(failed, &err, sizeof err) < 0)
		_exit(125);
	_exit(err == ENOENT ? 127 : 126);
}

static bool
give_up(int *fd, unsigned n)
{
	int err = errno;

	while (n)
		close(fd[--n]);
	errno = err;
	return false;
}

bool
launch_fork(struct launch *l, char *const argv[])
{
	sigset_t all, own;
	int fd[4];   /* GO: a socket, because send can do without SIGPIPE; FAILED: a pipe */
	char ready;

	*l = (struct launch){ 0, -1, -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return false;
	if (pipe2(fd + 2, O_CLOEXEC))
		return give_up(fd, 2);
	sigfillset(&all);   /* prof's handlers must not run in the child */
	sigprocmask(SIG_SETMASK, &all, &own);
	l->pid = fork();
	if (!l->pid) {
		close(fd[0]);
		close(fd[2]);
		child(fd[1], fd[3], argv);
	}
	sigprocmask(SIG_SETMASK, &own, NULL);
	if (l->pid < 0)
		return give_up(fd, 4);
	close(fd[1]);
	close(fd[3]);
	while (read(fd[0], &ready, 1) < 0 && errno == EINTR)
		;
	l->go = fd[0];
	l->failed = fd[2];
	return true;
}

static void
reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void
close_ends(struct launch *l)
{
	close(l->go);
	close(l->failed);
	l->go = l->failed = -1;
}

bool
launch_go(struct launch *l)
{
	int err = 0;
	ssize_t n;

	do   /* a child that a signal has ended meanwhile is no failed exec: its status tells */
		n = send(l->go, "", 1, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	do
		n = read(l->failed, &err, sizeof err);
	while (n < 0 && errno == EINTR);
	close_ends(l);
	if (n != sizeof err)
		return true;
	reap(l->pid);
	errno = err;
	return false;
}

void
launch_drop(struct launch *l)
{
	if (l->go < 0)
		return;
	close_ends(l);
	kill(l->pid, SIGKILL);   /* it may be stopped */
	reap(l->pid);
}
