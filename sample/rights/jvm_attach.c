/* See jvm_attach.h.  HotSpot's attach mechanism (attachListener_posix.cpp): a machine that finds .attach_pidN in /tmp when it gets SIGQUIT
 * opens the socket .java_pidN there; N is its pid in its own namespace, and both must be its user's.  A request is the version and four
 * words, each with a NUL behind; the answer is a number, 0 for success, and text.  Without that file a machine prints all stacks when it
 * gets SIGQUIT; other programs end.
 *
 * What asks a machine takes the user and group of that machine first, so that it can do nothing in a container or in another user's
 * directories that their owner cannot do.  It follows no link, and talks to no other process than that one. */
#include "jvm_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/lines.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/threads.h"

/* ms: until a machine is asked first and at most, if it is a command's; until it has its socket; s: for all of it; ms that prof waits. */
enum { FIRST = 500, LATER = 16000, OPENS = 5000, LOOK = 10, PATIENCE = 8, END_PATIENCE = 10000 };
enum { ASKED_MOST = 64 };     /* machines */
#ifndef SYS_close_range   /* the same on all machines */
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#define SYS_pidfd_send_signal 424
#endif

struct machine {
	int32_t pid;
	int process, root, maps;   /* descriptors */
	uint64_t own;              /* its pid in its own namespace */
	uint64_t uid, gid;
	bool listens;              /* it catches SIGQUIT */
};

/* The number behind WORD of a status file: field FIELD of the line, the last one if FIELD is -1. */
static bool
number_of(const char *status, const char *word, int field, uint64_t *v)
{
	const char *p = strstr(status, word);

	if (!p)
		return false;
	p += strlen(word);
	for (int i = 0; *p == '\t' && (field < 0 || i <= field); i++)
		if (p++, !text_dec(&p, v))
			return false;
	return true;
}

/* What the kernel says of it now. */
static bool
read_status(struct machine *m)
{
	char status[4096];
	const char *p;
	uint64_t caught;

	m->own = (uint64_t)m->pid;
	if (proc_text(m->pid, "status", status, sizeof status) <= 0 || !number_of(status, "\nUid:", 1, &m->uid) ||
	    !number_of(status, "\nGid:", 1, &m->gid) || !(p = strstr(status, "\nSigCgt:\t")) || (p += 9, !text_hex(&p, &caught)))
		return false;
	number_of(status, "\nNSpid:", -1, &m->own);
	m->listens = caught >> (SIGQUIT - 1) & 1;
	return true;
}

static bool
is_over(int process)
{
	struct pollfd p = { .fd = process, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

static bool
has_library(int maps)
{
	struct lines l;
	char *line;
	bool has = false;

	lines_open(&l, maps);
	while (!has && (line = lines_next(&l)))
		has = strstr(line, "/libjvm.so") != NULL;
	return has;
}

/* Whether its command line forbids questions: to SIGQUIT it would answer with all its stacks. */
static bool
is_closed(int32_t pid)
{
	static const char option[] = "-XX:+DisableAttachMechanism";
	char words[16384];
	long n = proc_text(pid, "cmdline", words, sizeof words);

	return n > 0 && memmem(words, (size_t)n, option, sizeof option - 1);
}

/* Takes the machine's user and group, and keeps nothing else: a container's root has fewer rights than prof.  What is not root may be
 * nobody else. */
static bool
become(const struct machine *m)
{
	if (!geteuid() && !sandbox_become((uint32_t)m->uid, (uint32_t)m->gid))
		return false;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return geteuid() == m->uid && getegid() == m->gid && sandbox_disarm();
}

static int
tmp_of(const struct machine *m)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, m->root, "tmp", &how, sizeof how);
}

/* Connects to the socket of that name, if it is the machine's own; -1 with errno. */
static int
connect_to(const struct machine *m, int tmp, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { PATIENCE, 0 };
	struct ucred peer = { 0 };
	socklen_t n = sizeof peer;
	struct stat st;
	int there = openat(tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), s;

	if (there < 0)
		return -1;
	if (fstat(there, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != m->uid || (s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0) {
		close(there);
		errno = EPERM;
		return -1;
	}
	snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", there);
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (connect(s, (struct sockaddr *)&address, sizeof address) || getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &n) || peer.pid != m->pid) {
		close(s);
		s = -1;
		errno = ECONNREFUSED;
	}
	close(there);
	return s;
}

/* Another user may have put a file of that name there: for that one a machine does not listen, but prints all stacks. */
static bool
is_its_file(const struct machine *m, int tmp, const char *name)
{
	struct stat st;

	return !fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_uid == m->uid;
}

/* Makes the machine open its socket, and connects to it. */
static int
wake(struct machine *m, int tmp, const char *name, enum jvm_answer *answer)
{
	char asks[40];
	uint64_t end = clock_now() + OPENS * UINT64_C(1000000);
	int file, s = -1;

	*answer = JVM_DEAF;
	if (!read_status(m) || !m->listens || is_over(m->process))
		return -1;
	snprintf(asks, sizeof asks, ".attach_pid%llu", (unsigned long long)m->own);
	if ((file = openat(tmp, asks, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0 &&
	    (errno != EEXIST || !is_its_file(m, tmp, asks))) {
		*answer = JVM_NOT_YOURS;
		return -1;
	}
	*answer = JVM_SILENT;
	if (syscall(SYS_pidfd_send_signal, m->process, SIGQUIT, NULL, 0))
		*answer = errno == ESRCH ? JVM_NONE : JVM_NOT_YOURS;
	else
		while ((s = connect_to(m, tmp, name)) < 0 && clock_now() < end && !is_over(m->process))
			nanosleep(&(struct timespec){ 0, LOOK * 1000000 }, NULL);
	if (file >= 0)
		unlinkat(tmp, asks, 0);
	return s;
}

static enum jvm_answer
command(int s)
{
	static const char words[] = "1\0jcmd\0Compiler.perfmap\0\0";   /* and its own NUL */
	char text[16];
	ssize_t n;

	if (send(s, words, sizeof words, MSG_NOSIGNAL) != sizeof words || (n = recv(s, text, sizeof text, 0)) < 2)
		return JVM_SILENT;
	if (text[0] != '0' || text[1] != '\n')
		return JVM_REFUSED;
	while ((n = recv(s, text, sizeof text, 0)) > 0)   /* it writes the file before it ends the answer */
		;
	return n ? JVM_SILENT : JVM_WROTE;
}

static enum jvm_answer
ask(int32_t pid)
{
	struct machine m = { .pid = pid, .process = (int)syscall(SYS_pidfd_open, pid, 0) };
	enum jvm_answer answer;
	char name[40];
	int tmp, s;

	if (m.process < 0)
		return errno == ENOSYS ? JVM_KERNEL : JVM_NONE;
	m.root = foreign_root(pid);
	m.maps = foreign_maps(pid);
	if (m.maps < 0 || m.root < 0 || !read_status(&m) || is_over(m.process))
		return is_over(m.process) ? JVM_NONE : JVM_NOT_YOURS;
	if (!become(&m))
		return has_library(m.maps) ? JVM_NOT_YOURS : JVM_NONE;
	if (!has_library(m.maps))
		return JVM_NONE;
	if (is_closed(pid))
		return JVM_DEAF;
	if ((tmp = tmp_of(&m)) < 0)
		return errno == ENOSYS ? JVM_KERNEL : JVM_NOT_YOURS;
	snprintf(name, sizeof name, ".java_pid%llu", (unsigned long long)m.own);
	s = connect_to(&m, tmp, name);
	if (s < 0 && (s = wake(&m, tmp, name, &answer)) < 0)
		return answer;
	return command(s);
}

/* In a process of its own, which ends in any case. */
static enum jvm_answer
ask_apart(int32_t pid)
{
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGALRM, SIG_DFL);
		alarm(PATIENCE);
		_exit((int)ask(pid));
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return JVM_SILENT;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) < JVM_ANSWERS ? (enum jvm_answer)WEXITSTATUS(status) : JVM_SILENT;
}

/* Those of which a descriptor says that they live: another process may have the number of one that has ended.  Once no machine is
 * left, the answers of the time before stay. */
static void
ask_all(const int32_t *pid, const int *process, unsigned n, int32_t prof, struct jvm_answers *answers)
{
	uint64_t end = clock_now() + END_PATIENCE * UINT64_C(1000000);
	struct jvm_answers now = { { 0 } };
	struct threads all = { 0 };
	unsigned asked = 0;

	for (unsigned i = 0; i < n; i++)
		if (process[i] < 0 || !is_over(process[i]))
			threads_of(&all, pid[i]);
	threads_families(&all, prof);
	for (uint32_t i = 0; i < all.n && asked < ASKED_MOST && clock_now() < end; i++)
		if (all.thread[i].pid == all.thread[i].tid) {
			enum jvm_answer answer = ask_apart(all.thread[i].pid);

			now.n[answer]++;
			asked += answer != JVM_NONE;
		}
	if (asked)
		*answers = now;
	threads_free(&all);
}

/* prof's events and files: what they lead to must see that prof has closed them. */
static void
close_others(int socket)
{
	enum { FIRST_FD = 3, FDS_MOST = 4096 };

	if (!syscall(SYS_close_range, FIRST_FD, socket - 1, 0) && !syscall(SYS_close_range, socket + 1, INT32_MAX, 0))
		return;
	for (int fd = FIRST_FD; fd < FDS_MOST; fd++)
		if (fd != socket)
			close(fd);
}

/* At the end, and of a command also now and then, more and more seldom. */
__attribute__((noreturn)) static void
serve(int socket, const int32_t *pid, unsigned n, bool command_too, pid_t prof)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	struct jvm_answers answers = { { 0 } };
	int pause = FIRST, *process = NULL;
	uint32_t cap = 0;
	sigset_t all;
	char go;

	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != prof)
		_exit(0);
	prctl(PR_SET_NAME, "prof-attach");
	close_others(socket);
	if (!vec_room(&process, &cap, n, sizeof *process))
		_exit(1);
	for (unsigned i = 0; i < n; i++)   /* -1: the kernel cannot, or will not give so many */
		process[i] = (int)syscall(SYS_pidfd_open, pid[i], 0);
	while (poll(&p, 1, command_too ? pause : -1) == 0) {
		ask_all(pid, process, n, prof, &answers);
		pause = pause < LATER ? pause * 2 : LATER;
	}
	if (read(socket, &go, 1) == 1) {
		ask_all(pid, process, n, prof, &answers);
		if (send(socket, &answers, sizeof answers, MSG_NOSIGNAL) < 0)
			_exit(1);
	}
	_exit(0);
}

bool
jvm_attach_start(struct jvm_attach *a, const int32_t *pid, unsigned n, bool command_too)
{
	pid_t prof = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	if (!(a->pid = (int32_t)fork())) {
		close(pair[0]);
		serve(pair[1], pid, n, command_too, prof);
	}
	close(pair[1]);
	a->socket = pair[0];
	if (a->pid > 0)
		return true;
	close(pair[0]);
	a->pid = 0;
	return false;
}

bool
jvm_attach_end(struct jvm_attach *a, struct jvm_answers *answers)
{
	struct pollfd p = { .fd = a->socket, .events = POLLIN };
	uint64_t end = clock_now() + END_PATIENCE * UINT64_C(1000000), now;
	bool well = write(a->socket, "", 1) == 1;
	int ready = 0;

	while (well && !ready && (now = clock_now()) < end)
		if ((ready = poll(&p, 1, (int)((end - now) / 1000000) + 1)) < 0 && errno == EINTR)
			ready = 0;
	well = well && ready == 1 && read(a->socket, answers, sizeof *answers) == sizeof *answers;

	close(a->socket);
	a->pid = 0;
	return well;
}
