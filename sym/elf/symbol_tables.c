/* See symbol_tables.h. */
#include "symbol_tables.h"

#include <elf.h>
#include <string.h>

#include "lib/work.h"

enum { SYMBOLS_MAX = 1 << 27, RELOCS_MAX = 1 << 27, DYNAMICS_MAX = 512, PAGE = 4096, SHIFTS_MAX = 4096, STRINGS_PIECE = 1 << 20 };

static uint32_t
symbol_size(const struct elf *e)
{
	return e->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static uint32_t
reloc_size(const struct elf *e, bool addend)
{
	return (e->is64 ? 8u : 4u) * (addend ? 3 : 2);
}

static uint32_t
count(const struct cursor *c, uint32_t size, uint32_t max)
{
	return cur_left(c) / size < max ? (uint32_t)(cur_left(c) / size) : max;
}

static void
set_symbols(struct symbols *t, const struct elf *e, struct cursor bytes, struct cursor strings, uint32_t max)
{
	*t = (struct symbols){ bytes, strings, count(&bytes, symbol_size(e), max), { 0 } };
	while (cur_left(&t->strings) && t->strings.end[-1])
		t->strings.end--;
}

static void
set_relocs(struct relocs *r, const struct elf *e, struct cursor bytes, bool addend)
{
	*r = (struct relocs){ bytes, addend, count(&bytes, reloc_size(e, addend), RELOCS_MAX) };
}

static void
by_sections(struct symbol_tables *t, const struct elf *e)
{
	struct section s, strings;

	for (uint32_t i = 1; i < e->nsection; i++) {
		if (!elf_section(e, i, &s))
			break;
		if ((s.type == SHT_SYMTAB || s.type == SHT_DYNSYM) && elf_section(e, s.link, &strings)) {
			struct symbols *to = s.type == SHT_SYMTAB ? &t->symtab : &t->dynsym;

			if (!to->n)
				set_symbols(to, e, s.data, strings.data, SYMBOLS_MAX);
		} else if (!t->plt.n && (s.type == SHT_RELA || s.type == SHT_REL) &&
		           (!strcmp(s.name, ".rela.plt") || !strcmp(s.name, ".rel.plt"))) {
			set_relocs(&t->plt, e, s.data, s.type == SHT_RELA);   /* a static program has an empty one */
		}
	}
}

/* ---- the dynamic section ---- */

enum { SYMTAB, STRTAB, STRSZ, HASH, GNU_HASH, JMPREL, PLTRELSZ, PLTREL, RELA, RELASZ, REL, RELSZ, PLTGOT, FLAGS_1, WANTED };

static const uint32_t wanted[WANTED] = {
	[SYMTAB] = DT_SYMTAB, [STRTAB] = DT_STRTAB, [STRSZ] = DT_STRSZ, [HASH] = DT_HASH, [GNU_HASH] = DT_GNU_HASH,
	[JMPREL] = DT_JMPREL, [PLTRELSZ] = DT_PLTRELSZ, [PLTREL] = DT_PLTREL, [RELA] = DT_RELA, [RELASZ] = DT_RELASZ,
	[REL] = DT_REL, [RELSZ] = DT_RELSZ, [PLTGOT] = DT_PLTGOT, [FLAGS_1] = DT_FLAGS_1,
};
static const uint8_t pointers[] = { SYMTAB, STRTAB, HASH, GNU_HASH, JMPREL, RELA, REL, PLTGOT };

static bool
read_dynamic(const struct elf *e, uint64_t value[WANTED])
{
	struct cursor c = elf_at(e, e->dynamic, e->dynamic_size);
	unsigned width = e->is64 ? 8 : 4;

	for (unsigned n = 0; n < DYNAMICS_MAX; n++) {
		uint64_t tag = cur_uint(&c, width), v = cur_uint(&c, width);

		if (c.bad || tag == DT_NULL)
			break;
		for (unsigned k = 0; k < WANTED; k++)
			if (tag == wanted[k])
				value[k] = v;
	}
	return value[SYMTAB] && value[STRTAB];
}

/* Whether the symbol table and its strings lie where they should if the pointers are SHIFT too high. */
static bool
shift_fits(const struct elf *e, const uint64_t value[WANTED], uint64_t shift)
{
	static const uint8_t zero[sizeof(Elf64_Sym)];
	struct cursor sym = elf_at(e, value[SYMTAB] - shift, symbol_size(e));
	struct cursor str = elf_at(e, value[STRTAB] - shift, 1);

	return cur_left(&sym) && cur_left(&str) && !memcmp(sym.pos, zero, symbol_size(e)) && !*str.pos;
}

/* In a process's memory the dynamic linker may have made the pointers absolute.  Both tables begin with zeros, and lie in the
 * first pages of the image; that tells by how much. */
static void
unshift(const struct elf *e, uint64_t value[WANTED])
{
	uint64_t base = e->nload ? e->load[0].vaddr & ~(uint64_t)(PAGE - 1) : 0, shift = (value[SYMTAB] & ~(uint64_t)(PAGE - 1)) - base;

	if (!e->image || shift_fits(e, value, 0))
		return;
	for (unsigned i = 0; i < SHIFTS_MAX; i++, shift -= PAGE)
		if (shift_fits(e, value, shift))
			break;
	for (unsigned i = 0; i < sizeof pointers; i++)
		value[pointers[i]] -= value[pointers[i]] ? shift : 0;
}

/* DT_GNU_HASH has no count: the chain of the highest bucket ends with the last symbol. */
static uint32_t
gnu_hash_count(const struct elf *e, struct cursor c)
{
	uint32_t buckets = cur_u32(&c), first = cur_u32(&c), bloom = cur_u32(&c), last = 0;
	struct cursor chain;

	cur_u32(&c);   /* the bloom filter's shift */
	cur_take(&c, (uint64_t)bloom * (e->is64 ? 8 : 4));
	chain = c;
	cur_take(&chain, (uint64_t)buckets * 4);
	for (uint32_t i = 0; i < buckets && !c.bad; i++) {
		uint32_t b = cur_u32(&c);

		last = b > last ? b : last;
	}
	if (last < first || c.bad)
		return first;
	cur_take(&chain, (uint64_t)(last - first) * 4);
	while (!(cur_u32(&chain) & 1) && !chain.bad)
		last++;
	return last < SYMBOLS_MAX ? last + 1 : SYMBOLS_MAX;
}

static uint32_t
dynamic_count(const struct elf *e, const uint64_t value[WANTED])
{
	struct cursor c;

	if (value[HASH]) {
		c = elf_at(e, value[HASH], 8);
		cur_u32(&c);
		return cur_u32(&c);
	}
	if (value[GNU_HASH])
		return gnu_hash_count(e, elf_from(e, value[GNU_HASH]));
	return value[STRTAB] > value[SYMTAB] ? (uint32_t)((value[STRTAB] - value[SYMTAB]) / symbol_size(e)) : 0;
}

static void
by_dynamic(struct symbol_tables *t, const struct elf *e)
{
	uint64_t value[WANTED] = { 0 };
	bool rela;
	uint32_t n;

	if (!read_dynamic(e, value))
		return;
	unshift(e, value);
	t->program |= (value[FLAGS_1] & DF_1_PIE) != 0;
	t->got = value[PLTGOT];
	rela = value[PLTREL] == DT_RELA;
	if (value[JMPREL])
		set_relocs(&t->plt, e, elf_at(e, value[JMPREL], value[PLTRELSZ]), rela);
	rela = value[RELA] != 0;
	if (value[RELA] || value[REL])
		set_relocs(&t->other, e, elf_at(e, value[rela ? RELA : REL], value[rela ? RELASZ : RELSZ]), rela);
	if (!t->dynsym.n) {
		n = dynamic_count(e, value);
		set_symbols(&t->dynsym, e, elf_from(e, value[SYMTAB]), elf_at(e, value[STRTAB], value[STRSZ]),
		            n < SYMBOLS_MAX ? n : SYMBOLS_MAX);
	}
	if (value[GNU_HASH])
		t->dynsym.hash = elf_from(e, value[GNU_HASH]);
}

void
symbol_tables_find(struct symbol_tables *t, const struct elf *e)
{
	*t = (struct symbol_tables){ .program = e->type == ET_EXEC };
	by_sections(t, e);
	by_dynamic(t, e);
}

struct raw_symbol
symbol_tables_read(const struct elf *e, const struct symbols *t, uint32_t i)
{
	struct cursor c = cur_slice(&t->bytes, (uint64_t)i * symbol_size(e), symbol_size(e));
	struct raw_symbol s = { .thumb = false };
	uint8_t info;

	s.name = cur_u32(&c);
	if (!e->is64) {
		s.value = cur_u32(&c);
		s.size = cur_u32(&c);
	}
	info = cur_u8(&c);
	cur_u8(&c);   /* visibility */
	s.section = cur_u16(&c);
	if (e->is64) {
		s.value = cur_u64(&c);
		s.size = cur_u64(&c);
	}
	s.type = info & 15;
	s.bind = info >> 4;
	return s;
}

struct raw_reloc
tables_reloc(const struct elf *e, const struct relocs *t, uint32_t i)
{
	struct cursor c = cur_slice(&t->bytes, (uint64_t)i * reloc_size(e, t->addend), reloc_size(e, t->addend));
	unsigned width = e->is64 ? 8 : 4;
	struct raw_reloc r;
	uint64_t info;

	r.off = cur_uint(&c, width);
	info = cur_uint(&c, width);
	r.symbol = (uint32_t)(e->is64 ? info >> 32 : info >> 8);
	r.addend = t->addend ? cur_uint(&c, width) : 0;
	return r;
}

uint32_t
tables_reloc_of(const struct elf *e, const struct relocs *t, uint64_t off, uint32_t n)
{
	uint32_t width = e->is64 ? 8 : 4, size = reloc_size(e, t->addend), i = 0;
	const uint8_t *p = t->bytes.pos;
	uint8_t is[8];

	for (unsigned k = 0; k < width; k++)
		is[k] = (uint8_t)(off >> 8 * (t->bytes.big ? width - 1 - k : k));
	for (; i < n && (p[0] != is[0] || p[1] != is[1] || memcmp(p, is, width)); i++)
		p += size;
	return i;
}

uint32_t
symbol_tables_among(const struct symbols *t, const char *const *name, uint32_t n)
{
	struct cursor left = t->strings;
	const uint8_t *begin = left.pos;
	uint32_t among = 0;
	size_t length[32];

	for (uint32_t i = 0; i < n; i++)
		length[i] = strlen(name[i]);
	while (cur_left(&left)) {
		size_t piece = cur_left(&left) < STRINGS_PIECE ? cur_left(&left) : STRINGS_PIECE;
		const uint8_t *at = left.pos, *end = at + piece, *zero;

		/* A string may be the end of a longer one. */
		for (; at < end && work_step(1) && (zero = memchr(at, 0, (size_t)(end - at))); at = zero + 1)
			for (uint32_t i = 0; i < n; i++)
				if ((size_t)(zero - begin) >= length[i] && zero[-1] == (uint8_t)name[i][length[i] - 1] &&
				    !memcmp(zero - length[i], name[i], length[i]))
					among |= UINT32_C(1) << i;
		cur_take(&left, piece);
		filemap_trim(SYMBOLS_FILES);
	}
	return among;
}

/* The symbol of that name by the table's hashes, with a budget of steps: chains of honest files are short. */
static bool
by_hash(const struct elf *e, const struct symbols *t, const char *name, struct raw_symbol *s)
{
	struct cursor c = t->hash;
	uint32_t hash = 5381, buckets = cur_u32(&c), first = cur_u32(&c), bloom = cur_u32(&c), i, v = 0;

	for (const char *p = name; *p; p++)
		hash = hash * 33 + (uint8_t)*p;
	cur_u32(&c);   /* the bloom filter's shift */
	cur_take(&c, (uint64_t)bloom * (e->is64 ? 8 : 4));
	if (!buckets || c.bad)
		return false;
	cur_take(&c, (uint64_t)(hash % buckets) * 4);
	i = cur_u32(&c);
	if (i < first)
		return false;
	cur_take(&c, (uint64_t)(buckets - 1 - hash % buckets + i - first) * 4);
	for (; !(v & 1) && i < t->n && work_step(1); i++) {
		v = cur_u32(&c);
		*s = symbol_tables_symbol(e, t, i);
		if ((v | 1) == (hash | 1) && s->section && !strcmp(symbol_tables_string(t, s->name), name))
			return true;
		if (c.bad)
			return false;
	}
	return false;
}

bool
symbol_tables_object(const struct elf *e, const struct symbols *t, const char *name, uint64_t size, struct raw_symbol *s)
{
	if (cur_left(&t->hash))
		return by_hash(e, t, name, s) && s->type == STT_OBJECT && s->size == size;
	for (uint32_t i = 1; i < t->n && work_step(1); i++) {
		symbol_tables_pass(i, true);
		*s = symbol_tables_symbol(e, t, i);
		if (s->type == STT_OBJECT && s->size == size && s->section && !strcmp(symbol_tables_string(t, s->name), name))
			return true;
	}
	return false;
}

bool
symbol_tables_named(const struct elf *e, const struct symbols *t, const char *name, struct raw_symbol *s)
{
	bool among;

	if (cur_left(&t->hash))
		return by_hash(e, t, name, s);
	among = symbol_tables_among(t, &name, 1);
	for (uint32_t i = 1; among && i < t->n && work_step(1); i++) {
		symbol_tables_pass(i, true);
		*s = symbol_tables_symbol(e, t, i);
		if (s->section && !strcmp(symbol_tables_string(t, s->name), name))
			return true;
	}
	return false;
}
