/* ELF files and memory images: System V gABI, chapters 4 (object files: header, sections, notes) and 5 (program headers).
 * Counts and offsets are claims: what does not fit into the bytes counts as missing, and what has no end is cut at a
 * limit. */
#include "elf.h"

#include <elf.h>
#include <string.h>

enum {
	LOADS_MAX = 4096,         /* a kernel loads about a thousand at most */
	PHDRS_MAX = 1 << 16,      /* no file has more, only a process's memory may */
	SECTIONS_MAX = 1 << 17,
	NAME_MAX_LEN = 256,       /* of a section, with its NUL */
	NOTES_MAX = 256,          /* looked at for the build-id, in all */
	PAGE = 4096,
};

struct phdr {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz, align;
};

struct ehdr {
	uint64_t phoff, shoff;
	uint32_t phnum, shnum, strings;
	uint16_t phentsize, shentsize;
};

/* A word of the file's class. */
static uint64_t
word(const struct elf *e, struct cursor *c)
{
	return cur_uint(c, e->is64 ? 8 : 4);
}

static struct phdr
read_phdr(const struct elf *e, struct cursor *c)
{
	struct phdr p;

	p.type = cur_u32(c);
	p.flags = e->is64 ? cur_u32(c) : 0;
	p.off = word(e, c);
	p.vaddr = word(e, c);
	word(e, c);   /* the physical address */
	p.filesz = word(e, c);
	p.memsz = word(e, c);
	if (!e->is64)
		p.flags = cur_u32(c);
	p.align = word(e, c);
	return p;
}

/* A section header as it stands, name and data aside; NAME_OFF is its name in the string section. */
static struct section
read_shdr(const struct elf *e, struct cursor *c, uint32_t *name_off)
{
	struct section s = { .name = "" };

	*name_off = cur_u32(c);
	s.type = cur_u32(c);
	s.flags = word(e, c);
	s.addr = word(e, c);
	s.off = word(e, c);
	s.size = word(e, c);
	s.link = cur_u32(c);
	s.info = cur_u32(c);
	s.align = word(e, c);
	s.entsize = word(e, c);
	return s;
}

static uint32_t
shdr_size(const struct elf *e)
{
	return e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static bool
raw_section(const struct elf *e, uint32_t i, struct section *s, uint32_t *name_off)
{
	struct cursor c;

	if (i >= e->nsection)
		return false;
	c = cur_slice(&e->headers, (uint64_t)i * shdr_size(e), shdr_size(e));
	*s = read_shdr(e, &c, name_off);
	if (s->type != SHT_NOBITS)
		s->data = cur_slice(&e->bytes, s->off, s->size);
	s->data.bad = NULL;
	return !c.bad;
}

bool
elf_section(const struct elf *e, uint32_t i, struct section *s)
{
	uint32_t off;
	struct cursor name = e->names;

	if (!raw_section(e, i, s, &off))
		return false;
	if (off < cur_left(&name)) {
		cur_take(&name, off);
		if (cur_left(&name) > NAME_MAX_LEN)   /* a bound on what one name can cost */
			name.end = name.pos + NAME_MAX_LEN;
		s->name = cur_str(&name);
	}
	return true;
}

bool
elf_section_named(const struct elf *e, const char *name, struct section *s)
{
	struct cursor at;
	uint32_t off, unused;
	size_t len = strlen(name) + 1;

	for (uint32_t i = 1; i < e->nsection; i++) {
		at = cur_slice(&e->headers, (uint64_t)i * shdr_size(e), shdr_size(e));
		off = cur_u32(&at);   /* the rest of its header is read only if it is the right one */
		at = cur_slice(&e->names, off, len);
		if (!at.bad && !memcmp(at.pos, name, len) && raw_section(e, i, s, &unused)) {
			s->name = (const char *)at.pos;
			return true;
		}
	}
	return false;
}

static bool
sections_fit(const struct elf *e)
{
	/* In a memory image bytes lie at their addresses.  So headers that tell file offsets are useful only if offset and address
	 * are the same. */
	for (uint32_t i = 0; e->image && i < e->nload; i++)
		if (e->load[i].vaddr - (e->load[0].vaddr & ~(uint64_t)(PAGE - 1)) != e->load[i].off)
			return false;
	return true;
}

static void
open_sections(struct elf *e, const struct ehdr *h)
{
	uint64_t room, n = h->shnum;
	struct section names;
	uint32_t unused;

	if (!h->shoff || h->shentsize != shdr_size(e) || h->shoff >= cur_left(&e->bytes) || !sections_fit(e))
		return;
	room = (cur_left(&e->bytes) - h->shoff) / shdr_size(e);
	n = n < room ? n : room;
	n = n < SECTIONS_MAX ? n : SECTIONS_MAX;
	e->headers = cur_slice(&e->bytes, h->shoff, n * shdr_size(e));
	e->nsection = (uint32_t)n;
	if (raw_section(e, h->strings, &names, &unused))
		e->names = names.data;
}

/* Counts that do not fit the header stand in section header 0. */
static void
extend_counts(const struct elf *e, struct ehdr *h)
{
	struct cursor c = cur_slice(&e->bytes, h->shoff, shdr_size(e));
	struct section zero;
	uint32_t unused;

	if (!h->shoff || c.bad)
		return;
	zero = read_shdr(e, &c, &unused);
	if (!h->shnum)
		h->shnum = zero.size < SECTIONS_MAX ? (uint32_t)zero.size : SECTIONS_MAX;
	if (h->strings == SHN_XINDEX)
		h->strings = zero.link;
	if (h->phnum == PN_XNUM)
		h->phnum = zero.info;
}

static bool
scan_notes(struct elf *e, struct cursor c, uint64_t align, unsigned *budget)
{
	align = align == 8 ? 8 : 4;
	for (; cur_left(&c) >= 12 && *budget; --*budget) {
		uint32_t namesz = cur_u32(&c), descsz = cur_u32(&c), type = cur_u32(&c);
		const uint8_t *name = cur_take(&c, namesz), *desc;

		cur_take(&c, -(uint64_t)(12 + (uint64_t)namesz) & (align - 1));
		desc = cur_take(&c, descsz);
		if (c.bad)
			return false;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && descsz && !memcmp(name, "GNU", 4)) {
			e->build_id_len = descsz < sizeof e->build_id ? (uint8_t)descsz : sizeof e->build_id;
			memcpy(e->build_id, desc, e->build_id_len);
			return true;
		}
		if (cur_left(&c))
			cur_take(&c, -(uint64_t)descsz & (align - 1));
	}
	return false;
}

static void
find_build_id(struct elf *e, struct cursor phdrs, uint32_t phnum)
{
	unsigned budget = NOTES_MAX;
	struct section s;

	for (uint32_t i = 0; i < phnum && budget; i++) {
		struct phdr p = read_phdr(e, &phdrs);

		if (p.type == PT_NOTE &&
		    scan_notes(e, e->image ? elf_at(e, p.vaddr, p.filesz) : cur_slice(&e->bytes, p.off, p.filesz), p.align,
		               &budget))
			return;
	}
	if (elf_section_named(e, ".note.gnu.build-id", &s))
		scan_notes(e, s.data, 4, &budget);
}

/* Keeps the segments sorted by address; they nearly always come so. */
static void
insert_load(struct elf *e, const struct phdr *p)
{
	uint32_t i = e->nload;
	uint64_t filesz = p->filesz;

	if (p->vaddr + p->memsz < p->vaddr || p->off + p->filesz < p->off)
		return;
	filesz = filesz < p->memsz ? filesz : p->memsz;
	for (; i && e->load[i - 1].vaddr > p->vaddr; i--)
		e->load[i] = e->load[i - 1];
	e->load[i] = (struct segment){ p->vaddr, p->off, filesz, p->memsz, (p->flags & PF_X) != 0 };
	e->nload++;
}

static const char *
open_segments(struct elf *e, struct cursor phdrs, uint32_t phnum, struct arena *arena)
{
	struct cursor c = phdrs;
	uint32_t loads = 0;

	for (uint32_t i = 0; i < phnum; i++)
		loads += read_phdr(e, &c).type == PT_LOAD;
	loads = loads < LOADS_MAX ? loads : LOADS_MAX;
	if (loads && !(e->load = arena_alloc(arena, loads * sizeof *e->load)))
		return "needs more memory than is allowed";
	c = phdrs;
	for (uint32_t i = 0; i < phnum; i++) {
		struct phdr p = read_phdr(e, &c);

		if (p.type == PT_LOAD && e->nload < loads)
			insert_load(e, &p);
		if (p.type == PT_GNU_EH_FRAME) {
			e->ehframe_hdr = p.vaddr;
			e->ehframe_hdr_size = p.filesz;
		}
		if (p.type == PT_DYNAMIC) {
			e->dynamic = p.vaddr;
			e->dynamic_size = p.filesz;
		}
		if (p.type == PT_ARM_EXIDX) {   /* on other machines the number means something else, which prof does not need */
			e->exidx = p.vaddr;
			e->exidx_size = p.filesz;
		}
	}
	return NULL;
}

/* Reads the identification and what stands at fixed places; NULL or what is wrong. */
static const char *
open_header(struct elf *e, struct ehdr *h)
{
	struct cursor c = e->bytes;
	const uint8_t *id = cur_take(&c, EI_NIDENT);

	if (!id || memcmp(id, ELFMAG, SELFMAG))
		return "is not an ELF file";
	if (id[EI_CLASS] != ELFCLASS32 && id[EI_CLASS] != ELFCLASS64)
		return "is ELF of an unknown class";
	if (id[EI_DATA] != ELFDATA2LSB && id[EI_DATA] != ELFDATA2MSB)
		return "is ELF of an unknown byte order";
	e->is64 = id[EI_CLASS] == ELFCLASS64;
	c.big = e->bytes.big = id[EI_DATA] == ELFDATA2MSB;
	e->type = cur_u16(&c);
	e->machine = cur_u16(&c);
	cur_u32(&c);   /* version */
	e->entry = word(e, &c);
	h->phoff = word(e, &c);
	h->shoff = word(e, &c);
	cur_u32(&c);   /* flags */
	cur_u16(&c);   /* the header's size */
	h->phentsize = cur_u16(&c);
	h->phnum = cur_u16(&c);
	h->shentsize = cur_u16(&c);
	h->shnum = cur_u16(&c);
	h->strings = cur_u16(&c);
	return c.bad ? "ends within its ELF header" : NULL;
}

static const char *
open_headers(struct elf *e, struct ehdr *h, struct cursor *phdrs)
{
	uint64_t phsize, room;
	const char *why;

	if ((why = open_header(e, h)))
		return why;
	extend_counts(e, h);
	phsize = e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	room = h->phoff && h->phoff < cur_left(&e->bytes) && h->phentsize == phsize ? (cur_left(&e->bytes) - h->phoff) / phsize : 0;
	h->phnum = h->phnum < room ? h->phnum : (uint32_t)room;
	if (h->phnum > PHDRS_MAX)
		return "claims more segments than a program has";
	*phdrs = cur_slice(&e->bytes, h->phoff, h->phnum * phsize);
	return NULL;
}

bool
elf_begins(struct elf *e, struct cursor bytes)
{
	struct ehdr h;
	struct cursor phdrs;

	*e = (struct elf){ .bytes = bytes };
	if (!open_headers(e, &h, &phdrs))
		find_build_id(e, phdrs, h.phnum);
	return e->build_id_len;
}

const char *
elf_open(struct elf *e, struct cursor bytes, bool image, struct arena *arena)
{
	struct ehdr h;
	struct cursor phdrs;
	const char *why;

	*e = (struct elf){ .bytes = bytes, .image = image };
	if ((why = open_headers(e, &h, &phdrs)) || (why = open_segments(e, phdrs, h.phnum, arena)))
		return why;
	open_sections(e, &h);
	find_build_id(e, phdrs, h.phnum);
	return NULL;
}

struct cursor
elf_from(const struct elf *e, uint64_t vaddr)
{
	uint64_t base = e->nload ? e->load[0].vaddr & ~(uint64_t)(PAGE - 1) : 0;

	for (uint32_t i = 0; i < e->nload; i++) {
		const struct segment *s = &e->load[i];
		uint64_t at = vaddr - s->vaddr, size = e->image ? s->memsz : s->filesz, off, left;

		if (vaddr < s->vaddr || at >= size)
			continue;
		off = e->image ? vaddr - base : s->off + at;
		if (off >= cur_left(&e->bytes))
			continue;
		left = cur_left(&e->bytes) - off;
		return cur_slice(&e->bytes, off, size - at < left ? size - at : left);
	}
	return cur_of(NULL, 0, e->bytes.big);
}

bool
elf_is_code(const struct elf *e, uint64_t vaddr)
{
	for (uint32_t i = 0; i < e->nload; i++)
		if (e->load[i].exec && vaddr - e->load[i].vaddr < e->load[i].memsz)
			return true;
	return false;
}

struct cursor
elf_at(const struct elf *e, uint64_t vaddr, uint64_t size)
{
	struct cursor c = elf_from(e, vaddr);

	return cur_sub(&c, size);
}

bool
elf_vaddr(const struct elf *e, uint64_t off, uint64_t *vaddr)
{
	const struct segment *best = NULL;

	for (uint32_t i = 0; i < e->nload; i++) {
		const struct segment *s = &e->load[i];

		if (off >= s->off && off - s->off < s->filesz && (!best || (s->exec && !best->exec)))
			best = s;
	}
	if (best)
		*vaddr = best->vaddr + (off - best->off);
	return best;
}

bool
elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *off)
{
	for (uint32_t i = 0; i < e->nload; i++)
		if (vaddr >= e->load[i].vaddr && vaddr - e->load[i].vaddr < e->load[i].filesz) {
			*off = e->load[i].off + (vaddr - e->load[i].vaddr);
			return true;
		}
	return false;
}
