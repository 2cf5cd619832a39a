/* See process_maps.h.  A forked child borrows its parent's maps until either changes or the child is sampled: most children
 * execute something else at once.  A process that has executed something is asked for its root once it maps a file that prof has not
 * opened: most programs are known.  /proc shows the present, but samples belong to the past, and the record of each mapping
 * comes in its turn.  So /proc only fills gaps, unless records are missing. */
#include "process_maps.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/text.h"
#include "lib/clock.h"
#include "sym/jit/jit.h"
#include "maps_line.h"

/* Nanoseconds: how soon prof may read maps again at first and at most, how soon it looks for a perf map again. */
#define PAUSE_FIRST UINT64_C(10000000)
#define PAUSE_MOST  UINT64_C(5000000000)
#define JIT_PAUSE   UINT64_C(200000000)
/* Files that prof opens before their first sample: one in AHEAD_EACH ns, AHEAD_MOST in a row. */
#define AHEAD_EACH  UINT64_C(5000000)
#define AHEAD_MOST  UINT64_C(40)

/* Processes of which prof keeps the memory open, and how often prof asks for memory before. */
enum { MEMORIES_MOST = 128, READS_FIRST = 2 };
/* A value of struct process_maps.memory. */
enum { MEMORY_OVER = -2 };

bool
maps_init(struct all_maps *m, struct modules *modules)
{
	return mapped_files_init(&m->files, modules);
}

void
maps_free(struct all_maps *m)
{
	mapped_files_free(&m->files);
	root_dirs_free(&m->roots);
	vec_free(&m->jit, &m->cap_jit, sizeof *m->jit);
}

void
maps_partial(struct all_maps *m)
{
	m->partial = true;
}

uint32_t
maps_places(const struct all_maps *m)
{
	return root_dirs_seen(&m->roots) + mapped_files_missed(&m->files);
}

/* Its root, now that prof needs it: a descriptor, or -1. */
static int
root_of(struct process_maps *p)
{
	if (p->root_due && !p->over)
		p->root = root_dirs_of(&p->all->roots, p->by, p->root, clock_now());
	p->root_due = false;
	return root_dirs_fd(&p->all->roots, p->root);
}

/* Lending and borrowing. */

static void
stop_borrowing(struct process_maps *p)
{
	struct process_maps **at;

	if (!p->lender)
		return;
	for (at = &p->lender->borrowers; *at != p; at = &(*at)->next_borrower)
		;
	*at = p->next_borrower;
	p->lender = p->next_borrower = NULL;
}

static void
copy_borrowed(struct process_maps *p)
{
	if (!p->lender)
		return;
	if (!space_copy(&p->space, &p->lender->space))
		p->stale = true;
	stop_borrowing(p);
}

/* Each process that borrows its maps gets a copy as they are. */
static void
stop_lending(struct process_maps *p)
{
	while (p->borrowers) {
		if (p->borrowers->over)
			stop_borrowing(p->borrowers);
		else
			copy_borrowed(p->borrowers);
	}
}

void
maps_fork(struct process_maps *child, struct process_maps *parent)
{
	child->scanned = parent->scanned;
	child->stale = parent->stale;
	child->root = parent->root;
	child->root_due = parent->root_due;
	child->brk = parent->brk;
	child->jit_parent = parent->jit ? parent->jit : parent->jit_parent;
	if (!parent->scanned)
		return;
	copy_borrowed(parent);
	child->lender = parent;
	child->next_borrower = parent->borrowers;
	parent->borrowers = child;
}

/* JIT code. */

/* Whether prof has found its perf map. */
static bool
find_names(const struct all_maps *all, struct module *m)
{
	const struct file_finder *f = all->files.finder;
	int map = -1, dump = -1;

	if (f && !jit_has_map(m))
		map = f->perfmap(f->ctx, m->pid);
	else if (!f)
		foreign_jit_files(m->pid, jit_has_map(m) ? NULL : &map, jit_has_dump(m) ? NULL : &dump);
	jit_found(m, map, dump);
	return f || jit_has_map(m);   /* no map of a recording is still to come */
}

static struct module *
jit_of(struct process_maps *p)
{
	struct all_maps *all = p->all;
	struct module *m = p->jit;

	if (m || !(m = jit_module(all->files.modules, p->pid, p->jit_parent)))
		return m;
	if (!find_names(all, m) && vec_room(&all->jit, &all->cap_jit, (uint64_t)all->njit + 1, sizeof *all->jit))
		all->jit[all->njit++] = (struct jit_search){ m, clock_now() + JIT_PAUSE, JIT_PAUSE };
	return p->jit = m;
}

/* A file that a process maps only to show its place: jit-PID.dump, in any directory; JavaScriptCore's is jit-TID-PID.dump. */
static bool
is_dump(const char *path)
{
	const char *slash = strrchr(path, '/'), *p = slash ? slash + 5 : "";
	uint64_t pid;

	return slash && !strncmp(slash, "/jit-", 5) && text_dec(&p, &pid) && (*p != '-' || (p++, text_dec(&p, &pid))) && !strcmp(p, ".dump");
}

static void
note_dump(struct process_maps *p, uint64_t lo, uint64_t hi, const struct file_id *id)
{
	const struct file_finder *f = p->all->files.finder;
	struct module *m = is_dump(id->path) ? jit_of(p) : NULL;

	if (!m || jit_has_dump(m))
		return;
	jit_found(m, -1, f ? f->file(f->ctx, id) : foreign_mapped(p->by, lo, hi, id, root_of(p)));
}

/* The module that stood for its JIT code until now keeps what prof knew of that code. */
static void
next_jit(struct process_maps *p)
{
	struct module *next = jit_next(p->all->files.modules, p->jit);

	p->jit_over = false;
	if (!next)
		return;
	for (uint32_t i = 0; i < p->space.n; i++)
		if (p->space.map[i].module == p->jit)
			p->space.map[i].module = next;
	p->jit = next;
	space_renew(&p->space);
}

/* Looks at what the process tells debuggers of its code. */
static void
look_at_registered(struct process_maps *p)
{
	uint64_t now = clock_now();
	enum registered_news news = jit_registered(p->jit, &p->space, now);

	if (news == REGISTERED_MORE)
		space_renew(&p->space);
	if (news != REGISTERED_OTHER)
		return;
	p->jit_over = true;
	p->jit_since = now;
}

/* The files may have grown since prof last read records.  What they hold now is older than the next records. */
static void
look_at_jit(struct process_maps *p, uint64_t time)
{
	if (p->jit_looked != p->all->drained) {
		if (p->jit_over)
			next_jit(p);
		p->jit_looked = p->all->drained;
		p->jit_over = jit_replaced(p->jit, &p->jit_since);
		if (!p->jit_over && !p->over && !p->all->files.finder)
			look_at_registered(p);
	}
	if (p->jit_over && time >= p->jit_since)
		next_jit(p);
}

static void
close_memory(struct process_maps *p)
{
	if (p->memory > 0) {
		close(p->memory - 1);
		p->all->memories--;
	}
	p->memory = 0;
}

/* prof finds its perf map now or never. */
void
maps_end(struct process_maps *p)
{
	struct all_maps *all = p->all;

	p->over = true;
	close_memory(p);
	for (uint32_t i = 0; p->jit && !jit_has_map(p->jit) && i < all->njit; i++)
		if (jit_same(all->jit[i].module, p->jit)) {
			find_names(all, p->jit);
			all->jit[i] = all->jit[--all->njit];
		}
}

void
maps_tidy(struct all_maps *all, uint64_t time, bool last)
{
	uint32_t kept = 0;

	all->drained = time;
	root_dirs_tidy(&all->roots, time);
	for (uint32_t i = 0; i < all->njit; i++) {
		struct jit_search j = all->jit[i];

		if (last || time >= j.due) {
			if (find_names(all, j.module))
				continue;
			j.pause = j.pause < PAUSE_MOST ? j.pause * 2 : PAUSE_MOST;
			j.due = time + j.pause;
		}
		all->jit[kept++] = j;
	}
	all->njit = kept;
}

/* Maps. */

static void
open_map(struct space *space, struct map *m)
{
	struct process_maps *p = (struct process_maps *)space;
	struct mapped_files *b = &p->all->files;
	int root = mapped_file_is_unopened(b, m->file) ? root_of(p) : -1;
	struct module *module = mapped_file_module(b, m->file, p->by, m->lo, m->hi, root);
	bool first = !p->jit;

	if (!module && mapped_file_is_memory(b, m->file))
		module = jit_of(p);
	if (module)
		space_bind(m, module);
	if (first && p->jit && !p->all->files.finder)   /* before prof makes rules for its code */
		jit_registered(p->jit, space, clock_now());
}

static void
add(struct process_maps *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	struct mapped_files *b = &p->all->files;
	struct map m = { .lo = lo, .hi = hi, .off = off, .exec = true, .file = mapped_file_number(b, id) };

	note_dump(p, lo, hi, id);
	if (mapped_file_is_memory(b, m.file) && !m.file)   /* offsets into no file mean nothing */
		m.off = lo;
	if (!space_add(&p->space, &m))
		p->stale = true;
}

/* prof opens a new file at once, because the file may be gone before prof reads the first sample in it.  But it opens only so
 * many in a time, whatever processes map. */
static bool
may_open_now(struct all_maps *all, uint32_t file)
{
	uint64_t time;

	if (!mapped_file_is_new(&all->files, file))
		return false;
	time = clock_now();
	if (all->ahead < time - AHEAD_MOST * AHEAD_EACH)
		all->ahead = time - AHEAD_MOST * AHEAD_EACH;
	if (all->ahead > time)
		return false;
	all->ahead += AHEAD_EACH;
	return true;
}

static void
open_now(struct process_maps *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->space.n; i++)
		if (p->space.map[i].lo == addr) {
			open_map(&p->space, &p->space.map[i]);
			p->space.bound++;
			break;
		}
}

void
maps_add(struct process_maps *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	uint32_t file;

	copy_borrowed(p);
	stop_lending(p);
	add(p, lo, hi, off, id);
	file = mapped_file_number(&p->all->files, id);
	if (p->root_due && mapped_file_is_unopened(&p->all->files, file))   /* it may be gone when prof opens the file */
		root_of(p);
	if (may_open_now(p->all, file))
		open_now(p, lo);
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
may_reread(struct process_maps *p)
{
	if (clock_now() - p->rescanned < p->pause)
		return false;
	p->all->reread++;
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
	COMPARE,   /* only counts how much agrees with what prof knows */
	RENEW,     /* replaces what prof knows */
	GAPS,      /* keeps what prof knows */
};

/* Goes through /proc/PID/maps.  False if COMPARE found maps, but no file that prof knew before. */
static bool
read_maps(struct process_maps *p, int fd, enum reading how)
{
	struct maps_line m;
	struct lines l;
	uint32_t budget = 1 << 20, same = 0, others = 0;
	char *line;

	lines_open(&l, fd);
	while ((line = lines_next(&l)) && budget--) {
		if (!maps_line_parse(&m, line))
			continue;
		if (!p->brk && !strcmp(m.path, "[heap]"))
			p->brk = m.hi;
		if (!m.exec)
			continue;
		if (how == COMPARE)
			*(*m.path == '/' && is_same(&p->space, &m) ? &same : &others) += 1;
		else if (how == RENEW || !overlaps(&p->space, m.lo, m.hi))
			add(p, m.lo, m.hi, m.off, &(struct file_id){ .path = m.path, .maj = m.maj, .min = m.min, .ino = m.ino });
	}
	return same || !others;   /* a process that is over has no maps any more */
}

/* Reads /proc/PID/maps.  If prof's maps may be stale, and none agrees, it drops them all: the process has executed another
 * program.  False if it cannot read the file. */
static bool
scan(struct process_maps *p, enum reading how)
{
	int fd = p->pid > 0 && !p->all->files.finder ? foreign_maps(p->by = foreign_by(p->pid)) : -1;
	bool read;

	p->rescanned = clock_now();
	p->scanned = true;
	copy_borrowed(p);
	stop_lending(p);
	if (fd < 0)
		return false;
	p->root = root_dirs_of(&p->all->roots, p->by, p->root, p->rescanned);
	p->root_due = false;
	if (p->stale && p->space.n && !read_maps(p, fd, COMPARE)) {
		space_clear(&p->space);
		close_memory(p);
	}
	if ((read = !p->stale || lseek(fd, 0, SEEK_SET) == 0)) {
		p->stale = false;
		read_maps(p, fd, how);
	}
	close(fd);
	return read;
}

/* A file of the process's memory, where prof reads an interpreter's frames with each sample, or code that the process makes: to ask
 * the keeper each time takes longer. */
static bool
open_memory(struct process_maps *p)
{
	if (!p->memory && (p->space.language || p->reads >= READS_FIRST) && p->all->memories < MEMORIES_MOST) {
		p->memory = foreign_memory(p->by) + 1;
		p->memory = p->memory ? p->memory : -1;
		p->all->memories += p->memory > 0;
	}
	return p->memory > 0;
}

static size_t
read_memory(struct space *space, uint64_t addr, void *to, size_t n)
{
	struct process_maps *p = (struct process_maps *)space;
	ssize_t got = !p->over && !p->all->files.finder && addr <= INT64_MAX && open_memory(p) ? pread(p->memory - 1, to, n, (off_t)addr) : -1;

	if (got > 0)
		return (size_t)got;
	if (!got && p->memory > 0) {   /* the memory of a process that has ended gives 0 bytes (proc(5)); what is not mapped gives an error */
		close_memory(p);
		p->memory = MEMORY_OVER;
	}
	if (p->memory > 0 || p->memory == MEMORY_OVER)
		return 0;
	if (p->over || p->all->files.finder)
		return 0;
	p->reads++;
	return foreign_read(p->by, addr, to, n);
}

static bool
missing_map(struct space *space, uint64_t addr)
{
	struct process_maps *p = (struct process_maps *)space;
	bool found;

	if (addr < 4096 || addr >> 63 || p->over || p->all->files.finder || !may_reread(p))
		return false;
	found = scan(p, p->all->partial ? RENEW : GAPS) && overlaps(space, addr, addr + 1);
	p->pause = found ? PAUSE_FIRST : p->pause < PAUSE_MOST / 4 ? p->pause * 4 : PAUSE_MOST;
	return found;
}

bool
maps_ready(struct process_maps *p, uint64_t time)
{
	bool again = p->scanned;

	copy_borrowed(p);
	if (p->jit)
		look_at_jit(p, time);
	if (again && !(p->stale && !p->over && may_reread(p)))
		return false;
	scan(p, RENEW);
	return again;
}

void
maps_begin(struct process_maps *p, struct all_maps *all, int32_t pid)
{
	*p = (struct process_maps){ .all = all, .pid = pid, .scanned = all->files.finder != NULL };
	space_init(&p->space);
	p->space.open = open_map;
	p->space.missing = missing_map;
	p->space.read = read_memory;
	p->by = p->pid;
	p->pause = PAUSE_FIRST;
}

/* No sample of what it ran until now comes any more. */
static void
let_go(struct process_maps *p)
{
	stop_lending(p);
	stop_borrowing(p);
	close_memory(p);
	if (p->jit)
		jit_gone(p->jit);
	space_clear(&p->space);
}

void
maps_forget(struct process_maps *p)
{
	let_go(p);
	p->by = p->pid;
	p->jit = p->jit_parent = NULL;
	p->jit_over = false;
	p->brk = 0;
	p->reads = 0;
	p->scanned = true;
	p->stale = false;
	p->pause = PAUSE_FIRST;
	p->rescanned = 0;
}

void
maps_exec(struct process_maps *p)
{
	maps_forget(p);
	p->root_due = !p->all->files.finder;
	if (p->root_due && !root_dirs_fresh(&p->all->roots, p->root, clock_now()))
		root_of(p);
}

void
maps_live(struct process_maps *p)
{
	p->over = false;
}

void
maps_lost(struct process_maps *p)
{
	p->stale = true;
}

void
maps_drop(struct process_maps *p)
{
	let_go(p);
	space_free(&p->space);
}
