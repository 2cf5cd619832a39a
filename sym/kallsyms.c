/* See kallsyms.h.  "ADDRESS TYPE NAME[<tab>[MODULE]]" a line, proc(5) and kernel/kallsyms.c: addresses in hex, sorted but
 * for those of modules and of BPF programs; capital types are global ones, w and W weak ones.  No sizes. */
#include "kallsyms.h"

#include <string.h>
#include <unistd.h>

#include "../lib/file.h"
#include "sort.h"
#include "text.h"

enum {
	SYMBOLS_MAX = 1 << 20,
	BYTES_MAX = 256 << 20,
	MODULES_MAX = 4096,
	SIZE_LIMIT = 128 << 10,   /* no function is longer: what lies farther behind a symbol is something else */
	MODULE = 0xffff, LOCAL = 1 << 16, WEAK = 1 << 17,   /* in item.b, beside the module's number */
};

struct kallsyms {
	struct arena *arena;
	struct text text;
	struct item *symbol;      /* key: address; a: name; b: module, LOCAL, WEAK */
	uint32_t n, cap;          /* cap: while reading */
	bool read;                /* all of it, and sorted */
	struct lines lines;
	uint32_t module[MODULES_MAX];   /* their names; 0 is "[kernel]" */
	uint32_t modules;
};

struct entry {
	uint64_t addr;
	char type;
	const char *name, *module;   /* with its brackets, or "[kernel]" */
	size_t len;
};

static bool
parse(const char *line, struct entry *e)
{
	const char *p = line, *tab;

	if (!text_hex(&p, &e->addr) || !e->addr || p[0] != ' ' || !p[1] || !strchr("tTwW", p[1]) || p[2] != ' ')
		return false;
	e->type = p[1];
	e->name = p + 3;
	e->module = "[kernel]";
	e->len = strcspn(e->name, "\t");
	tab = e->name + e->len;
	if (tab[0] == '\t' && tab[1] == '[')
		e->module = tab + 1;
	return e->len > 0;
}

/* Modules come one after another, each all at once: the last one is nearly always the one. */
static uint32_t
module_number(struct kallsyms *k, const char *name)
{
	if (k->modules && !strcmp(text_at(&k->text, k->module[k->modules - 1]), name))
		return k->modules - 1;
	if (k->modules && *name == '[' && !strcmp(name, "[kernel]"))
		return 0;
	if (k->modules == MODULES_MAX || !text_add(&k->text, name, strlen(name), &k->module[k->modules]))
		return 0;
	return k->modules++;
}

/* Of the names of one address, keeps one: global before weak before local, then as text_better has it. */
static void
drop_aliases(struct kallsyms *k)
{
	const uint32_t bind = LOCAL | WEAK;
	uint32_t n = 0;

#ifdef PLANT_KALLSYMS
	k->n++;
#endif
	for (uint32_t i = 0; i < k->n; i++) {
		struct item *last = n ? &k->symbol[n - 1] : NULL, *new = &k->symbol[i];

		if (!last || last->key != new->key)
			k->symbol[n++] = *new;
		else if ((new->b & bind) < (last->b & bind))
			*last = *new;
		else if ((new->b & bind) == (last->b & bind) &&
		         text_better(text_at(&k->text, new->a), text_at(&k->text, last->a)))
			*last = *new;
	}
	k->n = n;
}

/* False where no more is to be had. */
static bool
read_line(struct kallsyms *k)
{
	struct entry e;
	const char *line;
	uint32_t name;

	if (k->n == SYMBOLS_MAX || !(line = lines_next(&k->lines)))
		return false;
	if (!parse(line, &e))
		return true;
	if (!vec_room(&k->symbol, &k->cap, (uint64_t)k->n + 1, sizeof *k->symbol) || !text_add(&k->text, e.name, e.len, &name))
		return false;
	k->symbol[k->n++] = (struct item){ e.addr, name, module_number(k, e.module) |
		(e.type == 't' ? LOCAL | WEAK : e.type == 'T' ? 0 : WEAK) };
	return true;
}

static void
finish(struct kallsyms *k)
{
	struct item *symbol = k->symbol;

	k->read = true;
	if (!sort_items(symbol, k->n))
		k->n = 0;
	drop_aliases(k);
	k->symbol = k->n ? arena_alloc(k->arena, k->n * sizeof *symbol) : NULL;
	if (k->symbol)
		memcpy(k->symbol, symbol, k->n * sizeof *symbol);
	else
		k->n = 0;
	vec_free(&symbol, &k->cap, sizeof *symbol);
}

struct kallsyms *
kallsyms_open(struct arena *arena, int fd)
{
	struct kallsyms *k;

	if (fd < 0 || !(k = arena_alloc(arena, sizeof *k)))
		return NULL;
	k->arena = k->text.arena = arena;
	lseek(fd, 0, SEEK_SET);
	lines_open(&k->lines, fd);
	k->lines.left = BYTES_MAX;
	module_number(k, "[kernel]");
	return k;
}

bool
kallsyms_read(struct kallsyms *k, uint32_t max)
{
	while (!k->read && max--)
		if (!read_line(k))
			finish(k);
	return !k->read;
}

bool
kallsyms_find(struct kallsyms *k, uint64_t addr, struct symbol *s, const char **module)
{
	const struct item *at;
	uint32_t i;

	kallsyms_read(k, UINT32_MAX);
	if (!(i = sort_upto(k->symbol, k->n, addr)))
		return false;
	at = &k->symbol[i - 1];
	if (addr - at->key >= SIZE_LIMIT)
		return false;
	s->lo = at->key;
	s->hi = at->key > UINT64_MAX - SIZE_LIMIT ? UINT64_MAX : at->key + SIZE_LIMIT;
	if (i < k->n && k->symbol[i].key < s->hi)
		s->hi = k->symbol[i].key;
	s->name = text_at(&k->text, at->a);
	*module = text_at(&k->text, k->module[at->b & MODULE]);
	return addr < s->hi;
}
