/* prof addr2line: functions, files and lines of addresses as linked, from arguments or stdin, in binutils' form of output. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../lib/file.h"
#include "../lib/msg.h"
#include "../lib/sink.h"
#include "../sym/name.h"
#include "../sym/sort.h"
#include "options.h"

static const struct option options[] = {
	{ 'e', "exe", "FILE", "the program or library (a.out)" },
	{ 'f', "functions", NULL, "the function's name, too" },
	{ 'i', "inlines", NULL, "all functions that were inlined there, innermost first" },
	{ 'a', "addresses", NULL, "each address before what is there" },
	{ 'p', "pretty-print", NULL, "one line for each function" },
	{ 's', "basenames", NULL, "files without their directories" },
	{ 'C', "demangle", NULL, "names as a developer wrote them" },
	{ 0 },
};
const struct option *const addr2line_options = options;

enum { INLINES_MAX = 64, BATCH_MAX = 1 << 20 };

struct converter {
	bool functions, inlines, addresses, pretty, basenames;
	struct modules modules;
	struct arena arena;
	struct names names;
	struct module *module;
	struct sink out;
	uint64_t *addr;            /* a batch of them, in the order of asking */
	uint32_t n, cap;
};

static void
put_place(struct converter *c, const struct name *at)
{
	const char *file = at->file, *slash = c->basenames && file ? strrchr(file, '/') : NULL;

	if (c->functions) {
		sink_str(&c->out, at->found || at->file ? at->function : "??");
		sink_str(&c->out, c->pretty ? " at " : "\n");
	}
	sink_str(&c->out, slash ? slash + 1 : file ? file : "??");
	sink_char(&c->out, ':');
	if (at->line)
		sink_u64(&c->out, at->line);
	else
		sink_char(&c->out, '?');
	sink_char(&c->out, '\n');
}

static void
put_address(struct converter *c, uint64_t addr)
{
	for (unsigned digit = c->module->elf.is64 ? 16 : 8; digit--;)
		sink_char(&c->out, "0123456789abcdef"[addr >> 4 * digit & 15]);
}

static void
put_answer(struct converter *c, uint64_t addr)
{
	const struct code code = { addr, c->module->id };
	struct name name[INLINES_MAX];
	unsigned n = name_code(&c->names, &code, name, INLINES_MAX);

	if (c->addresses) {
		sink_str(&c->out, "0x");
		put_address(c, addr);
		sink_str(&c->out, c->pretty ? ": " : "\n");
	}
	if (!name[n - 1].found && !name[n - 1].file) {
		sink_str(&c->out, !c->functions ? "??:0\n" : c->pretty ? "?? ??:0\n" : "??\n??:0\n");
		return;
	}
	put_place(c, &name[--n]);
	while (n-- && c->inlines) {
		if (c->pretty)
			sink_str(&c->out, " (inlined by) ");
		put_place(c, &name[n]);
	}
}

/* Answers of one batch: made in the order of addresses, so that what describes them is read once, given in that of asking. */
static bool
answer(struct converter *c)
{
	struct item *item = NULL;
	uint64_t *end = NULL, *begin = NULL;
	uint32_t icap = 0, ecap = 0, bcap = 0;
	struct sink out = c->out;
	bool good = vec_room(&item, &icap, c->n, sizeof *item) && vec_room(&begin, &bcap, c->n, sizeof *begin) &&
	            vec_room(&end, &ecap, c->n, sizeof *end);

	for (uint32_t i = 0; good && i < c->n; i++)
		item[i] = (struct item){ c->addr[i], i, 0 };
	good = good && sort_items(item, c->n);
	sink_open(&c->out, -1);
	for (uint32_t i = 0; good && i < c->n; i++) {
		bool again = i && item[i].key == item[i - 1].key;

		begin[item[i].a] = again ? begin[item[i - 1].a] : c->out.len;
		if (!again)
			put_answer(c, item[i].key);
		end[item[i].a] = c->out.len;
	}
	good = good && !c->out.err;
	for (uint32_t i = 0; good && i < c->n; i++)
		sink_put(&out, c->out.buf + begin[i], end[i] - begin[i]);
	sink_close(&c->out);
	c->out = out;
	vec_free(&item, &icap, sizeof *item);
	vec_free(&begin, &bcap, sizeof *begin);
	vec_free(&end, &ecap, sizeof *end);
	c->n = 0;
	if (!good)
		sink_fail(&c->out, ENOMEM);
	return good && !sink_flush(&c->out);
}

/* What is no number counts as 0, as it does for binutils. */
static bool
add_address(struct converter *c, const char *text)
{
	uint64_t v = 0;

	text += strspn(text, " \t");
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!text_hex(&text, &v))
		v = 0;
	if (!vec_room(&c->addr, &c->cap, (uint64_t)c->n + 1, sizeof *c->addr))
		return false;
	c->addr[c->n++] = v;
	return true;
}

/* Answers each line before it waits for the next, and many at once where many are there. */
static bool
answer_lines(struct converter *c)
{
	static struct lines in;
	const char *line;

	lines_open(&in, STDIN_FILENO);
	while ((line = lines_next(&in))) {
		bool more = memchr(in.buf + in.lo, '\n', in.hi - in.lo) != NULL;

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

	if (fd < 0) {
		error("%s: %s", path, strerror(errno));
		return false;
	}
	c->module = module_file(&c->modules, fd, path);
	close(fd);
	if (!c->module || c->module->bad) {
		error("%s: %s", path, c->module ? c->module->bad : strerror(ENOMEM));
		return false;
	}
	return true;
}

/* Options and addresses stand in any order, as they do for binutils. */
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
			c->names.mangled = false;
			break;
		default:
			return false;
		}
}

int
cmd_addr2line(int argc, char **argv)
{
	struct converter c = { .names = { .kallsyms_fd = -1, .mangled = true, .verbose = true } };
	const char *file = "a.out";
	bool good = false;

	sink_open(&c.out, STDOUT_FILENO);
	if (modules_init(&c.modules) && read_options(&c, argc, argv, &file) && open_program(&c, file)) {
		c.names.modules = &c.modules;
		c.names.arena = &c.arena;
		good = c.n ? answer(&c) : answer_lines(&c);
		if (c.out.err)
			error("stdout: %s", strerror(c.out.err));
	}
	sink_close(&c.out);
	vec_free(&c.addr, &c.cap, sizeof *c.addr);
	arena_free(&c.arena);
	modules_free(&c.modules);
	return good ? 0 : EXIT_FAILED;
}
