/* See probe_sites.h.  Anybody may have written the file, and prof still has its rights.  So a child, the reader, gives them all up,
 * reads the file, and hands back numbers and names by a pipe.  Names in the file say where its debug files are.  The reader asks
 * another child, the opener, for these, and gets what anybody may read, if it begins as a program does: anybody may have chosen the
 * names.  They may lead to a file system (FUSE) that never answers, and nobody can kill a process that waits there.  So prof itself
 * opens none of these files, and does not wait for the end of a child. */
#include "probe_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "sample/events/event_kind.h"
#include "sample/rights/keeper_ask.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"
#include "sym/probe/location.h"

enum { SECONDS = 20 };         /* seconds that the reading of the file may take */
enum { PATIENCE_US = 900000 }; /* how long the reader waits for a debug file */

/* In the reader: where it asks for files.  -1 once an answer took too long: it may come yet. */
static int door = -1;

/* What the reader sends before the sites. */
struct findings {
	uint32_t n, left_out;
	bool thumb, go, good, gave_up, no_variable;   /* gave_up: it waited in vain for a debug file */
	char wrong[sizeof ((struct sites *)0)->wrong];
};

static bool
write_all(int fd, const void *p, size_t n)
{
	ssize_t k = 1;

	for (const uint8_t *at = p; n && k > 0; at += k, n -= (size_t)k)
		while ((k = write(fd, at, n)) < 0 && errno == EINTR)
			;
	return k > 0;
}

static bool
read_all(int fd, void *p, size_t n, uint64_t until)
{
	uint8_t *at = p;

	while (n) {
		uint64_t now = clock_now();
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t k;

		if (now >= until || poll(&ready, 1, (int)((until - now) / 1000000 + 1)) < 1) {
			if (now < until && errno == EINTR)
				continue;
			return false;
		}
		if ((k = read(fd, at, n)) <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

/* Runs in the reader: as foreign_file, but the opener opens the file. */
static int
ask_file(int root, const char *path)
{
	int32_t err = EACCES;
	int fd = -1;

	if (root < 0 && *path == '/' && door >= 0 && ask_put(door, path, strlen(path) + 1, -1) && ask_get(door, &err, sizeof err, &fd) != sizeof err) {
		door = -1;
		err = ETIMEDOUT;
	}
	errno = err;
	return fd;
}

/* Answers one question.  False: there will be no more. */
static bool
give_file(int to)
{
	char path[PATH_MAX];
	uint8_t head[32];
	struct stat st;
	ssize_t n;
	int fd, none;
	int32_t err;

	n = ask_get(to, path, sizeof path, &none);
	if (none >= 0)
		close(none);
	if (n <= 0)
		return false;
	errno = EACCES;
	fd = path[n - 1] || *path != '/' ? -1 : foreign_as(FOREIGN_NOBODY, FOREIGN_NOBODY, AT_FDCWD, path, 0, &st);
	err = fd < 0 ? errno : 0;
	if (fd >= 0 && ((n = pread(fd, head, sizeof head, 0)) < 0 || !ask_code(head, (size_t)n))) {
		close(fd);
		fd = -1;
		err = EACCES;
	}
	ask_put(to, &err, sizeof err, fd);
	if (fd >= 0)
		close(fd);
	return true;
}

/* Runs in a child: while it waits for a file system, it must hold nothing that others wait for, such as prof's output. */
static void
hold_no_output(void)
{
	int none = open("/", O_PATH | O_CLOEXEC);

	for (int i = 0; i < 3; i++)
		dup2(none, i);
}

/* Runs in the opener. */
__attribute__((noreturn)) static void
give_files(int to)
{
	hold_no_output();
	prctl(PR_SET_NAME, "prof-files");
	dup2(to, 3);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 4, ~0u, 0))
#endif
		for (int fd = 4; fd < 1024; fd++)
			close(fd);
	while (give_file(3))
		;
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* Runs in the reader. */
__attribute__((noreturn)) static void
look(const struct probe_sites *p, const struct probe_wants *w, int out)
{
	struct sites s = { .instruction = w->instruction };
	struct modules ms;
	struct module *m = NULL;
	struct findings a = { 0 };
	char here[PATH_MAX], path[2 * PATH_MAX];

	/* Debug files are looked for beside it. */
	snprintf(path, sizeof path, "%s/%s", *p->file.shown != '/' && getcwd(here, sizeof here) ? here : "", p->file.shown + strspn(p->file.shown, "/"));
	hold_no_output();
	if (sandbox_lacks(sandbox_enter(LAYERS_ALL)))
		snprintf(s.wrong, sizeof s.wrong, "prof does not read the file, because it cannot give up its rights before");
	else if (!modules_init(&ms) || !(ms.open = ask_file, m = module_file(&ms, p->file.fd, path)))
		snprintf(s.wrong, sizeof s.wrong, "out of memory");
	else
		a.good = p->probe.kind == USDT ? sites_usdt(&s, m, p->probe.provider, p->probe.place) : sites_code(&s, &ms, m, p->probe.place);
	if (a.good && w->variable)
		a.no_variable = !(a.good = sites_variable(&s, &(struct call_frame){ w->frame, &ms, m }, w->variable));
	a.n = s.n;
	a.left_out = s.left_out;
	a.thumb = s.thumb;
	a.go = s.go;
	a.gave_up = door < 0;
	memcpy(a.wrong, s.wrong, sizeof a.wrong);
	write_all(out, &a, sizeof a);
	write_all(out, s.site, s.n * sizeof *s.site);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* The file's names may hold anything, also what begins a line or moves the cursor. */
static void
make_plain(char *text, size_t size)
{
	text[size - 1] = 0;
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = '?';
}

static bool
take(struct probe_sites *p, const struct probe_wants *w, int in, uint64_t until, char *why, size_t size)
{
	struct sites *s = &p->sites;
	struct findings a;

	if (!read_all(in, &a, sizeof a, until) || a.n > SITES_MAX) {
		snprintf(why, size, "reading the file took too long, or failed");
		return false;
	}
	make_plain(a.wrong, sizeof a.wrong);
	if (!a.good || !a.n) {
		p->no_variable = a.no_variable;
		snprintf(why, size, "%s%s", a.wrong, a.gave_up ? "; its debug file is on a file system that does not answer" : "");
		return false;
	}
	*s = (struct sites){ .left_out = a.left_out, .thumb = a.thumb, .go = a.go };
	if (!vec_room(&s->site, &s->cap, a.n, sizeof *s->site) || !read_all(in, s->site, a.n * sizeof *s->site, until)) {
		snprintf(why, size, "out of memory");
		return false;
	}
	s->n = a.n;
	for (uint32_t i = 0; i < s->n; i++) {
		make_plain(s->site[i].name, sizeof s->site[i].name);
		make_plain(s->site[i].args, sizeof s->site[i].args);
	}
	if (a.gave_up && w->warn)
		w->warn("%s: its debug file is on a file system that does not answer; places that only that file names are missing", p->file.shown);
	return true;
}

/* A child of which no signal tells that it has ended. */
static pid_t
fork_apart(void)
{
	return (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
}

/* Ends a child, if it can be ended soon. */
static void
end(pid_t pid)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	kill(pid, SIGKILL);
	for (int i = 0; i < 50 && !waitpid(pid, NULL, __WALL | WNOHANG); i++)
		nanosleep(&ms, NULL);
}

static bool
ask_reader(struct probe_sites *p, const struct probe_wants *w, char *why, size_t size)
{
	uint64_t until = clock_now() + (uint64_t)SECONDS * 1000000000;
	int pipes[2], files[2];
	bool good = false;
	pid_t reader, opener;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, files)) {
		snprintf(why, size, "cannot make a socket: %s", strerror(errno));
		return false;
	}
	if (pipe(pipes)) {
		snprintf(why, size, "cannot make a pipe: %s", strerror(errno));
		close(files[0]);
		close(files[1]);
		return false;
	}
	setsockopt(files[1], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_usec = PATIENCE_US }, sizeof(struct timeval));
	if (!(opener = fork_apart()))
		give_files(files[0]);
	close(files[0]);
	if (!(reader = opener < 0 ? -1 : fork_apart())) {
		close(pipes[0]);
		door = files[1];
		look(p, w, pipes[1]);
	}
	close(pipes[1]);
	close(files[1]);
	if (reader > 0)
		good = take(p, w, pipes[0], until, why, size);
	else
		snprintf(why, size, "cannot start a process: %s", strerror(errno));
	if (reader > 0)
		end(reader);
	if (opener > 0)
		end(opener);
	close(pipes[0]);
	return good;
}

/* prof tells the kernel a function of its own by name. */
static bool
in_kernel(struct probe_sites *p, char *why, size_t size)
{
	const char *plus = strchr(p->probe.place, '+');

	p->file = (struct probe_file){ .fd = -1 };
	if (!vec_room(&p->sites.site, &p->sites.cap, 1, sizeof *p->sites.site)) {
		snprintf(why, size, "out of memory");
		return false;
	}
	p->sites.n = 1;
	snprintf(p->sites.site[0].name, SITE_NAME, "%s", p->probe.place);
	if (plus && !event_number((struct event_text){ plus + 1, strlen(plus + 1) }, &p->sites.site[0].off)) {
		snprintf(why, size, "%s: there must be a number after the plus", p->probe.place);
		return false;
	}
	return true;
}

bool
probe_sites_find(struct probe_sites *p, const struct probe *probe, const struct probe_wants *w, char *why, size_t size)
{
	bool returns = w->returns;

	*p = (struct probe_sites){ .probe = *probe, .file.fd = -1 };
	if (w->variable && (probe_returns(probe) || probe->kind == KPROBE)) {
		p->no_variable = true;
		snprintf(why, size, probe_returns(probe) ? "variables are gone when the function returns: $retval is what it returns"
		                            : "prof knows no variables of the kernel's functions: write $arg1 or a register");
		return false;
	}
	if (probe->kind == KPROBE || probe->kind == KRETPROBE)
		return in_kernel(p, why, size);
	if (!probe_file_find(&p->file, probe->file, w->pid, w->command, why, size))
		return false;
	if (!ask_reader(p, w, why, size))
		return false;
	if (returns && (p->sites.go || p->sites.thumb)) {
		snprintf(why, size, "%s: a probe at a return would %s", p->file.shown,
		         p->sites.go ? "end this program: Go moves stacks, and the changed return address confuses it"
		                     : "kill the program: in Thumb code this kernel cannot return from the probe");
		return false;
	}
	for (uint32_t i = 0; returns && i < p->sites.n; i++)
		if (p->sites.site[i].within) {   /* there sp does not point to the return address */
			if ((p->no_variable = w->variable))
				snprintf(why, size, "%s is not there yet at the first instruction of %.100s: name a parameter", w->variable, p->sites.site[i].name);
			else
				snprintf(why, size, "prof knows no function that begins at %.100s; a probe at a return needs a function's first instruction",
				         p->sites.site[i].name);
			return false;
		}
	return true;
}

void
probe_sites_free(struct probe_sites *p)
{
	sites_free(&p->sites);
	if (p->file.fd >= 0)
		close(p->file.fd);
	p->file.fd = -1;
}
