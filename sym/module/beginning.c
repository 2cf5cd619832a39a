/* See beginning.h.  One pass over the file sets a bit for each such place.  Other bytes may look like an instruction that names one, but
 * hardly any of them name a place in the file's code. */
#include "beginning.h"

#include <elf.h>
#include <string.h>

#include "ehframe.h"
#include "symtab.h"

/* Bytes of a file that prof reads for this, and of one that another process reads for it; of code, in one file and in all: there are two
 * bits for each byte. */
enum { FILE_MOST = 64 << 20, ASKED_MOST = 4 << 20, CODE_MOST = 64 << 20, CODE_ALL = 96 << 20 };
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
	int32_t v;

	memcpy(&v, p, sizeof v);
	return (uint64_t)(int64_t)v;
}

/* call; lea OFF(%rip),REG; mov $ADDRESS,REG: the bytes that tell them. */
static void
read_code(struct beginnings *b, const uint8_t *bytes, uint64_t n, uint64_t vaddr)
{
	static const bool tells[256] = { [0xe8] = true, [0x8d] = true, [0xc7] = true, [0xb8] = true, [0xb9] = true, [0xba] = true,
	                                 [0xbb] = true, [0xbc] = true, [0xbd] = true, [0xbe] = true, [0xbf] = true };
	uint64_t address;

	for (uint64_t i = 1; i + 6 <= n; i++) {
		const uint8_t *p = bytes + i;

		if (!tells[*p])
			continue;
		if (*p == 0xe8)
			note(b, BEGINNING_CALLED, vaddr + i + 5 + number(p + 1));
		else if (*p == 0x8d && (p[1] & 0xc7) == 5 && (p[-1] & 0xf8) == 0x48)
			note(b, BEGINNING_TAKEN, vaddr + i + 6 + number(p + 2));
		else if (*p == 0xc7 && (p[1] & 0xf8) == 0xc0 && p[-1] == 0x48)
			note(b, BEGINNING_TAKEN, number(p + 2));
		else if ((*p & 0xf8) == 0xb8 && (p[-1] & 0xfe) == 0x48 && n - i > sizeof address) {
			memcpy(&address, p + 1, sizeof address);
			note(b, BEGINNING_TAKEN, address);
		}
	}
}

/* Words of data, and the addends of relocations. */
static void
read_data(struct beginnings *b, struct cursor c)
{
	uint64_t word;

	for (; cur_left(&c) >= sizeof word; c.pos += sizeof word) {
		memcpy(&word, c.pos, sizeof word);
		note(b, BEGINNING_TAKEN, word);
	}
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
			b.n = s->vaddr + s->filesz - b.lo;
		}
	}
	return b;
}

/* Those around VADDR; NULL: none.  A file has few such places of code, and prof reads it for each once. */
static const struct beginnings *
beginnings(struct modules *ms, struct module *m, uint64_t vaddr)
{
	const struct elf *e = &m->elf;
	struct beginnings *b, code;

	for (b = m->beginnings; b; b = b->next)
		if (vaddr - b->lo < b->n)
			return b;
	if (m->bad || m->kind != MODULE_FILE || e->machine != EM_X86_64 || m->size > (m->file.asked.size ? ASKED_MOST : FILE_MOST))
		return NULL;
	code = code_around(e, vaddr);
	if (vaddr - code.lo >= code.n || code.n > CODE_MOST || code.n > CODE_ALL - ms->beginnings || !(b = arena_alloc(&ms->arena, sizeof *b)))
		return NULL;
	ms->beginnings += code.n;
	for (unsigned by = 0; by < BEGINNINGS; by++)
		if (!(code.bits[by] = arena_alloc(&ms->arena, (size_t)(code.n / 64 + 1) * sizeof **code.bits)))
			return NULL;
	*b = code;
	b->next = m->beginnings;
	m->beginnings = b;
	for (uint32_t i = 0; i < e->nload; i++) {
		struct cursor c = elf_from(e, e->load[i].vaddr);

		if (e->load[i].exec)
			read_code(b, c.pos, cur_left(&c), e->load[i].vaddr);
		else
			read_data(b, c);
	}
	filemap_trim(ASKED_MOST);
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

uint64_t
beginning_of(struct modules *ms, struct module *m, uint64_t vaddr)
{
	uint64_t lo = vaddr > BEFORE ? vaddr - BEFORE : 1, at, other, start, end;
	unsigned places = 0;
	struct symbol s;
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
	if (!ehframe_start(ms, m, at, &start, &end)) {
		if (!symtab_find(ms, m, at, &s))
			return at;
		end = s.hi;
	}
	end = (end + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);   /* what begins behind that one has no name anywhere */
	return end <= vaddr ? end : vaddr;
}
