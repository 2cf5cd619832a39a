/* See threads.h.  proc(5): /proc/PID/task, and field 4 of /proc/PID/stat. */
#include "threads.h"
#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "lib/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
threads_add(struct threads *t, int32_t pid, int32_t tid)
{
	uint32_t hash = hash_u64((uint32_t)tid), slot, i;

	for (slot = index_first(&t->index, hash); (i = index_at(&t->index, slot)) != INDEX_NONE;
	     slot = index_next(&t->index, slot))
		if (t->thread[i].tid == tid)
			return false;
	if (!vec_room(&t->thread, &t->cap, (uint64_t)t->n + 1, sizeof *t->thread))
		return false;
	t->thread[t->n] = (struct thread){ pid, tid };
	if (!index_add(&t->index, hash, t->n))
		return false;
	t->n++;
	return true;
}

void
threads_free(struct threads *t)
{
	vec_free(&t->thread, &t->cap, sizeof *t->thread);
	index_free(&t->index);
	t->n = 0;
}

static int32_t
number(const char *name)
{
	uint64_t v;

	return text_dec(&name, &v) && !*name && v <= INT32_MAX ? (int32_t)v : -1;
}

/* Its entries, or NULL. */
static DIR *
list(const char *path)
{
	int fd = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopendir(fd);
}

void
threads_of(struct threads *t, int32_t pid)
{
	char path[PROC_PATH_MAX];
	struct dirent *e;
	DIR *d;

	if (!(d = list(proc_path(path, pid, "task")))) {
		if (!proc_there())   /* no /proc: prof knows of this thread only */
			threads_add(t, pid, pid);
		return;
	}
	while ((e = readdir(d)))
		if (number(e->d_name) > 0)
			threads_add(t, pid, number(e->d_name));
	closedir(d);
}

/* Field 4 of stat, behind the name, which may hold anything but ends at the last parenthesis. */
int32_t
threads_parent(int32_t pid)
{
	char buf[512], *p;

	if (proc_text(pid, "stat", buf, sizeof buf) <= 0 || !(p = strrchr(buf, ')')) || strlen(p) < 5)
		return -1;
	return (int32_t)strtol(p + 4, NULL, 10);
}

bool
threads_has(const struct threads *t, int32_t tid)
{
	uint32_t slot, i;

	for (slot = index_first(&t->index, hash_u64((uint32_t)tid)); (i = index_at(&t->index, slot)) != INDEX_NONE;
	     slot = index_next(&t->index, slot))
		if (t->thread[i].tid == tid)
			return true;
	return false;
}

/* Adds the children of processes in the list, but not EXCEPT and its descendants. */
static void
add_children(struct threads *t, int32_t except)
{
	struct dirent *e;
	DIR *d;

	if (!(d = list(proc_root)))
		return;
	while ((e = readdir(d))) {
		int32_t pid = number(e->d_name);

		if (pid > 0 && pid != except && !threads_has(t, pid) && threads_has(t, threads_parent(pid)))
			threads_of(t, pid);
	}
	closedir(d);
}

void
threads_again(struct threads *t, bool children)
{
	uint32_t n = t->n;

	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || t->thread[i].pid != t->thread[i - 1].pid)
			threads_of(t, t->thread[i].pid);
	if (children)
		add_children(t, getpid());
}

void
threads_families(struct threads *t, int32_t except)
{
	uint32_t n;

	do {   /* a parent's number is mostly lower than its children's: twice is mostly enough */
		n = t->n;
		add_children(t, except);
	} while (t->n != n);
}
