/* See mapped.h.  A forked child borrows its parent's maps until either changes or the child is sampled: most children
 * execute something else at once.  What /proc tells is of now, but samples are of the past: records of every mapping
 * come in their turn, so it only fills gaps, except where records are known to be missing. */
#include "process_maps.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "sym/jit/jit.h"
#include "maps_line.h"

/* Nanoseconds: how soon maps may be read again at first and at most, how soon a perf map is looked for again. */
#define PAUSE_FIRST UINT64_C(10000000)
#define PAUSE_MOST  UINT64_C(5000000000)
#define JIT_PAUSE   UINT64_C(200000000)

bool
mapped_init(struct mapped *m, struct modules *modules)
{
	return backings_init(&m->backings, modules);
}

void
mapped_free(struct mapped *m)
{
	backings_free(&m->backings);
	roots_free(&m->roots);
	vec_free(&m->jit, &m->cap_jit, sizeof(struct module *));
}

/* Lending and borrowing. */

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

void
mapped_fork(struct process *child, struct process *parent)
{
	child->scanned = parent->scanned;
	child->stale = parent->stale;
	child->root = parent->root;
	child->jit_parent = parent->jit ? parent->jit : parent->jit_parent;
	if (!parent->scanned)
		return;
	copy_borrowed(parent);
	child->lender = parent;
	child->next_borrower = parent->borrowers;
	parent->borrowers = child;
}

/* JIT code. */

/* Whether its perf map has been found. */
static bool
find_names(struct module *m)
{
	struct jit *j = m->jit;

	if (j->map_fd < 0)
		j->map_fd = foreign_perfmap(m->pid);
	if (j->dump_fd < 0)
		j->dump_fd = foreign_jitdump(m->pid);
	jit_found(m);
	return j->map_fd >= 0;
}

static struct module *
jit_of(struct process *p)
{
	struct mapped *all = p->mapped;
	struct module *m = p->jit;

	if (m || !(m = module_jit(all->backings.modules, p->pid, p->jit_parent)))
		return m;
	if (!find_names(m) && vec_room(&all->jit, &all->cap_jit, (uint64_t)all->njit + 1, sizeof(struct module *))) {
		all->jit[all->njit++] = m;
		all->jit_pause = JIT_PAUSE;
	}
	return p->jit = m;
}

/* A file that is mapped just to show where it lies: jit-PID.dump, wherever an agent likes to have it. */
static bool
is_dump(const char *path)
{
	const char *slash = strrchr(path, '/'), *p = slash ? slash + 5 : "";
	uint64_t pid;

	return slash && !strncmp(slash, "/jit-", 5) && text_dec(&p, &pid) && !strcmp(p, ".dump");
}

static void
note_dump(struct process *p, uint64_t lo, uint64_t hi, const struct file_id *id)
{
	struct module *m = is_dump(id->path) ? jit_of(p) : NULL;

	if (!m || m->jit->dump_fd >= 0)
		return;
	m->jit->dump_fd = foreign_mapped(p->by, lo, hi, id, roots_fd(&p->mapped->roots, p->root));
	jit_found(m);
}

/* What stood for its JIT code until now keeps to what was known of it. */
static void
next_jit(struct process *p)
{
	struct module *next = module_jit_next(p->mapped->backings.modules, p->jit);

	p->jit_over = false;
	if (!next)
		return;
	for (uint32_t i = 0; i < p->space.n; i++)
		if (p->space.map[i].module == p->jit)
			p->space.map[i].module = next;
	p->jit = next;
	space_renew(&p->space);
}

/* The files may have grown since records were read last: what they hold now was written before the next ones are. */
static void
look_at_jit(struct process *p, uint64_t time)
{
	if (p->jit_looked != p->mapped->drained) {
		if (p->jit_over)
			next_jit(p);
		p->jit_looked = p->mapped->drained;
		p->jit_over = jit_replaced(p->jit, &p->jit_since);
	}
	if (p->jit_over && time >= p->jit_since)
		next_jit(p);
}

/* The process is over: its perf map can be found now or never. */
void
mapped_end(struct process *p)
{
	struct mapped *all = p->mapped;

	for (uint32_t i = 0; p->jit && p->jit->jit->map_fd < 0 && i < all->njit; i++)
		if (all->jit[i]->jit == p->jit->jit) {
			find_names(p->jit);
			all->jit[i] = all->jit[--all->njit];
		}
}

void
mapped_tidy(struct mapped *all, uint64_t time, bool last)
{
	uint32_t kept = 0;

	all->drained = time;
	roots_tidy(&all->roots, time);
	if (!all->njit || (!last && time - all->jit_looked < all->jit_pause))
		return;
	all->jit_looked = time;
	all->jit_pause = all->jit_pause < PAUSE_MOST ? all->jit_pause * 2 : PAUSE_MOST;
	for (uint32_t i = 0; i < all->njit; i++)
		if (!find_names(all->jit[i]))
			all->jit[kept++] = all->jit[i];
	all->njit = kept;
}

/* Maps. */

static void
open_map(struct space *space, struct map *m)
{
	struct process *p = (struct process *)space;
	struct backings *b = &p->mapped->backings;
	struct module *module = backing_module(b, m->file, p->by, m->lo, m->hi, roots_fd(&p->mapped->roots, p->root));

	if (!module && b->backing[m->file].memory)
		module = jit_of(p);
	if (module)
		space_bind(m, module);
}

static void
add(struct process *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	struct backings *b = &p->mapped->backings;
	struct map m = { .lo = lo, .hi = hi, .off = off, .exec = true, .file = backing_number(b, id) };

	note_dump(p, lo, hi, id);
	if (b->backing[m.file].memory && !m.file)   /* offsets into no file mean nothing */
		m.off = lo;
	if (!space_add(&p->space, &m))
		p->stale = true;
}

void
mapped_add(struct process *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	copy_borrowed(p);
	stop_lending(p);
	add(p, lo, hi, off, id);
}

static bool
overlaps(const struct space *s, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (lo < s->map[i].hi && hi > s->map[i].lo)
			return true;
	return false;
}

static bool
may_reread(struct process *p)
{
	if (clock_now() - p->rescanned < p->pause)
		return false;
	p->mapped->reread++;
	return true;
}

static bool
is_same(const struct space *s, const struct maps_line *l)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->map[i].lo == l->lo && s->map[i].hi == l->hi)
			return true;
	return false;
}

enum reading {
	COMPARE,   /* only how much agrees with what is known */
	RENEW,     /* what is known gives way */
	GAPS,      /* what is known stays */
};

/* Goes through /proc/PID/maps.  False where COMPARE found maps, but none of a file that is the same as known. */
static bool
read_maps(struct process *p, int fd, enum reading how)
{
	struct maps_line m;
	struct lines l;
	uint32_t budget = 1 << 20, same = 0, others = 0;
	char *line;

	lines_open(&l, fd);
	while ((line = lines_next(&l)) && budget--) {
		if (!maps_parse(&m, line) || !m.exec)
			continue;
		if (how == COMPARE)
			*(*m.path == '/' && is_same(&p->space, &m) ? &same : &others) += 1;
		else if (how == RENEW || !overlaps(&p->space, m.lo, m.hi))
			add(p, m.lo, m.hi, m.off, &(struct file_id){ .path = m.path, .maj = m.maj, .min = m.min, .ino = m.ino });
	}
	return same || !others;   /* a process that is over has none any more */
}

/* Reads /proc/PID/maps.  Of maps that may be stale none is kept where none agrees: the process has executed something
 * else meanwhile.  False where they cannot be had. */
static bool
scan(struct process *p, enum reading how)
{
	int fd = p->pid > 0 ? foreign_maps(p->by = foreign_by(p->pid)) : -1;
	bool read;

	p->rescanned = clock_now();
	p->scanned = true;
	copy_borrowed(p);
	stop_lending(p);
	if (fd < 0)
		return false;
	p->root = roots_of(&p->mapped->roots, p->by, p->root, p->rescanned);
	if (p->stale && p->space.n && !read_maps(p, fd, COMPARE))
		space_clear(&p->space);
	if ((read = !p->stale || lseek(fd, 0, SEEK_SET) == 0)) {
		p->stale = false;
		read_maps(p, fd, how);
	}
	close(fd);
	return read;
}

static size_t
read_memory(struct space *space, uint64_t addr, void *to, size_t n)
{
	struct process *p = (struct process *)space;

	return p->threads ? foreign_read(p->by, addr, to, n) : 0;
}

static bool
missing_map(struct space *space, uint64_t addr)
{
	struct process *p = (struct process *)space;
	bool found;

	if (addr < 4096 || addr >> 63 || !p->threads || !may_reread(p))
		return false;
	found = scan(p, p->mapped->partial ? RENEW : GAPS) && overlaps(space, addr, addr + 1);
	p->pause = found ? PAUSE_FIRST : p->pause < PAUSE_MOST / 4 ? p->pause * 4 : PAUSE_MOST;
	return found;
}

void
mapped_ready(struct process *p, uint64_t time)
{
	copy_borrowed(p);
	if (p->jit)
		look_at_jit(p, time);
	if (p->scanned && !(p->stale && p->threads && may_reread(p)))
		return;
	if (p->scanned)
		process_name(p);
	scan(p, RENEW);
}

void
mapped_begin(struct process *p)
{
	space_init(&p->space);
	p->space.open = open_map;
	p->space.missing = missing_map;
	p->space.read = read_memory;
	p->by = p->pid;
	p->pause = PAUSE_FIRST;
}

void
mapped_forget(struct process *p)
{
	stop_lending(p);
	stop_borrowing(p);
	space_clear(&p->space);
	p->by = p->pid;
	p->jit = p->jit_parent = NULL;
	p->jit_over = false;
	p->scanned = true;
	p->stale = false;
	p->pause = PAUSE_FIRST;
	p->rescanned = 0;
}

void
mapped_exec(struct process *p)
{
	mapped_forget(p);
	p->root = roots_of(&p->mapped->roots, p->pid, p->root, clock_now());
}

void
mapped_drop(struct process *p)
{
	stop_lending(p);
	stop_borrowing(p);
	space_free(&p->space);
}
