/* See kallsyms_tables.h.  scripts/kallsyms.c of Linux writes them, kernel/kallsyms.c reads them: for each symbol, by address, 32
 * bits (kallsyms_offsets) and a packed name: one or, since 6.1, two bytes of length (ULEB128), then as many bytes, each of which
 * stands for a token, a string at its kallsyms_token_index in kallsyms_token_table.  A name's first letter is its type. */
#include "kallsyms_tables.h"

#include <string.h>

#include "kernel_symbol.h"

enum { COUNT_MAX = 1 << 20, WINDOW = 16 << 10, TOKENS_MAX = 4096, PACKED_MAX = 1024, NAME_SIZE = 1024, BACK_MAX = 64 };

/* The piece of a table that was read last: N bytes from LO on. */
struct window {
	uint64_t table;
	uint32_t lo, n;
	uint8_t bytes[WINDOW];
};

struct ksym {
	uint64_t addr;
	uint32_t name;             /* where it begins */
	char type;                 /* as nm(1) has it; 0: there is no symbol */
};

struct kallsyms_tables {
	struct arena *arena;
	size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n);
	uint64_t table[KCORE_TABLES], base, top;   /* top: the last symbol's address */
	uint32_t n, next, name;    /* symbols; which one is read next, and where its name begins */
	struct ksym here, ahead;   /* the symbol of the last question's address, and the next one */
	const char *here_name;     /* or NULL */
	unsigned backs;            /* how often the search began anew */
	bool absolute;             /* offsets that are not negative are addresses: CONFIG_KALLSYMS_ABSOLUTE_PERCPU */
	bool sure;                 /* _stext stands where it should */
	struct window offsets, names;
	uint16_t index[256];
	char code[256];            /* for a name's first byte: its type; 0 if that is no type of code */
	char tokens[TOKENS_MAX + 1];
};

static const uint8_t *
move(const struct kallsyms_tables *t, struct window *w, uint32_t at, uint32_t n)
{
	w->lo = at;
	w->n = (uint32_t)t->read(0, w->table + at, w->bytes, sizeof w->bytes);
	return w->n < n ? NULL : w->bytes;
}

/* The N bytes at AT, or NULL. */
static inline const uint8_t *
look(const struct kallsyms_tables *t, struct window *w, uint32_t at, uint32_t n)
{
	uint32_t off = at - w->lo;

	return (uint64_t)off + n > w->n ? move(t, w, at, n) : w->bytes + off;
}

static bool
read_address(struct kallsyms_tables *t, uint32_t i, uint64_t *addr)
{
	const uint8_t *p = look(t, &t->offsets, 4 * i, 4);
	int32_t off;

	if (!p)
		return false;
	memcpy(&off, p, sizeof off);
	*addr = !t->absolute ? t->base + (uint32_t)off : off < 0 ? t->base + ~(uint64_t)off : (uint64_t)off;
	return true;
}

static const char *
token(const struct kallsyms_tables *t, uint8_t c)
{
	return t->tokens + (t->index[c] < TOKENS_MAX ? t->index[c] : TOKENS_MAX);
}

/* *N: the length of the name that begins at P.  Returns how many bytes that length takes. */
static inline unsigned
length(const uint8_t *p, uint32_t *n)
{
	*n = p[0];
	if (p[0] < 0x80)
		return 1;
	*n = (p[0] & 0x7f) | (uint32_t)p[1] << 7;
	return 2;
}

/* Unpacks the name at NAME into a buffer of NAME_SIZE bytes; "" if it is invalid. */
static const char *
unpack(struct kallsyms_tables *t, uint32_t name, char *to)
{
	const uint8_t *p = look(t, &t->names, name, 2);
	uint32_t n, len = 0;
	unsigned head = p ? length(p, &n) : 0;

	*to = 0;
	if (!p || n > PACKED_MAX || !(p = look(t, &t->names, name, head + n)))
		return to;
	for (uint32_t i = 0; i < n; i++)
		for (const char *s = token(t, p[head + i]); *s && len < NAME_SIZE - 1; s++)
			to[len++] = *s;
	to[len] = 0;
	return to + (len > 0);   /* without the type */
}

bool
kallsyms_tables_hold(const struct kallsyms_tables *t, uint64_t addr)
{
	return addr >= t->table[KCORE_STEXT] && addr < t->top;
}

/* The next symbol of code; false if there are no more, or if the tables are invalid. */
static bool
next(struct kallsyms_tables *t, struct ksym *s)
{
	const uint64_t stext = t->table[KCORE_STEXT];
	char name[NAME_SIZE];
	const uint8_t *p;
	uint32_t n;

	while (t->next < t->n) {
		s->name = t->name;
		if (!read_address(t, t->next++, &s->addr) || !(p = look(t, &t->names, t->name, 3)))
			break;
		t->name += length(p, &n);
		s->type = t->code[p[t->name - s->name]];
		t->name += n;
		if (!t->sure && s->addr >= stext) {
			if (s->addr > stext)
				break;
			t->sure = !strcmp(unpack(t, s->name, name), "_stext");
		}
		if (s->type)
			return true;
	}
	return false;
}

static bool
better(struct kallsyms_tables *t, const struct ksym *a, const struct ksym *b)
{
	char name_a[NAME_SIZE], name_b[NAME_SIZE];
	unsigned rank_a = kernel_symbol_rank(a->type), rank_b = kernel_symbol_rank(b->type);

	return rank_a != rank_b ? rank_a < rank_b : symbol_better(unpack(t, a->name, name_a), unpack(t, b->name, name_b));
}

static bool
advance(struct kallsyms_tables *t, uint64_t addr)
{
	if (t->here.type && addr < t->here.addr) {
		if (t->backs++ == BACK_MAX)
			return false;
		t->next = t->name = 0;
		t->here.type = t->ahead.type = 0;
	}
	while (!t->ahead.type || t->ahead.addr <= addr) {
		if (t->here.type && t->ahead.addr < t->here.addr)
			return false;
		if (t->ahead.type && (!t->here.type || t->ahead.addr > t->here.addr || better(t, &t->ahead, &t->here))) {
			t->here = t->ahead;
			t->here_name = NULL;
		}
		if (!next(t, &t->ahead))
			return false;
	}
	return t->here.type;
}

bool
kallsyms_tables_find(struct kallsyms_tables *t, uint64_t addr, struct symbol *s)
{
	char name[NAME_SIZE];

	if (!advance(t, addr))
		return false;
	if (!t->here_name) {
		const char *plain = unpack(t, t->here.name, name);

		if (!*plain || !(t->here_name = arena_str(t->arena, plain, strlen(plain))))
			return false;
	}
	s->lo = t->here.addr;
	s->hi = t->ahead.addr - s->lo < KERNEL_SYMBOL_MOST ? t->ahead.addr : s->lo + KERNEL_SYMBOL_MOST;
	s->name = t->here_name;
	return addr < s->hi;
}

static bool
read_all(const struct kallsyms_tables *t, uint64_t addr, void *to, size_t n)
{
	return t->read(0, addr, to, n) == n;
}

struct kallsyms_tables *
kallsyms_tables_open(struct arena *arena, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n))
{
	struct kallsyms_tables *t = arena_alloc(arena, sizeof *t);
	uint64_t *table, tokens;

	if (!t)
		return NULL;
	t->arena = arena;
	t->read = read;
	table = t->table;
	if (!read_all(t, 0, table, sizeof t->table) || table[KCORE_WORD] > sizeof t->base ||
	    !read_all(t, table[KCORE_BASE], &t->base, (size_t)table[KCORE_WORD]) || !read_all(t, table[KCORE_NUM], &t->n, sizeof t->n) ||
	    !read_all(t, table[KCORE_INDEX], t->index, sizeof t->index))
		return NULL;
	tokens = table[KCORE_INDEX] - table[KCORE_TOKENS];
	if (!t->n || t->n > COUNT_MAX || tokens > TOKENS_MAX || !read_all(t, table[KCORE_TOKENS], t->tokens, (size_t)tokens))
		return NULL;
	t->offsets.table = table[KCORE_OFFSETS];
	t->names.table = table[KCORE_NAMES];
	for (unsigned c = 0; c < 256; c++)
		if (*token(t, (uint8_t)c) && strchr("tTwW", *token(t, (uint8_t)c)))
			t->code[c] = *token(t, (uint8_t)c);
	if (!read_address(t, t->n - 1, &t->top))
		return NULL;
	t->absolute = (t->top - t->base) >> 31;   /* no kernel has 2 GiB of its own */
	return read_address(t, t->n - 1, &t->top) ? t : NULL;
}
