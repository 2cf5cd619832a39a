/* See process.h.  A forked child borrows its parent's maps until either changes or the child is sampled: most children
 * execute something else at once. */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backing.h"
#include "maps.h"

enum { BUCKETS = 4096 };

/* Nanoseconds: how long the dead are kept (a CPU's last records of them may come late), how soon maps may be read again
 * at first and at most, how soon a perf map is looked for again, and how near to each other FORK records of several
 * events on the same fork are; what the kernel needs for an exec at most, and after its last mapping. */
#define DEAD_KEPT   UINT64_C(200000000)
#define PAUSE_FIRST UINT64_C(10000000)
#define PAUSE_MOST  UINT64_C(5000000000)
#define JIT_PAUSE   UINT64_C(200000000)
#define SAME_FORK   UINT64_C(1000000)
#define EXEC_TAKES  UINT64_C(10000000)
#define EXEC_RESTS  UINT64_C(200000)

struct processes {
	struct arena arena;            /* processes and tasks; those that are over are used again */
	struct backings backings;
	struct process *process[BUCKETS], *free_process;
	struct task *task[BUCKETS], *free_task;
	struct task *dead, *last_dead; /* in the order of their death */
	struct module **jit;           /* whose perf map is still to be found */
	uint32_t njit, cap_jit, reread;
	uint64_t jit_looked, jit_pause;
	bool only_known, no_children;
};

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

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
	if (!backings_init(&ps->backings, modules)) {
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
			space_free(&p->space);
	backings_free(&ps->backings);
	vec_free(&ps->jit, &ps->cap_jit, sizeof(struct module *));
	arena_free(&arena);
}

void
processes_only_known(struct processes *ps, bool children)
{
	ps->only_known = true;
	ps->no_children = !children;
}

uint32_t
processes_reread(const struct processes *ps)
{
	return ps->reread;
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

/* Maps. */

static void
stop_borrowing(struct process *p)
{
	struct process **at;

	if (!p->lender)
		return;
	for (at = &p->lender->borrowers; *at != p; at = &(*at)->next_borrower)
		;
	*at = p->next_borrower;
	p->lender = p->next_borrower = NULL;
}

static void
copy_borrowed(struct process *p)
{
	if (!p->lender)
		return;
	if (!space_copy(&p->space, &p->lender->space))
		p->stale = true;
	stop_borrowing(p);
}

/* Who borrows its maps gets a copy as they are. */
static void
stop_lending(struct process *p)
{
	while (p->borrowers) {
		if (p->borrowers->threads)
			copy_borrowed(p->borrowers);
		else
			stop_borrowing(p->borrowers);
	}
}

static void
before_change(struct process *p)
{
	copy_borrowed(p);
	stop_lending(p);
}

static void
add_map(struct process *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	struct backings *b = &p->all->backings;
	struct map m = { .lo = lo, .hi = hi, .off = off, .exec = true, .file = backing_number(b, id) };

	if (b->backing[m.file].memory && !m.file)   /* offsets into no file mean nothing */
		m.off = lo;
	if (!space_add(&p->space, &m))
		p->stale = true;
}

static struct module *
jit_of(struct process *p)
{
	struct processes *ps = p->all;
	struct module *m = p->jit;

	if (m || !(m = module_jit(ps->backings.modules, p->pid, p->jit_parent)))
		return m;
	m->map_fd = foreign_perfmap(p->pid);
	if (m->map_fd < 0 && vec_room(&ps->jit, &ps->cap_jit, (uint64_t)ps->njit + 1, sizeof(struct module *))) {
		ps->jit[ps->njit++] = m;
		ps->jit_pause = JIT_PAUSE;
	}
	return p->jit = m;
}

static void
find_jit_maps(struct processes *ps, uint64_t time, bool last)
{
	uint32_t kept = 0;

	if (!ps->njit || (!last && time - ps->jit_looked < ps->jit_pause))
		return;
	ps->jit_looked = time;
	ps->jit_pause = ps->jit_pause < PAUSE_MOST ? ps->jit_pause * 2 : PAUSE_MOST;
	for (uint32_t i = 0; i < ps->njit; i++)
		if ((ps->jit[i]->map_fd = foreign_perfmap(ps->jit[i]->pid)) < 0)
			ps->jit[kept++] = ps->jit[i];
	ps->njit = kept;
}

/* The process is over: its perf map can be found now or never. */
static void
end_jit(struct process *p)
{
	struct processes *ps = p->all;

	for (uint32_t i = 0; p->jit && p->jit->map_fd < 0 && i < ps->njit; i++)
		if (ps->jit[i] == p->jit) {
			p->jit->map_fd = foreign_perfmap(p->pid);
			ps->jit[i] = ps->jit[--ps->njit];
		}
}

static void
open_map(struct space *space, struct map *m)
{
	struct process *p = (struct process *)space;
	struct module *module = backing_module(&p->all->backings, m->file, p->pid, m->lo, m->hi);

	if (!module && p->all->backings.backing[m->file].memory)
		module = jit_of(p);
	if (module)
		space_bind(m, module);
}

static bool
holds(const struct space *s, uint64_t addr)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (addr >= s->map[i].lo && addr < s->map[i].hi)
			return true;
	return false;
}

static bool
may_reread(struct process *p)
{
	if (now() - p->rescanned < p->pause)
		return false;
	p->all->reread++;
	return true;
}

static bool
missing_map(struct space *space, uint64_t addr)
{
	struct process *p = (struct process *)space;
	bool found;

	if (addr < 4096 || addr >> 63 || !p->threads || !may_reread(p))
		return false;
	found = process_scan(p, false) && holds(space, addr);
	p->pause = found ? PAUSE_FIRST : p->pause < PAUSE_MOST / 4 ? p->pause * 4 : PAUSE_MOST;
	return found;
}

static bool
is_same(const struct space *s, const struct maps_line *l)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->map[i].lo == l->lo && s->map[i].hi == l->hi)
			return true;
	return false;
}

/* Adds what /proc/PID/maps says.  Of maps that may be stale none is kept where none agrees: the process has executed
 * something else meanwhile. */
static bool
read_maps(struct process *p, int fd, bool fresh)
{
	struct maps_line m;
	struct lines l;
	uint32_t budget = 1 << 20, same = 0;
	char *line;

	lines_open(&l, fd);
	while ((line = lines_next(&l)) && budget--) {
		if (!maps_parse(&m, line) || !m.exec)
			continue;
		if (fresh)
			add_map(p, m.lo, m.hi, m.off, &(struct file_id){ .path = m.path, .maj = m.maj, .min = m.min, .ino = m.ino });
		else
			same += *m.path == '/' && is_same(&p->space, &m);
	}
	return same;
}

static void
set_comm(struct task *t, const char *comm)
{
	char fit[sizeof t->comm] = { 0 };

	memcpy(fit, comm, strnlen(comm, sizeof fit - 1));
	if (!memcmp(fit, t->comm, sizeof fit))
		return;
	memcpy(t->comm, fit, sizeof fit);
	t->slot = 0;
}

static void
read_comm(struct task *t)
{
	char path[64], comm[32];
	long n;

	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", t->pid, t->tid);
	if ((n = file_text(AT_FDCWD, path, comm, sizeof comm)) > 1) {
		comm[n - 1] = 0;
		set_comm(t, comm);
	}
}

bool
process_scan(struct process *p, bool comm)
{
	struct task *t = p->all->task[bucket(p->pid)];
	int fd = p->pid > 0 ? foreign_maps(p->pid) : -1;

	p->rescanned = now();
	p->scanned = true;
	before_change(p);
	if (comm) {
		while (t && (t->tid != p->pid || t->pid != p->pid))
			t = t->next;
		if (t)
			read_comm(t);
	}
	if (fd < 0)
		return false;
	if (p->stale && p->space.n && !read_maps(p, fd, false))
		space_clear(&p->space);
	if (p->stale && lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return false;
	}
	p->stale = false;
	read_maps(p, fd, true);
	close(fd);
	return true;
}

void
process_ready(struct process *p)
{
	copy_borrowed(p);
	if (!p->scanned)
		process_scan(p, false);
	else if (p->stale && p->threads && may_reread(p))
		process_scan(p, true);
}

/* Processes and tasks. */

static void
reset(struct process *p)
{
	stop_lending(p);
	stop_borrowing(p);
	space_clear(&p->space);
	p->jit = p->jit_parent = NULL;
	p->scanned = true;
	p->stale = false;
	p->pause = PAUSE_FIRST;
	p->rescanned = 0;
	p->starting = 0;
}

static struct process *
new_process(struct processes *ps, int32_t pid)
{
	struct process *p = ps->free_process;

	if (p)
		ps->free_process = p->next;
	else if (!(p = arena_alloc(&ps->arena, sizeof *p)))
		return NULL;
	*p = (struct process){ .all = ps, .pid = pid, .pause = PAUSE_FIRST };
	space_init(&p->space);
	p->space.open = open_map;
	p->space.missing = missing_map;
	p->next = ps->process[bucket(pid)];
	ps->process[bucket(pid)] = p;
	return p;
}

static void
drop_process(struct process *p)
{
	struct processes *ps = p->all;
	struct process **at = &ps->process[bucket(p->pid)];

	stop_lending(p);
	stop_borrowing(p);
	space_free(&p->space);
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
	p->threads++;
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
		end_jit(t->process);
}

/* A thread that is found, or made without a look at /proc: then its comm is "?".  A dead one is only found where DEAD
 * will do: else there is a new thread of the same number. */
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

/* What the child has of its parent. */
static void
inherit(struct process *child, struct process *parent)
{
	child->scanned = parent->scanned;
	child->stale = parent->stale;
	child->jit_parent = parent->jit ? parent->jit : parent->jit_parent;
	if (!parent->scanned)
		return;
	copy_borrowed(parent);
	child->lender = parent;
	child->next_borrower = parent->borrowers;
	parent->borrowers = child;
}

/* The child process: a new one, or one whose number was used before.  NULL where there is nothing to be done. */
static struct process *
born(struct processes *ps, int32_t pid, struct process *parent, uint64_t time)
{
	struct process *p = processes_find(ps, pid);

	if (p && p->born && time - p->born < SAME_FORK)
		return NULL;
	if (p)
		reset(p);
	else if (!(p = new_process(ps, pid)))
		return NULL;
	p->born = time;
	p->sampled = false;
	inherit(p, parent);
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
	t->sampled = false;
	set_comm(t, parent->comm);
	if (made)
		t->own = parent->own;
}

void
processes_exit(struct processes *ps, int32_t pid, int32_t tid, uint64_t time)
{
	struct task *t = find_task(ps, pid, tid);

	if (t && !t->dead)
		bury(ps, t, time);
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
		reset(t->process);
		t->process->starting = time + EXEC_TAKES;
	}
}

void
processes_map(struct processes *ps, int32_t pid, int32_t tid, uint64_t lo, uint64_t hi, uint64_t off,
              const struct file_id *id, uint64_t time)
{
	struct process *p = processes_find(ps, pid);

	if (!p && !(processes_task(ps, pid, tid) && (p = processes_find(ps, pid))))
		return;
	before_change(p);
	add_map(p, lo, hi, off, id);
	if (p->starting > time && !strcmp(id->path, "[vdso]"))   /* the last thing that is mapped */
		p->starting = time + EXEC_RESTS;
}

static void
make_stale(void *ctx, struct process *p)
{
	(void)ctx;
	p->stale = true;
}

void
processes_lost(struct processes *ps)
{
	processes_each(ps, make_stale, NULL);
}

void
processes_tidy(struct processes *ps, uint64_t time, bool last)
{
	struct task *t;

	find_jit_maps(ps, time, last);
	while ((t = ps->dead) && time > t->died && time - t->died > DEAD_KEPT) {
		ps->dead = t->next_dead;
		drop_task(t);
	}
}
