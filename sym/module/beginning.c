/* See beginning.h.  One pass over the file sets a bit for each such place.  Other bytes may look like an instruction that names one, but
 * hardly any of them name a place in the file's code. */
#include "beginning.h"

#include <elf.h>
#include <string.h>

#include "ehframe.h"
#include "symtab.h"

/* Bytes of a file that prof reads for this, and of one that another process reads for it; of code, in one file and in all: there are two
 * bits for each byte.  Places of code in one file. */
enum { FILE_MOST = 64 << 20, ASKED_MOST = 4 << 20, CODE_MOST = 64 << 20, CODE_ALL = 96 << 20, AROUND_MOST = 4 };
/* Bytes that prof reads between two looks at the watchdog, and that cost as much as one step of reading. */
enum { PIECE = 1 << 20, STEP_BYTES = 64 };
/* Bytes in which prof looks for the beginning of a function, and places that it looks at; where compilers and assemblers let one begin. */
enum { BEFORE = 1 << 16, PLACES = 64, ALIGNED = 16 };

struct beginnings {
	struct beginnings *next;
	uint64_t lo, n;            /* the code, in bytes */
	uint64_t *bits[BEGINNINGS];
};

static void
note(struct beginnings *b, enum beginning_by by, uint64_t at)
{
	if (at - b->lo < b->n)
		b->bits[by][(at - b->lo) / 64] |= UINT64_C(1) << (at - b->lo) % 64;
}

static uint64_t
number(const uint8_t *p)
{
	struct cursor c = cur_of(p, 4, false);

	return (uint64_t)(int64_t)(int32_t)cur_u32(&c);
}

/* call; lea OFF(%rip),REG; mov $ADDRESS,REG: the bytes that tell them. */
static void
read_code(struct beginnings *b, const uint8_t *bytes, uint64_t n, uint64_t vaddr)
{
	static const bool tells[256] = { [0xe8] = true, [0x8d] = true, [0xc7] = true, [0xb8] = true, [0xb9] = true, [0xba] = true,
	                                 [0xbb] = true, [0xbc] = true, [0xbd] = true, [0xbe] = true, [0xbf] = true };
	for (uint64_t i = 1; i + 6 <= n; i++) {
		const uint8_t *p = bytes + i;
		struct cursor address;

		if (!tells[*p])
			continue;
		if (*p == 0xe8)
			note(b, BEGINNING_CALLED, vaddr + i + 5 + number(p + 1));
		else if (*p == 0x8d && (p[1] & 0xc7) == 5 && (p[-1] & 0xf8) == 0x48)
			note(b, BEGINNING_TAKEN, vaddr + i + 6 + number(p + 2));
		else if (*p == 0xc7 && (p[1] & 0xf8) == 0xc0 && p[-1] == 0x48)
			note(b, BEGINNING_TAKEN, number(p + 2));
		else if ((*p & 0xf8) == 0xb8 && (p[-1] & 0xfe) == 0x48 && n - i > 8) {
			address = cur_of(p + 1, 8, false);
			note(b, BEGINNING_TAKEN, cur_u64(&address));
		}
	}
}

/* Words of data, and the addends of relocations. */
static void
read_data(struct beginnings *b, struct cursor c)
{
	while (cur_left(&c) >= 8)
		note(b, BEGINNING_TAKEN, cur_u64(&c));
}

/* The code around VADDR.  Code that was in memory when a process wrote the file lies in a segment of data. */
static struct beginnings
code_around(const struct elf *e, uint64_t vaddr)
{
	bool exec = elf_is_code(e, vaddr);
	struct beginnings b = { .n = 0 };

	for (uint32_t i = 0; i < e->nload; i++) {
		const struct segment *s = &e->load[i];

		if (exec ? s->exec && s->filesz : vaddr - s->vaddr < s->filesz) {
			b.lo = b.n ? b.lo : s->vaddr;
			b.n = s->vaddr + s->filesz - b.lo > b.n ? s->vaddr + s->filesz - b.lo : b.n;
		}
	}
	return b;
}

/* Reads the file, no more of it than it has: segments may lie one over the other. */
static void
read_file(struct beginnings *b, const struct module *m)
{
	uint64_t left = m->size;

	for (uint32_t i = 0; i < m->elf.nload && left; i++) {
		const struct segment *s = &m->elf.load[i];
		struct cursor c = elf_from(&m->elf, s->vaddr), piece;
		uint64_t at = s->vaddr, n;

		for (; (n = cur_left(&c) < left ? cur_left(&c) : left) && work_step((n < PIECE ? n : PIECE) / STEP_BYTES + 1); at += n, left -= n) {
			n = n < PIECE ? n : PIECE;
			piece = cur_sub(&c, n);
			if (s->exec)
				read_code(b, piece.pos, n, at);
			else
				read_data(b, piece);
		}
	}
	filemap_trim(ASKED_MOST);
}

/* Those around VADDR; NULL: none. */
static const struct beginnings *
beginnings(struct modules *ms, struct module *m, uint64_t vaddr)
{
	const struct elf *e = &m->elf;
	struct beginnings *b, code;
	unsigned around = 0;
	uint64_t *bits;
	size_t words;

	for (b = m->beginnings; b; b = b->next, around++)
		if (vaddr - b->lo < b->n)
			return b;
	if (around == AROUND_MOST || m->bad || m->kind != MODULE_FILE || e->machine != EM_X86_64 || m->size > (m->file.asked.size ? ASKED_MOST : FILE_MOST))
		return NULL;
	code = code_around(e, vaddr);
	if (vaddr - code.lo >= code.n || code.n > CODE_MOST || code.n > m->size || code.n > CODE_ALL - ms->beginnings)
		return NULL;
	words = (size_t)(code.n / 64 + 1);
	if (!(b = arena_alloc(&ms->arena, sizeof *b)) || !(bits = arena_alloc(&ms->arena, BEGINNINGS * words * sizeof *bits)))
		return NULL;
	ms->beginnings += code.n;
	*b = code;
	for (unsigned by = 0; by < BEGINNINGS; by++)
		b->bits[by] = bits + by * words;
	b->next = m->beginnings;
	m->beginnings = b;
	work_begin(&m->work);
	read_file(b, m);
	work_end();
	return b;
}

bool
beginning_before(struct modules *ms, struct module *m, enum beginning_by by, uint64_t lo, uint64_t *at)
{
	const struct beginnings *b = beginnings(ms, m, *at);
	uint64_t i, word;

	if (!b || *at < lo)
		return false;
	lo = lo > b->lo ? lo - b->lo : 0;
	i = *at - b->lo;
	for (word = b->bits[by][i / 64] << (63 - i % 64); !word && i / 64 > lo / 64; word = b->bits[by][i / 64])
		i = i / 64 * 64 - 1;
	if (!word || (i -= (uint64_t)__builtin_clzll(word)) < lo || i >= b->n)
		return false;
	*at = b->lo + i;
	return true;
}

/* Whether a function may begin there: at a multiple of 16, or behind a return or padding. */
static bool
may_begin(const struct module *m, uint64_t at)
{
	struct cursor c = elf_from(&m->elf, at - 1);
	uint8_t before = cur_u8(&c);

	return at % ALIGNED == 0 || (!c.bad && (before == 0xc3 || before == 0xcc || before == 0x90));
}

/* Whether AT is in a function that something describes; the next one begins at END or later. */
static bool
is_described(struct modules *ms, struct module *m, uint64_t at, uint64_t *end)
{
	struct symbol s;
	uint64_t start;

	if (!ehframe_start(ms, m, at, &start, end)) {
		if (!symtab_find(ms, m, at, &s))
			return false;
		*end = s.hi;
	}
	*end = (*end + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);
	return true;
}

uint64_t
beginning_of(struct modules *ms, struct module *m, uint64_t vaddr)
{
	uint64_t lo = vaddr > BEFORE ? vaddr - BEFORE : 1, at, other, end;
	unsigned places = 0;
	bool found;

	for (at = vaddr;; at--) {
		if (++places > PLACES)
			return vaddr;
		other = at;
		found = beginning_before(ms, m, BEGINNING_TAKEN, lo, &at);
		if (beginning_before(ms, m, BEGINNING_CALLED, found ? at : lo, &other))
			at = other;
		else if (!found)
			return vaddr;
		if (may_begin(m, at))
			break;
	}
	for (; is_described(ms, m, at, &end); at = end)
		if (end <= at || end > vaddr || ++places > PLACES)
			return vaddr;
	return at;
}
