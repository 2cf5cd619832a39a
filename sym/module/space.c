/* See space.h. */
#include "space.h"

#include <string.h>

static uint32_t epochs;   /* across all spaces, so that an epoch names its space too */

void
space_init(struct space *s)
{
	*s = (struct space){ .epoch = ++epochs };
}

void
space_free(struct space *s)
{
	vec_free(&s->map, &s->cap, sizeof *s->map);
	s->n = 0;
}

void
space_renew(struct space *s)
{
	s->epoch = ++epochs;
}

void
space_unmap(struct space *s)
{
	s->n = 0;
	memset(s->blocks, 0, sizeof s->blocks);
	s->bound++;
	space_renew(s);
}

void
space_clear(struct space *s)
{
	space_unmap(s);
	if (s->language)
		s->language->free(s->language);
	s->language = NULL;
	s->code_read = false;
}

/* The number of maps that end at or below ADDR. */
static uint32_t
below(const struct space *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->map[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether an address means the same in both.  JIT code has no offsets. */
static bool
same_meaning(const struct map *old, const struct map *new)
{
	if (old->file != new->file || (new->module && old->module && new->module != old->module))
		return false;
	return old->lo - old->off == new->lo - new->off || (old->module && old->module->kind == MODULE_JIT);
}

static void
set_blocks(struct space *s, const struct map *m)
{
	uint64_t first = m->lo / SPACE_BLOCK, n = (m->hi - 1) / SPACE_BLOCK - first;

	if (n >= SPACE_BLOCKS)
		memset(s->blocks, 0xff, sizeof s->blocks);
	for (uint64_t i = 0; n < SPACE_BLOCKS && i <= n; i++) {
		uint32_t block = space_block((first + i) * SPACE_BLOCK);

		s->blocks[block / 64] |= UINT64_C(1) << block % 64;
	}
}

bool
space_add(struct space *s, const struct map *new)
{
	uint32_t i = below(s, new->lo), j = i, left, right;
	struct map m = *new, tail;

	if (m.lo >= m.hi)
		return true;
	if (i < s->n && s->map[i].lo <= m.lo && s->map[i].hi >= m.hi && same_meaning(&s->map[i], &m) &&
	    s->map[i].exec == m.exec && (s->map[i].module || !m.module))
		return true;
	if (!vec_room(&s->map, &s->cap, (uint64_t)s->n + 2, sizeof *s->map))
		return false;
	for (bool renewed = false; j < s->n && s->map[j].lo < m.hi; j++) {
		if (!same_meaning(&s->map[j], &m)) {
			if (!renewed)
				s->epoch = ++epochs;
			renewed = true;
		} else if (!m.module) {
			m.module = s->map[j].module;
			m.bias = s->map[j].bias;
		}
	}
	left = j > i && s->map[i].lo < m.lo;
	right = j > i && s->map[j - 1].hi > m.hi;
	if (right) {
		tail = s->map[j - 1];
		tail.off += m.hi - tail.lo;
		tail.lo = m.hi;
	}
	if (left)
		s->map[i++].hi = m.lo;
	if (m.exec)
		set_blocks(s, &m);
	memmove(s->map + i + 1 + right, s->map + j, (s->n - j) * sizeof *s->map);
	s->n = s->n - j + i + 1 + right;
	s->map[i] = m;
	if (right)
		s->map[i + 1] = tail;
	return true;
}

bool
space_copy(struct space *to, const struct space *from)
{
	space_clear(to);
	if (!vec_room(&to->map, &to->cap, from->n, sizeof *to->map))
		return false;
	if (from->n)
		memcpy(to->map, from->map, from->n * sizeof *to->map);
	to->n = from->n;
	memcpy(to->blocks, from->blocks, sizeof to->blocks);
	for (uint32_t i = 0; i < to->n; i++)
		if (to->map[i].module && to->map[i].module->kind == MODULE_JIT)
			to->map[i].module = NULL;
	to->bound++;
	return true;
}

static struct map *
lookup(struct space *s, uint64_t addr)
{
	uint32_t i = s->last;

	if (i < s->n && addr >= s->map[i].lo && addr < s->map[i].hi)
		return &s->map[i];
	i = below(s, addr);
	if (i == s->n || addr < s->map[i].lo)
		return NULL;
	s->last = i;
	return &s->map[i];
}

const struct map *
space_map(const struct space *s, uint64_t addr)
{
	uint32_t i = below(s, addr);

	return i < s->n && addr >= s->map[i].lo ? &s->map[i] : NULL;
}

bool
space_executes(const struct space *s, uint64_t addr)
{
	const struct map *m = space_map(s, addr);

	return m && m->exec;
}

struct map *
space_find(struct space *s, uint64_t addr)
{
	struct map *m = lookup(s, addr);

	if (!m && s->missing && s->missing(s, addr))
		m = lookup(s, addr);
	if (m && !m->module && s->open) {
		s->open(s, m);
		s->bound++;
	}
	return m && m->module ? m : NULL;
}

/* The segment that a map was made of: the one of its kind that shares the most bytes with it.  (A map begins and ends
 * on pages, a segment need not: several can lie in one page, and each is then mapped on its own.) */
static const struct segment *
segment_of(const struct map *m, const struct elf *e)
{
	const struct segment *best = NULL;
	uint64_t most = 0, end = m->off + (m->hi - m->lo);

	for (uint32_t i = 0; i < e->nload; i++) {
		const struct segment *s = &e->load[i];
		uint64_t lo = s->off > m->off ? s->off : m->off, hi = s->off + s->filesz < end ? s->off + s->filesz : end;
		bool fits = s->exec == m->exec;

		if (hi <= lo || (best && fits < (best->exec == m->exec)))
			continue;
		if (!best || fits > (best->exec == m->exec) || hi - lo > most) {
			best = s;
			most = hi - lo;
		}
	}
	return best;
}

void
space_bind(struct map *m, struct module *module)
{
	const struct segment *s;

	m->module = module;
	m->bias = 0;
	if (!module || module->kind == MODULE_JIT || module->kind == MODULE_KERNEL)
		return;
	m->bias = m->lo - m->off;   /* if there is nothing better, the address as linked is the file offset */
	if ((s = segment_of(m, &module->elf)))
		m->bias += s->off - s->vaddr;
	else if (module->kind == MODULE_IMAGE && module->elf.nload)
		m->bias = m->lo - (module->elf.load[0].vaddr & ~(uint64_t)4095);
}
