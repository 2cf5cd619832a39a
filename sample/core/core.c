/* See core.h.  The kernel writes headers, notes, and then memory in the order of addresses (fs/binfmt_elf.c), so prof can read
 * a pipe in one go: when memory comes, the notes have told which stacks and which files' first pages prof wants.
 *
 * Notes (elf.h): NT_PRSTATUS of each thread, NT_PRPSINFO, NT_SIGINFO, NT_AUXV, NT_FILE. */
#include "core.h"

#include <elf.h>
#include <string.h>

#include "lib/sort.h"

enum { NOTES_MOST = 1 << 20, NAME_MOST = 4096, PAGE = 4096, AT_VDSO = 33, AT_PATH = 31 };
/* Bytes that prof keeps of a pipe: of the first thread's stack, of the others' together and at least, of code that no file has,
 * of all. */
enum { STACK_MOST = 8 << 20, OTHERS_MOST = 4 << 20, LEAST = 64 << 10, CODE_MOST = 1 << 20, KEPT_MOST = 12 << 20 };
static const char no_memory[] = "needs more memory than prof may use";
/* si_code of signals that the kernel sends for what the thread did; the signals that tell an address. */
enum { SI_LEAST = 1, SI_KERNEL_MOST = 127, ILL = 4, TRAP = 5, BUS = 7, FPE = 8, SEGV = 11 };

static uint64_t
word(struct cursor *c, const struct core *core)
{
	return cur_uint(c, core->is64 ? 8 : 4);
}

/* struct elf_prstatus, <linux/elfcore.h>. */
static bool
take_prstatus(struct core *core, struct cursor c)
{
	struct core_thread *t;

	if (!vec_room(&core->thread, &core->cap_thread, (uint64_t)core->nthread + 1, sizeof *core->thread))
		return false;
	t = &core->thread[core->nthread];
	*t = (struct core_thread){ 0 };
	cur_take(&c, 12);
	if (!core->nthread)
		core->signal = cur_u16(&c);   /* pr_cursig */
	else
		cur_take(&c, 2);
	cur_take(&c, core->is64 ? 18 : 10);
	t->tid = (int32_t)cur_u32(&c);
	cur_take(&c, core->is64 ? 76 : 44);
	for (unsigned i = 0; i < CORE_WORDS && cur_left(&c) >= (core->is64 ? 12 : 8); i++, t->nword++)   /* pr_fpvalid is behind them */
		t->word[i] = word(&c, core);
	core->nthread += !c.bad && t->tid > 0;
	return true;
}

/* struct elf_prpsinfo: its last members are pr_fname[16], pr_psargs[80]. */
static void
take_prpsinfo(struct core *core, struct cursor c)
{
	size_t n = cur_left(&c);

	if (n < 96 + 24)
		return;
	memcpy(core->comm, c.end - 96, sizeof core->comm - 1);
	memcpy(core->args, c.end - 80, sizeof core->args - 1);
	cur_take(&c, n - 96 - 16);   /* pr_pid, pr_ppid, pr_pgrp, pr_sid */
	core->pid = (int32_t)cur_u32(&c);
}

static void
take_siginfo(struct core *core, struct cursor c)
{
	uint64_t at;

	core->signal = (int32_t)cur_u32(&c);
	cur_u32(&c);
	core->code = (int32_t)cur_u32(&c);
	if (core->is64)
		cur_u32(&c);
	at = word(&c, core);
	if (c.bad || core->code < SI_LEAST || core->code > SI_KERNEL_MOST)
		return;
	core->faulted = core->signal == ILL || core->signal == TRAP || core->signal == BUS || core->signal == FPE || core->signal == SEGV;
	core->fault = at;
}

static void
take_auxv(struct core *core, struct cursor c)
{
	while (cur_left(&c) && !c.bad) {
		uint64_t type = word(&c, core), value = word(&c, core);

		if (type == AT_VDSO)
			core->vdso = value;
		else if (type == AT_ENTRY)
			core->entry = value;
		else if (type == AT_PATH)
			core->execfn = value;
	}
}

/* Counts and page size; begin, end and offset in pages of each; then their names. */
static bool
take_files(struct core *core, struct cursor c)
{
	uint64_t n = word(&c, core), page = word(&c, core), size = core->is64 ? 24 : 12;
	struct cursor names = c;
	uint64_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > cur_left(&c) || !cur_take(&names, bytes))
		return true;
	if (!vec_room(&core->map, &core->cap_map, core->nmap + n, sizeof *core->map))
		return false;
	for (; n-- && !c.bad; ) {
		struct core_map m;
		const char *path;

		m.lo = word(&c, core);
		m.hi = word(&c, core);
		m.off = word(&c, core) * page;
		path = cur_str(&names);
		m.path = arena_str(&core->arena, path, strnlen(path, NAME_MOST));
		if (names.bad || m.lo >= m.hi)
			continue;
		if (!m.path)
			return false;
		core->map[core->nmap++] = m;
	}
	return true;
}

static bool
take_note(struct core *core, uint32_t type, struct cursor desc)
{
	switch (type) {
	case NT_PRSTATUS:
		return take_prstatus(core, desc);
	case NT_PRPSINFO:
		take_prpsinfo(core, desc);
		break;
	case NT_SIGINFO:
		take_siginfo(core, desc);
		break;
	case NT_AUXV:
		take_auxv(core, desc);
		break;
	case NT_FILE:
		return take_files(core, desc);
	}
	return true;
}

/* Notes with other names than CORE have registers that prof does not need. */
static bool
take_notes(struct core *core, struct cursor c)
{
	unsigned budget = NOTES_MOST;

	while (cur_left(&c) >= 12 && budget--) {
		uint32_t namesz = cur_u32(&c), descsz = cur_u32(&c), type = cur_u32(&c);
		const uint8_t *name = cur_take(&c, namesz);
		bool is_core = name && namesz == 5 && !memcmp(name, "CORE", 5);
		struct cursor desc;

		cur_take(&c, -namesz & 3);
		if (descsz > cur_left(&c))
			core->cut = true;
		desc = cur_sub(&c, descsz < cur_left(&c) ? descsz : cur_left(&c));
		if (cur_left(&c) >= (-descsz & 3))
			cur_take(&c, -descsz & 3);
		if (is_core && !take_note(core, type, desc))
			return false;
	}
	return true;
}

struct header {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz;
};

static void
read_header(const struct core *core, struct cursor *c, struct header *h)
{
	h->type = cur_u32(c);
	h->flags = core->is64 ? cur_u32(c) : 0;
	h->off = word(c, core);
	h->vaddr = word(c, core);
	word(c, core);
	h->filesz = word(c, core);
	h->memsz = word(c, core);
	if (!core->is64)
		h->flags = cur_u32(c);
	word(c, core);
}

static bool
add_load(struct core *core, const struct header *h)
{
	uint64_t hi;

	if (__builtin_add_overflow(h->vaddr, h->memsz, &hi) || hi <= h->vaddr || h->off + h->filesz < h->off)
		return true;
	if (!vec_room(&core->load, &core->cap_load, (uint64_t)core->nload + 1, sizeof *core->load))
		return false;
	core->load[core->nload++] = (struct core_load){ h->vaddr, hi, h->off, h->filesz < h->memsz ? h->filesz : h->memsz, h->flags & PF_X };
	return true;
}

static bool
add_note(struct core *core, const struct header *h)
{
	if (h->off + h->filesz < h->off)
		return true;
	if (!vec_room(&core->note, &core->cap_note, (uint64_t)core->nnote + 1, sizeof *core->note))
		return false;
	core->note[core->nnote++] = (struct core_load){ .off = h->off, .size = h->filesz };
	return true;
}

static bool
sort_loads(struct core *core)
{
	bool sorted = true;
	struct item *item = NULL;
	struct core_load *load = NULL;
	uint32_t cap = 0, cap_load = 0;

	for (uint32_t i = 1; i < core->nload; i++)
		sorted &= core->load[i - 1].hi <= core->load[i].lo;
	if (sorted)
		return true;
	if (!vec_room(&item, &cap, core->nload, sizeof *item) || !vec_room(&load, &cap_load, core->nload, sizeof *load))
		return false;
	for (uint32_t i = 0; i < core->nload; i++)
		item[i] = (struct item){ core->load[i].lo, i, 0 };
	sort_items(item, core->nload);
	for (uint32_t i = 0; i < core->nload; i++)
		load[i] = core->load[item[i].a];
	for (uint32_t i = 1; i < core->nload; i++)   /* bytes that two segments have count once */
		if (load[i - 1].hi > load[i].lo)
			load[i - 1].hi = load[i].lo > load[i - 1].lo ? load[i].lo : load[i - 1].lo;
	vec_free(&core->load, &core->cap_load, sizeof *load);
	vec_free(&item, &cap, sizeof *item);
	core->load = load;
	core->cap_load = cap_load;
	return true;
}

/* How many program headers there are: if that does not fit in 16 bits, they reach up to the first note. */
static uint64_t
headers(const struct core *core, struct cursor c, uint64_t count, uint64_t size)
{
	struct header h;
	struct cursor first = c;

	if (count != PN_XNUM || !size)
		return count;
	read_header(core, &first, &h);
	return !first.bad && h.type == PT_NOTE && h.off > (core->is64 ? 64u : 52u) ? (h.off - (core->is64 ? 64 : 52)) / size : count;
}

/* Headers and notes. */
static const char *
read_head(struct core *core)
{
	struct cursor c = core_bytes_some(&core->bytes, 0, 64), all;
	uint64_t phoff, count, size;
	const uint8_t *ident = cur_take(&c, EI_NIDENT);
	struct header h;

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) || cur_u16(&c) != ET_CORE)
		return ident && !memcmp(ident, "\x28\xb5\x2f\xfd", 4) ? "is compressed: zstd -dc FILE | prof stack --core -" : "is not a core file";
	if (ident[EI_DATA] != ELFDATA2LSB || ident[EI_CLASS] < ELFCLASS32 || ident[EI_CLASS] > ELFCLASS64)
		return "is of a machine that prof does not know";
	core->is64 = ident[EI_CLASS] == ELFCLASS64;
	core->machine = cur_u16(&c);
	cur_u32(&c);
	word(&c, core);
	phoff = word(&c, core);
	word(&c, core);
	cur_u32(&c);
	cur_u16(&c);
	size = cur_u16(&c);
	count = cur_u16(&c);
	if (c.bad || size < (core->is64 ? 56 : 32))
		return "is damaged: it has no program headers";
	all = core_bytes_some(&core->bytes, phoff, size);
	count = headers(core, all, count, size);
	all = core_bytes_some(&core->bytes, phoff, count * size);
	for (; count && cur_left(&all) >= size; count--) {
		struct cursor one = cur_sub(&all, size);

		read_header(core, &one, &h);
		if (h.type == PT_LOAD && !add_load(core, &h))
			return no_memory;
		if (h.type == PT_NOTE && !add_note(core, &h))
			return no_memory;
	}
	core->cut |= count != 0;
	for (uint32_t i = 0; i < core->nnote; i++) {
		const struct core_load *n = &core->note[i];

		if (core->bytes.piped && n->off + n->size > CORE_HEAD_MOST)
			return "has its notes behind its memory, as gdb writes it: give prof the file, not a pipe";
		all = core_bytes_some(&core->bytes, n->off, n->size);
		core->cut |= cur_left(&all) < n->size;
		if (!take_notes(core, all))
			return no_memory;
	}
	return core->nthread ? NULL : core->cut ? "ends before the list of its threads" : "lists no threads";
}

/* What prof must keep of a pipe. */
struct keeping {
	struct item *sp;           /* sorted by stack pointer; a: the thread */
	uint32_t nsp, cap;
	uint64_t each;             /* bytes of a stack */
};

static void
keep(struct core *core, const struct core_load *l, uint64_t from, uint64_t n)
{
	n = n < l->size - from ? n : l->size - from;
	core->cut |= !core_bytes_keep(&core->bytes, l->off + from, l->off + from + n, KEPT_MOST);
}

/* Keeps a file's first page, which has its build-id; all code that no file has; and stacks. */
static void
keep_load(struct core *core, const struct keeping *k, const struct core_load *l)
{
	const struct core_map *m = core_map_at(core, l->lo);
	uint32_t i = l->lo ? sort_upto(k->sp, k->nsp, l->lo - 1) : 0;

	if (l->size && m && !m->off)
		keep(core, l, 0, PAGE);
	else if (l->size && !m && l->exec)
		keep(core, l, 0, CODE_MOST);
	for (; i < k->nsp && k->sp[i].key - l->lo < l->size; i++)
		keep(core, l, k->sp[i].key - l->lo, k->sp[i].a ? k->each : STACK_MOST);
}

/* Takes what prof needs of a pipe, in the pipe's order. */
static const char *
read_pipe(struct core *core, uint64_t (*sp)(const struct core *, const struct core_thread *))
{
	struct keeping k = { .nsp = core->nthread, .each = OTHERS_MOST / core->nthread };
	struct item *load = NULL;
	uint32_t cap = 0;
	bool good = vec_room(&k.sp, &k.cap, k.nsp, sizeof *k.sp) && vec_room(&load, &cap, core->nload, sizeof *load);

	k.each = k.each < LEAST ? LEAST : k.each;
	for (uint32_t i = 0; good && i < k.nsp; i++)
		k.sp[i] = (struct item){ sp ? sp(core, &core->thread[i]) : 0, i, 0 };
	for (uint32_t i = 0; good && i < core->nload; i++)
		load[i] = (struct item){ core->load[i].off, i, 0 };
	good = good && sort_items(k.sp, k.nsp) && sort_items(load, core->nload);
	for (uint32_t i = 0; good && i < core->nload && !core->cut; i++)
		keep_load(core, &k, &core->load[load[i].a]);
	vec_free(&load, &cap, sizeof *load);
	vec_free(&k.sp, &k.cap, sizeof *k.sp);
	core_bytes_drain(&core->bytes);
	return good ? NULL : no_memory;
}

/* Sorts the mapped files by address. */
static bool
sort_maps(struct core *core)
{
	struct item *item = NULL;
	struct core_map *map = NULL;
	uint32_t cap = 0, cap_map = 0;
	bool good = vec_room(&item, &cap, core->nmap, sizeof *item) && vec_room(&map, &cap_map, core->nmap, sizeof *map);

	for (uint32_t i = 0; good && i < core->nmap; i++)
		item[i] = (struct item){ core->map[i].lo, i, 0 };
	good = good && sort_items(item, core->nmap);
	for (uint32_t i = 0; good && i < core->nmap; i++)
		map[i] = core->map[item[i].a];
	vec_free(&item, &cap, sizeof *item);
	if (!good)
		return false;
	vec_free(&core->map, &core->cap_map, sizeof *map);
	core->map = map;
	core->cap_map = cap_map;
	return true;
}

const char *
core_open(struct core *core, int fd, uint64_t (*sp)(const struct core *, const struct core_thread *))
{
	const char *why;

	core_bytes_open(&core->bytes, fd);
	if ((why = read_head(core)))
		return why;
	if (!sort_loads(core) || !sort_maps(core))
		return no_memory;
	if (!core->pid)
		core->pid = core->thread[0].tid;
	if (core->bytes.piped)
		return read_pipe(core, sp);
	for (uint32_t i = 0; i < core->nload; i++)
		core->cut |= core->load[i].off + core->load[i].size > core->bytes.size;
	return NULL;
}

void
core_close(struct core *core)
{
	core_bytes_close(&core->bytes);
	vec_free(&core->thread, &core->cap_thread, sizeof *core->thread);
	vec_free(&core->map, &core->cap_map, sizeof *core->map);
	vec_free(&core->load, &core->cap_load, sizeof *core->load);
	vec_free(&core->note, &core->cap_note, sizeof *core->note);
	vec_free(&core->stack, &core->cap_stack, 1);
	arena_free(&core->arena);
}

/* How many of N ranges, SIZE bytes each, end at ADDR or below; FIRST is the first one's end. */
static uint32_t
below(const uint64_t *first, size_t size, uint32_t n, uint64_t addr)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (*(const uint64_t *)((const char *)first + mid * size) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct core_load *
core_load_at(const struct core *core, uint64_t addr)
{
	uint32_t i = core->nload ? below(&core->load->hi, sizeof *core->load, core->nload, addr) : 0;

	return i < core->nload && core->load[i].lo <= addr ? &core->load[i] : NULL;
}

const struct core_map *
core_map_at(const struct core *core, uint64_t addr)
{
	uint32_t i = core->nmap ? below(&core->map->hi, sizeof *core->map, core->nmap, addr) : 0;

	return i < core->nmap && core->map[i].lo <= addr ? &core->map[i] : NULL;
}

size_t
core_read(const struct core *core, uint64_t addr, void *to, size_t n)
{
	size_t got = 0;

	while (got < n) {
		const struct core_load *l = core_load_at(core, addr + got);
		uint64_t from = l ? addr + got - l->lo : 0, left = l && from < l->size ? l->size - from : 0;
		size_t want = left < n - got ? (size_t)left : n - got;
		size_t have = want ? core_bytes_read(&core->bytes, l->off + from, (uint8_t *)to + got, want) : 0;

		got += have;
		if (!have || have < want)
			break;
	}
	return got;
}

const uint8_t *
core_stack(struct core *core, uint64_t sp, uint64_t most, uint64_t *n)
{
	const struct core_load *l = core_load_at(core, sp);
	uint64_t left = l && sp - l->lo < l->size ? l->size - (sp - l->lo) : 0;

	*n = left < most ? left : most;
	if (!*n || !vec_room(&core->stack, &core->cap_stack, *n + 8, 1))
		return NULL;
	*n = core_read(core, sp, core->stack, (size_t)*n);
	return core->stack;
}
