/* See sites.h.  The names are those of .symtab and .dynsym, also of a detached debug file; addresses are as linked, and become
 * offsets in the file by its segments, as the kernel's uprobes want them. */
#include "sites.h"

#include <elf.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/nearest.h"
#include "lib/text.h"
#include "sym/demangle/demangle.h"
#include "sym/elf/symbol_tables.h"
#include "sym/module/debug_file.h"
#include "sym/module/symtab.h"
#include "line_sites.h"
#include "usdt.h"
#include "variable.h"

enum { NEAR_MAX = 1 << 18, SCRATCH_MAX = 4 << 20 };

/* A search through symbols. */
struct search {
	struct sites *sites;
	struct modules *modules;
	struct module *module;
	const char *want;
	uint64_t plus;             /* bytes behind the function's beginning */
	bool glob, readable;       /* names as a developer wrote them are compared, too */
	bool chosen;               /* there is a symbol, but the program chooses its code only when it starts */
	struct arena scratch;
	const char **near;         /* names, to find the nearest one */
	uint32_t nnear, near_cap;
};

__attribute__((format(printf, 2, 3))) static bool
wrong(struct sites *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->wrong, sizeof s->wrong, fmt, ap);
	va_end(ap);
	return false;
}

/* Adds the place, unless it is known or not in the file; false at the memory cap. */
static bool
add(struct sites *s, const struct elf *e, uint64_t vaddr, uint64_t semaphore, const char *name, const char *args)
{
	struct site site = { 0 };

	if (!elf_is_code(e, vaddr) || !elf_offset(e, vaddr, &site.off))
		return true;
	if (semaphore && !elf_offset(e, semaphore, &site.semaphore))
		site.semaphore = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->site[i].off == site.off)
			return true;
	if (s->n == SITES_MAX) {
		s->left_out++;
		return true;
	}
	snprintf(site.name, sizeof site.name, "%s", name);
	if (strlen(args) < sizeof site.args)
		strcpy(site.args, args);
	if (!vec_room(&s->site, &s->cap, (uint64_t)s->n + 1, sizeof site))
		return wrong(s, "out of memory");
	s->site[s->n++] = site;
	return true;
}

/* Adds a place that may be within a function, at the address of an instruction. */
static bool
add_within(struct search *q, uint64_t vaddr, const char *name)
{
	uint32_t n = q->sites->n;
	struct symbol f;

	if (!add(q->sites, &q->module->elf, vaddr, 0, name, ""))
		return false;
	if (q->sites->n > n)
		q->sites->site[n].within = !symtab_find(q->modules, q->module, vaddr, &f) || f.lo != vaddr;
	return true;
}

/* Adds a place that the user named by a number: PLUS bytes behind NAME, or NAME is its address. */
static bool
add_number(struct search *q, uint64_t vaddr, const char *name, uint64_t plus)
{
	struct sites *s = q->sites;
	struct symbol f;
	uint64_t begin = symtab_find(q->modules, q->module, vaddr, &f) ? f.lo : plus ? vaddr - plus : 0, at = vaddr;
	char text[SITE_NAME];

	if (s->instruction && begin != vaddr && elf_is_code(&q->module->elf, vaddr))
		at = s->instruction(q->modules, q->module, begin, vaddr);
	snprintf(text, sizeof text, plus ? "%.*s+%llu" : "%.*s", (int)strcspn(name, "@"), name, (unsigned long long)plus);
	if (at == vaddr)
		return add_within(q, vaddr, text);
	if (plus && at < vaddr - plus)
		return wrong(s, "%.100s is within an instruction", text);
	return wrong(s, plus ? "%.100s is within an instruction, which begins at +%llu" : "%.100s is within an instruction, which begins at 0x%llx", text,
	             (unsigned long long)(plus ? at - (vaddr - plus) : at));
}

void
sites_free(struct sites *s)
{
	vec_free(&s->site, &s->cap, sizeof *s->site);
	s->n = 0;
}

/* ---- functions ---- */

/* Whether the first N bytes of TEXT are the wanted name. */
static bool
means(const struct search *q, const char *text, size_t n)
{
	char buf[512];

	if (!q->glob)
		return strlen(q->want) == n && !memcmp(q->want, text, n);
	if (n >= sizeof buf)
		return false;
	memcpy(buf, text, n);
	buf[n] = 0;
	return !fnmatch(q->want, buf, 0);
}

/* The length of a readable name without its parameters: "ns::f" of "ns::f(int)". */
static size_t
bare(const char *name)
{
	size_t n = strlen(name), depth = 0;
	const char *end = strrchr(name, ')');

	if (!end)
		return n;
	for (const char *p = end; p > name; p--) {
		depth += *p == ')';
		depth -= *p == '(';
		if (!depth)
			return (size_t)(p - name);
	}
	return n;
}

/* Whether the user means the symbol; SHOWN is then the name to show. */
static bool
is_meant(struct search *q, const char *name, const char **shown)
{
	const char *plain;

	*shown = name;
	if (means(q, name, strcspn(name, "@")))
		return true;
	if (!q->readable || name[0] != '_')
		return false;
	if (mem_used() > SCRATCH_MAX && q->scratch.chunk)
		arena_free(&q->scratch);
	*shown = plain = demangle(&q->scratch, name, 0);
	return plain != name && (means(q, plain, strlen(plain)) || means(q, plain, bare(plain)));
}

static bool
look(struct search *q, const struct elf *of, const struct symbols *t)
{
	const struct elf *e = &q->module->elf;

	for (uint32_t i = 1; i < t->n; i++) {
		struct raw_symbol s = symbol_tables_symbol(of, t, i);
		const char *name = symbol_tables_string(t, s.name), *shown;
		char text[SITE_NAME];

		if (!work_step(1))
			return true;
		if (s.section == SHN_UNDEF || !*name || (s.type != STT_FUNC && s.type != STT_GNU_IFUNC))
			continue;
		if (q->nnear < NEAR_MAX && vec_room(&q->near, &q->near_cap, (uint64_t)q->nnear + 2, sizeof *q->near))
			q->near[q->nnear++] = name;
		if (!is_meant(q, name, &shown))
			continue;
		if (s.type == STT_GNU_IFUNC) {
			q->chosen = true;
			continue;
		}
		if (e->machine == EM_ARM && s.value & 1) {
			q->sites->thumb = true;
			s.value--;
		}
		if (s.size && q->plus >= s.size && !q->glob)
			return wrong(q->sites, "%.80s has %llu byte%s only", name, (unsigned long long)s.size, plural(s.size));
		snprintf(text, sizeof text, "%.*s", (int)strcspn(shown, "@"), shown);
		if (q->plus ? !add_number(q, s.value + q->plus, text, q->plus) : !add(q->sites, e, s.value, 0, text, ""))
			return false;
	}
	return true;
}

static bool
look_everywhere(struct search *q)
{
	struct module *named = debug_file_symbols(q->modules, q->module);
	struct symbol_tables own, other = { 0 };

	symbol_tables_find(&own, &q->module->elf);
	if (named && named != q->module)
		symbol_tables_find(&other, &named->elf);
	q->nnear = 0;
	return look(q, &q->module->elf, &own.dynsym) && look(q, &q->module->elf, &own.symtab) &&
	       (!other.symtab.n || look(q, &named->elf, &other.symtab));
}

static bool
none_named(struct search *q)
{
	const char *near = NULL;

	if (q->chosen)
		return wrong(q->sites, "%.100s has several implementations, and the program chooses one when it starts (ifunc); name that "
		             "one: '*%.60s*' finds all of them", q->want, q->want);
	if (!q->nnear)
		return wrong(q->sites, "the file has no names of functions: it is stripped; write an address as objdump shows it (0x1234), or install its debug file");
	q->near[q->nnear] = NULL;
	if (!q->glob && (near = nearest(q->want, q->near, "@")))
		return wrong(q->sites, "there is no function %.100s: did you mean %.*s?", q->want, (int)strcspn(near, "@"), near);
	return wrong(q->sites, q->glob ? "no function's name matches %.100s" : "there is no function %.100s", q->want);
}

static bool
find_functions(struct search *q)
{
	bool good = look_everywhere(q);

	if (good && !q->sites->n) {   /* to make all names readable takes longer */
		q->readable = true;
		good = look_everywhere(q);
	}
	good = good && (q->sites->n || none_named(q));
	arena_free(&q->scratch);
	vec_free(&q->near, &q->near_cap, sizeof *q->near);
	return good;
}

/* ---- all kinds ---- */

/* A line is added by its lowest address in each function. */
static bool
add_line(void *ctx, uint64_t vaddr, const char *file, uint32_t line)
{
	struct search *q = ctx;
	const char *slash = strrchr(file, '/');
	char name[SITE_NAME];

	snprintf(name, sizeof name, "%s:%u", slash ? slash + 1 : file, line);
	return add_within(q, vaddr, name);
}

static bool
find_line(struct search *q, const char *file, uint32_t line)
{
	uint32_t near = 0;
	const char *why = line_sites(q->modules, q->module, file, line, &near, add_line, q);

	if (why)
		return wrong(q->sites, "%s", why);
	if (q->sites->n)
		return true;
	if (near)
		return wrong(q->sites, "no code belongs to line %u of %.80s; the next line that has some is %u", line, file, near);
	return wrong(q->sites, "no code belongs to line %u of %.80s", line, file);
}

/* "file.c:12": the file and the line. */
static bool
is_line(const char *place, char *file, size_t size, uint32_t *line)
{
	const char *colon = strrchr(place, ':'), *p = colon ? colon + 1 : "";
	uint64_t n;

	if (!colon || colon == place || colon[-1] == ':' || !text_dec(&p, &n) || *p || !n || n > UINT32_MAX || (size_t)(colon - place) >= size)
		return false;
	memcpy(file, place, (size_t)(colon - place));
	file[colon - place] = 0;
	*line = (uint32_t)n;
	return true;
}

/* "func+8": the function and the number, also in hexadecimal. */
static bool
split_offset(const char *place, char *name, size_t size, uint64_t *plus)
{
	const char *sign = strrchr(place, '+'), *p = sign ? sign + 1 : "";
	bool hex = p[0] == '0' && (p[1] | 32) == 'x';

	*plus = 0;
	if (sign && sign > place && (hex ? (p += 2, text_hex(&p, plus)) : text_dec(&p, plus)) && !*p)
		return snprintf(name, size, "%.*s", (int)(sign - place), place) < (int)size;
	*plus = 0;
	return snprintf(name, size, "%s", place) < (int)size;
}

static bool
find_code(struct search *q, const char *place)
{
	const char *p = place + 2;
	char name[512];
	uint64_t at;
	uint32_t line;

	if (!strncmp(place, "0x", 2) && text_hex(&p, &at) && !*p) {
		if (!elf_is_code(&q->module->elf, at))
			return wrong(q->sites, "there is no code at %.40s; write the address as nm and objdump show it", place);
		return add_number(q, at, place, 0);
	}
	if (is_line(place, name, sizeof name, &line))
		return find_line(q, name, line);
	if (!split_offset(place, name, sizeof name, &q->plus))
		return wrong(q->sites, "the name is too long");
	q->want = name;
	q->glob = strpbrk(name, "*?[") && !strchr(name, '(') && !strstr(name, "operator");
	return find_functions(q);
}

bool
sites_code(struct sites *s, struct modules *ms, struct module *m, const char *place)
{
	struct search q = { .sites = s, .modules = ms, .module = m };
	bool good;

	if (m->bad)
		return wrong(s, "%s", m->bad);
	s->go = symtab_go(ms, m);
	work_begin(&m->work);
	good = find_code(&q, place);
	if (work_over())
		good = wrong(s, "%s", m->work.over ? m->work.over : "needs too much time to read");
	work_end();
	return good && (s->n || wrong(s, "the file has no code that can be probed"));
}

bool
sites_variable(struct sites *s, const struct call_frame *frame, const char *variable)
{
	struct module *m = frame->module;
	char why[240] = "";
	bool good = true;

	if (m->elf.is64 != (sizeof(long) == 8))
		return wrong(s, "prof knows the variables of %s programs only", sizeof(long) == 8 ? "64-bit" : "32-bit");
	work_begin(&m->work);
	for (uint32_t i = 0; good && i < s->n; i++) {
		struct site *at = &s->site[i];
		uint64_t pc = 0, begin;

		good = elf_vaddr(&m->elf, at->off, &pc);
		begin = pc;
		good = good && variable_find(frame, variable, !at->within, &pc, at->args, sizeof at->args, why, sizeof why);
		if (pc != begin)
			at->within = good = good && elf_is_code(&m->elf, pc) && elf_offset(&m->elf, pc, &at->off);
		if (!good)
			wrong(s, "%.100s: %s", at->name, *why ? why : "there is no code");
	}
	if (work_over())
		good = wrong(s, "%s", m->work.over ? m->work.over : "needs too much time to read");
	work_end();
	return good;
}

bool
sites_usdt(struct sites *s, struct module *m, const char *provider, const char *name)
{
	struct usdt_notes notes;
	const char *any[258];
	unsigned n = 0;
	struct usdt u;
	bool good = true;

	if (m->bad)
		return wrong(s, "%s", m->bad);
	work_begin(&m->work);
	usdt_open(&notes, &m->elf);
	while (good && usdt_next(&notes, &u)) {
		char shown[SITE_NAME];

		if (n < 256)
			any[n++] = u.name;
		if ((*provider && fnmatch(provider, u.provider, 0)) || fnmatch(name, u.name, 0))
			continue;
		snprintf(shown, sizeof shown, "%s:%s", u.provider, u.name);
		good = add(s, &m->elf, u.pc, u.semaphore, shown, u.args);
	}
	work_end();
	any[n] = NULL;
	if (!good || s->n)
		return good;
	if (!n)
		return wrong(s, "the file has no USDT probes (no section .note.stapsdt)");
	provider = nearest(name, any, "");
	return wrong(s, "there is no USDT probe %.60s: %s %.60s%s", name, provider ? "did you mean" : "it has, among others,", provider ? provider : any[0], provider ? "?" : "");
}
