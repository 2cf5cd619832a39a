/* Builds ELF files and frame descriptions in memory, 32 or 64 bits, either byte order: a malformed case is a few lines.
 *
 *     struct elfwrite w = elfwrite_new(true, false);               // 64 bits, little-endian, ET_DYN at base 0
 *     elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof code);
 *     elfwrite_symbol(&w, "main", 0x1000, 16, STT_FUNC, 1);
 *     struct bytes file = elfwrite_finish(&w);                     // file.p, file.n; free by bytes_free
 *
 * Allocated sections lie at file offset (address - base), so the file is its own memory image; others are appended.
 * Where no PT_LOAD was added, one r-x segment covers the allocated part.  Headers take the first 0x400 bytes. */
#ifndef TESTS_UNIT_ELFWRITE_H
#define TESTS_UNIT_ELFWRITE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes that grow ---- */

struct bytes {
	uint8_t *p;
	size_t n, cap;
	bool big;
};

static inline void
bytes_room(struct bytes *b, size_t end)
{
	if (end > b->cap) {
		size_t cap = end * 2 + 64;

		b->p = realloc(b->p, cap);
		if (!b->p)
			abort();
		memset(b->p + b->cap, 0, cap - b->cap);
		b->cap = cap;
	}
	if (end > b->n)
		b->n = end;
}

static inline void
bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){ 0 };
}

/* V in SIZE bytes at offset AT, growing as needed. */
static inline void
bytes_set(struct bytes *b, size_t at, uint64_t v, unsigned size)
{
	bytes_room(b, at + size);
	for (unsigned i = 0; i < size; i++)
		b->p[at + i] = (uint8_t)(v >> 8 * (b->big ? size - 1 - i : i));
}

static inline void
bytes_uint(struct bytes *b, uint64_t v, unsigned size)
{
	bytes_set(b, b->n, v, size);
}

static inline void
bytes_put_at(struct bytes *b, size_t at, const void *p, size_t n)
{
	bytes_room(b, at + n);
	if (n && p)
		memcpy(b->p + at, p, n);
}

static inline void
bytes_put(struct bytes *b, const void *p, size_t n)
{
	bytes_put_at(b, b->n, p, n);
}

static inline void
bytes_str(struct bytes *b, const char *s)
{
	bytes_put(b, s, strlen(s) + 1);
}

static inline void
bytes_uleb(struct bytes *b, uint64_t v)
{
	do {
		bytes_uint(b, (v & 0x7f) | (v > 0x7f ? 0x80 : 0), 1);
		v >>= 7;
	} while (v);
}

static inline void
bytes_sleb(struct bytes *b, int64_t v)
{
	bool more;

	do {
		uint8_t byte = (uint8_t)((uint64_t)v & 0x7f);

		v = v < 0 ? -((-(v + 1) >> 7) + 1) : v >> 7;   /* an arithmetic shift, spelled out */
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && (byte & 0x40)));
		bytes_uint(b, (uint64_t)(byte | (more ? 0x80 : 0)), 1);
	} while (more);
}

static inline void
bytes_align(struct bytes *b, size_t to, uint8_t fill)
{
	while (b->n % to)
		bytes_uint(b, fill, 1);
}

/* ---- ELF ---- */

enum { ELFWRITE_HEADERS = 0x400, ELFWRITE_MAX = 64 };

struct elfwrite {
	bool is64;
	uint16_t type, machine;
	uint64_t base, entry;                 /* set them before the first section */
	struct bytes out, tail;               /* tail: the sections that are not allocated, appended by finish */
	struct { uint32_t type, flags; uint64_t vaddr, off, filesz, memsz, align; } seg[16];
	struct { char name[40]; uint32_t type, link, info; uint64_t flags, addr, off, size, entsize; bool tail; }
		sec[ELFWRITE_MAX];
	unsigned nseg, nsec;                  /* section 0 is the null section */
	struct bytes sym[2], str[2];          /* .symtab, .dynsym */
	uint32_t nsym[2];
	uint64_t top;                         /* end of the allocated sections, an address */
	bool no_sections;                     /* finish without section headers */
};

static inline struct elfwrite
elfwrite_new(bool is64, bool big)
{
	struct elfwrite w = { .is64 = is64, .type = ET_DYN, .machine = is64 ? EM_X86_64 : EM_386, .nsec = 1 };

	w.out.big = w.sym[0].big = w.sym[1].big = big;
	bytes_room(&w.out, ELFWRITE_HEADERS);
	return w;
}

static inline void
elfwrite_segment(struct elfwrite *w, uint32_t type, uint32_t flags, uint64_t vaddr, uint64_t off, uint64_t filesz,
                 uint64_t memsz)
{
	unsigned i = w->nseg++;

	if (i >= 16)
		abort();
	w->seg[i].type = type;
	w->seg[i].flags = flags;
	w->seg[i].vaddr = vaddr;
	w->seg[i].off = off;
	w->seg[i].filesz = filesz;
	w->seg[i].memsz = memsz;
	w->seg[i].align = type == PT_LOAD ? 0x1000 : 4;
}

/* A section whose bytes lie at file offset OFF; gives its number. */
static inline unsigned
elfwrite_section_at(struct elfwrite *w, const char *name, uint32_t type, uint64_t flags, uint64_t addr, uint64_t off,
                    const void *data, size_t n)
{
	unsigned i = w->nsec++;

	if (i >= ELFWRITE_MAX)
		abort();
	strncpy(w->sec[i].name, name, sizeof w->sec[i].name - 1);
	w->sec[i].type = type;
	w->sec[i].flags = flags;
	w->sec[i].addr = addr;
	w->sec[i].off = off;
	w->sec[i].size = n;
	if (type != SHT_NOBITS)
		bytes_put_at(&w->out, (size_t)off, data, n);
	if ((flags & SHF_ALLOC) && addr + n > w->top)
		w->top = addr + n;
	return i;
}

/* A section at (ADDR - base) where it is allocated, else appended; gives its number.  DATA NULL: zeros. */
static inline unsigned
elfwrite_section(struct elfwrite *w, const char *name, uint32_t type, uint64_t flags, uint64_t addr, const void *data,
                 size_t n)
{
	uint64_t off = addr - w->base;
	unsigned i;

	if (flags & SHF_ALLOC)
		return elfwrite_section_at(w, name, type, flags, addr, off, data, n);
	bytes_align(&w->tail, 16, 0);
	off = w->tail.n;
	bytes_room(&w->tail, w->tail.n + n);
	bytes_put_at(&w->tail, (size_t)off, data, n);
	i = elfwrite_section_at(w, name, type, flags, addr, 0, NULL, 0);
	w->sec[i].off = off;
	w->sec[i].size = n;
	w->sec[i].tail = true;
	return i;
}

static inline void
elfwrite_sym_(struct elfwrite *w, unsigned table, const char *name, uint64_t value, uint64_t size, unsigned info,
              unsigned shndx)
{
	struct bytes *b = &w->sym[table];

	if (!w->str[table].n) {
		bytes_str(&w->str[table], "");
		bytes_room(b, w->is64 ? 24 : 16);
		w->nsym[table] = 1;
	}
	bytes_uint(b, w->str[table].n, 4);
	bytes_str(&w->str[table], name);
	if (!w->is64) {
		bytes_uint(b, value, 4);
		bytes_uint(b, size, 4);
	}
	bytes_uint(b, info, 1);
	bytes_uint(b, 0, 1);
	bytes_uint(b, shndx, 2);
	if (w->is64) {
		bytes_uint(b, value, 8);
		bytes_uint(b, size, 8);
	}
	w->nsym[table]++;
}

/* A symbol of .symtab; INFO as in st_info: (binding << 4 | STT_FUNC). */
static inline void
elfwrite_symbol(struct elfwrite *w, const char *name, uint64_t value, uint64_t size, unsigned info, unsigned shndx)
{
	elfwrite_sym_(w, 0, name, value, size, info, shndx);
}

/* A symbol of .dynsym; finish places .dynsym, .dynstr, .hash and .dynamic behind the allocated sections. */
static inline void
elfwrite_dynamic_symbol(struct elfwrite *w, const char *name, uint64_t value, uint64_t size, unsigned info,
                        unsigned shndx)
{
	elfwrite_sym_(w, 1, name, value, size, info, shndx);
}

/* Behind what is allocated so far. */
static inline uint64_t
elfwrite_top(const struct elfwrite *w)
{
	uint64_t top = w->top > w->base + ELFWRITE_HEADERS ? w->top : w->base + ELFWRITE_HEADERS;

	return (top + 15) & ~(uint64_t)15;
}

static inline void
elfwrite_build_id(struct elfwrite *w, const void *id, size_t n)
{
	struct bytes b = { .big = w->out.big };
	unsigned i;

	bytes_uint(&b, 4, 4);
	bytes_uint(&b, n, 4);
	bytes_uint(&b, NT_GNU_BUILD_ID, 4);
	bytes_put(&b, "GNU", 4);
	bytes_put(&b, id, n);
	bytes_align(&b, 4, 0);
	i = elfwrite_section(w, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, elfwrite_top(w), b.p, b.n);
	elfwrite_segment(w, PT_NOTE, PF_R, w->sec[i].addr, w->sec[i].off, b.n, b.n);
	bytes_free(&b);
}

static inline unsigned
elfwrite_find_(const struct elfwrite *w, const char *name)
{
	for (unsigned i = 1; i < w->nsec; i++)
		if (!strcmp(w->sec[i].name, name))
			return i;
	return 0;
}

static inline void
elfwrite_tables_(struct elfwrite *w)
{
	unsigned word = w->is64 ? 8 : 4, sym, str, hash;
	struct bytes b = { .big = w->out.big };

	if (w->nsym[1]) {
		sym = elfwrite_section(w, ".dynsym", SHT_DYNSYM, SHF_ALLOC, elfwrite_top(w), w->sym[1].p, w->sym[1].n);
		str = elfwrite_section(w, ".dynstr", SHT_STRTAB, SHF_ALLOC, elfwrite_top(w), w->str[1].p, w->str[1].n);
		w->sec[sym].link = str;
		w->sec[sym].info = 1;
		w->sec[sym].entsize = w->is64 ? 24 : 16;
		bytes_uint(&b, 1, 4);            /* .hash: one bucket, a chain through all symbols */
		bytes_uint(&b, w->nsym[1], 4);
		bytes_uint(&b, w->nsym[1] > 1, 4);
		for (uint32_t i = 0; i < w->nsym[1]; i++)
			bytes_uint(&b, i && i + 1 < w->nsym[1] ? i + 1 : 0, 4);
		hash = elfwrite_section(w, ".hash", SHT_HASH, SHF_ALLOC, elfwrite_top(w), b.p, b.n);
		b.n = 0;
		for (unsigned i = 0; i < 6; i++) {
			uint64_t dyn[6][2] = { { DT_HASH, w->sec[hash].addr }, { DT_SYMTAB, w->sec[sym].addr },
				{ DT_STRTAB, w->sec[str].addr }, { DT_STRSZ, w->str[1].n },
				{ DT_SYMENT, w->sec[sym].entsize }, { DT_NULL, 0 } };

			bytes_uint(&b, dyn[i][0], word);
			bytes_uint(&b, dyn[i][1], word);
		}
		elfwrite_section(w, ".dynamic", SHT_DYNAMIC, SHF_ALLOC, elfwrite_top(w), b.p, b.n);
	}
	if (w->nsym[0]) {
		sym = elfwrite_section(w, ".symtab", SHT_SYMTAB, 0, 0, w->sym[0].p, w->sym[0].n);
		str = elfwrite_section(w, ".strtab", SHT_STRTAB, 0, 0, w->str[0].p, w->str[0].n);
		w->sec[sym].link = str;
		w->sec[sym].info = 1;
		w->sec[sym].entsize = w->is64 ? 24 : 16;
	}
	bytes_free(&b);
}

static inline void
elfwrite_segments_(struct elfwrite *w)
{
	static const struct { const char *section; uint32_t type; } made[] = {
		{ ".eh_frame_hdr", PT_GNU_EH_FRAME }, { ".dynamic", PT_DYNAMIC }
	};
	bool load = false;

	for (unsigned k = 0; k < 2; k++) {
		unsigned i = elfwrite_find_(w, made[k].section);
		bool have = !i;

		for (unsigned s = 0; s < w->nseg; s++)
			have |= w->seg[s].type == made[k].type;
		if (!have)
			elfwrite_segment(w, made[k].type, PF_R, w->sec[i].addr, w->sec[i].off, w->sec[i].size, w->sec[i].size);
	}
	for (unsigned s = 0; s < w->nseg; s++)
		load |= w->seg[s].type == PT_LOAD;
	if (!load)
		elfwrite_segment(w, PT_LOAD, PF_R | PF_X, w->base, 0, elfwrite_top(w) - w->base, elfwrite_top(w) - w->base);
}

/* The file; W is empty afterwards. */
static inline struct bytes
elfwrite_finish(struct elfwrite *w)
{
	unsigned word = w->is64 ? 8 : 4, names = 0;
	struct bytes o, h = { .big = w->out.big }, str = { 0 };
	uint64_t shoff = 0;

	elfwrite_tables_(w);
	elfwrite_segments_(w);
	bytes_room(&w->out, (size_t)(elfwrite_top(w) - w->base));
	if (!w->no_sections) {
		bytes_str(&str, "");
		for (unsigned i = 1; i < w->nsec; i++)
			bytes_str(&str, w->sec[i].name);
		bytes_str(&str, ".shstrtab");
		names = elfwrite_section(w, ".shstrtab", SHT_STRTAB, 0, 0, str.p, str.n);
	}
	bytes_align(&w->out, 16, 0);
	for (unsigned i = 1; i < w->nsec; i++)
		if (w->sec[i].tail)
			w->sec[i].off += w->out.n;
	bytes_put(&w->out, w->tail.p, w->tail.n);
	bytes_align(&w->out, 8, 0);
	if (!w->no_sections)
		shoff = w->out.n;
	o = w->out;
	bytes_free(&w->tail);
	for (unsigned i = 0, name = 0; !w->no_sections && i < w->nsec; i++) {
		bytes_uint(&o, name, 4);
		name += (unsigned)strlen(w->sec[i].name) + 1;
		bytes_uint(&o, w->sec[i].type, 4);
		bytes_uint(&o, w->sec[i].flags, word);
		bytes_uint(&o, w->sec[i].addr, word);
		bytes_uint(&o, w->sec[i].off, word);
		bytes_uint(&o, w->sec[i].size, word);
		bytes_uint(&o, w->sec[i].link, 4);
		bytes_uint(&o, w->sec[i].info, 4);
		bytes_uint(&o, 1, word);
		bytes_uint(&o, w->sec[i].entsize, word);
	}
	bytes_put(&h, "\177ELF", 4);
	bytes_uint(&h, w->is64 ? ELFCLASS64 : ELFCLASS32, 1);
	bytes_uint(&h, h.big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	bytes_uint(&h, EV_CURRENT, 1);
	bytes_room(&h, 16);
	bytes_uint(&h, w->type, 2);
	bytes_uint(&h, w->machine, 2);
	bytes_uint(&h, EV_CURRENT, 4);
	bytes_uint(&h, w->entry, word);
	bytes_uint(&h, w->is64 ? 64 : 52, word);   /* e_phoff */
	bytes_uint(&h, shoff, word);
	bytes_uint(&h, 0, 4);
	bytes_uint(&h, w->is64 ? 64 : 52, 2);
	bytes_uint(&h, w->is64 ? 56 : 32, 2);
	bytes_uint(&h, w->nseg, 2);
	bytes_uint(&h, w->is64 ? 64 : 40, 2);
	bytes_uint(&h, w->no_sections ? 0 : w->nsec, 2);
	bytes_uint(&h, names, 2);
	for (unsigned i = 0; i < w->nseg; i++) {
		bytes_uint(&h, w->seg[i].type, 4);
		if (w->is64)
			bytes_uint(&h, w->seg[i].flags, 4);
		bytes_uint(&h, w->seg[i].off, word);
		bytes_uint(&h, w->seg[i].vaddr, word);
		bytes_uint(&h, w->seg[i].vaddr, word);
		bytes_uint(&h, w->seg[i].filesz, word);
		bytes_uint(&h, w->seg[i].memsz, word);
		if (!w->is64)
			bytes_uint(&h, w->seg[i].flags, 4);
		bytes_uint(&h, w->seg[i].align, word);
	}
	bytes_put_at(&o, 0, h.p, h.n);
	bytes_free(&h);
	bytes_free(&str);
	for (unsigned t = 0; t < 2; t++) {
		bytes_free(&w->sym[t]);
		bytes_free(&w->str[t]);
	}
	*w = (struct elfwrite){ 0 };
	return o;
}

/* ---- frame descriptions ----
 *
 *     struct ehwrite e = ehwrite_new(&w, 0x3000);                  // .eh_frame will lie at 0x3000
 *     size_t cie = ehwrite_cie(&e, "zR", 1, -8, 16, "\x0c\x07\x08\x90\x01", 5);
 *     ehwrite_fde(&e, cie, 0x1000, 0x20, "\x41\x0e\x10", 3);
 *     ehwrite_finish(&e, &w, 0x2000);                              // .eh_frame_hdr at 0x2000; 0: none */

struct ehwrite {
	bool is64, debug;              /* debug: .debug_frame, else .eh_frame */
	bool dwarf64;                  /* 64-bit lengths */
	uint8_t version;               /* of the CIEs: 1 (default), 3, 4 */
	uint8_t encoding;              /* of FDE pointers, where the augmentation has an R; default pcrel sdata4 */
	uint64_t addr;
	struct bytes out;
	struct { uint64_t lo, fde; } row[ELFWRITE_MAX];
	unsigned nrow;
};

static inline struct ehwrite
ehwrite_new(const struct elfwrite *w, uint64_t addr)
{
	struct ehwrite e = { .is64 = w->is64, .version = 1, .encoding = 0x1b, .addr = addr };

	e.out.big = w->out.big;
	return e;
}

/* A pointer by its DW_EH_PE encoding; relative to its own place where it is pc-relative and RELATIVE. */
static inline void
ehwrite_pointer(struct ehwrite *e, uint64_t v, unsigned encoding, bool relative)
{
	static const uint8_t size[16] = { 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8 };

	if (relative && (encoding & 0x70) == 0x10)
		v -= e->addr + e->out.n;
	if ((encoding & 0xf) == 1)
		bytes_uleb(&e->out, v);
	else if ((encoding & 0xf) == 9)
		bytes_sleb(&e->out, (int64_t)v);
	else
		bytes_uint(&e->out, v, size[encoding & 0xf] ? size[encoding & 0xf] : e->is64 ? 8 : 4);
}

static inline size_t
ehwrite_begin_(struct ehwrite *e)
{
	size_t at = e->out.n;

	if (e->dwarf64)
		bytes_uint(&e->out, 0xffffffff, 4);
	bytes_uint(&e->out, 0, e->dwarf64 ? 8 : 4);
	return at;
}

static inline void
ehwrite_end_(struct ehwrite *e, size_t at)
{
	size_t start = at + (e->dwarf64 ? 12 : 4);

	while ((e->out.n - start) % 4)
		bytes_uint(&e->out, 0, 1);   /* DW_CFA_nop */
	bytes_set(&e->out, e->dwarf64 ? at + 4 : at, e->out.n - start, e->dwarf64 ? 8 : 4);
}

/* A CIE; gives its offset, for ehwrite_fde.  AUGMENTATION of the letters z R P L S B. */
static inline size_t
ehwrite_cie(struct ehwrite *e, const char *augmentation, uint64_t code_align, int64_t data_align, unsigned ra,
            const void *insns, size_t n)
{
	size_t at = ehwrite_begin_(e);
	struct ehwrite aug = *e;

	bytes_uint(&e->out, e->debug ? ~(uint64_t)0 : 0, e->debug && e->dwarf64 ? 8 : 4);
	bytes_uint(&e->out, e->version, 1);
	bytes_str(&e->out, augmentation);
	if (e->version >= 4) {
		bytes_uint(&e->out, e->is64 ? 8 : 4, 1);
		bytes_uint(&e->out, 0, 1);
	}
	bytes_uleb(&e->out, code_align);
	bytes_sleb(&e->out, data_align);
	if (e->version == 1)
		bytes_uint(&e->out, ra, 1);
	else
		bytes_uleb(&e->out, ra);
	if (*augmentation == 'z') {
		aug.out = (struct bytes){ .big = e->out.big };
		for (const char *a = augmentation + 1; *a; a++)
			if (*a == 'R')
				bytes_uint(&aug.out, e->encoding, 1);
			else if (*a == 'L')
				bytes_uint(&aug.out, 0x1b, 1);
			else if (*a == 'P') {
				bytes_uint(&aug.out, 0x9b, 1);
				bytes_uint(&aug.out, 0x1234, 4);
			}
		bytes_uleb(&e->out, aug.out.n);
		bytes_put(&e->out, aug.out.p, aug.out.n);
		bytes_free(&aug.out);
	}
	bytes_put(&e->out, insns, n);
	ehwrite_end_(e, at);
	return at;
}

/* An FDE of that CIE; gives its offset.  Its augmentation data (where the CIE has a z) is empty, or an LSDA pointer. */
static inline size_t
ehwrite_fde(struct ehwrite *e, size_t cie, uint64_t lo, uint64_t size, const void *insns, size_t n)
{
	bool wide = e->out.n > cie + 4 && !memcmp(e->out.p + cie, "\377\377\377\377", 4);
	const char *augmentation = (const char *)e->out.p + cie + (wide ? 12 + (e->debug ? 8 : 4) : 8) + 1;
	bool z = *augmentation == 'z', l = strchr(augmentation, 'L') != NULL;
	unsigned encoding = strchr(augmentation, 'R') ? e->encoding : 0;
	size_t at = ehwrite_begin_(e), id = e->out.n;

	bytes_uint(&e->out, e->debug ? cie : id - cie, e->debug && e->dwarf64 ? 8 : 4);
	ehwrite_pointer(e, lo, encoding, true);
	ehwrite_pointer(e, size, encoding, false);
	if (z) {
		bytes_uleb(&e->out, l ? 4 : 0);
		if (l)
			bytes_uint(&e->out, 0, 4);
	}
	bytes_put(&e->out, insns, n);
	ehwrite_end_(e, at);
	if (e->nrow < ELFWRITE_MAX) {
		e->row[e->nrow].lo = lo;
		e->row[e->nrow++].fde = e->addr + at;
	}
	return at;
}

/* Adds .eh_frame (or .debug_frame) to W, and with HDR an .eh_frame_hdr at that address. */
static inline void
ehwrite_finish(struct ehwrite *e, struct elfwrite *w, uint64_t hdr)
{
	struct bytes h = { .big = e->out.big };

	if (!e->debug)
		bytes_uint(&e->out, 0, 4);   /* the terminator */
	elfwrite_section(w, e->debug ? ".debug_frame" : ".eh_frame", SHT_PROGBITS, e->debug ? 0 : SHF_ALLOC, e->addr,
	                 e->out.p, e->out.n);
	if (hdr) {
		for (unsigned i = 0; i < e->nrow; i++)
			for (unsigned k = i + 1; k < e->nrow; k++)
				if (e->row[k].lo < e->row[i].lo) {
					uint64_t lo = e->row[i].lo, fde = e->row[i].fde;

					e->row[i] = e->row[k];
					e->row[k].lo = lo;
					e->row[k].fde = fde;
				}
		bytes_uint(&h, 1, 1);
		bytes_uint(&h, 0x1b, 1);
		bytes_uint(&h, 0x03, 1);
		bytes_uint(&h, 0x3b, 1);
		bytes_uint(&h, e->addr - (hdr + 4), 4);
		bytes_uint(&h, e->nrow, 4);
		for (unsigned i = 0; i < e->nrow; i++) {
			bytes_uint(&h, e->row[i].lo - hdr, 4);
			bytes_uint(&h, e->row[i].fde - hdr, 4);
		}
		elfwrite_section(w, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, hdr, h.p, h.n);
		bytes_free(&h);
	}
	bytes_free(&e->out);
}

#endif
