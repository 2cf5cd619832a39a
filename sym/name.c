/* See name.h.  What a frame without a symbol is called is part of the command line's contract: `[file+0xSTART]`. */
#include "name.h"

#include <stdio.h>
#include <string.h>

#include "demangle.h"
#include "dwarf.h"
#include "ehframe.h"
#include "jit.h"
#include "kallsyms.h"
#include "ksymbol.h"

enum { FORKS_MAX = 64 };   /* of a JIT's process that are gone back through */
enum { INLINES_MAX = 64 };

static const char *const marks[CODE_MARKS] = {
	[CODE_TRUNCATED] = "[truncated]",
	[CODE_ELIDED] = "[elided]",
	[CODE_KERNEL] = "[kernel]",
	[CODE_UNKNOWN] = "[unknown]",
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

bool
names_ahead(struct names *n, uint32_t lines)
{
	if (!n->kallsyms_read) {
		n->kallsyms_read = true;
		n->kallsyms = kallsyms_open(n->arena, n->kallsyms_fd);
	}
	return n->kallsyms && kallsyms_read(n->kallsyms, lines);
}

static void
name_kernel(struct names *n, uint64_t vaddr, struct name *out)
{
	struct symbol s;

	if (ksymbol_find(n->modules, vaddr, &s, &out->module)) {
		out->kind = NAME_KERNEL;
		name_symbol(n, out, &s);
		return;
	}
	names_ahead(n, 0);
	if (!n->kallsyms || !kallsyms_find(n->kallsyms, vaddr, &s, &out->module)) {
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

static void
name_file(struct names *n, struct module *m, uint64_t vaddr, struct name *out)
{
	struct symbol s;
	const char *text;
	uint64_t end;

	out->module = m->name;
	if (symtab_find(n->modules, m, vaddr, &s)) {
		name_symbol(n, out, &s);
		return;
	}
	if (m->bad || !ehframe_start(n->modules, m, vaddr, &out->start, &end))
		out->start = vaddr;
	if (*m->name && (text = unnamed(n->arena, m->name, out->start)))
		out->function = text;
}

/* Where the function begins, where only lines tell it: that of its first instruction. */
static void
first_line(struct names *n, struct module *m, struct name *out)
{
	struct place begin;

	if (out->begins || !out->line || !out->found || !dwarf_find(n->modules, m, out->start, &begin, 1))
		return;
	out->declared = begin.file;
	out->begins = begin.line;
}

/* What the debug information adds to the name that symbols give.  Returns how many frames there are. */
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

unsigned
name_code(struct names *n, const struct code *code, struct name *out, unsigned max)
{
	struct module *m = code->module < n->modules->n ? n->modules->module[code->module] : n->modules->mark;

	if (!max)
		return 0;
	*out = (struct name){ .kind = NAME_USER, .function = marks[CODE_UNKNOWN], .module = "" };
	switch (m->kind) {
	case MODULE_MARK:
		name_mark(out, m->id == code->module ? code->vaddr : CODE_UNKNOWN);
		break;
	case MODULE_KERNEL:
		out->module = "[kernel]";
		name_kernel(n, code->vaddr, out);
		break;
	case MODULE_JIT:
		name_jit(n, m, code->vaddr, out);
		break;
	case MODULE_FILE:
	case MODULE_IMAGE:
	case MODULE_LOST:
		name_file(n, m, code->vaddr, out);
		return name_lines(n, m, code->vaddr, out, max);
	}
	return 1;
}
