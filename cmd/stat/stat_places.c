/* See stat_places.h.  /sys/devices/system/cpu/cpuN/topology: Documentation/admin-guide/cputopology.rst. */
#include "stat_places.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/dir.h"
#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "sample/tasks/cgroup.h"
#include "sample/tasks/threads.h"

static const char memory[] = "out of memory";

/* The row of that name, made if it is new; UINT32_MAX at the memory cap. */
static uint32_t
row_of(struct stat_plan *p, struct stat_rows *r, const char *name)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->name[i], name))
			return i;
	if (!vec_room(&r->name, &r->cap, (uint64_t)r->n + 1, sizeof *r->name) || !(r->name[r->n] = arena_str(&p->arena, name, strlen(name))))
		return UINT32_MAX;
	return r->n++;
}

static const char *
at(struct counters *c, int32_t tid, int32_t cpu, int cgroup, uint32_t row)
{
	return row != UINT32_MAX && counters_at(c, &(struct counted){ tid, cpu, cgroup, row }) ? NULL : memory;
}

static const char *
threads(struct stat_plan *p, struct counters *c, struct stat_rows *r)
{
	struct threads t = { 0 };
	const char *why = NULL;
	char name[64], comm[32];

	for (unsigned i = 0; i < p->target.npid; i++)
		if (p->target.kind == TARGET_THREADS)
			threads_add(&t, p->target.pid[i], p->target.pid[i]);
		else
			threads_of(&t, p->target.pid[i]);
	if (p->target.kind == TARGET_PROCESSES && !p->no_inherit && !c->lent)
		threads_families(&t, getpid());
	for (uint32_t i = 0; i < t.n && !why; i++) {
		uint32_t row = 0;

		if (p->by == STAT_THREADS) {
			if (proc_text(t.thread[i].tid, "comm", comm, sizeof comm) < 1)
				continue;
			snprintf(name, sizeof name, "%.*s-%d", (int)strcspn(comm, "\n"), comm, (int)t.thread[i].tid);
			row = row_of(p, r, name);
		}
		why = at(c, t.thread[i].tid, -1, -1, row);
	}
	threads_free(&t);
	return why;
}

static uint64_t
topology(int32_t cpu, const char *what)
{
	char path[96], text[24];
	const char *s = text;
	uint64_t v;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", (int)cpu, what);
	return file_text(AT_FDCWD, path, text, sizeof text) > 0 && text_dec(&s, &v) ? v : 0;
}

static const char *
cpus(struct stat_plan *p, struct counters *c, struct stat_rows *r, int cgroup, uint32_t row)
{
	const char *why = NULL;
	char name[64];

	if (!p->target.ncpu)
		p->target.ncpu = cpu_online(p->target.cpu);
	for (unsigned i = 0; i < p->target.ncpu && !why; i++) {
		int32_t cpu = p->target.cpu[i];

		if (p->by == STAT_CORES) {
			snprintf(name, sizeof name, "S%llu-D%llu-C%llu", (unsigned long long)topology(cpu, "physical_package_id"),
			         (unsigned long long)topology(cpu, "die_id"), (unsigned long long)topology(cpu, "core_id"));
			row = row_of(p, r, name);
		}
		why = at(c, -1, cpu, cgroup, row);
	}
	return why;
}

/* Each cgroup below DIR has a row of its own; what runs in DIR itself is not in them. */
static const char *
cgroups(struct stat_plan *p, struct counters *c, struct stat_rows *r, const char *dir)
{
	const char **name = dir_names(AT_FDCWD, dir, &p->arena), *why = NULL;
	int fd;

	for (; name && *name && !why; name++) {
		char path[1024];

		if (snprintf(path, sizeof path, "%s/%s", dir, *name) >= (int)sizeof path)
			continue;
		if ((fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) >= 0)
			why = cpus(p, c, r, fd, row_of(p, r, *name));
	}
	return why ? why : r->n ? NULL : "there are no cgroups below it";
}

const char *
stat_places(struct stat_plan *p, struct counters *c, struct stat_rows *r, int32_t pid)
{
	struct cgroup group;
	const char *why;

	if (p->target.kind == TARGET_COMMAND)
		return at(c, pid, -1, -1, 0);
	if (p->target.kind != TARGET_SYSTEM)
		return threads(p, c, r);
	if (!p->target.cgroup && p->by != STAT_CGROUPS)
		return cpus(p, c, r, -1, 0);
	if ((why = cgroup_open(&group, p->target.cgroup ? p->target.cgroup : "/")))
		return why;
	if (p->by != STAT_CGROUPS)
		return cpus(p, c, r, group.fd, 0);
	close(group.fd);
	return cgroups(p, c, r, group.path);
}
