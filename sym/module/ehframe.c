/* Frame descriptions: .eh_frame and .eh_frame_hdr (LSB core, chapter "Exception Frames"), .debug_frame (DWARF 5 section
 * 6.4.1).  With .eh_frame_hdr's usual table a lookup is a binary search in the file itself that touches nothing else;
 * without it, an index is built once.  .debug_frame answers for what .eh_frame does not cover. */
#include "ehframe.h"

#include <stdlib.h>

#include "debug_file.h"

enum {   /* pointer encodings, DW_EH_PE_* */
	PE_ABSPTR = 0x00, PE_ULEB = 0x01, PE_UDATA2 = 0x02, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04,
	PE_SLEB = 0x09, PE_SDATA2 = 0x0a, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10, PE_TEXTREL = 0x20, PE_DATAREL = 0x30, PE_ALIGNED = 0x50,
	PE_INDIRECT = 0x80, PE_OMIT = 0xff,
};

enum {
	ROWS_MAX = 1 << 21,   /* chromium has half of that */
	CIES = 8,             /* kept parsed, a power of two; a linked file seldom has more */
	AUGMENTATION_MAX = 16,
	INSNS_MAX = 1 << 18,  /* bytes of one description */
	COARSE = 32,          /* rows a step of the first search: four cache lines are left for the second */
	LINE = 8,             /* rows of one */
	EQUALS_MAX = 4,       /* table rows of one address that are looked at */
};

struct cie {
	uint64_t at;          /* its offset + 1, or 0 */
	struct fde like;      /* what it says for all its FDEs */
	uint8_t segment_size; /* of the selector before an FDE's address */
	bool sized;           /* FDEs have augmentation data, and its length: 'z' */
};

struct row {
	uint64_t lo, fde;     /* address; offset in the part */
};

/* A run of CIEs and FDEs. */
struct part {
	struct cursor bytes;  /* empty: there is none */
	uint64_t vaddr;       /* of bytes.pos; 0 for .debug_frame, which is not loaded */
	uint64_t mask;        /* of an address */
	bool debug, bounded;  /* bounded: BYTES ends where the descriptions do */
	bool indexed;         /* tried, at least */
	const uint8_t *table; /* .eh_frame_hdr's, of pairs of sdata4 relative to HDR; or NULL */
	uint32_t *coarse;     /* every COARSE-th row of the table, as the searches have read it, close together; 0: not yet */
	uint64_t hdr;
	struct row *row;      /* once indexed: sorted by lo */
	uint32_t rows;        /* of either */
	uint64_t gap, gap_size;   /* where the last search found nothing */
	struct cie cie[CIES];
};

struct ehframe {
	struct part eh, debug;
};

struct entry {
	struct cursor body;   /* behind the id */
	uint64_t id_at, id;
	bool cie;
};

static uint64_t
at_of(const struct part *p, const struct cursor *c)
{
	return (uint64_t)(c->pos - p->bytes.pos);
}

/* Reads the CIE or FDE at OFF, and sets NEXT to its end; false at a terminator, or if it does not fit. */
static bool
read_entry(const struct part *p, uint64_t off, struct entry *e, uint64_t *next)
{
	struct cursor c = p->bytes;
	unsigned width = 4;
	uint64_t len;

	cur_take(&c, off);
	if ((len = cur_u32(&c)) == 0xffffffff) {
		len = cur_u64(&c);
		width = p->debug ? 8 : 4;
	}
	e->body = cur_sub(&c, len);
	*next = at_of(p, &c);
	if (c.bad || !len)
		return false;
	e->id_at = at_of(p, &e->body);
	e->id = cur_uint(&e->body, width);
	e->cie = p->debug ? e->id == UINT64_MAX >> (64 - 8 * width) : !e->id;
	return !e->body.bad;
}

/* A pointer of that encoding; if it is relative, then to BASE (data) or to its own place. */
static uint64_t
read_pointer(const struct part *p, struct cursor *c, unsigned encoding, unsigned address_size, uint64_t base)
{
	uint64_t place = p->vaddr + at_of(p, c), v;

	if ((encoding & 0x70) == PE_ALIGNED)
		cur_take(c, -place & (address_size - 1));
	switch (encoding & 0x0f) {
	case PE_ABSPTR: v = cur_uint(c, address_size); break;
	case PE_ULEB:   v = cur_uleb(c); break;
	case PE_UDATA2: v = cur_u16(c); break;
	case PE_UDATA4: v = cur_u32(c); break;
	case PE_UDATA8: case PE_SDATA8: v = cur_u64(c); break;
	case PE_SLEB:   v = (uint64_t)cur_sleb(c); break;
	case PE_SDATA2: v = (uint64_t)(int16_t)cur_u16(c); break;
	case PE_SDATA4: v = (uint64_t)(int32_t)cur_u32(c); break;
	default:
		c->bad = "pointer of an unknown encoding";
		return 0;
	}
	if ((encoding & 0x70) == PE_PCREL)
		v += place;
	else if ((encoding & 0x70) == PE_DATAREL)
		v += base;
	return v & p->mask;
}

/* Reads the letters of an augmentation, and the data behind them; false if prof does not know a letter. */
static bool
read_augmentation(const struct part *p, struct cie *cie, const char *letter, struct cursor data)
{
	for (; *letter; letter++)
		switch (*letter) {
		case 'R': cie->like.pointer_encoding = cur_u8(&data); break;
		case 'L': cur_u8(&data); break;
		case 'P': read_pointer(p, &data, cur_u8(&data) & 0x7f, cie->like.address_size, 0); break;
		case 'S': cie->like.signal = true; break;
		case 'B': cie->like.b_key = true; break;
		case 'G': break;   /* aarch64 memory tagging */
		default: return false;
		}
	return !data.bad;
}

static bool
read_cie(const struct part *p, uint64_t off, struct cie *cie)
{
	char letters[AUGMENTATION_MAX];
	struct entry e;
	uint64_t next;
	unsigned version, n = 0;

	*cie = (struct cie){ .at = off + 1 };
	if (!read_entry(p, off, &e, &next) || !e.cie)
		return false;
	version = cur_u8(&e.body);
	do
		letters[n] = (char)cur_u8(&e.body);
	while (letters[n] && ++n < AUGMENTATION_MAX);
	if (n == AUGMENTATION_MAX || (version != 1 && version != 3 && version != 4))
		return false;
	cie->like.address_size = p->mask >> 32 ? 8 : 4;
	if (version == 4) {
		cie->like.address_size = cur_u8(&e.body);
		cie->segment_size = cur_u8(&e.body);
	}
	if (cie->like.address_size != 8 && cie->like.address_size != 4 && cie->like.address_size != 2)
		return false;
	if (letters[0] == 'e' && letters[1] == 'h' && !letters[2])
		cur_take(&e.body, cie->like.address_size);   /* GCC 2's table of exceptions */
	else if (letters[0] && letters[0] != 'z')
		return false;
	cie->like.code_align = cur_uleb(&e.body);
	cie->like.data_align = cur_sleb(&e.body);
	cie->like.ra = (uint16_t)(version == 1 ? cur_u8(&e.body) : cur_uleb(&e.body));
	cie->sized = letters[0] == 'z';
	if (cie->sized && !read_augmentation(p, cie, letters + 1, cur_sub(&e.body, cur_uleb(&e.body))))
		return false;
	cie->like.cie_insns = e.body;
	return !e.body.bad;
}

/* The slot where the CIE at OFF stands, if it is kept. */
static struct cie *
cie_slot(struct part *p, uint64_t off)
{
	return &p->cie[(off >> 3 ^ off >> 6) & (CIES - 1)];
}

/* The parsed CIE at OFF, or NULL. */
static const struct cie *
cie_at(struct part *p, uint64_t off)
{
	struct cie *cie = cie_slot(p, off);

	if (off >= cur_left(&p->bytes))
		return NULL;
	if (cie->at == off + 1)
		return cie;
	if (read_cie(p, off, cie))
		return cie;
	cie->at = 0;
	return NULL;
}

static uint32_t
load32(const uint8_t *b, bool big)
{
	uint32_t v = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

	return big ? __builtin_bswap32(v) : v;
}

/* The usual form behind a known CIE: length, CIE, the code's place and length in 4 bytes each, and few bytes of augmentation data. */
static bool
read_usual(struct part *p, uint64_t off, struct fde *f)
{
	enum { FIXED = 17 };   /* bytes up to the augmentation's */
	const uint64_t left = cur_left(&p->bytes);
	const bool big = p->bytes.big;
	const struct cie *cie;
	const uint8_t *b;
	uint64_t at;
	uint32_t len, fixed;   /* each read once: the file may change */

	if (p->debug || left < FIXED || off > left - FIXED)
		return false;
	b = p->bytes.pos + off;
	fixed = FIXED + (uint32_t)b[FIXED - 1];
	if ((len = load32(b, big)) > left - off - 4 || fixed >= FIXED + 0x80 || len + UINT64_C(4) < fixed || len > INSNS_MAX)
		return false;
	at = off + 4 - load32(b + 4, big);
	cie = cie_slot(p, at);
	if (cie->at != at + 1 || !cie->sized || cie->segment_size || cie->like.pointer_encoding != (PE_PCREL | PE_SDATA4))
		return false;
	*f = cie->like;
	f->lo = (p->vaddr + off + 8 + (uint64_t)(int32_t)load32(b + 8, big)) & p->mask;
	f->hi = f->lo + ((uint64_t)(int32_t)load32(b + 12, big) & p->mask);
	f->insns = cur_of(b + fixed, len + 4 - fixed, big);
	f->insns_vaddr = p->vaddr + off + fixed;
	return f->hi > f->lo;
}

static bool
read_fde(struct part *p, uint64_t off, struct fde *f)
{
	const struct cie *cie;
	struct entry e;
	uint64_t next;

	if (read_usual(p, off, f))
		return true;
	if (!read_entry(p, off, &e, &next) || e.cie)
		return false;
	if (!(cie = cie_at(p, p->debug ? e.id : e.id_at - e.id)) || cie->like.pointer_encoding & PE_INDIRECT)
		return false;
	*f = cie->like;
	cur_take(&e.body, cie->segment_size);
	f->lo = read_pointer(p, &e.body, f->pointer_encoding, f->address_size, 0);
	f->hi = f->lo + read_pointer(p, &e.body, f->pointer_encoding & 0x0f, f->address_size, 0);
	if (cie->sized)
		cur_take(&e.body, cur_uleb(&e.body));
	f->insns = e.body;
	f->insns_vaddr = p->vaddr + at_of(p, &e.body);
	return !e.body.bad && f->hi > f->lo && cur_left(&f->insns) < INSNS_MAX && cur_left(&f->cie_insns) < INSNS_MAX;
}

/* ---- the index built once ---- */

static int
by_lo(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Puts the FDEs into ROW, or only counts how many there may be. */
static uint32_t
walk(struct part *p, struct row *row, uint32_t max)
{
	struct entry e;
	struct fde f;
	uint64_t off = 0, next;
	uint32_t n = 0;

	for (; off < cur_left(&p->bytes) && n < max; off = next) {
		if (!read_entry(p, off, &e, &next)) {
			/* A terminator: but several may have been linked together. */
			if (p->bounded && next > off && next < cur_left(&p->bytes))
				continue;
			break;
		}
		if (e.cie || (row && (!read_fde(p, off, &f) || !f.lo)))
			continue;
		if (row)
			row[n] = (struct row){ f.lo, off };
		n++;
	}
	return n;
}

static void
build_index(struct modules *ms, struct module *m, struct part *p)
{
	const struct part *eh = &m->ehframe->eh;
	uint32_t n;

	p->indexed = true;
	if (p->debug)
		p->bytes = debug_file_section_of(ms, m, ".debug_frame");
	if (p->debug && !cur_left(&p->bytes) && !eh->rows && !cur_left(&eh->bytes))
		p->bytes = debug_file_section(ms, m, ".debug_frame");   /* the module itself was stripped */
	if (!(n = walk(p, NULL, ROWS_MAX)) || !(p->row = arena_alloc(&ms->arena, n * sizeof *p->row)))
		return;
	p->rows = walk(p, p->row, n);
	for (uint32_t i = 1; i < p->rows; i++)
		if (p->row[i].lo < p->row[i - 1].lo) {
			qsort(p->row, p->rows, sizeof *p->row, by_lo);
			break;
		}
}

/* Whether the part has rows; builds the index if it needs one. */
static bool
has_rows(struct modules *ms, struct module *m, struct part *p)
{
	if (!p->rows && !p->indexed)
		build_index(ms, m, p);
	return p->rows;
}

/* ---- where to look ---- */

/* A field of the table's row I; and that field as an address. */
static uint32_t
table_raw(const struct part *p, uint32_t i, unsigned field)
{
	return load32(p->table + (uint64_t)i * 8 + field, p->bytes.big);
}

static uint64_t
table_at(const struct part *p, uint32_t i, unsigned field)
{
	return (p->hdr + (uint64_t)(int32_t)table_raw(p, i, field)) & p->mask;
}

static uint64_t
row_lo(const struct part *p, uint32_t i)
{
	return p->table ? table_at(p, i, 0) : p->row[i].lo;
}

static uint64_t
row_fde(const struct part *p, uint32_t i)
{
	return p->table ? table_at(p, i, 4) - p->vaddr : p->row[i].fde;
}

/* The part of the segment that holds VADDR, from its beginning. */
static void
set_part(struct part *p, const struct elf *e, uint64_t vaddr)
{
	p->bytes = elf_from(e, vaddr);
	p->vaddr = vaddr;
}

/* Reads .eh_frame_hdr: where .eh_frame begins, and the table if it is of the usual kind. */
static void
open_hdr(struct modules *ms, struct ehframe *eh, const struct elf *e)
{
	struct cursor c = elf_at(e, e->ehframe_hdr, e->ehframe_hdr_size);
	struct part hdr = { .bytes = c, .vaddr = e->ehframe_hdr, .mask = eh->eh.mask };
	unsigned address_size = e->is64 ? 8 : 4, version, encoding, count_encoding, table_encoding;
	uint64_t start, count;

	version = cur_u8(&c);
	encoding = cur_u8(&c);
	count_encoding = cur_u8(&c);
	table_encoding = cur_u8(&c);
	if (c.bad || version != 1 || encoding == PE_OMIT)
		return;
	start = read_pointer(&hdr, &c, encoding, address_size, e->ehframe_hdr);
	if (!c.bad && !(encoding & PE_INDIRECT))
		set_part(&eh->eh, e, start);
	if (count_encoding == PE_OMIT || table_encoding != (PE_DATAREL | PE_SDATA4))
		return;
	count = read_pointer(&hdr, &c, count_encoding, address_size, e->ehframe_hdr);
	if (c.bad || !count || count > UINT32_MAX)
		return;
	if (count > cur_left(&c) / 8)
		return;
	eh->eh.table = c.pos;
	eh->eh.coarse = arena_alloc(&ms->arena, ((size_t)count / COARSE + 1) * sizeof *eh->eh.coarse);
	eh->eh.rows = (uint32_t)count;
	eh->eh.hdr = e->ehframe_hdr;
}

static struct ehframe *
open_ehframe(struct modules *ms, struct module *m)
{
	const struct elf *e = &m->elf;
	struct ehframe *eh = m->ehframe;
	struct section s;

	if (eh || m->bad || !(eh = arena_alloc(&ms->arena, sizeof *eh)))
		return eh;
	m->ehframe = eh;
	eh->eh.mask = eh->debug.mask = e->is64 ? UINT64_MAX : UINT32_MAX;
	eh->debug.debug = eh->debug.bounded = true;
	if (e->ehframe_hdr_size)
		open_hdr(ms, eh, e);
	if (!eh->eh.rows && elf_section_named(e, ".eh_frame", &s) && cur_left(&s.data)) {
		eh->eh.bytes = s.data;
		eh->eh.vaddr = s.addr;
		eh->eh.bounded = true;
	}
	return eh;
}

/* The last row that begins at or before VADDR, or 0.  No branch depends on the data.  It compares 32 bits of an address: the
 * number in the table, or the whole address if addresses have no more bits.  Numbers below the middle are negative. */
static uint32_t
search_table(const struct part *p, uint64_t vaddr)
{
	const bool wide = p->mask >> 32, big = p->bytes.big;
	const uint32_t add = wide ? 0 : (uint32_t)p->hdr + (UINT32_C(1) << 31);
	const int64_t from = (int64_t)(wide ? vaddr - p->hdr : vaddr - (UINT32_C(1) << 31));
	const int32_t want = from > INT32_MAX ? INT32_MAX : from < INT32_MIN ? INT32_MIN : (int32_t)from;
	const uint8_t *table = p->table;
	uint32_t i = 0, n, half, raw;

	for (n = (p->rows + COARSE - 1) / COARSE; n > 1; n -= half) {
		half = n / 2;
		if (!(raw = p->coarse[i + half]))
			raw = p->coarse[i + half] = table_raw(p, (i + half) * COARSE, 0);
		i += (int32_t)(raw + add) <= want ? half : 0;
	}
	i *= COARSE;
	n = p->rows - i < COARSE ? p->rows - i : COARSE;
	for (uint32_t k = 0; k < n; k += LINE)   /* all at once, not one after another */
		__builtin_prefetch(table + (uint64_t)(i + k) * 8);
	for (; n > 1; n -= half) {
		half = n / 2;
		i += (int32_t)(load32(table + (uint64_t)(i + half) * 8, big) + add) <= want ? half : 0;
	}
	return i;
}

static uint32_t
search(const struct part *p, uint64_t vaddr)
{
	uint32_t i = 0, n = p->rows, half;

	if (p->coarse)
		return search_table(p, vaddr);
	for (; n > 1; n -= half) {
		half = n / 2;
		i += row_lo(p, i + half) <= vaddr ? half : 0;
	}
	return i;
}

static bool
find_in(struct part *p, uint64_t vaddr, struct fde *f)
{
	uint32_t i, tries = 0;
	bool read;

	if (vaddr - p->gap < p->gap_size)
		return false;
	for (i = search(p, vaddr); i < p->rows && tries < EQUALS_MAX; tries++, i--) {
		if ((read = read_fde(p, row_fde(p, i), f)) && vaddr >= f->lo && vaddr < f->hi)
			return true;
		if (i && row_lo(p, i - 1) == row_lo(p, i))
			continue;
		if (read && !tries && vaddr >= f->hi && i + 1 < p->rows && vaddr < row_lo(p, i + 1)) {
			p->gap = f->hi;
			p->gap_size = row_lo(p, i + 1) - f->hi;
		}
		break;
	}
	return false;
}

bool
ehframe_find(struct modules *ms, struct module *m, uint64_t vaddr, struct fde *f)
{
	struct ehframe *eh = m->ehframe ? m->ehframe : open_ehframe(ms, m);

	if (!eh)
		return false;
	if (has_rows(ms, m, &eh->eh) && find_in(&eh->eh, vaddr, f))
		return true;
	if (!has_rows(ms, m, &eh->debug) || !find_in(&eh->debug, vaddr, f))
		return false;
	f->debug = true;
	return true;
}

bool
ehframe_start(struct modules *ms, struct module *m, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
	struct fde f;

	if (!ehframe_find(ms, m, vaddr, &f))
		return false;
	*start = f.lo;
	*end = f.hi;
	return true;
}

uint64_t
ehframe_number(struct modules *ms, struct module *m, uint32_t i)
{
	struct ehframe *eh = open_ehframe(ms, m);

	return eh && has_rows(ms, m, &eh->eh) && i < eh->eh.rows ? row_lo(&eh->eh, i) : 0;
}

bool
ehframe_any(struct modules *ms, struct module *m)
{
	struct ehframe *eh = open_ehframe(ms, m);

	return eh && (has_rows(ms, m, &eh->eh) || has_rows(ms, m, &eh->debug));
}

bool
ehframe_next(struct cursor bytes, uint64_t vaddr, bool is64, bool debug, uint64_t *off, struct fde *f)
{
	struct part p = { .bytes = bytes, .vaddr = debug ? 0 : vaddr, .mask = is64 ? UINT64_MAX : UINT32_MAX, .debug = debug };
	struct entry e;

	for (uint64_t at = *off; at < cur_left(&bytes) && read_entry(&p, at, &e, off); at = *off)
		if (!e.cie && read_fde(&p, at, f)) {
			f->debug = debug;
			return true;
		}
	return false;
}

bool
ehframe_alone(struct cursor bytes, bool is64, uint64_t lo, uint64_t hi, struct fde *f)
{
	uint64_t off = 0;

	if (!ehframe_next(bytes, hi, is64, false, &off, f))   /* it lies behind its code */
		return false;
	f->lo = lo;
	f->hi = hi;
	return true;
}
