/* prof addr2line: prints functions, files and lines of addresses as linked, from arguments or stdin, in the form of binutils.
 * */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/lines.h"
#include "lib/text.h"
#include "lib/msg.h"
#include "lib/sink.h"
#include "sym/demangle/demangle.h"
#include "sym/name.h"
#include "lib/sort.h"
#include "cmd/options/search_dirs.h"

enum { DEBUG_DIR = 300 };

static const struct option options[] = {
	{ 'e', "exe=FILE", "the program or library (a.out)" },
	{ 'f', "functions", "show the function's name, too" },
	{ 'i', "inlines", "show all functions that are inlined there, innermost first" },
	{ 'a', "addresses", "show each address, too" },
	{ 'p', "pretty-print", "print one line for each function" },
	{ 's', "basenames", "show files without their directories" },
	{ 'C', "demangle", "show names as a developer wrote them" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information in DIR first; repeatable" },
	{ 0 },
};

enum { INLINES_MAX = 64, BATCH_MAX = 1 << 20, SCRATCH_MAX = 4 << 20, RECENT = 4096, FILES_MAX = 16 << 20 };

/* A line of an answer; NULL for what is not known. */
struct line {
	const char *function, *file;
	uint32_t line;
};

struct answer {
	uint64_t addr;
	uint32_t first, n;         /* its lines */
};

struct converter {
	bool functions, inlines, addresses, pretty, basenames, demangle;
	struct modules modules;
	struct search_dirs dirs;
	struct arena arena, scratch;
	struct names names;
	struct module *module;
	struct sink out;
	struct answer *answer;     /* a batch of them, in the order of asking */
	struct line *line;
	uint32_t n, cap, nline, line_cap;
	size_t used;               /* memory in use, before names were demangled */
	struct { const char *name, *plain; } recent[RECENT];
	struct lines in;           /* if addresses are no arguments */
};

/* Compilers inline some functions again and again, so prof keeps their names. */
static const char *
plain(struct converter *c, const char *name)
{
	unsigned slot = hash_u64((uintptr_t)name) % RECENT;

	if (mem_used() > c->used + SCRATCH_MAX) {
		arena_free(&c->scratch);
		c->used = mem_used();
		memset(c->recent, 0, sizeof c->recent);
	}
	if (c->recent[slot].name != name) {
		c->recent[slot].name = name;
		c->recent[slot].plain = demangle(&c->scratch, name, DEMANGLE_VERBOSE);
	}
	return c->recent[slot].plain;
}

static void
put_function(struct converter *c, const char *name)
{
	sink_str(&c->out, !name ? "??" : c->demangle ? plain(c, name) : name);
}

static void
put_place(struct converter *c, const struct line *at)
{
	const char *slash = c->basenames && at->file ? strrchr(at->file, '/') : NULL;

	if (c->functions) {
		put_function(c, at->function);
		sink_str(&c->out, !c->pretty ? "\n" : at->function || at->file ? " at " : " ");
	}
	sink_str(&c->out, slash ? slash + 1 : at->file ? at->file : "??");
	sink_char(&c->out, ':');
	if (at->line)
		sink_u64(&c->out, at->line);
	else
		sink_char(&c->out, at->file || at->function ? '?' : '0');
	sink_char(&c->out, '\n');
}

static void
put_address(struct converter *c, uint64_t addr)
{
	sink_str(&c->out, "0x");
	for (unsigned digit = c->module->elf.is64 ? 16 : 8; digit--;)
		sink_char(&c->out, "0123456789abcdef"[addr >> 4 * digit & 15]);
	sink_str(&c->out, c->pretty ? ": " : "\n");
}

static void
put_answer(struct converter *c, const struct answer *a)
{
	if (c->addresses)
		put_address(c, a->addr);
	for (uint32_t i = 0; i < a->n; i++) {
		if (i && c->pretty)
			sink_str(&c->out, " (inlined by) ");
		put_place(c, &c->line[a->first + i]);
	}
}

/* Adds the functions that the user wants, innermost first.  False at the memory cap. */
static bool
find(struct converter *c, struct answer *a)
{
	const struct code code = { a->addr, c->module->id };
	struct name name[INLINES_MAX];
	unsigned n = name_code(&c->names, &code, name, INLINES_MAX);

	a->first = c->nline;
	a->n = c->inlines ? n : 1;
	if (!vec_room(&c->line, &c->line_cap, (uint64_t)c->nline + a->n, sizeof *c->line))
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct name *at = &name[n - 1 - i];

		c->line[c->nline++] = (struct line){ at->found ? at->function : NULL, at->file, at->line };
	}
	return true;
}

/* Answers a batch.  It looks addresses up in their order, so that it reads their descriptions once, and prints them in the
 * order of asking. */
static bool
answer(struct converter *c)
{
	struct item *item = NULL;
	uint32_t cap = 0;
	bool good = vec_room(&item, &cap, c->n, sizeof *item);

	for (uint32_t i = 0; good && i < c->n; i++)
		item[i] = (struct item){ c->answer[i].addr, i, 0 };
	good = good && sort_items(item, c->n);
	for (uint32_t i = 0; good && i < c->n; i++)
		if (i && item[i].key == item[i - 1].key)
			c->answer[item[i].a] = c->answer[item[i - 1].a];
		else
			good = find(c, &c->answer[item[i].a]);
	vec_free(&item, &cap, sizeof *item);
	c->used = mem_used();
	for (uint32_t i = 0; good && i < c->n; i++) {
		put_answer(c, &c->answer[i]);
		if (i % 64 == 63)   /* names lie in files */
			filemap_trim(FILES_MAX);
	}
	if (!good)
		sink_fail(&c->out, ENOMEM);
	c->n = c->nline = 0;
	return !sink_flush(&c->out);
}

/* Text that is no number counts as 0, as with binutils. */
static bool
add_address(struct converter *c, const char *text)
{
	uint64_t v = 0;

	text += strspn(text, " \t");
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!text_hex(&text, &v))
		v = 0;
	if (!vec_room(&c->answer, &c->cap, (uint64_t)c->n + 1, sizeof *c->answer))
		return false;
	c->answer[c->n++] = (struct answer){ .addr = v };
	return true;
}

/* Answers each line before it waits for the next; if many lines are there, it answers them together. */
static bool
answer_lines(struct converter *c)
{
	struct lines *in = &c->in;
	const char *line;

	lines_open(in, STDIN_FILENO);
	while ((line = lines_next(in))) {
		bool more = memchr(in->buf + in->lo, '\n', in->hi - in->lo) != NULL;

		if (!add_address(c, line))
			return false;
		if (!more)
			more = poll(&(struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN }, 1, 0) > 0;
		if ((!more || c->n == BATCH_MAX) && !answer(c))
			return false;
	}
	return !c->n || answer(c);
}

static bool
open_program(struct converter *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char real[PATH_MAX];

	if (fd < 0) {
		error("%s: %s", path, strerror(errno));
		return false;
	}
	c->module = module_file(&c->modules, fd, realpath(path, real) ? real : path);
	close(fd);
	if (!c->module || c->module->bad) {
		error("%s: %s", path, c->module ? c->module->bad : strerror(ENOMEM));
		return false;
	}
	return true;
}

/* Options and addresses may stand in any order, as with binutils. */
static bool
read_options(struct converter *c, int argc, char **argv, const char **file)
{
	struct options o;
	int id;

	options_open(&o, options, argc, argv);
	for (;;)
		switch (id = options_next(&o)) {
		case OPTION_END:
			if (o.at == argc)
				return true;
			if (!add_address(c, argv[o.at++]))
				return false;
			break;
		case 'e':
			*file = o.value;
			break;
		case 'f':
			c->functions = true;
			break;
		case 'i':
			c->inlines = true;
			break;
		case 'a':
			c->addresses = true;
			break;
		case 'p':
			c->pretty = true;
			break;
		case 's':
			c->basenames = true;
			break;
		case 'C':
			c->demangle = true;
			break;
		case DEBUG_DIR:
			if (!search_dirs_add(&c->dirs, o.value))
				return false;
			break;
		default:
			return false;
		}
}

static int
cmd_addr2line(int argc, char **argv)
{
	static struct converter c;
	const char *file = "a.out";
	bool good = false;

	c.names = (struct names){ .kallsyms_fd = -1, .mangled = true };
	sink_open(&c.out, STDOUT_FILENO);
	if (modules_init(&c.modules) && read_options(&c, argc, argv, &file) && open_program(&c, file)) {
		search_dirs_use(&c.dirs, &c.modules);
		c.names.modules = &c.modules;
		c.names.arena = &c.arena;
		good = c.n ? answer(&c) : answer_lines(&c);
		if (c.out.err)
			error("stdout: %s", strerror(c.out.err));
	}
	sink_close(&c.out);
	vec_free(&c.answer, &c.cap, sizeof *c.answer);
	vec_free(&c.line, &c.line_cap, sizeof *c.line);
	arena_free(&c.arena);
	arena_free(&c.scratch);
	modules_free(&c.modules);
	return good ? 0 : EXIT_FAILED;
}

const struct command command_addr2line = { .name = "addr2line", .synopsis = "-e FILE [-fiaps] [-C] [ADDR...]",
	.summary = "print functions and lines of addresses, like binutils' addr2line",
	.options = options, .run = cmd_addr2line };
