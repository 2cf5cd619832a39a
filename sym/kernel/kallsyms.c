/* See kallsyms.h.  "ADDRESS TYPE NAME[<tab>[MODULE]]" a line, proc(5) and kernel/kallsyms.c: addresses in hex; the kernel's own
 * first, sorted, then those of modules and of code made at run time; capital types are global ones, w and W weak ones.  No
 * sizes. */
#include "kallsyms.h"

#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/name_store.h"
#include "lib/text.h"
#include "asked_names.h"
#include "kernel_symbol.h"
#include "kallsyms_tables.h"
#include "lib/sort.h"

enum {
	SYMBOLS_MAX = 1 << 20,
	BYTES_MAX = 256 << 20,
	MODULES_MAX = 4096,
	NAME_LIMIT = 512,          /* KSYM_NAME_LEN: no name is longer */
	MODULE = 0xffff, RANK = 16,   /* in item.b: the module's number, and from this bit on the symbol's rank */
};

struct kallsyms {
	struct name_store text;
	struct item *symbol;      /* key: address; a: name; b: module, rank */
	uint32_t n, cap;
	bool rising;              /* so far all are the kernel's own, sorted */
	bool leave_modules;       /* lines about modules mean nothing */
	bool read;                /* all of them, and sorted */
	struct item *wanted;      /* key: an address that will be asked for; sorted.  If there are any, only they can be found */
	uint32_t nwanted, wanted_cap;
	uint32_t gap, run;        /* the last symbol's: how many wanted addresses lie below it, and which symbol of that gap is the first */
	struct kallsyms_tables *tables;   /* or NULL */
	struct asked_names *said;       /* or NULL */
	struct lines lines;
	uint32_t module[MODULES_MAX];   /* their names; 0 is "[kernel]" */
	uint32_t modules;
};

struct entry {
	uint64_t addr;
	char type;
	const char *name, *module;   /* with its brackets, or NULL */
	size_t len;
};

/* What TEXT's next eight bytes say, if all are hex digits, as the kernel prints them. */
static bool
eight_digits(const char *text, uint64_t *v)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t w, low, letter;

	memcpy(&w, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	letter = w >> 6 & ones;
	low = w & 15 * ones;
	if ((w & 240 * ones) != (ones + letter) * 0x30 || ((low + 6 * ones + 3 * letter) & 16 * ones) || ((low + 15 * letter) & 16 * ones) != letter * 16)
		return false;
	w = low + 9 * letter;
	w = (w << 4 | w >> 8) & 0x00ff00ff00ff00ff;
	w = (w << 8 | w >> 16) & 0x0000ffff0000ffff;
	*v = (w << 16 | w >> 32) & UINT32_MAX;
	return true;
}

/* LINE is of struct lines: there are 16 bytes. */
static bool
parse_address(const char **line, uint64_t *addr)
{
	uint64_t high, low;

	if (!eight_digits(*line, &high) || !eight_digits(*line + 8, &low))
		return text_hex(line, addr);
	*addr = high << 32 | low;
	*line += 16;
	return true;
}

static bool
parse(const char *line, struct entry *e)
{
	const char *p = line;

	if (!parse_address(&p, &e->addr) || !e->addr || p[0] != ' ' || ((p[1] | 32) != 't' && (p[1] | 32) != 'w') || p[2] != ' ')
		return false;
	e->type = p[1];
	for (e->name = p += 3; *p && *p != '\t'; p++)
		;
	e->len = (size_t)(p - e->name);
	e->module = *p && p[1] == '[' ? p + 1 : NULL;
	return e->len > 0;
}

/* The symbols of a module stand together, so the last module is nearly always the right one. */
static uint32_t
module_number(struct kallsyms *k, const char *name)
{
	if (k->modules && !strcmp(name_store_at(&k->text, k->module[k->modules - 1]), name))
		return k->modules - 1;
	if (k->modules == MODULES_MAX || !name_store_add(&k->text, name, strlen(name), &k->module[k->modules]))
		return 0;
	return k->modules++;
}

/* Adds a symbol, and keeps one of the names of each address. */
static void
add(struct kallsyms *k, struct item new)
{
	struct item *last = k->n ? &k->symbol[k->n - 1] : NULL;

	if (!last || last->key != new.key) {
		k->rising &= !(new.b & MODULE) && (!last || last->key < new.key);
		k->symbol[k->n++] = new;
	} else if (new.b >> RANK < last->b >> RANK ||
	           (new.b >> RANK == last->b >> RANK && symbol_better(name_store_at(&k->text, new.a), name_store_at(&k->text, last->a)))) {
		*last = new;
	}
}

/* How many wanted addresses lie below ADDR, which is not 0. */
static uint32_t
gap_of(const struct kallsyms *k, uint64_t addr)
{
	const struct item *w = k->wanted;
	uint32_t g = k->gap;

	return (!g || w[g - 1].key < addr) && (g == k->nwanted || addr <= w[g].key) ? g : sort_upto(w, k->nwanted, addr - 1);
}

/* Of symbols that rise between two wanted addresses, the first and the last tell all: before it adds ADDR's, this forgets one that
 * was the last. */
static void
forget_last(struct kallsyms *k, uint64_t addr)
{
	const struct item *last = k->n ? &k->symbol[k->n - 1] : NULL;
	uint32_t gap = gap_of(k, addr);

	if (!last || gap != k->gap || last->key > addr) {
		k->gap = gap;
		k->run = k->n;
	} else if (last->key < addr && k->n - k->run > 1) {
		if (last->a > k->module[k->modules - 1])
			name_store_drop(&k->text, last->a);
		k->n--;
	}
}

/* False if nothing is left to read. */
static bool
read_line(struct kallsyms *k)
{
	struct entry e;
	struct item s;
	const char *line;

	if (k->n == SYMBOLS_MAX || !(line = lines_next(&k->lines)))
		return false;
	if (!parse(line, &e) || (e.module && k->leave_modules))
		return true;
	if (k->nwanted)
		forget_last(k, e.addr);
	s.key = e.addr;
	s.b = (e.module ? module_number(k, e.module) : 0) | kernel_symbol_rank(e.type) << RANK;
	if ((k->n == k->cap && !vec_room(&k->symbol, &k->cap, (uint64_t)k->n + 1, sizeof s)) || !name_store_add(&k->text, e.name, e.len, &s.a))
		return false;
	add(k, s);
	return true;
}

static void
finish(struct kallsyms *k)
{
	uint32_t n = sort_items(k->symbol, k->n) ? k->n : 0;

	k->read = true;
	k->n = 0;
	for (uint32_t i = 0; i < n; i++)
		add(k, k->symbol[i]);
}

static struct kallsyms *
begin(struct arena *arena)
{
	struct kallsyms *k = arena_alloc(arena, sizeof *k);

	if (!k)
		return NULL;
	k->text.arena = arena;
	k->rising = true;
	lines_open(&k->lines, -1);
	module_number(k, "[kernel]");
	return k;
}

static void
from_begin(struct kallsyms *k, int fd)
{
	lseek(fd, 0, SEEK_SET);
	lines_open(&k->lines, fd);
	k->lines.left = BYTES_MAX;
}

struct kallsyms *
kallsyms_open(struct arena *arena, int fd, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n),
              size_t (*says)(const char *addrs, char *text, size_t size))
{
	struct kallsyms *k;

	if (fd < 0 || !(k = begin(arena)))
		return NULL;
	k->tables = read ? kallsyms_tables_open(arena, read) : NULL;
	k->said = says ? asked_names_open(arena, says) : NULL;
	from_begin(k, fd);
	return k;
}

void
kallsyms_leave_modules(struct kallsyms *k)
{
	k->leave_modules = true;
}

/* What adds the symbols of one file. */
struct adding {
	struct kallsyms *k;
	uint32_t module;
};

static void
add_symbol(void *adding, uint64_t addr, char type, const char *name)
{
	struct adding *a = adding;
	struct kallsyms *k = a->k;
	size_t len = strnlen(name, NAME_LIMIT);
	struct item s = { .key = addr, .b = a->module | kernel_symbol_rank(type) << RANK };

	if (addr && len < NAME_LIMIT && k->n < SYMBOLS_MAX && vec_room(&k->symbol, &k->cap, (uint64_t)k->n + 1, sizeof s) &&
	    name_store_add(&k->text, name, len, &s.a))
		add(k, s);
}

struct kallsyms *
kallsyms_add_files(struct kallsyms *k, struct arena *arena, const struct kernel_file *file, uint32_t n)
{
	if (!n || (!k && !(k = begin(arena))))
		return k;
	for (uint32_t i = 0; i < n; i++) {
		struct adding a = { k, file[i].module ? module_number(k, file[i].module) : 0 };

		kernel_file_symbols(&file[i], add_symbol, &a);
	}
	k->rising = false;   /* what is read is not sorted yet */
	return k;
}

void
kallsyms_close(struct kallsyms *k)
{
	vec_free(&k->symbol, &k->cap, sizeof *k->symbol);
	vec_free(&k->wanted, &k->wanted_cap, sizeof *k->wanted);
	if (k->said)
		asked_names_close(k->said);
}

/* Whether the symbols read so far include ADDR's.  Only the kernel's own code lies between the kernel's own symbols. */
static bool
known(const struct kallsyms *k, uint64_t addr)
{
	const struct item *s = k->symbol;

	if (k->read)
		return true;
	return k->rising && k->n && s->key <= addr && addr < s[k->n - 1].key &&
	       addr - s[sort_upto(s, k->n, addr) - 1].key < KERNEL_SYMBOL_MOST;
}

/* Whether the kernel's tables have ADDR. */
static bool
in_tables(const struct kallsyms *k, uint64_t addr)
{
	return k->tables && kallsyms_tables_hold(k->tables, addr);
}

void
kallsyms_all(struct kallsyms *k, const uint64_t *addr, uint32_t n)
{
	for (uint32_t i = 0, from; k->said && i < n;) {
		for (; i < n && in_tables(k, addr[i]); i++)
			;
		for (from = i; i < n && !in_tables(k, addr[i]); i++)
			;
		asked_names_ask(k->said, addr + from, i - from);
	}
	if (!k->n && !k->read && !k->nwanted && vec_room(&k->wanted, &k->wanted_cap, n, sizeof *k->wanted)) {
		for (uint32_t i = 0; i < n; i++)
			k->wanted[i] = (struct item){ .key = addr[i] };
		k->nwanted = sort_items(k->wanted, n) ? n : 0;
	}
}

/* If ADDR is none of those that all questions were to be about, this begins again, and keeps everything. */
static void
want(struct kallsyms *k, uint64_t addr)
{
	uint32_t i = sort_upto(k->wanted, k->nwanted, addr);

	if (!k->nwanted || (i && k->wanted[i - 1].key == addr))
		return;
	k->n = k->nwanted = 0;
	k->rising = true;
	k->read = false;
	from_begin(k, k->lines.fd);
}

bool
kallsyms_ahead(struct kallsyms *k, uint64_t addr, uint32_t max)
{
	if (in_tables(k, addr) || (k->said && asked_names_answers(k->said, addr)))
		return false;
	want(k, addr);
	while (!known(k, addr)) {
		if (!max--)
			return true;
		if (!read_line(k))
			finish(k);
	}
	return false;
}

bool
kallsyms_find(struct kallsyms *k, uint64_t addr, struct symbol *s, const char **module)
{
	const struct item *at;
	uint64_t size = KERNEL_SYMBOL_MOST;
	uint32_t i;

	*module = "[kernel]";
	if (in_tables(k, addr)) {
		if (kallsyms_tables_find(k->tables, addr, s))
			return true;
		k->tables = NULL;   /* the tables are invalid */
	}
	if (k->said && asked_names_find(k->said, addr, s, module))
		return s->name;
	kallsyms_ahead(k, addr, UINT32_MAX);
	if (!(i = sort_upto(k->symbol, k->n, addr)))
		return false;
	at = &k->symbol[i - 1];
	if (i < k->n && at[1].key - at->key < size)
		size = at[1].key - at->key;
	s->lo = at->key;
	s->hi = s->lo + size < size ? UINT64_MAX : s->lo + size;
	s->name = name_store_at(&k->text, at->a);
	*module = name_store_at(&k->text, k->module[at->b & MODULE]);
	return addr < s->hi && *s->name;
}
