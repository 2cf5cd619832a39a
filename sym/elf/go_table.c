/* See go_table.h.  Go's runtime/symtab.go (pcHeader, _func, pcvalue) and debug/gosym/pclntab.go: the table's three forms, of Go 1.2,
 * 1.16, and 1.18 (1.20 has another number). */
#include "go_table.h"

static const struct form {
	uint32_t magic;
	uint8_t text, names, steps, functions;   /* words of the header that say where these are; 0: at the beginning */
	bool narrow;                             /* a row's numbers have four bytes, not an address's */
} forms[] = {
	{ 0xfffffff1, 2, 3, 6, 7, true },
	{ 0xfffffff0, 2, 3, 6, 7, true },
	{ 0xfffffffa, 0, 2, 5, 6, false },
	{ 0xfffffffb, 0, 0, 0, 0, false },
};

enum { HEADER = 8, FUNCTIONS_MAX = 1 << 24, STEPS_MAX = 1 << 16, NAME_MOST = 1 << 16 };
/* Offsets, behind a function's address, of the numbers that say where its name and its steps are. */
enum { NAME = 0, STEPS = 12 };

/* The number of SIZE bytes at OFF; 0 for what lies outside. */
static uint64_t
number(const struct go_table *g, uint64_t off, unsigned size)
{
	struct cursor c = cur_slice(&g->bytes, off, size);

	return cur_uint(&c, size);
}

static uint64_t
header(const struct go_table *g, unsigned word)
{
	return word ? number(g, HEADER + (uint64_t)word * g->word, g->word) : 0;
}

/* Where function I begins; N: where the last one ends. */
static uint64_t
start_of(const struct go_table *g, uint32_t i)
{
	return g->text + number(g, g->rows + (uint64_t)i * 2 * g->wide, g->wide);
}

/* The beginning of the code, if the header does not tell (Go 1.26).  Only a program that Go has linked itself begins with its own
 * code; then the table has a function for the program's entry. */
static bool
find_text(struct go_table *g, const struct elf *e)
{
	struct go_function first;
	struct section s;

	if (!elf_section_named(e, ".text", &s))
		return false;
	g->text = s.addr;
	return go_table_find(g, e->entry, &first) && first.lo == e->entry;
}

void
go_table_open(struct go_table *g, const struct elf *e)
{
	const struct form *f = forms, *end = forms + sizeof forms / sizeof *forms;
	struct section s;
	uint64_t n;

	*g = (struct go_table){ .noted = elf_section_named(e, ".note.go.buildid", &s) };
	if (!elf_section_named(e, ".gopclntab", &s) && !elf_section_named(e, ".data.rel.ro.gopclntab", &s))
		return;
	g->bytes = s.data;
	g->quantum = (uint8_t)number(g, 6, 1);
	g->word = (uint8_t)number(g, 7, 1);
	while (f < end && f->magic != number(g, 0, 4))
		f++;
	if (f == end || (g->word != 4 && g->word != 8))
		return;
	g->wide = f->narrow ? 4 : g->word;
	g->names = header(g, f->names);
	g->steps = header(g, f->steps);
	g->functions = header(g, f->functions);
	g->rows = g->functions ? g->functions : HEADER + (uint64_t)g->word;
	g->text = header(g, f->text);
	n = number(g, HEADER, g->word);
	if (n < FUNCTIONS_MAX && g->rows < cur_left(&g->bytes) && n < (cur_left(&g->bytes) - g->rows) / (2 * g->wide))
		g->n = (uint32_t)n;
	if ((f->text && !g->text && !find_text(g, e)) || !elf_is_code(e, start_of(g, 0)))
		g->n = 0;
}

bool
go_table_find(const struct go_table *g, uint64_t vaddr, struct go_function *out)
{
	uint32_t lo = 0, hi = g->n;
	struct cursor name = g->bytes;

	if (!g->n || vaddr < start_of(g, 0) || vaddr >= start_of(g, g->n))
		return false;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (start_of(g, mid) <= vaddr)
			lo = mid;
		else
			hi = mid;
	}
	out->lo = start_of(g, lo);
	out->hi = start_of(g, lo + 1);
	out->at = g->functions + number(g, g->rows + ((uint64_t)lo * 2 + 1) * g->wide, g->wide) + g->wide;
	cur_take(&name, g->names + number(g, out->at + NAME, 4));
	if (cur_left(&name) > NAME_MOST)
		name.end = name.pos + NAME_MOST;
	out->name = cur_str(&name);
	return vaddr >= out->lo && vaddr < out->hi && *out->name;
}

bool
go_table_depth(const struct go_table *g, uint64_t vaddr, uint32_t *depth)
{
	struct go_function f;
	struct cursor c;
	uint64_t at, off;
	uint32_t value = UINT32_MAX, v;

	if (!go_table_find(g, vaddr, &f) || !(off = number(g, f.at + STEPS, 4)))
		return false;
	c = cur_slice(&g->bytes, g->steps + off, 1);
	c.end = c.bad ? c.end : g->bytes.end;
	at = f.lo;
	for (unsigned i = 0; i < STEPS_MAX && !c.bad && at <= vaddr; i++) {
		v = (uint32_t)cur_uleb(&c);
		if (!v && i)   /* padding: the same as before it, as in Go's .debug_frame */
			break;
		value += v & 1 ? ~(v >> 1) : v >> 1;
		at += cur_uleb(&c) * g->quantum;
	}
	*depth = value;
	return !c.bad && value <= INT32_MAX;
}
