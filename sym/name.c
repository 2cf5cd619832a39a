/* See name.h.  The name of a frame without a symbol, `[file+0xSTART]`, is part of the command line's contract. */
#include "name.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "lib/filemap.h"
#include "lib/work.h"
#include "sym/demangle/demangle.h"
#include "sym/dwarf/dwarf.h"
#include "sym/module/beginning.h"
#include "sym/module/ehframe.h"
#include "sym/jit/jit.h"
#include "sym/kernel/kallsyms.h"
#include "sym/kernel/made_code.h"
#include "sym/language/language.h"

enum { FORKS_MAX = 64 };   /* the most parents of a JIT's process that a search goes back through */
enum { INLINES_MAX = 64 };
/* Of x86-64: the longest call; the last bytes of what lies between functions. */
enum { CALL_LONGEST = 7 };
static const uint8_t padding[] = { 0, 0x90, 0xcc };
/* Pages of files count as memory, too: prof looks at them once in TRIM_EVERY names. */
enum { TRIM_EVERY = 16, FILES_MOST = 2 << 20 };

static const char *const marks[CODE_MARKS] = {
	[CODE_TRUNCATED] = "[truncated]",
	[CODE_ELIDED] = "[elided]",
	[CODE_KERNEL] = "[kernel]",
	[CODE_UNKNOWN] = "[unknown]",
	[CODE_WAITING] = "[waiting]",
	[CODE_BEFORE] = "[waiting since before]",
	[CODE_RUN_QUEUE] = "[run queue]",
	[CODE_THROTTLED] = "[throttled]",
	[CODE_RUNNING] = "[running]",
	[CODE_WOKEN] = CODE_WOKEN_NAME,
	[CODE_INTERRUPT] = "[interrupt]",
	[CODE_LOCK] = "[waits for the GIL]",
	[CODE_JIT] = "[jit]",
};

static void
name_mark(struct name *out, uint64_t mark)
{
	out->kind = NAME_MARK;
	out->module = "";
	out->function = marks[mark < CODE_MARKS ? mark : CODE_UNKNOWN];
	out->start = mark;
}

/* A symbol as its developer wrote it. */
static const char *
plain_name(struct names *n, const char *symbol)
{
	unsigned slot = hash_u64((uintptr_t)symbol) % (sizeof n->recent / sizeof *n->recent);

	if (n->mangled)
		return symbol;
	if (n->recent[slot].symbol != symbol) {
		n->recent[slot].symbol = symbol;
		n->recent[slot].plain = demangle(n->arena, symbol, n->brief ? DEMANGLE_SHORT : 0);
	}
	return n->recent[slot].plain;
}

static void
name_symbol(struct names *n, struct name *out, const struct symbol *s)
{
	out->function = plain_name(n, s->name);
	out->start = s->lo;
	out->found = true;
}

static struct kallsyms *
kallsyms(struct names *n)
{
	if (!n->kallsyms)
		n->kallsyms = kallsyms_add_files(kallsyms_open(n->arena, n->kallsyms_fd, n->kernel_read, n->kernel_says), n->arena,
		                                 n->kernel_file, n->kernel_files);
	if (n->kallsyms && n->kernel_moved)
		kallsyms_leave_modules(n->kallsyms);
	return n->kallsyms;
}

bool
names_ahead(struct names *n, uint64_t vaddr, uint32_t max)
{
	struct symbol s;
	const char *module;

	return !made_code_find(n->modules, vaddr, &s, &module) && kallsyms(n) && kallsyms_ahead(n->kallsyms, vaddr, max);
}

void
names_free(struct names *n)
{
	if (n->kallsyms)
		kallsyms_close(n->kallsyms);
}

static void
name_kernel(struct names *n, uint64_t vaddr, struct name *out)
{
	struct symbol s;

	if (!made_code_find(n->modules, vaddr, &s, &out->module) &&
	    (!kallsyms(n) || !kallsyms_find(n->kallsyms, vaddr, &s, &out->module))) {
		name_mark(out, CODE_KERNEL);
		return;
	}
	out->kind = NAME_KERNEL;
	name_symbol(n, out, &s);
}

/* A child of a JIT's process runs its parent's code, too. */
static void
name_jit(struct names *n, struct module *m, uint64_t vaddr, struct name *out)
{
	struct symbol s;

	out->kind = NAME_JIT;
	out->module = "[jit]";
	for (unsigned forks = 0; m && forks < FORKS_MAX; forks++, m = m->parent)
		if (jit_find(n->modules, m, vaddr, &s, &out->file, &out->line, &out->begins)) {
			name_symbol(n, out, &s);
			out->declared = out->file;
			return;
		}
}

static void
name_language(struct module *m, uint64_t vaddr, struct name *out)
{
	uint32_t line = 0;
	const struct language_function *f = language_function(m, vaddr, &line);

	out->kind = NAME_LANGUAGE;
	out->module = m->name;
	if (!f)
		return;
	out->function = f->name;
	out->file = out->declared = f->file;
	out->line = line;
	out->begins = f->line;
	out->start = vaddr & ~(uint64_t)UINT32_MAX;
	out->found = true;
}

/* [file+0xSTART], of "[vdso]" without its own brackets. */
static const char *
unnamed(struct arena *arena, const char *file, uint64_t start)
{
	size_t len = strlen(file), size;
	char *text;

	if (file[0] == '[' && file[len - 1] == ']') {
		file++;
		len -= 2;
	}
	len = len < 255 ? len : 255;   /* as long as a file's name can be */
	size = len + sizeof "[+0x]" + 16;
	if ((text = arena_alloc(arena, size)))
		snprintf(text, size, "[%.*s+0x%llx]", (int)len, file, (unsigned long long)start);
	return text;
}

/* Whether a call may end there: e8 and four bytes, or ff /2. */
static bool
may_end_call(const uint8_t *end)
{
	bool may = end[-5] == 0xe8;

	for (int len = 2; len <= CALL_LONGEST; len++)
		may |= end[-len] == 0xff && (end[1 - len] & 0x38) == 0x10;
	return may;
}

/* Whether the function of symbol S begins right behind VADDR, which is in none.  prof looks up the byte before a return address, but no call
 * has led to that of a signal's trampoline, or of a context that makecontext made.  What describes glibc's trampoline begins at that byte;
 * else the byte must be padding, and not the end of a call. */
static bool
begins_behind(struct names *n, struct module *m, uint64_t vaddr, struct symbol *s)
{
	struct cursor c = elf_from(&m->elf, vaddr - CALL_LONGEST + 1);
	const uint8_t *code = cur_take(&c, CALL_LONGEST);
	uint64_t start, end;

	if (ehframe_start(n->modules, m, vaddr, &start, &end) ? start != vaddr
	                                                      : m->elf.machine != EM_X86_64 || !code || may_end_call(code + CALL_LONGEST) ||
	                                                            !memchr(padding, code[CALL_LONGEST - 1], sizeof padding))
		return false;
	return symtab_find(n->modules, m, vaddr + 1, s) && s->lo == vaddr + 1;
}

/* The name holds up to *END. */
static void
find_name(struct names *n, struct module *m, uint64_t vaddr, struct name *out, uint64_t *end)
{
	struct symbol s;
	const char *text;

	out->module = m->name;
	if (++n->looked % TRIM_EVERY == 0)
		filemap_trim(FILES_MOST);
	if (symtab_find(n->modules, m, vaddr, &s)) {
		name_symbol(n, out, &s);
		*end = s.hi;
		return;
	}
	if (!m->bad && begins_behind(n, m, vaddr, &s)) {
		name_symbol(n, out, &s);
		*end = vaddr + 1;
		return;
	}
	if (m->bad || !ehframe_start(n->modules, m, vaddr, &out->start, end)) {
		out->start = m->bad ? vaddr : beginning_of(n->modules, m, vaddr);
		*end = vaddr + 1;
	}
	if (*m->name && (text = unnamed(n->arena, m->name, out->start)))
		out->function = text;
}

static void
name_file(struct names *n, struct module *m, uint64_t vaddr, struct name *out)
{
	uint64_t end, until;

	if (n->last.module != m || vaddr < n->last.lo || vaddr >= n->last.hi) {
		find_name(n, m, vaddr, out, &end);
		until = symtab_until(m, vaddr);
		n->last.module = m;
		n->last.lo = vaddr;
		n->last.hi = end < until ? end : until;
		n->last.name = *out;
	}
	*out = n->last.name;
}

/* Where the function begins, if only lines tell it: the line of its first instruction. */
static void
first_line(struct names *n, struct module *m, struct name *out)
{
	struct place begin;

	if (out->begins || !out->line || !out->found || !dwarf_find(n->modules, m, out->start, &begin, 1))
		return;
	out->declared = begin.file;
	out->begins = begin.line;
}

/* Adds what the debug information knows to the name from symbols.  Returns how many frames there are. */
static unsigned
name_lines(struct names *n, struct module *m, uint64_t vaddr, struct name *out, unsigned max)
{
	struct place place[INLINES_MAX];
	unsigned k = m->bad ? 0 : dwarf_find(n->modules, m, vaddr, place, n->outermost ? 2 : INLINES_MAX);

	if (n->outermost && k)
		k = 1;
	k = k < max ? k : max;
	for (unsigned i = 0; i < k; i++) {
		if (i)
			out[i] = (struct name){ .kind = NAME_INLINED, .module = m->name, .function = marks[CODE_UNKNOWN] };
		if (!out[i].found && place[i].function) {
			out[i].function = plain_name(n, place[i].function);
			out[i].start = place[i].start;
			out[i].found = true;
		}
		out[i].file = place[i].file;
		out[i].line = place[i].line;
		out[i].declared = place[i].decl_file;
		out[i].begins = place[i].decl_line;
	}
	if (k)
		first_line(n, m, out);
	return k ? k : 1;
}

void
name_ahead(struct names *n, uint32_t module, const uint64_t *vaddr, uint32_t count)
{
	struct module *m = n->modules->module[module];

	if (m->kind == MODULE_KERNEL && kallsyms(n))
		kallsyms_all(n->kallsyms, vaddr, count);
	else if (!m->bad) {
		work_begin(&m->work);
		dwarf_ahead(n->modules, m, vaddr, count);
		work_end();
	}
}

void
names_rest(struct names *n)
{
	dwarf_rest(n->modules);
	filemap_trim(0);
}

static unsigned
name_in(struct names *n, struct module *m, const struct code *code, struct name *out, unsigned max)
{
	*out = (struct name){ .kind = NAME_USER, .function = marks[CODE_UNKNOWN], .module = "" };
	switch (m->kind) {
	case MODULE_MARK:
		name_mark(out, m->id == code->module ? code->vaddr : CODE_UNKNOWN);
		if (m != n->modules->mark)
			out->function = m->path;
		break;
	case MODULE_KERNEL:
		out->module = "[kernel]";
		name_kernel(n, code->vaddr, out);
		break;
	case MODULE_JIT:
		name_jit(n, m, code->vaddr, out);
		break;
	case MODULE_LANGUAGE:
		name_language(m, code->vaddr, out);
		break;
	case MODULE_FILE:
	case MODULE_IMAGE:
	case MODULE_LOST:
		name_file(n, m, code->vaddr, out);
		return name_lines(n, m, code->vaddr, out, max);
	}
	return 1;
}

unsigned
name_code(struct names *n, const struct code *code, struct name *out, unsigned max)
{
	struct module *m = code->module < n->modules->n ? n->modules->module[code->module] : n->modules->mark;
	bool bounded = m->kind >= MODULE_FILE;
	unsigned k;

	if (!max)
		return 0;
	if (bounded)
		work_begin(&m->work);
	k = name_in(n, m, code, out, max);
	if (bounded)
		work_end();
	return k;
}
