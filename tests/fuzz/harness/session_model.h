/* For session.c: process_maps.c, and beside each process's maps a plain table of what lies on each page, copied at a fork. */
#ifndef TESTS_FUZZ_SESSION_MODEL_H
#define TESTS_FUZZ_SESSION_MODEL_H

#include <stdio.h>
#include <stdlib.h>

#define maps_begin real_maps_begin
#define maps_fork real_maps_fork
#define maps_forget real_maps_forget
#define maps_exec real_maps_exec
#define maps_end real_maps_end
#define maps_drop real_maps_drop
#define maps_add real_maps_add
#define maps_ready real_maps_ready
#define add add_map
#include "sample/tasks/process_maps.c"
#undef maps_begin
#undef maps_fork
#undef maps_forget
#undef maps_exec
#undef maps_end
#undef maps_drop
#undef maps_add
#undef maps_ready
#undef add

enum { MODEL_PIDS = 16, MODEL_PAGES = 32, MODEL_PAGE = 4096 };

/* Says where, for the planted bug's line; true. */
static inline bool
model_check(bool holds, const char *what, int line)
{
	if (!holds) {
		fprintf(stderr, "ERROR: line %d: not so: %s\n", line, what);
		abort();
	}
	return true;
}
#define model_assert(what) model_check(what, #what, __LINE__)

struct model_page {
	uint32_t file;             /* its number + 1; 0: nothing */
	uint64_t off;
};

static struct model {
	struct process_maps *maps;
	struct model_page page[MODEL_PAGES];
	uint64_t rescanned;
	bool lent;                 /* it was over while it borrowed: what it borrowed may be gone */
} model[MODEL_PIDS + 2];

static struct model *
model_of(const struct process_maps *p)
{
	return &model[p->pid < 0 ? MODEL_PIDS + 1 : p->pid == 0 ? MODEL_PIDS : (unsigned)p->pid % MODEL_PIDS];
}

static void
model_begin(void)
{
	memset(model, 0, sizeof model);
}

/* Maps are sorted, and apart. */
static void
model_sound(const struct process_maps *p)
{
	for (uint32_t i = 0; i < p->space.n; i++)
		model_assert(p->space.map[i].lo < p->space.map[i].hi && (!i || p->space.map[i - 1].hi <= p->space.map[i].lo));
}

static struct model_page
model_page(const struct process_maps *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->space.n; i++) {
		const struct map *m = &p->space.map[i];

		if (addr >= m->lo && addr < m->hi)
			return (struct model_page){ m->file + 1, m->off + (addr - m->lo) };
	}
	return (struct model_page){ 0, 0 };
}

/* What /proc said is taken as it is. */
static void
model_take(struct process_maps *p)
{
	struct model *m = model_of(p);

	for (unsigned i = 0; i < MODEL_PAGES; i++)
		m->page[i] = model_page(p, (uint64_t)i * MODEL_PAGE);
	m->rescanned = p->rescanned;
	m->lent = false;
}

/* Where the maps were read again for an address that was in none. */
static void
model_found(struct process_maps *p)
{
	if (model_of(p)->rescanned != p->rescanned)
		model_take(p);
}

static void
model_same(struct process_maps *p)
{
	struct model *m = model_of(p);

	model_sound(p);
	model_assert(m->maps == p && !p->lender);
	for (unsigned i = 0; i < MODEL_PAGES && !m->lent; i++) {
		struct model_page is = model_page(p, (uint64_t)i * MODEL_PAGE);

		model_assert(is.file == m->page[i].file && is.off == m->page[i].off);
	}
}

void
maps_begin(struct process_maps *p, struct all_maps *all, int32_t pid)
{
	real_maps_begin(p, all, pid);
	*model_of(p) = (struct model){ .maps = p };
}

void
maps_forget(struct process_maps *p)
{
	real_maps_forget(p);
	*model_of(p) = (struct model){ .maps = p, .rescanned = p->rescanned };
}

void
maps_exec(struct process_maps *p, uint64_t time)
{
	real_maps_exec(p, time);
	*model_of(p) = (struct model){ .maps = p, .rescanned = p->rescanned };
}

void
maps_end(struct process_maps *p)
{
	real_maps_end(p);
	model_of(p)->lent |= p->lender != NULL;
}

void
maps_drop(struct process_maps *p)
{
	real_maps_drop(p);
	model_assert(model_of(p)->maps == p);
	*model_of(p) = (struct model){ 0 };
}

void
maps_fork(struct process_maps *child, struct process_maps *parent, uint64_t time)
{
	struct model *m = model_of(child), *its = model_of(parent);

	real_maps_fork(child, parent, time);
	if (!parent->scanned)
		return;
	memcpy(m->page, its->page, sizeof m->page);
	m->lent = its->lent;
}

static void
model_add(struct process_maps *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id)
{
	uint32_t number = mapped_file_number(&p->all->files, id);
	struct model *m = model_of(p);

	for (uint64_t addr = lo; addr < hi && addr / MODEL_PAGE < MODEL_PAGES; addr += MODEL_PAGE)
		m->page[addr / MODEL_PAGE] = (struct model_page){ number + 1, number ? off + (addr - lo) : addr };
}

void
maps_add(struct process_maps *p, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *id, uint64_t time)
{
	real_maps_add(p, lo, hi, off, id, time);
	if (time >= p->surveyed)
		model_add(p, lo, hi, off, id);
}

bool
maps_ready(struct process_maps *p, uint64_t time)
{
	bool again = real_maps_ready(p, time);

	model_found(p);
	return again;
}

#endif
