/* See process_maps.h.  A forked child borrows its parent's maps until either changes or the child is sampled: most children
 * execute something else at once.  A process that has executed something is asked for its root once it maps a file that prof has not
 * opened: most programs are known.  /proc shows the present, but samples belong to the past, and the record of each mapping
 * comes in its turn.  So /proc only fills gaps, unless records are missing.
 *
 * If records may have been lost, prof reads /proc/PID/maps before the next sample: a survey.  It holds from then on, and older
 * records that still come are no news.  What was mapped before the survey nobody knows, and prof does not unwind those samples.
 * But if the survey finds just the files that prof knew, at the same places, and the process has never mapped one file where
 * another lay, it has had them all the time. */
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
/* Between two surveys lies so many times the time that one takes. */
enum { SURVEY_EACH = 10 };
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

/* Its children begin with its root, and may be gone when prof asks for theirs. */
static void
look_at_root(struct process_maps *p)
{
	struct root_dirs *roots = &p->all->roots;
	uint64_t now = clock_now();

	if (p->rootless || p->over || p->all->files.finder || root_dirs_fresh(roots, p->root, now))
		return;
	p->root = root_dirs_of(roots, p->by, p->root, now);
	p->rootless = !root_dirs_fresh(roots, p->root, now);
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

/* Whether records may have been lost that prof has not made up for. */
static bool
is_stale(const struct process_maps *p)
{
	return p->stale || p->surveyed < p->all->lost;
}

void
maps_fork(struct process_maps *child, struct process_maps *parent, uint64_t time)
{
	child->scanned = parent->scanned;
	child->stale = is_stale(parent) || time < parent->sure;
	child->replaced = parent->replaced;
	child->surveyed = time;
	look_at_root(parent);
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

/* Whether prof has found its perf map.  DUMPS: it looks for a dump that the process has not mapped, too. */
static bool
find_names(const struct all_maps *all, struct module *m, bool dumps)
{
	const struct file_finder *f = all->files.finder;
	int map = -1, dump = -1;

	if (f && !jit_has_map(m))
		map = f->perfmap(f->ctx, m->pid);
	else if (!f)
		foreign_jit_files(m->pid, jit_has_map(m) ? NULL : &map, !dumps || jit_has_dump(m) ? NULL : &dump);
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
	if (!find_names(all, m, true) && vec_room(&all->jit, &all->cap_jit, (uint64_t)all->njit + 1, sizeof *all->jit))
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
			find_names(all, p->jit, true);
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
			if (find_names(all, j.module, last))
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

/* prof opens a file that is due at once, because the file may be gone before prof reads the first sample in it.  But it opens only so
 * many in a time, whatever processes map. */
static bool
may_open_now(struct all_maps *all, uint32_t file)
{
	uint64_t time;

	if (!mapped_file_is_due(&all->files, file))
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

static const char *
path_of(const struct process_maps *p, const struct map *m)
{
	return p->all->files.file[m->file].id.path;
}

/* Whether there is something else at [lo, hi) now. */
static bool
replaces(const struct process_maps *p, uint64_t lo, uint64_t hi, const char *path)
{
	const struct space *s = &p->space;

	for (uint32_t i = 0; i < s->n; i++)
		if (lo < s->map[i].hi && hi > s->map[i].lo && strcmp(path_of(p, &s->map[i]), path) != 0)
			return true;
	return false;
}

void
maps_add(struct process_maps *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id, uint64_t time)
{
	bool other = !p->replaced && replaces(p, lo, hi, id->path);
	uint32_t file;

	p->replaced |= other;
	if (time < p->surveyed) {   /* the survey has seen what became of it */
		p->sure = other ? p->surveyed : p->sure;
		return;
	}
	copy_borrowed(p);
	stop_lending(p);
	add(p, lo, hi, off, id);
	file = mapped_file_number(&p->all->files, id);
	if (p->root_due && mapped_file_is_unopened(&p->all->files, file))   /* it may be gone when prof opens the file */
		root_of(p);
	if (may_open_now(p->all, file))
		open_now(p, lo);
}

void
maps_ahead(struct all_maps *all, int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *id)
{
	uint32_t file = mapped_file_number(&all->files, id);

	if (may_open_now(all, file))
		mapped_file_ahead(&all->files, file, pid, lo, hi,
		                  root_dirs_fd(&all->roots, root_dirs_of(&all->roots, pid, 0, clock_now())));
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

/* Whether line L tells of map M. */
static bool
is_same(const struct process_maps *p, const struct map *m, const struct maps_line *l)
{
	const struct file_id *id = &p->all->files.file[m->file].id;

	return m->lo == l->lo && m->hi == l->hi && m->off == l->off && !strcmp(id->path, l->path) && (!id->ino || id->ino == l->ino);
}

/* What /proc/PID/maps has of files, beside what prof knows. */
struct difference {
	uint32_t same, others, at;   /* AT: the first of prof's maps that may be in the next line */
};

static void
compare(struct process_maps *p, const struct maps_line *l, struct difference *d)
{
	const struct space *s = &p->space;

	while (d->at < s->n && s->map[d->at].hi <= l->lo)
		d->at++;
	if (d->at < s->n && is_same(p, &s->map[d->at], l)) {
		d->same++;
		return;
	}
	d->others++;
	p->replaced |= d->at < s->n && s->map[d->at].lo < l->hi;
}

static uint32_t
count_files(const struct process_maps *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->space.n; i++)
		n += *path_of(p, &p->space.map[i]) == '/';
	return n;
}

enum reading {
	RENEW,     /* replaces what prof knows */
	GAPS,      /* keeps what prof knows */
};

/* Goes through /proc/PID/maps, and only compares if D is not NULL. */
static void
read_maps(struct process_maps *p, int fd, enum reading how, struct difference *d)
{
	struct maps_line m;
	struct lines l;
	uint32_t budget = 1 << 20;
	char *line;

	lines_open(&l, fd);
	while ((line = lines_next(&l)) && budget--) {
		if (!maps_line_parse(&m, line))
			continue;
		if (!p->brk && !strcmp(m.path, "[heap]"))
			p->brk = m.hi;
		if (!m.exec)
			continue;
		if (d && *m.path == '/')
			compare(p, &m, d);
		else if (d)
			continue;
		else if (how == RENEW || !overlaps(&p->space, m.lo, m.hi))
			add(p, m.lo, m.hi, m.off, &(struct file_id){ .path = m.path, .maj = m.maj, .min = m.min, .ino = m.ino });
	}
}

/* Makes up for lost records, as far as that goes.  False if it cannot: a process that is over has no maps any more. */
static bool
survey(struct process_maps *p, int fd)
{
	struct difference d = { 0 };
	enum reading how = RENEW;
	bool sure;

	read_maps(p, fd, how, &d);
	if (!(d.same + d.others) || lseek(fd, 0, SEEK_SET))
		return false;
	sure = d.same && !d.others && d.same == count_files(p) && !p->replaced;
	if (sure) {
		how = GAPS;
	} else if (d.same) {
		space_unmap(&p->space);
	} else {   /* the process has executed another program */
		space_clear(&p->space);
		close_memory(p);
	}
	p->stale = false;
	p->surveyed = sure ? p->rescanned : clock_now();   /* records of what it maps meanwhile are news */
	read_maps(p, fd, how, NULL);
	if (!sure)
		p->sure = clock_now();
	return true;
}

/* Reads /proc/PID/maps.  False if it cannot. */
static bool
scan(struct process_maps *p, enum reading how)
{
	int fd = p->pid > 0 && !p->all->files.finder ? foreign_maps(p->by = foreign_by(p->pid)) : -1;
	bool read = true;

	p->rescanned = clock_now();
	p->scanned = true;
	copy_borrowed(p);
	stop_lending(p);
	if (fd < 0)
		return false;
	p->root = root_dirs_of(&p->all->roots, p->by, p->root, p->rescanned);
	p->root_due = false;
	if (is_stale(p))
		read = survey(p, fd);
	else
		read_maps(p, fd, how, NULL);
	close(fd);
	p->took = clock_now() - p->rescanned;
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
may_survey(struct process_maps *p)
{
	if (clock_now() - p->rescanned < SURVEY_EACH * p->took)
		return false;
	p->all->reread++;
	return true;
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
	if (!again && !p->all->lost)
		p->surveyed = time;
	if (again && !(is_stale(p) && !p->over && may_survey(p)))
		return false;
	scan(p, RENEW);
	return again;
}

bool
maps_sure(const struct process_maps *p, uint64_t time)
{
	return time >= p->sure && !is_stale(p);
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
	p->jit_over = p->rootless = false;
	p->brk = 0;
	p->reads = 0;
	p->scanned = true;
	p->stale = p->replaced = false;
	p->surveyed = p->sure = 0;
	p->pause = PAUSE_FIRST;
	p->rescanned = 0;
}

void
maps_exec(struct process_maps *p, uint64_t time)
{
	maps_forget(p);
	p->surveyed = time;
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
maps_lost(struct all_maps *m, uint64_t time)
{
	if (time > m->lost)
		m->lost = time;
}

void
maps_drop(struct process_maps *p)
{
	let_go(p);
	space_free(&p->space);
}
