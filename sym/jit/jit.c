/* See jit.h. */
#include "jit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/asked_file.h"
#include "lib/filemap.h"
#include "lib/work.h"
#include "jitdump.h"
#include "perfmap.h"

/* The most bytes of a frame description, and of all frame descriptions of a process. */
enum { TABLE_MOST = 16 << 10, TABLES_MOST = 32 << 20 };
/* The most bytes of a jitdump that prof looks at, and of a JIT's files for which it allows steps at once.  More bytes do not
 * allow more memory: prof keeps a bounded number of pieces of code, and files grow while it looks. */
enum { DUMP_MOST = 256 << 20, ALLOWED = 4 << 20 };

static void
free_jit(struct module_owned *o)
{
	struct jit *j = (struct jit *)o;

	jitcode_free(j->map);
	jitcode_free(j->dump);
	registered_free(&j->registered);
	vec_free(&j->ran, &j->cap_ran, sizeof *j->ran);
	vec_free(&j->table, &j->cap_tables, sizeof *j->table);
	vec_free(&j->by_lo, &j->cap_by_lo, sizeof *j->by_lo);
	arena_free(&j->arena);
	close(j->map_fd);
	close(j->dump_fd);
}

static struct module *
add_generation(struct modules *ms, int32_t pid, struct module *parent, struct jit *j)
{
	struct module like = { .kind = MODULE_JIT, .bad = "is code that has no file", .pid = pid, .parent = parent, .jit = j };

	if (!(like.limits = arena_alloc(&ms->arena, sizeof *like.limits)))
		return NULL;
	like.limits->map = like.limits->dump = like.limits->registered = JITCODE_ALL;
	return module_add(ms, &like, "[jit]");
}

struct module *
jit_module(struct modules *ms, int32_t pid, struct module *parent)
{
	struct jit *j = arena_alloc(&ms->arena, sizeof *j);

	if (!j)
		return NULL;
	j->map_fd = j->dump_fd = -1;
	modules_own(ms, &j->owned, free_jit);
	ms->jits = j;
	return add_generation(ms, pid, parent, j);
}

struct module *
jit_next(struct modules *ms, const struct module *before)
{
	return add_generation(ms, before->pid, before->parent, before->jit);
}

void
jit_ran(struct module *m, uint64_t vaddr)
{
	struct jit *j = m->jit;

	if (vec_room(&j->ran, &j->cap_ran, (uint64_t)j->nran + 1, sizeof *j->ran))
		j->ran[j->nran++] = (struct item){ vaddr, 0, 0 };
}

void
jit_gone(struct module *m)
{
	struct jit *j = m->jit;

	vec_free(&j->ran, &j->cap_ran, sizeof *j->ran);
	j->nran = 0;
}

static bool
has_run_in(const void *jit, uint64_t lo, uint64_t hi)
{
	const struct jit *j = jit;
	uint32_t i = sort_upto(j->ran, j->nran, hi - 1);

	return i && j->ran[i - 1].key >= lo;
}

static bool
has_run(const struct jit *j, const struct jit_range *r)
{
	return has_run_in(j, r->lo, r->hi);
}

static uint64_t
size_of(int fd)
{
	struct stat st;

	return fd < 0 || !asked_file_stat(fd, &st) || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
}

/* ---- jitdumps, as they grow ---- */

/* Where in the file and when code that ran gives way to other code; the first such record tells. */
struct change {
	bool seen;
	uint64_t at, time;
};

static void
keep_table(struct jit *j, const struct jitdump_record *r, struct cursor bytes)
{
	size_t n = cur_left(&bytes);
	uint32_t i = j->tables;
	char *copy;

	if (n > TABLE_MOST || j->table_bytes > TABLES_MOST || !vec_room(&j->table, &j->cap_tables, (uint64_t)i + 1, sizeof *j->table) ||
	    !vec_room(&j->by_lo, &j->cap_by_lo, (uint64_t)i + 1, sizeof *j->by_lo) ||
	    !(copy = arena_str(&j->arena, (const char *)bytes.pos, n)))
		return;
	j->table_bytes += n;
	j->table[i] = (struct jit_table){ r->lo, r->hi, cur_of(copy, n, bytes.big) };
	j->by_lo[j->tables++] = (struct item){ r->lo, i, 0 };
}

/* Allows the steps for that many more bytes of its files. */
static void
allow(uint64_t bytes)
{
	work_allow_steps(bytes < ALLOWED ? bytes : ALLOWED);
}

/* Goes on where it ended the last time, so that no record counts twice.  A frame description comes before its code, which may
 * come later. */
static void
read_dump(struct jit *j, struct cursor file, struct change *change)
{
	struct jitdump_reader d;
	struct jitdump_record r, frame = { .at = 0 };

	if (jitdump_begin(&d, file))
		return;
	if (j->dump_frame) {
		jitdump_seek(&d, j->dump_frame);
		if (!jitdump_next(&d, &frame) || frame.type != JITDUMP_UNWINDING)
			frame.at = 0;
	}
	jitdump_seek(&d, j->dump_seen);
	while (jitdump_next(&d, &r)) {
		if (r.type == JITDUMP_UNWINDING && r.count)
			frame = r;
		if (r.type == JITDUMP_LOAD && frame.at) {
			keep_table(j, &r, frame.rest);
			frame.at = 0;
		}
		if (!change->seen && r.type <= JITDUMP_MOVE && has_run(j, &(struct jit_range){ .lo = r.lo, .hi = r.hi }))
			*change = (struct change){ true, r.at, d.clocked ? r.time : 0 };
	}
	j->dump_frame = frame.at;
	j->dump_seen = jitdump_at(&d);
}

static struct cursor
dump_of(const struct filemap *f)
{
	return cur_of(f->data, f->size < DUMP_MOST ? f->size : DUMP_MOST, false);
}

static void
look_at_dump(struct jit *j, struct change *change)
{
	struct filemap f;

	if (size_of(j->dump_fd) <= j->dump_seen || filemap_open(&f, j->dump_fd))
		return;
	allow(f.size - j->dump_seen);
	read_dump(j, dump_of(&f), change);
	filemap_close(&f);
}

bool
jit_has_map(const struct module *m)
{
	return m->jit->map_fd >= 0;
}

bool
jit_has_dump(const struct module *m)
{
	return m->jit->dump_fd >= 0;
}

bool
jit_same(const struct module *a, const struct module *b)
{
	return a->jit == b->jit;
}

void
jit_found(struct module *m, int map_fd, int dump_fd)
{
	struct change change = { .seen = true };
	struct jit *j = m->jit;

	work_begin(&m->work);
	j->map_fd = map_fd >= 0 ? map_fd : j->map_fd;
	j->dump_fd = dump_fd >= 0 ? dump_fd : j->dump_fd;
	if (j->map_fd >= 0 && !j->map_seen)
		j->map_seen = perfmap_whole(j->map_fd, 0);
	if (!j->dump_seen)
		look_at_dump(j, &change);
	work_end();
}

/* ---- generations ---- */

static bool
map_replaced(struct module *m, uint64_t *limit)
{
	struct jit *j = m->jit;
	struct perfmap_reader p;
	struct jit_range r;
	const char *name;
	size_t len;
	uint64_t upto;
	bool replaced = false;

	if (size_of(j->map_fd) < j->map_seen) {   /* the file is written anew: its old text is gone */
		j->map_rewritten = true;
		j->map_seen = perfmap_whole(j->map_fd, 0);
		return false;
	}
	if ((upto = perfmap_whole(j->map_fd, j->map_seen)) == j->map_seen)
		return false;
	allow(upto - j->map_seen);
	perfmap_from(&p, j->map_fd, j->map_seen, upto);
	while (!replaced && perfmap_next(&p, &r, &name, &len))
		replaced = has_run(j, &r);
	j->map_seen = upto;
	*limit = r.at;
	return replaced;
}

/* What M stands for ends there. */
static void
close_generation(struct module *m, uint64_t map, uint64_t dump, uint32_t changes)
{
	*m->limits = (struct jit_limits){ map, dump, (uint64_t)changes + 1 };
	m->jit->generations++;
	m->jit->nran = 0;
}

bool
jit_replaced(struct module *m, uint64_t *since)
{
	struct jit *j = m->jit;
	struct change change = { .seen = false };
	uint64_t map = JITCODE_ALL;
	bool by_map;

	if (size_of(j->map_fd) == j->map_seen && size_of(j->dump_fd) == j->dump_seen)
		return false;
	if (!sort_items(j->ran, j->nran))
		return false;
	work_begin(&m->work);
	look_at_dump(j, &change);
	by_map = map_replaced(m, &map);
	work_end();
	if ((!by_map && !change.seen) || j->generations >= JIT_GENERATIONS)
		return false;
	close_generation(m, by_map ? map : j->map_seen, change.seen ? change.at : j->dump_seen, j->registered.changes);
	*since = change.time;
	return true;
}

enum registered_news
jit_registered(struct module *m, struct space *s, uint64_t now)
{
	struct jit *j = m->jit;
	uint32_t changes = j->registered.changes;
	enum registered_news news;

	if (now < j->registered.next || !sort_items(j->ran, j->nran))
		return REGISTERED_SAME;
	news = registered_look(&j->registered, s, now, &m->work, has_run_in, j);
	if (news == REGISTERED_OTHER && j->generations < JIT_GENERATIONS)
		close_generation(m, j->map_seen, j->dump_seen, changes);
	else if (news == REGISTERED_OTHER)
		news = REGISTERED_MORE;
	return news;
}

void
jit_registered_all(struct module *m, struct space *s)
{
	registered_all(&m->jit->registered, s, &m->work, has_run_in, m->jit);
}

static void
open_files(struct modules *ms, struct jit *j)
{
	struct filemap f;

	j->opened = true;
	allow(size_of(j->map_fd));
	allow(size_of(j->dump_fd));
	j->map = perfmap_open(&ms->arena, j->map_fd);
	if (j->dump_fd >= 0 && !filemap_open(&f, j->dump_fd)) {
		j->dump = jitdump_open(&ms->arena, dump_of(&f));
		filemap_close(&f);
	}
}

/* What a process writes after prof's last look is newer than all samples. */
static uint64_t
limit_of(uint64_t limit, uint64_t seen)
{
	return limit == JITCODE_ALL ? seen : limit;
}

bool
jit_find(struct modules *ms, struct module *m, uint64_t vaddr, struct symbol *s, const char **file, uint32_t *line,
         uint32_t *begins)
{
	const struct jit_range *r = NULL;
	const struct jitcode *code;
	struct jit *j = m->jit;

	if (!j->opened)
		open_files(ms, j);
	if ((code = j->dump))
		r = jitcode_find(j->dump, vaddr, limit_of(m->limits->dump, j->dump_seen));
	if (!r && (code = j->map))
		r = jitcode_find(j->map, vaddr, j->map_rewritten ? JITCODE_ALL : limit_of(m->limits->map, j->map_seen));
	if (!r)
		return registered_find(&j->registered, vaddr, m->limits->registered, s);
	jitcode_symbol(code, r, s);
	jitcode_source(code, r, vaddr, file, line, begins);
	return true;
}
