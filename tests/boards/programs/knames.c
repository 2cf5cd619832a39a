/* knames: names of thousands of the kernel's addresses as they are asked for, by the tables in its memory and by the first lines of
 * /proc/kallsyms, are those that all of its lines give; modules' too.  Prints how far it had to read.  Where the kernel says names
 * of single addresses, they are the same but for second names of one function. */
#include "sym/kernel/kallsyms.c"

#include <stdio.h>

#include "sample/tasks/foreign.h"

enum { MOST = 1 << 16 };

static struct arena arena;
static uint64_t asked[MOST];
static unsigned n;

static void
ask(uint64_t addr)
{
	if (n < MOST)
		asked[n++] = addr;
}

/* Some of the symbols between LO and HI: their first and last bytes, and one between. */
static void
choose(const struct kallsyms *all, unsigned step, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i + 1 < all->n; i += step) {
		const struct item *s = &all->symbol[i];

		if (s->key < lo || s->key >= hi || s[1].key - s->key >= KERNEL_SYMBOL_MOST)
			continue;
		ask(s->key);
		ask(s->key + (s[1].key - s->key) / 2);
		ask(s[1].key - 1);
	}
}

static unsigned
compare(struct kallsyms *all, struct kallsyms *k)
{
	unsigned differ = 0;

	for (unsigned i = 0; i < n; i++) {
		const char *a = "", *b = "";
		struct symbol want = { .name = "" }, got = { .name = "" };

		if (kallsyms_find(all, asked[i], &want, &a) != kallsyms_find(k, asked[i], &got, &b) || strcmp(want.name, got.name) ||
		    want.lo != got.lo || want.hi != got.hi || strcmp(a, b)) {
			if (differ++ < 5)
				printf("%llx: %s %s, not %s %s\n", (unsigned long long)asked[i], got.name, b, want.name, a);
		}
	}
	return differ;
}

static unsigned
try(const char *what, struct kallsyms *all, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t size))
{
	struct kallsyms *k = kallsyms_open(&arena, foreign_kallsyms(), read, NULL);
	bool tables = k->tables;
	unsigned differ = compare(all, k);

	printf("%s: %u addresses, %u differ, %u of %u symbols read, %s\n", what, n, differ, k->n, all->n,
	       k->read ? "all lines" : k->tables ? "tables" : "lines");
	return differ + (tables && !k->tables);
}

static unsigned
says(struct kallsyms *all)
{
	struct kallsyms *k = kallsyms_open(&arena, foreign_kallsyms(), NULL, foreign_says);
	unsigned differ;

	if (!asked_names_answers(k->said, asked[0])) {
		printf("this kernel says nothing\n");
		return 0;
	}
	kallsyms_all(k, asked, n);
	differ = compare(all, k);
	printf("said: %u addresses, %u differ, %u of %u symbols read\n", n, differ, k->n, all->n);
	return differ > n / 50 || k->n;
}

int
main(void)
{
	struct kallsyms *all = kallsyms_open(&arena, foreign_kallsyms(), NULL, NULL);
	uint64_t table[KCORE_TABLES] = { 0 }, lo, hi = 0;
	const char *module;
	struct symbol s;
	unsigned bad = 0;

	kallsyms_find(all, 0, &s, &module);
	foreign_read(0, 0, table, sizeof table);
	lo = table[KCORE_STEXT] ? table[KCORE_STEXT] : all->symbol[0].key;
	for (uint32_t i = 0; i < all->n; i++)
		if (!(all->symbol[i].b & MODULE) && all->symbol[i].key > hi)
			hi = all->symbol[i].key;
	choose(all, 41, lo, lo + (hi - lo) / 2);
	bad += try("lower half, lines", all, NULL);
	bad += try("lower half", all, foreign_read);
	n = 0;
	choose(all, 13, lo, hi);
	bad += try("kernel", all, foreign_read);
	bad += says(all);
	choose(all, 17, 0, UINT64_MAX);
	bad += try("modules, too", all, foreign_read) > 1;
	return bad != 0;
}
