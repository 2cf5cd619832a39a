/* See causes.h.  Documentation/admin-guide/cgroup-v2.rst: cpu.stat, memory.events; of version 1 cpu.stat (times in ns) and
 * memory.oom_control; Documentation/accounting/psi.rst; schedstat: Documentation/scheduler/sched-stats.rst. */
#include "causes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "lib/mem.h"
#include "sample/events/event.h"
#include "sample/tasks/cgroup_dir.h"
#include "sample/tasks/target.h"
#include "sample/tasks/threads.h"

/* How many levels up prof looks for limits; for how many threads it knows the waiting; ns between two looks at them. */
enum { LEVELS = 16, THREADS_MOST = 1024 };
#define LOOK_PAUSE UINT64_C(1000000000)
/* ns of one of the ticks in which the kernel tells when a thread began. */
#define TICK UINT64_C(10000000)

/* The files of version 1 and 2. */
static const struct source {
	char controller[8], name[2][20];
} source[CAUSE_FILES] = {
	{ "cpu", { "cpu.stat", "cpu.stat" } },
	{ "", { "", "cpu.pressure" } },
	{ "", { "", "memory.pressure" } },
	{ "", { "", "io.pressure" } },
	{ "memory", { "memory.oom_control", "memory.events" } },
};
/* The files with the CPU limit; prof looks for them in the cgroups above, too. */
static const char *const limits[] = { "cpu.cfs_quota_us", "cpu.max" };

enum { PRESSURES = 1 };   /* the first of the three */

/* How their lines begin.  The number follows; in files of pressure it follows "total=".  The number divided by DIVIDED has the
 * cause's unit. */
static const struct reading {
	uint8_t file, cause;
	uint16_t divided;
	char key[16];
} reading[] = {
	{ 0, CAUSE_USAGE, 1, "usage_usec " },
	{ 0, CAUSE_PERIODS, 1, "nr_periods " },
	{ 0, CAUSE_THROTTLED_PERIODS, 1, "nr_throttled " },
	{ 0, CAUSE_THROTTLED, 1, "throttled_usec " },
	{ 0, CAUSE_THROTTLED, 1000, "throttled_time " },
	{ 1, CAUSE_CPU_SOME, 1, "some " },
	{ 1, CAUSE_CPU_FULL, 1, "full " },
	{ 2, CAUSE_MEMORY_SOME, 1, "some " },
	{ 2, CAUSE_MEMORY_FULL, 1, "full " },
	{ 3, CAUSE_IO_SOME, 1, "some " },
	{ 3, CAUSE_IO_FULL, 1, "full " },
	{ 4, CAUSE_MEMORY_HIGH, 1, "high " },
	{ 4, CAUSE_MEMORY_MAX, 1, "max " },
	{ 4, CAUSE_OOM, 1, "oom " },
	{ 4, CAUSE_OOM_KILL, 1, "oom_kill " },
};

/* A thread's times, ns. */
struct waiting {
	uint64_t ran, waited;      /* at first */
	bool over;
	uint64_t ran_now, waited_now;
};

static bool
is_limited(int dir, const char *name)
{
	char text[64];

	return file_text(dir, name, text, sizeof text) > 0 && strncmp(text, "max", 3) && strncmp(text, "-1", 2);
}

/* Opens the file in DIR or above, in the nearest cgroup with a limit; without a limit, in the nearest one with the file. */
static int
open_up(const char *dir, const char *name, const char *limit)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), found = -1, up;

	for (unsigned i = 0; i < LEVELS && at >= 0 && !faccessat(at, "cgroup.procs", F_OK, 0); i++, at = up) {
		bool limited = limit && is_limited(at, limit);

		if ((found < 0 || limited) && (up = openat(at, name, O_RDONLY | O_CLOEXEC)) >= 0) {
			if (found >= 0)
				close(found);
			found = up;
		}
		up = limited || (found >= 0 && !limit) ? -1 : openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
	}
	if (at >= 0)
		close(at);
	return found;
}

/* The number behind the line that begins with the key. */
static bool
value_in(const char *text, const struct reading *r, uint64_t *v)
{
	size_t n = strlen(r->key);

	for (const char *line = text; *line; line += *line == '\n') {
		const char *p = line + n, *end = line + strcspn(line, "\n");

		if (!strncmp(line, r->key, n)) {
			if (r->file >= PRESSURES && r->file < PRESSURES + 3) {
				if (!(p = strstr(p, "total=")) || p > end)
					return false;
				p += 6;
			}
			return text_dec(&p, v);
		}
		line = end;
	}
	return false;
}

/* The bits of the first FILES. */
static uint32_t
read_some(const struct causes *c, unsigned files, uint64_t *value)
{
	uint32_t known = 0;
	char text[1024];
	uint64_t v;

	for (unsigned f = 0; f < files; f++) {
		ssize_t n = c->fd[f] < 0 ? -1 : pread(c->fd[f], text, sizeof text - 1, 0);

		if (n <= 0)
			continue;
		text[n] = 0;
		for (unsigned i = 0; i < sizeof reading / sizeof *reading; i++)
			if (reading[i].file == f && value_in(text, &reading[i], &v)) {
				value[reading[i].cause] = v / reading[i].divided;
				known |= 1u << reading[i].cause;
			}
	}
	return known;
}

/* One of the processes in the cgroup, or -1; prof begins to know all of them. */
static int32_t
members(struct causes *c, const char *dir)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char text[4096] = "";
	const char *p = text;
	int32_t first = -1;
	uint64_t pid;

	if (at < 0)
		return -1;
	file_text(at, "cgroup.procs", text, sizeof text);
	for (close(at); text_dec(&p, &pid) && *p; p++) {
		if (pid > 0 && pid <= INT32_MAX) {
			threads_of(c->threads, (int32_t)pid);
			first = (int32_t)pid;
		}
	}
	return first;
}

static bool
began_before(int32_t tid, uint64_t tick)
{
	uint64_t start;

	return tick && target_start(tid, &start) && start < tick;
}

/* Reads the times of each thread.  The times of new threads count from 0 if WHOLE and the thread began after the capture; else
 * from now: prof learns of a child that ran already only by its first sample. */
static void
look(struct causes *c, bool whole, uint32_t known)
{
	uint32_t n = c->threads->n < THREADS_MOST ? c->threads->n : THREADS_MOST;

	c->ran = c->waited = 0;
	if (!vec_room(&c->waiting, &c->cap, n, sizeof *c->waiting))
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct waiting *w = &c->waiting[i];
		const struct thread *t = &c->threads->thread[i];
		char path[PROC_PATH_MAX], text[96];
		const char *p = text;
		uint64_t ran, waited;

		if (!w->over) {
			proc_path(path, t->pid, "task/%d/schedstat", (int)t->tid);
			if (file_text(AT_FDCWD, path, text, sizeof text) > 0 && text_dec(&p, &ran) && *p++ == ' ' && text_dec(&p, &waited) &&
			    ran >= w->ran_now && waited >= w->waited_now) {
				w->ran_now = ran;
				w->waited_now = waited;
			} else
				w->over = true;
			if (i >= known && (!whole || began_before(t->tid, c->begun))) {
				w->ran = w->ran_now;
				w->waited = w->waited_now;
			}
		}
		c->ran += w->ran_now - w->ran;
		c->waited += w->waited_now - w->waited;
	}
}

/* Only the root of version 2 has no type. */
static bool
is_root(const char *dir)
{
	char path[512];

	snprintf(path, sizeof path, "%s/cgroup.type", dir);
	return access(path, F_OK);
}

/* The directory of the target's cgroup for that controller.  If the user GAVE a cgroup of version 2, it is the directory for
 * all controllers of version 2, even if no process is in it.  In version 1 each hierarchy may have another directory. */
static bool
directory(const char *given, int32_t pid, const char *controller, char *dir, size_t size, bool *unified)
{
	bool events = false;

	if (given && !cgroup_dir(0, CGROUP_EVENTS, dir, size, &events) && events &&
	    !cgroup_dir(0, controller, dir, size, unified) && *unified)
		return snprintf(dir, size, "%s", given) > 0;
	return !cgroup_dir(pid, controller, dir, size, unified);
}

void
causes_begin(struct causes *c, const struct capture *capture)
{
	char dir[480], given[480];
	int32_t pid = capture->npid ? capture->pid[0] : -1;
	bool unified = false, there = false;

	*c = (struct causes){ .whole = capture->target == TARGET_COMMAND, .alone = capture->target == TARGET_THREADS };
	for (unsigned f = 0; f < CAUSE_FILES; f++)
		c->fd[f] = -1;
	if (!vec_room(&c->threads, &c->cap_threads, 1, sizeof *c->threads))
		return;
	if (capture->target == TARGET_SYSTEM && (!capture->cgroup || cgroup_dir_find(capture->cgroup, given, sizeof given)))
		return;
	for (unsigned i = 0; i < capture->nevent; i++)
		c->wakers |= capture->event[i].wakes;
	if (capture->cgroup)
		pid = members(c, given);
	for (unsigned f = 0; f < CAUSE_FILES; f++) {
		if (!f || strcmp(source[f].controller, source[f - 1].controller) != 0)
			there = directory(capture->cgroup ? given : NULL, pid, source[f].controller, dir, sizeof dir, &unified);
		if (there && f == PRESSURES)
			c->machine = is_root(dir);
		if (there && *source[f].name[unified])
			c->fd[f] = open_up(dir, source[f].name[unified], f ? NULL : limits[unified]);
	}
	c->known = read_some(c, CAUSE_FILES, c->before);
	for (unsigned i = 0; i < capture->npid; i++)
		if (capture->target == TARGET_THREADS)
			threads_add(c->threads, capture->pid[i], capture->pid[i]);
		else
			threads_of(c->threads, capture->pid[i]);
	look(c, c->whole, 0);
	c->begun = c->whole ? 0 : clock_ns(CLOCK_BOOTTIME) / TICK;
}

static void
add_process(void *causes, struct process *p)
{
	struct causes *c = causes;

	if (p->pid > 0 && (p->sampled || !c->wakers) && c->threads->n < THREADS_MOST)
		threads_of(c->threads, p->pid);
}

void
causes_tick(struct causes *c, struct processes *ps, uint64_t now, bool last)
{
	uint32_t known = c->threads ? c->threads->n : 0;

	if (!known || (!last && now - c->ticked < LOOK_PAUSE))
		return;
	c->ticked = now;
	if (!last && !c->alone)
		processes_each(ps, add_process, c);
	look(c, true, known);
}

void
causes_end(struct causes *c)
{
	c->known &= read_some(c, CAUSE_FILES, c->value);
	for (unsigned i = 0; i < CAUSES; i++)
		c->value[i] -= c->before[i] < c->value[i] ? c->before[i] : c->value[i];
	for (unsigned f = 0; f < CAUSE_FILES; f++)
		if (c->fd[f] >= 0)
			close(c->fd[f]);
	if (c->threads)
		threads_free(c->threads);
	vec_free(&c->threads, &c->cap_threads, sizeof *c->threads);
	vec_free(&c->waiting, &c->cap, sizeof *c->waiting);
}

uint64_t
causes_throttled(const struct causes *c)
{
	uint64_t value[CAUSES] = { 0 };

	if (c->known >> CAUSE_PERIODS & 1)
		read_some(c, 1, value);
	return value[CAUSE_PERIODS] ? value[CAUSE_THROTTLED] : 0;
}
