/* See asked_names.h. */
#include "asked_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "kernel_symbol.h"

enum { AT_ONCE = 96, ANSWER_MOST = 16 << 10 };

struct answer {
	uint64_t lo, hi;
	const char *name, *module;   /* NAME NULL: nothing is there; MODULE NULL: the kernel itself */
};

struct asked_names {
	struct arena *arena;
	size_t (*says)(const char *addrs, char *text, size_t size);   /* NULL: the kernel has not answered */
	struct answer *answer;       /* LO rises */
	uint32_t n, cap;
};

struct asked_names *
asked_names_open(struct arena *arena, size_t (*says)(const char *addrs, char *text, size_t size))
{
	struct asked_names *k = arena_alloc(arena, sizeof *k);

	if (k)
		*k = (struct asked_names){ .arena = arena, .says = says };
	return k;
}

void
asked_names_close(struct asked_names *k)
{
	vec_free(&k->answer, &k->cap, sizeof *k->answer);
}

/* The number of answers that begin at ADDR or below. */
static uint32_t
upto(const struct asked_names *k, uint64_t addr)
{
	uint32_t lo = 0, hi = k->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (k->answer[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct answer *
find(const struct asked_names *k, uint64_t addr)
{
	uint32_t n = upto(k, addr);

	return n && addr < k->answer[n - 1].hi ? &k->answer[n - 1] : NULL;
}

/* Reads the kernel's answer about ADDR: "NAME+0xOFFSET/0xSIZE[ [MODULE]]".  False at the memory cap. */
static bool
parse(struct asked_names *k, struct answer *e, uint64_t addr, char *line)
{
	char *plus = strrchr(line, '+');
	const char *p = plus ? plus + 3 : NULL, *module;
	uint64_t off, size;

	*e = (struct answer){ .lo = addr, .hi = addr + 1 };
	if (!plus || plus == line || strncmp(plus, "+0x", 3) || !text_hex(&p, &off) || strncmp(p, "/0x", 3) || (p += 3, !text_hex(&p, &size)) ||
	    off >= size || off >= KERNEL_SYMBOL_MOST || off >= addr)
		return true;
	size = size < KERNEL_SYMBOL_MOST ? size : KERNEL_SYMBOL_MOST;
	e->lo = addr - off;
	e->hi = size < UINT64_MAX - e->lo ? e->lo + size : UINT64_MAX;
	module = *p == ' ' && p[1] == '[' ? p + 1 : NULL;
	return (e->name = arena_str(k->arena, line, (size_t)(plus - line))) &&
	       (!module || (e->module = arena_str(k->arena, module, strlen(module))));
}

static bool
keep(struct asked_names *k, uint64_t addr, char *line)
{
	struct answer new;
	uint32_t at;

	if (find(k, addr))
		return true;
	if (!parse(k, &new, addr, line) || !vec_room(&k->answer, &k->cap, (uint64_t)k->n + 1, sizeof new))
		return false;
	at = upto(k, new.lo);
	memmove(k->answer + at + 1, k->answer + at, (k->n - at) * sizeof new);
	k->answer[at] = new;
	k->n++;
	return true;
}

bool
asked_names_ask(struct asked_names *k, const uint64_t *addr, uint32_t n)
{
	static char answer[ANSWER_MOST + 1];   /* too large for a small stack */
	char question[AT_ONCE * 17 + 1], *p, *end;
	uint32_t asked[AT_ONCE];

	for (uint32_t i = 0, some, told; k->says && i < n; i = told < some ? asked[told] : i) {
		for (some = 0, p = question; i < n && some < AT_ONCE; i++)
			if (!find(k, addr[i])) {
				p += sprintf(p, "%" PRIx64 " ", addr[i]);
				asked[some++] = i;
			}
		if (!some)
			break;
		answer[k->says(question, answer, ANSWER_MOST)] = 0;
		for (told = 0, p = answer; told < some && (end = strchr(p, '\n')); told++, p = end + 1) {
			*end = 0;
			if (!keep(k, addr[asked[told]], p))
				break;
		}
		if (!told)
			k->says = NULL;
	}
	return k->says;
}

bool
asked_names_answers(struct asked_names *k, uint64_t addr)
{
	return k->n ? k->says != NULL : asked_names_ask(k, &addr, 1);
}

bool
asked_names_find(struct asked_names *k, uint64_t addr, struct symbol *s, const char **module)
{
	const struct answer *e;

	asked_names_ask(k, &addr, 1);
	if (!(e = find(k, addr)))
		return false;
	*s = (struct symbol){ .lo = e->lo, .hi = e->hi, .name = e->name };
	*module = e->module ? e->module : "[kernel]";
	return true;
}
