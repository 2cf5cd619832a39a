/* See process.h.  prof keeps the dead for a while, because a CPU's last records of them may come late. */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/file.h"
#include "lib/proc.h"
#include "process_maps.h"

/* A value of `starting`. */
#define BEFORE_EXEC UINT64_MAX

enum { BUCKETS = 4096 };

/* Nanoseconds: how long prof keeps the dead; how near to each other the FORK records of several events are, if they tell of
 * the same fork; what the kernel needs for an exec at most, and after its last mapping. */
#define DEAD_KEPT   UINT64_C(200000000)
#define SAME_FORK   UINT64_C(1000000)
#define EXEC_TAKES  UINT64_C(100000000)
#define EXEC_RESTS  UINT64_C(200000)

struct processes {
	struct arena arena;            /* processes and tasks; prof reuses those that are over */
	struct all_maps maps;
	struct process *process[BUCKETS], *free_process;
	struct task *task[BUCKETS], *free_task;
	struct task *dead, *last_dead; /* in the order of their death */
	bool only_known, no_children;
};

static unsigned
bucket(int32_t id)
{
	return (uint32_t)id % BUCKETS;
}

struct processes *
processes_new(struct modules *modules)
{
	struct arena arena = { 0 };
	struct processes *ps = arena_alloc(&arena, sizeof *ps);

	if (!ps)
		return NULL;
	ps->arena = arena;
	if (!maps_init(&ps->maps, modules)) {
		processes_free(ps);
		return NULL;
	}
	return ps;
}

void
processes_free(struct processes *ps)
{
	struct arena arena = ps->arena;

	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct process *p = ps->process[i]; p; p = p->next)
			space_free(&p->maps.space);
	maps_free(&ps->maps);
	arena_free(&arena);
}

void
processes_partial(struct processes *ps)
{
	maps_partial(&ps->maps);
}

void
processes_recorded(struct processes *ps, const struct file_finder *finder)
{
	ps->maps.files.finder = finder;
}

void
processes_only_known(struct processes *ps, bool children)
{
	ps->only_known = true;
	ps->no_children = !children;
}

uint32_t
processes_places(const struct processes *ps)
{
	return maps_places(&ps->maps);
}

uint32_t
processes_reread(const struct processes *ps)
{
	return ps->maps.reread;
}

struct process *
processes_find(struct processes *ps, int32_t pid)
{
	struct process *p = ps->process[bucket(pid)];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

void
processes_each(struct processes *ps, void (*each)(void *ctx, struct process *), void *ctx)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct process *p = ps->process[i]; p; p = p->next)
			if (p->threads)
				each(ctx, p);
}

void
processes_tasks(struct processes *ps, void (*each)(void *ctx, struct task *), void *ctx)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct task *t = ps->task[i]; t; t = t->next)
			if (!t->dead)
				each(ctx, t);
}

static void
set_comm(struct task *t, const char *comm)
{
	char fit[sizeof t->comm] = { 0 };

	memcpy(fit, comm, strnlen(comm, sizeof fit - 1));
	if (!memcmp(fit, t->comm, sizeof fit))
		return;
	memcpy(t->comm, fit, sizeof fit);
	t->named = (struct task_named){ 0 };
}

static void
read_comm(struct task *t)
{
	char path[PROC_PATH_MAX], comm[32];
	long n;

	if (t->process->all->maps.files.finder)
		return;
	proc_path(path, t->pid, "task/%d/comm", (int)t->tid);
	if ((n = file_text(AT_FDCWD, path, comm, sizeof comm)) > 1) {
		comm[n - 1] = 0;
		set_comm(t, comm);
	}
}


static struct process *
new_process(struct processes *ps, int32_t pid)
{
	struct process *p = ps->free_process;

	if (p)
		ps->free_process = p->next;
	else if (!(p = arena_alloc(&ps->arena, sizeof *p)))
		return NULL;
	*p = (struct process){ .all = ps, .pid = pid };
	maps_begin(&p->maps, &ps->maps, pid);
	p->next = ps->process[bucket(pid)];
	ps->process[bucket(pid)] = p;
	return p;
}

static void
drop_process(struct process *p)
{
	struct processes *ps = p->all;
	struct process **at = &ps->process[bucket(p->pid)];

	maps_drop(&p->maps);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->next = ps->free_process;
	ps->free_process = p;
}

static struct task *
find_task(const struct processes *ps, int32_t pid, int32_t tid)
{
	struct task *t = ps->task[bucket(tid)];

	while (t && (t->tid != tid || t->pid != pid))
		t = t->next;
	return t;
}

struct task *
processes_known(struct processes *ps, int32_t pid, int32_t tid)
{
	return find_task(ps, pid, tid);
}

struct task *
processes_thread(struct processes *ps, int32_t tid)
{
	struct task *t = ps->task[bucket(tid)];

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

bool
process_ready(struct process *p, uint64_t time)
{
	struct task *t;

	if (maps_ready(&p->maps, time) && (t = find_task(p->all, p->pid, p->pid)))   /* it may have executed something, too */
		read_comm(t);
	return maps_sure(&p->maps, time);
}

void
process_before_exec(struct process *p)
{
	p->starting = BEFORE_EXEC;
}

bool
process_is_before_exec(const struct process *p)
{
	return p->starting == BEFORE_EXEC;
}

bool
process_is_starting(struct process *p, bool kernel, uint64_t time)
{
	if (p->starting && (!kernel || time > p->starting))
		p->starting = 0;
	return p->starting;
}

static struct task *
new_task(struct process *p, int32_t tid)
{
	struct processes *ps = p->all;
	struct task *t = ps->free_task;

	if (t)
		ps->free_task = t->next;
	else if (!(t = arena_alloc(&ps->arena, sizeof *t)))
		return NULL;
	*t = (struct task){ .pid = p->pid, .tid = tid, .process = p, .comm = "?" };
	t->next = ps->task[bucket(tid)];
	ps->task[bucket(tid)] = t;
	p->tasks++;
	if (!p->threads++)
		maps_live(&p->maps);
	return t;
}

static void
drop_task(struct task *t)
{
	struct process *p = t->process;
	struct processes *ps = p->all;
	struct task **at = &ps->task[bucket(t->tid)];

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->next = ps->free_task;
	ps->free_task = t;
	if (!--p->tasks)
		drop_process(p);
}

static void
bury(struct processes *ps, struct task *t, uint64_t time)
{
	t->dead = true;
	t->died = time;
	t->next_dead = NULL;
	if (ps->dead)
		ps->last_dead->next_dead = t;
	else
		ps->dead = t;
	ps->last_dead = t;
	if (!--t->process->threads)
		maps_end(&t->process->maps);
}

/* Finds a thread, or makes one without a look at /proc, with the comm "?".  It finds a dead thread only if DEAD is set:
 * otherwise that number now means a new thread. */
static struct task *
find_or_make(struct processes *ps, int32_t pid, int32_t tid, bool dead, bool *made)
{
	struct task *t = find_task(ps, pid, tid);
	struct process *p = t ? t->process : processes_find(ps, pid);
	bool born = false;

	*made = false;
	if (t && (dead || !t->dead))
		return t;
	if (!p) {
		if (ps->only_known || !(p = new_process(ps, pid)))
			return NULL;
		born = true;
	}
	t = new_task(p, tid);
	if (!t && born)
		drop_process(p);
	*made = t != NULL;
	return t;
}

struct task *
processes_task(struct processes *ps, int32_t pid, int32_t tid)
{
	bool made;
	struct task *t = find_or_make(ps, pid, tid, true, &made);

	if (!made)
		return t;
	if (pid == 0)
		set_comm(t, "swapper");
	else if (pid < 0)
		set_comm(t, "exited");
	else
		read_comm(t);
	return t;
}

/* The child process: a new one, or a new one with a number that was used before.  NULL if there is nothing to do. */
static struct process *
born(struct processes *ps, int32_t pid, struct process *parent, uint64_t time)
{
	struct process *p = processes_find(ps, pid);

	if (p && p->born && time - p->born < SAME_FORK)
		return NULL;
	if (p)
		maps_forget(&p->maps);
	else if (!(p = new_process(ps, pid)))
		return NULL;
	p->born = time;
	p->starting = 0;
	p->executing = false;
	p->sampled = false;
	p->container = (struct process_container){ .name = parent->container.name };
	maps_fork(&p->maps, &parent->maps, time);
	return p;
}

void
processes_fork(struct processes *ps, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, uint64_t time)
{
	struct task *parent, *t;
	bool made;

	if (pid != ppid && ps->no_children)
		return;
	if (!(parent = processes_task(ps, ppid, ptid)) || (pid != ppid && !born(ps, pid, parent->process, time)))
		return;
	if (!(t = find_or_make(ps, pid, tid, false, &made)))
		return;
	t->counted.sampled = false;
	set_comm(t, parent->comm);
	if (made)
		t->counted.own = parent->counted.own;
}

bool
processes_is_exec(struct processes *ps, int32_t pid, int32_t tid)
{
	struct process *p = pid == tid ? processes_find(ps, pid) : NULL;

	return p && p->executing;   /* each ring may tell it */
}

void
processes_exit(struct processes *ps, int32_t pid, int32_t tid, uint64_t time)
{
	struct task *t = find_task(ps, pid, tid);

	if (t && !t->dead)
		bury(ps, t, time);
}

bool
processes_over(struct processes *ps, int32_t pid, int32_t tid)
{
	const struct process *p = processes_find(ps, pid);
	const struct task *first = find_task(ps, pid, pid);

	return (!p || !p->threads) && (tid == pid || (first && first->dead));
}

void
processes_comm(struct processes *ps, int32_t pid, int32_t tid, const char *comm, bool exec, uint64_t time)
{
	bool made;
	struct task *t = find_or_make(ps, pid, tid, !exec, &made);

	if (!t)
		return;
	set_comm(t, comm);
	if (exec) {
		maps_exec(&t->process->maps, time);
		t->process->starting = time + EXEC_TAKES;
		t->process->executing = true;
	}
}

void
processes_map(struct processes *ps, int32_t pid, int32_t tid, uint64_t lo, uint64_t hi, uint64_t off,
              const struct file_id *id, uint64_t time)
{
	struct process *p = processes_find(ps, pid);

	if (!p && !(processes_task(ps, pid, tid) && (p = processes_find(ps, pid))))
		return;
	maps_add(&p->maps, lo, hi, off, id, time);
	p->executing = false;
	if (p->starting > time && !strcmp(id->path, "[vdso]"))   /* the kernel maps this last */
		p->starting = time + EXEC_RESTS;
}

void
processes_ahead(struct processes *ps, int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *id)
{
	maps_ahead(&ps->maps, pid, lo, hi, id);
}

void
processes_lost(struct processes *ps, uint64_t time)
{
	maps_lost(&ps->maps, time);
}

void
processes_tidy(struct processes *ps, uint64_t time, bool last)
{
	struct task *t;

	maps_tidy(&ps->maps, time, last);
	while ((t = ps->dead) && time > t->died && time - t->died > DEAD_KEPT) {
		ps->dead = t->next_dead;
		drop_task(t);
	}
}
