/* See code_source.h. */
#include "code_source.h"

#include "sym/module/symtab.h"

enum {
	FUNCTION_MAX = 1 << 16,
	AROUND = 64,              /* bytes before an address that may tell which instruction set it is of */
	IN_VAIN_MOST = 1 << 20,   /* instructions that prof may follow in vain at once, */
	IN_VAIN_MS = 400,         /* and in a millisecond: 0.5 % of a CPU */
};

bool
code_is_live(const struct code_source *src, const struct module *m, uint64_t vaddr)
{
	return module_is_live(m) || ((src->remade || src->passes) && module_may_differ(m, vaddr));
}

/* The map that VADDR lies in; its epoch is 0 if there is none. */
static const struct mapped *
find_mapped(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	const struct space *s = src->space;
	struct mapped *k = &src->mapped;

	if (s && k->epoch == s->epoch && k->module == m && vaddr + k->bias - k->lo < k->hi - k->lo)
		return k;
	*k = (struct mapped){ .epoch = 0 };
	for (uint32_t i = 0; s && i < s->n; i++) {
		const struct map *map = &s->map[i];

		if (map->module == m && map->exec && vaddr + map->bias - map->lo < map->hi - map->lo)
			*k = (struct mapped){ m, s->epoch, map->lo, map->hi, map->bias };
	}
	return k;
}

bool
code_is_made(const struct code_source *src, const struct module *m, uint64_t addr)
{
	const struct map *map = src->space ? space_map(src->space, addr) : NULL;

	return map && map->exec && (map->module ? map->module == m : !map->file);
}

uint64_t
code_address(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	const struct mapped *k;

	if (m->kind == MODULE_JIT)
		return vaddr;
	k = find_mapped(src, m, vaddr);
	return k->epoch ? vaddr + k->bias : 0;
}

/* Of code that lies in a file, but may differ there.  Behind the end of a map lies something else. */
static struct cursor
bytes_in_process(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	uint64_t addr = code_address(src, m, vaddr), left = src->mapped.hi - addr;
	struct cursor c;

	if (!addr)
		return cur_of(NULL, 0, false);
	c = code_pages_of_space(&src->pages, src->space, addr);
	return cur_left(&c) > left ? cur_of(c.pos, (size_t)left, false) : c;
}

struct cursor
code_bytes(struct code_source *src, const struct module *m, uint64_t vaddr)
{
	if (m->kind == MODULE_JIT)
		return code_pages_of_space(&src->pages, src->space, vaddr);
	if (code_is_live(src, m, vaddr))
		return bytes_in_process(src, m, vaddr);
	if (m->bad || m->elf.machine != src->arch->machine)
		return cur_of(NULL, 0, false);
	return m->file.fd ? code_pages_of_file(&src->pages, m, vaddr) : elf_from(&m->elf, vaddr);
}

static bool
ends_call(struct code_source *src, struct module *m, uint64_t vaddr)
{
	for (unsigned back = vaddr % src->arch->align ? 0 : 8; src->arch->after_call && back > 1; back--) {   /* code may begin right before the call */
		struct cursor c = code_bytes(src, m, vaddr - back);

		if (cur_left(&c) >= back)
			return src->arch->after_call(c.pos + back, back);
	}
	return false;
}

bool
code_after_call(struct code_source *src, struct module *m, uint64_t vaddr)
{
	bool remade = src->remade, is = ends_call(src, m, vaddr);

	if (is || remade || !module_may_differ(m, vaddr - 1))
		return is;
	src->remade = true;
	is = ends_call(src, m, vaddr);
	src->remade = false;
	return is;
}

uint64_t
code_called(struct code_source *src, struct module *m, uint64_t vaddr)
{
	unsigned len = src->arch->call_len;
	uint64_t at = vaddr + 1 - len;
	struct cursor c = code_bytes(src, m, at);
	struct insn i;

	if (!len || cur_left(&c) < len)
		return 0;
	src->arch->decode(c.pos, cur_left(&c), &i);
	return i.op == INSN_CALL && i.len == len && i.target ? at + (uint64_t)(int64_t)i.target : 0;
}

bool
code_function(struct code_source *src, struct module *m, uint64_t vaddr, uint64_t *lo, uint64_t *hi)
{
	struct symbol s;

	if (!symtab_find(src->modules, m, vaddr, &s) || vaddr < s.lo || vaddr - s.lo > FUNCTION_MAX)
		return false;
	*lo = s.lo;
	*hi = s.hi > vaddr ? s.hi : vaddr + 1;
	return true;
}

bool
code_other(struct code_source *src, struct module *m, uint64_t vaddr)
{
	unsigned at = vaddr & 3;
	struct symbol s;
	struct cursor c;

	if (!src->arch->decode_other)
		return false;
	if (at == 1 || at == 2)   /* instructions of A32 are aligned, and their last byte is the fourth */
		return true;
	if (symtab_find(src->modules, m, vaddr, &s))
		return s.thumb;
	for (at = AROUND; at; at -= 4) {
		c = code_bytes(src, m, (vaddr & ~(uint64_t)3) - at);
		if (cur_left(&c) > at)
			break;
	}
	c = code_bytes(src, m, (vaddr & ~(uint64_t)3) - at);
	return src->arch->is_other(c.pos, cur_left(&c), at);
}

void
code_decode(struct code_source *src, struct module *m, uint64_t vaddr, struct insn *i)
{
	struct cursor c = code_bytes(src, m, vaddr);

	(code_other(src, m, vaddr) ? src->arch->decode_other : src->arch->decode)(c.pos, cur_left(&c), i);
}

void
code_in_vain(struct code_source *src, uint64_t followed)
{
	src->in_vain += followed < IN_VAIN_MOST ? (uint32_t)followed : IN_VAIN_MOST;   /* also beyond the limit: the next ones then wait longer */
}

bool
code_has_time(struct code_source *src)
{
	bool has = src->in_vain < IN_VAIN_MOST;

	src->pages.left += !has;
	return has;
}

static void
forgive(struct code_source *src, uint64_t time)
{
	uint64_t ms = time > src->forgiven ? (time - src->forgiven) / 1000000 : 0;

	if (!ms)
		return;
	src->in_vain -= ms < src->in_vain / IN_VAIN_MS ? (uint32_t)ms * IN_VAIN_MS : src->in_vain;
	src->forgiven = time;
}

void
code_compare(struct code_source *src, struct space *s, uint64_t time)
{
	forgive(src, time);
	code_pages_compare(&src->pages, s, time);
}
