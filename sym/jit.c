/* See jit.h. */
#include "jit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "jitdump.h"
#include "perfmap.h"

void
jit_ran(struct module *m, uint64_t vaddr)
{
	struct jit *j = m->jit;

	if (vec_room(&j->ran, &j->cap_ran, (uint64_t)j->nran + 1, sizeof *j->ran))
		j->ran[j->nran++] = (struct item){ vaddr, 0, 0 };
}

static bool
has_run(const struct jit *j, const struct jit_range *r)
{
	uint32_t i = sort_upto(j->ran, j->nran, r->hi - 1);

	return i && j->ran[i - 1].key >= r->lo;
}

static uint64_t
size_of(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
}

/* Where the last record that is whole ends. */
static uint64_t
dump_whole(int fd)
{
	struct jitdump_reader d;
	struct jitdump_record r;
	struct filemap f;
	uint64_t at = 0;

	if (fd < 0 || filemap_open(&f, fd))
		return 0;
	if (!jitdump_begin(&d, cur_of(f.data, f.size, false))) {
		while (jitdump_next(&d, &r))
			;
		at = jitdump_at(&d);
	}
	filemap_close(&f);
	return at;
}

void
jit_found(struct module *m)
{
	struct jit *j = m->jit;

	if (j->map_fd >= 0 && !j->map_seen)
		j->map_seen = perfmap_whole(j->map_fd, 0);
	if (j->dump_fd >= 0 && !j->dump_seen)
		j->dump_seen = dump_whole(j->dump_fd);
}

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

	if (size_of(j->map_fd) < j->map_seen) {   /* written anew: what it said before is gone */
		j->map_rewritten = true;
		j->map_seen = perfmap_whole(j->map_fd, 0);
		return false;
	}
	if ((upto = perfmap_whole(j->map_fd, j->map_seen)) == j->map_seen)
		return false;
	perfmap_from(&p, j->map_fd, j->map_seen, upto);
	while (!replaced && perfmap_next(&p, &r, &name, &len))
		replaced = has_run(j, &r);
	j->map_seen = upto;
	*limit = r.at;
	return replaced;
}

static bool
dump_replaced(struct module *m, uint64_t *limit, uint64_t *since)
{
	struct jit *j = m->jit;
	struct jitdump_reader d;
	struct jitdump_record r = { 0 };
	struct filemap f;
	bool replaced = false;

	if (size_of(j->dump_fd) <= j->dump_seen || filemap_open(&f, j->dump_fd))
		return false;
	if (!jitdump_begin(&d, cur_of(f.data, f.size, false))) {
		jitdump_seek(&d, j->dump_seen);
		while (jitdump_next(&d, &r))
			if (!replaced && r.type <= JITDUMP_MOVE && has_run(j, &(struct jit_range){ .lo = r.lo, .hi = r.hi })) {
				replaced = true;
				*limit = r.at;
				*since = d.clocked ? r.time : 0;
			}
		j->dump_seen = jitdump_at(&d);
	}
	filemap_close(&f);
	return replaced;
}

bool
jit_replaced(struct module *m, uint64_t *since)
{
	struct jit *j = m->jit;
	uint64_t map = JITCODE_ALL, dump = JITCODE_ALL;
	bool by_map, by_dump;

	*since = 0;
	if (j->generations >= JIT_GENERATIONS || (size_of(j->map_fd) == j->map_seen && size_of(j->dump_fd) == j->dump_seen) ||
	    !sort_items(j->ran, j->nran))
		return false;
	by_dump = dump_replaced(m, &dump, since);
	by_map = map_replaced(m, &map);
	if (!by_map && !by_dump)
		return false;
	m->map_limit = by_map ? map : j->map_seen;
	m->dump_limit = by_dump ? dump : j->dump_seen;
	j->generations++;
	j->nran = 0;
	return true;
}

static void
open_files(struct modules *ms, struct jit *j)
{
	struct filemap f;

	j->opened = true;
	j->map = perfmap_open(&ms->arena, j->map_fd);
	if (j->dump_fd >= 0 && !filemap_open(&f, j->dump_fd)) {
		j->dump = jitdump_open(&ms->arena, cur_of(f.data, f.size, false), &j->tables);
		filemap_close(&f);
	}
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
		r = jitcode_find(j->dump, vaddr, m->dump_limit);
	if (!r && (code = j->map))
		r = jitcode_find(j->map, vaddr, j->map_rewritten ? JITCODE_ALL : m->map_limit);
	if (!r)
		return false;
	jitcode_symbol(code, r, s);
	jitcode_source(code, r, vaddr, file, line, begins);
	return true;
}
