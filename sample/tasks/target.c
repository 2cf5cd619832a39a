/* See target.h.  proc(5): /proc/PID/stat, status, cmdline and exe. */
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "lib/mem.h"

struct found {
	uint64_t start;
	int32_t pid;
};

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Takes the comm and the start time from the line of /proc/PID/stat, and cuts the line up.  False for a zombie without
 * threads, or for an invalid line. The comm may hold anything, parentheses and spaces too. */
static bool
parse_stat(char *line, const char **comm, uint64_t *start)
{
	char *lo = strchr(line, '('), *hi = strrchr(line, ')');
	const char *p;

	if (!lo || !hi || hi < lo || hi[1] != ' ' || hi[2] == 'X')
		return false;
	*hi = 0;
	*comm = lo + 1;
	p = hi + 2;
	for (unsigned field = 3; field < 22; field++, p++)
		if ((field == 20 && hi[2] == 'Z' && !strncmp(p, "1 ", 2)) || !(p = strchr(p, ' ')))
			return false;
	return text_dec(&p, start);
}

bool
target_start(int32_t pid, uint64_t *start)
{
	const char *comm;
	char buf[512];

	return proc_text(pid, "stat", buf, sizeof buf) > 0 && parse_stat(buf, &comm, start);
}

uint64_t
target_cpu(int32_t pid, int *fd)
{
	uint64_t ticks = 0, part;
	char path[PROC_PATH_MAX], buf[512];
	const char *p = NULL;
	ssize_t n;

	if (*fd <= 0)
		*fd = file_open(AT_FDCWD, proc_path(path, pid, "stat"), O_RDONLY | O_CLOEXEC);
	if ((n = *fd < 0 ? -1 : pread(*fd, buf, sizeof buf - 1, 0)) > 0) {
		buf[n] = 0;
		p = strrchr(buf, ')');
	}
	for (unsigned field = 2; p && field < 17 && (p = strchr(p + 1, ' ')); field++) {
		const char *number = p + 1;

		if (field >= 13 && text_dec(&number, &part))   /* utime, stime, cutime, cstime, in hundredths */
			ticks += part;
	}
	return ticks * 10000000;
}

static bool
called(int proc, const char *pid, const char *name, uint64_t *start)
{
	static const char deleted[] = " (deleted)";
	char file[32], buf[PATH_MAX + 16];
	const char *comm;
	ssize_t n;

	snprintf(file, sizeof file, "%.16s/stat", pid);
	if (file_text(proc, file, buf, sizeof buf) <= 0 || !parse_stat(buf, &comm, start))
		return false;
	if (!strcmp(comm, name))
		return true;
	snprintf(file, sizeof file, "%.16s/cmdline", pid);
	if (file_text(proc, file, buf, sizeof buf) > 0 && !strcmp(last_part(buf), name))
		return true;
	snprintf(file, sizeof file, "%.16s/exe", pid);
	if ((n = readlinkat(proc, file, buf, sizeof buf - 1)) <= 0)
		return false;
	buf[n] = 0;
	if ((size_t)n >= sizeof deleted && !strcmp(buf + n - (sizeof deleted - 1), deleted))
		buf[(size_t)n - (sizeof deleted - 1)] = 0;
	return !strcmp(last_part(buf), name);
}

/* Puts F in its place among the N of V, newest first. */
static void
insert(struct found *v, uint32_t n, struct found f)
{
	for (; n && (v[n - 1].start < f.start || (v[n - 1].start == f.start && v[n - 1].pid < f.pid)); n--)
		v[n] = v[n - 1];
	v[n] = f;
}

unsigned
target_named(const char *name, int32_t *pid, unsigned max)
{
	DIR *proc = *name ? opendir(proc_root) : NULL;
	struct found *v = NULL;
	uint32_t cap = 0, n = 0;
	struct dirent *d;

	while (proc && (d = readdir(proc))) {
		const char *p = d->d_name;
		uint64_t number, start;

		if (!text_dec(&p, &number) || *p || number > INT32_MAX || number == (uint64_t)getpid() ||
		    !called(dirfd(proc), d->d_name, name, &start))
			continue;
		if (!vec_room(&v, &cap, (uint64_t)n + 1, sizeof *v))
			break;
		insert(v, n++, (struct found){ start, (int32_t)number });
	}
	if (proc)
		closedir(proc);
	n = n < max ? n : max;
	for (uint32_t i = 0; i < n; i++)
		pid[i] = v[i].pid;
	vec_free(&v, &cap, sizeof *v);
	return n;
}

bool
target_tid_exists(int32_t tid, int32_t *pid)
{
	char buf[4096];
	const char *line;
	uint64_t tgid;

	if (tid <= 0)
		return false;
	if (proc_text(tid, "status", buf, sizeof buf) > 0 && (line = strstr(buf, "\nTgid:\t")) &&
	    (line += 7, text_dec(&line, &tgid)) && tgid <= INT32_MAX) {
		*pid = (int32_t)tgid;
		return true;
	}
	*pid = tid;   /* without /proc, or with one that hides others */
	return !kill(tid, 0) || errno == EPERM;
}

bool
target_pid_exists(int32_t pid)
{
	int32_t leader;

	return target_tid_exists(pid, &leader) && leader == pid;
}

bool
target_owner(int32_t pid, const char *file, uid_t *uid)
{
	char path[PROC_PATH_MAX];
	struct stat st;

	if (stat(proc_path(path, pid, "%s", file), &st))
		return false;
	*uid = st.st_uid;
	return true;
}

const char *
target_comm(int32_t pid, char *buf, size_t n)
{
	if (proc_text(pid, "comm", buf, n) <= 0)
		snprintf(buf, n, "?");
	else
		buf[strcspn(buf, "\n")] = 0;
	return buf;
}
