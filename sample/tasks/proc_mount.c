/* See proc_mount.h.  proc(5), pid_namespaces(7): a mounted /proc shows the pid namespace of the process that mounted it. */
#include "proc_mount.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/proc.h"

/* Whether there is a /proc at DIR, and it shows prof's own pid namespace. */
static bool
is_own(const char *dir, bool *there)
{
	char path[PROC_PATH_MAX], text[16] = "";
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof path, "%s/self", dir);
	*there = !lstat(path, &st);
	n = readlink(path, text, sizeof text - 1);
	return n > 0 && atoi(text) == getpid();
}

const char *
proc_mount_use(const char *dir)
{
	bool there;

	if (strlen(dir) > PROC_ROOT_MAX)
		return "the path is too long";
	if (!is_own(dir, &there))
		return there ? "it belongs to another pid namespace: run prof with --pid=host (in a pod: hostPID: true)"
		             : "no /proc is mounted there";
	proc_root = dir;
	return NULL;
}

const char *
proc_mount_adapt(void)
{
	bool there;

	if (is_own(proc_root, &there) || !there)
		return NULL;
	if (!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) &&
	    !mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) && is_own(proc_root, &there))
		return NULL;
	return "/proc belongs to another pid namespace: enter the mount namespace, too (nsenter -m), or use --proc-root";
}
