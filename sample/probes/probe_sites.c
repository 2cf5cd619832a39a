/* See probe_sites.h.  Anybody may have written the file, and prof still has its rights.  So a child gives them all up, reads
 * the file, and hands back numbers and names by a pipe.  Names in the file say where its debug files are.  The child asks prof for
 * these, and gets what anybody may read, if it begins as a program does: anybody may have chosen the names. */
#include "probe_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "sample/rights/keeper_ask.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/foreign.h"

enum { SECONDS = 20 };         /* seconds that the reading of the file may take */

/* In the child: where it asks for files. */
static int door = -1;

/* What the child sends before the sites. */
struct findings {
	uint32_t n, left_out;
	bool thumb, go, good;
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

/* Runs in the child: as foreign_file, but prof opens the file. */
static int
ask_file(int root, const char *path)
{
	int32_t err;
	int fd = -1;

	if (root >= 0 || *path != '/' || !ask_put(door, path, strlen(path) + 1, -1) || ask_get(door, &err, sizeof err, &fd) != sizeof err) {
		errno = EACCES;
		return -1;
	}
	errno = err;
	return fd;
}

/* Runs in prof.  The child waits for an answer to whatever it asks; but if it asks without taking answers, it gets none. */
static void
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
		return;
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
}

/* Gives the child files until it answers. */
static void
serve(int files, int in, uint64_t until)
{
	uint64_t now;

	while ((now = clock_now()) < until) {
		struct pollfd ready[2] = { { .fd = in, .events = POLLIN }, { .fd = files, .events = POLLIN } };

		if (poll(ready, 2, (int)((until - now) / 1000000 + 1)) < 0 && errno != EINTR)
			return;
		if (ready[0].revents || ready[1].revents & (POLLERR | POLLHUP))
			return;
		if (ready[1].revents)
			give_file(files);
	}
}

/* Runs in the child. */
__attribute__((noreturn)) static void
look(const struct probe_sites *p, int out)
{
	struct sites s = { 0 };
	struct modules ms;
	struct module *m;
	struct findings a = { 0 };

	if (sandbox_lacks(sandbox_enter(LAYERS_ALL)))
		snprintf(s.wrong, sizeof s.wrong, "cannot give up prof's rights before it reads the file");
	else if (!modules_init(&ms) || !(ms.open = ask_file, m = module_file(&ms, p->file.fd, p->file.shown)))
		snprintf(s.wrong, sizeof s.wrong, "out of memory");
	else
		a.good = p->probe.kind == USDT ? sites_usdt(&s, m, p->probe.provider, p->probe.place) : sites_code(&s, &ms, m, p->probe.place);
	a.n = s.n;
	a.left_out = s.left_out;
	a.thumb = s.thumb;
	a.go = s.go;
	memcpy(a.wrong, s.wrong, sizeof a.wrong);
	write_all(out, &a, sizeof a);
	write_all(out, s.site, s.n * sizeof *s.site);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

static bool
take(struct sites *s, int in, uint64_t until, char *why, size_t size)
{
	struct findings a;

	if (!read_all(in, &a, sizeof a, until) || a.n > SITES_MAX) {
		snprintf(why, size, "reading the file took too long, or failed");
		return false;
	}
	a.wrong[sizeof a.wrong - 1] = 0;
	if (!a.good || !a.n) {
		snprintf(why, size, "%s", a.wrong);
		return false;
	}
	*s = (struct sites){ .left_out = a.left_out, .thumb = a.thumb, .go = a.go };
	if (!vec_room(&s->site, &s->cap, a.n, sizeof *s->site) || !read_all(in, s->site, a.n * sizeof *s->site, until)) {
		snprintf(why, size, "out of memory");
		return false;
	}
	s->n = a.n;
	for (uint32_t i = 0; i < s->n; i++)
		s->site[i].name[SITE_NAME - 1] = s->site[i].args[SITE_NAME - 1] = 0;
	return true;
}

static bool
ask_child(struct probe_sites *p, char *why, size_t size)
{
	uint64_t until = clock_now() + (uint64_t)SECONDS * 1000000000;
	int pipes[2], files[2], status;
	bool good = false;
	pid_t pid;

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
	if (!(pid = fork())) {
		close(pipes[0]);
		close(files[0]);
		door = files[1];
		look(p, pipes[1]);
	}
	close(pipes[1]);
	close(files[1]);
	if (pid > 0) {
		fcntl(files[0], F_SETFL, O_NONBLOCK);
		serve(files[0], pipes[0], until);
		good = take(&p->sites, pipes[0], until, why, size);
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	} else {
		snprintf(why, size, "cannot start a process: %s", strerror(errno));
	}
	close(pipes[0]);
	close(files[0]);
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
	if (plus && sscanf(plus + 1, "%lli", (long long *)&p->sites.site[0].off) != 1) {
		snprintf(why, size, "%s: there must be a number after the plus", p->probe.place);
		return false;
	}
	return true;
}

bool
probe_sites_find(struct probe_sites *p, const struct probe *probe, int32_t pid, const char *command, bool returns, char *why, size_t size)
{
	*p = (struct probe_sites){ .probe = *probe, .file.fd = -1 };
	if (probe->kind == KPROBE || probe->kind == KRETPROBE)
		return in_kernel(p, why, size);
	if (!probe_file_find(&p->file, probe->file, pid, command, why, size))
		return false;
	if (!ask_child(p, why, size))
		return false;
	if (returns && (p->sites.go || p->sites.thumb)) {
		snprintf(why, size, "%s: a probe at returns would %s", p->file.shown,
		         p->sites.go ? "end this program: Go moves stacks, and the changed return address confuses it"
		                     : "kill the program: in Thumb code this kernel cannot return from the probe");
		return false;
	}
	for (uint32_t i = 0; returns && i < p->sites.n; i++)
		if (p->sites.site[i].within) {   /* there sp does not point to the return address */
			snprintf(why, size, "prof knows no function that begins at %.100s; a probe at returns must be at a function's first instruction",
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
