/* prof annotate: one function by its lines and instructions, of a profile that is read or recorded first. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/nearest.h"
#include "sample/tasks/foreign.h"
#include "cmd/annotate/annotate_code.h"
#include "cmd/annotate/annotate_files.h"
#include "cmd/annotate/annotate_source.h"
#include "cmd/options/options.h"
#include "cmd/options/outputs.h"
#include "record.h"
#include "cmd/options/profile_input.h"

enum { SOURCE_DIR = 500, DEBUG_DIR, SYSROOT, CONTEXT, MIN, BY, OBJDUMP };

static const struct option own[] = {
	{ BY, "by=WHAT", "line or address (both)" },
	{ SOURCE_DIR, "source-dir=DIR", "look for sources here first, by the ends of their paths; repeatable" },
	{ CONTEXT, "context=N", "lines shown around those with samples (2)" },
	{ MIN, "min=PERCENT", "leave out what is less of the function (0.5)" },
	{ OBJDUMP, "objdump=PROGRAM", "who disassembles (objdump or llvm-objdump, as PATH has it)" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information here first; repeatable" },
	{ SYSROOT, "sysroot=DIR", "look for files, debug information and sources below DIR first" },
	{ 'o', "output=FILE", "write it there (.txt)" },
	{ 'q', "quiet", "only what is wrong" },
	{ 'v', "verbose", "more on what was lost and why" },
	{ 0 },
};
const struct option *const annotate_options = own;

enum { OPTIONS_MAX = 96, WORDS_MAX = 256, TOLD_MAX = 12 };

struct annotating {
	struct options o;
	struct option table[OPTIONS_MAX];     /* own, and those of record that choose what is recorded, and how */
	const char *function, *input;         /* INPUT: NULL where it is recorded */
	char **command;
	char *word[WORDS_MAX];                /* for record */
	int words;
	unsigned recorded;                    /* options that only make sense there */
	const char *path;                     /* -o */
	const char *objdump;
	struct places places;
	struct sources sources;
	struct arena arena;
	struct annotation_view view;
	struct annotation annotation;
	struct modules modules;               /* of a profile that is read */
	struct profile read;
	struct module **module;               /* by mapping */
	uint32_t module_cap;
};

/* ---- options ---- */

/* Of record's options those that are not about what is written. */
static bool
is_for_recording(const struct option *o)
{
	static const char *const others[] = { "output", "format", "stats", "raw-addresses", "threads", "pids", "lines", "title",
		                              "width", "min-width", "colors", "reverse", "inverted", "help", NULL };

	size_t n = option_name(o);

	for (unsigned i = 0; n && others[i]; i++)
		if (strlen(others[i]) == n && memcmp(o->form, others[i], n) == 0)
			return false;
	for (const struct option *mine = own; mine->id; mine++)
		if (mine->id == o->id || strcmp(mine->form, o->form) == 0)
			return false;
	return true;
}

static void
make_table(struct annotating *a)
{
	unsigned n = 0;

	for (const struct option *o = own; o->id; o++)
		a->table[n++] = *o;
	for (const struct option *o = record_options; o->id && n + 1 < OPTIONS_MAX; o++)
		if (is_for_recording(o))
			a->table[n++] = *o;
}

static bool
add_word(struct annotating *a, const char *word)
{
	if (a->words == WORDS_MAX - 1 || !(a->word[a->words] = arena_str(&a->arena, word, strlen(word)))) {
		error("more options than fit");
		return false;
	}
	a->words++;
	return true;
}

/* Hands the option on as "-X" or "--name", and its value. */
static bool
hand_on(struct annotating *a, int id, const char *value)
{
	char text[64] = { '-', (char)id };
	struct sink s;

	if (id > 255) {
		const struct option *o = a->table;

		while (o->id != id)
			o++;
		sink_open(&s, -1);
		sink_fmt(&s, "--%.*s", (int)option_name(o), o->form);
		memcpy(text, s.buf, s.len < sizeof text ? s.len : sizeof text - 1);
		sink_close(&s);
	}
	return add_word(a, text) && (!value || add_word(a, value));
}

static bool
set_by(struct annotating *a)
{
	static const char *const names[] = { "line", "address", NULL };
	unsigned which;

	if (!option_word("--by", a->o.value, names, &which))
		return false;
	a->view.lines = which == 0;
	a->view.instructions = which == 1;
	return true;
}

static bool
set_output(struct annotating *a)
{
	struct output out;

	if (!output_add(&out, a->o.value, NULL, &format_table))
		return false;
	a->path = a->o.value;
	if (out.format != &format_table)
		error("-o %s: annotate writes text: .txt, or - for stdout", a->path);
	return out.format == &format_table;
}

static bool
take(struct annotating *a, int id)
{
	uint64_t v;

	switch (id) {
	case BY:
		return set_by(a);
	case SOURCE_DIR:
		return sources_add_dir(&a->sources, a->o.value);
	case CONTEXT:
		if (!option_number(&a->o, 0, 1000, &v))
			return false;
		a->view.context = (unsigned)v;
		return true;
	case MIN:
		return option_percent(&a->o, &a->view.min);
	case OBJDUMP:
		a->objdump = a->o.value;
		return true;
	case DEBUG_DIR:
		return places_add_dir(&a->places, a->o.value);
	case SYSROOT:
		return places_set_sysroot(&a->places, a->o.value);
	case 'o':
		return set_output(a);
	case 'q':
		msg_level = -1;
		return true;
	case 'v':
		msg_level++;
		return true;
	default:
		a->recorded++;
		return hand_on(a, id, a->o.value);
	}
}

/* ---- what is asked for ---- */

static bool
begins_as(const char *path, const char *magic, size_t n)
{
	char head[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, sizeof head) >= (ssize_t)n && memcmp(head, magic, n) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* A program, or a word that is to be found on PATH; else it is a profile. */
static bool
is_command(const char *word)
{
	struct stat st;

	if (strcmp(word, "-") == 0 || (format_of_file(word) && stat(word, &st)))
		return false;
	if (stat(word, &st))
		return true;
	return S_ISREG(st.st_mode) && access(word, X_OK) == 0 &&
	       (begins_as(word, "\177ELF", 4) || begins_as(word, "#!", 2));
}

static bool
has_target(const struct annotating *a)
{
	for (int i = 0; i < a->words; i++)
		if (a->word[i][0] == '-' && a->word[i][1] && strchr("ptnaCG", a->word[i][1]) && !a->word[i][2])
			return true;
	return false;
}

/* FUNCTION alone is of a command behind "--" or of a target; with a word before it, that is a file or a command. */
static bool
choose(struct annotating *a, char **word, int n)
{
	const char *wrong = NULL;

	if (a->command || (a->recorded && has_target(a))) {
		wrong = n == 1 ? NULL : "one FUNCTION: prof annotate [OPTIONS] FUNCTION -- COMMAND [ARG...]";
		a->function = word[0];
	} else if (n == 2 && is_command(word[0])) {
		a->command = word;   /* its name, and what stands behind it is ours */
		a->function = word[1];
		word[1] = NULL;
	} else if (n == 2) {
		a->input = word[0];
		a->function = word[1];
		if (a->recorded)
			wrong = "options of prof record do not go with a profile that is there";
	} else {
		wrong = "prof annotate FILE FUNCTION, -p PID FUNCTION, or FUNCTION -- COMMAND [ARG...]";
	}
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

static bool
read_words(struct annotating *a, int argc, char **argv)
{
	int id, n = 0;

	make_table(a);
	add_word(a, "record");
	options_open(&a->o, a->table, argc, argv);
	for (;;) {
		while ((id = options_next(&a->o)) != OPTION_END)
			if (id == OPTION_BAD || !take(a, id))
				return false;
		if (a->o.dashes || a->o.at >= argc)
			break;
		argv[n++] = argv[a->o.at++];
	}
	if (a->o.dashes && a->o.at < argc)
		a->command = argv + a->o.at;
	return choose(a, argv, n);
}

/* ---- the function ---- */

static void
tell_matches(const struct annotation *an, const char *word, const uint32_t *match, uint32_t n)
{
	error("'%s' may be any of %u functions; by what they take:", word, n);
	for (uint32_t i = 0; i < n && i < TOLD_MAX; i++) {
		const struct called *c = &an->called[match[i]];
		uint64_t w = c->weight.total, all = an->sum;

		for (; all > UINT64_MAX / 2000; all /= 2)
			w /= 2;
		w = all ? (w * 1000 + all / 2) / all : 0;
		error("%4u.%u%%  %.160s%s", (unsigned)(w / 10), (unsigned)(w % 10), c->name, c->kernel ? "_[k]" : "");
	}
	if (n > TOLD_MAX)
		error("and %u more", n - TOLD_MAX);
}

static void
tell_none(struct annotating *a)
{
	const struct annotation *an = &a->annotation;
	const char **names = NULL, *near = NULL;
	uint32_t cap = 0, n = 0;

	if (vec_room(&names, &cap, (uint64_t)an->ncalled + 1, sizeof *names)) {
		for (uint32_t i = 0; i < an->ncalled; i++) {   /* without parameters and clones' numbers */
			const char *name = arena_str(&a->arena, an->called[i].name, strcspn(an->called[i].name, "(."));

			if (name)
				names[n++] = name;
		}
		near = nearest(a->function, names, "");
	}
	error("no function '%s' was sampled%s%.160s%s", a->function, near ? "; did you mean " : "", near ? near : "",
	      near ? "?" : "");
	vec_free(&names, &cap, sizeof *names);
}

/* The one function that is meant; false once it has said which there are. */
static bool
find_function(struct annotating *a)
{
	struct annotation *an = &a->annotation;
	uint32_t *match = NULL, cap = 0, n = 0, first = 0;

	if (!vec_room(&match, &cap, (uint64_t)an->ncalled + 1, sizeof *match)) {
		error("more than there is memory for");
		return false;
	}
	n = annotation_match(an, a->function, &a->arena, match);
	first = n ? match[0] : 0;
	if (n > 1 && strcmp(an->called[match[1]].name, an->called[first].name) == 0 && n == 2)
		n = 1;   /* of a user's and the kernel's function the heavier; the other one is NAME_[k] */
	if (n > 1)
		tell_matches(an, a->function, match, n);
	else if (!n)
		tell_none(a);
	vec_free(&match, &cap, sizeof *match);
	return n == 1 && annotation_choose(an, first);
}

static void
write_text(struct sink *out, const void *ctx)
{
	const struct annotating *given = ctx;
	struct annotating *a = (struct annotating *)(uintptr_t)given;
	const struct profile *p = a->annotation.p;
	bool any = false;

	for (uint32_t e = 0; e < p->nevent; e++) {
		if (!annotation_weigh(&a->annotation, e)) {
			sink_fail(out, ENOMEM);
			return;
		}
		if (!a->annotation.called[a->annotation.chosen].weight.total)
			continue;
		if (any)
			sink_char(out, '\n');
		annotation_write(out, &a->annotation, &a->view, e);
		any = true;
	}
}

static bool
put_text(struct annotating *a)
{
	const char *path = a->path ? a->path : "-", *why;
	struct output out = { .path = path };
	struct report terminal = { 0 };
	struct sink s;

	if (strcmp(path, "-") == 0)
		input_terminal(&terminal, 0);
	a->view.width = terminal.width;
	a->view.colour = terminal.colour;
	if ((why = output_stream(path, write_text, a, &out.size))) {
		error("%s: %s", path, why);
		return false;
	}
	sink_open(&s, -1);
	output_words(&s, "wrote ", &out, strcmp(path, "-") != 0);
	sink_char(&s, 0);
	if (s.len > 1 && !s.err)
		warn("%s", s.buf);
	sink_close(&s);
	return true;
}

/* All that comes once there is a profile, and the modules of its mappings. */
static bool
show(struct annotating *a, struct modules *modules)
{
	struct code_reading code = { .a = &a->annotation, .modules = modules, .module = a->module, .arena = &a->arena,
		                     .objdump = a->objdump };

	if (a->view.instructions && !code_read(&code, &a->view.aside)) {
		error("more than there is memory for");
		return false;
	}
	a->sources.modules = modules;
	a->sources.sysroot = a->places.sysroot ? foreign_directory(a->places.sysroot) : -1;
	a->view.source = source_text;
	a->view.ctx = &a->sources;
	return put_text(a);
}

/* ---- from a file ---- */

static bool
has_addresses(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nlocation; i++)
		if (p->location[i].address)
			return true;
	return false;
}

static int
from_file(struct annotating *a)
{
	struct file_search files;

	input_cap();
	profile_init(&a->read);
	if (!input_read(&a->read, a->input))
		return EXIT_FAILED;
	profile_name(&a->read, NULL, NULL);
	if (!has_addresses(&a->read)) {
		error("%s: it holds no addresses, only names: annotate wants pprof's format (prof -o FILE.pb), or -p PID, "
		      "or a command", a->input);
		return EXIT_FAILED;
	}
	if (!modules_init(&a->modules) || !annotation_open(&a->annotation, &a->read)) {
		error("more than there is memory for");
		return EXIT_FAILED;
	}
	places_use(&a->places, &a->modules);
	if (!find_function(a))
		return EXIT_FAILED;
	files = (struct file_search){ .a = &a->annotation, .modules = &a->modules, .places = &a->places };
	if (!vec_room(&a->module, &a->module_cap, (uint64_t)a->read.nmapping + 1, sizeof *a->module)) {
		error("more than there is memory for");
		return EXIT_FAILED;
	}
	files.module = a->module;
	if (a->view.instructions && !files_find(&files)) {
		error("more than there is memory for");
		return EXIT_FAILED;
	}
	return show(a, &a->modules) ? 0 : EXIT_FAILED;
}

/* ---- recorded ---- */

static bool
from_recording(void *ctx, struct collector *c)
{
	struct annotating *a = ctx;

	if (!annotation_open(&a->annotation, &c->profile) ||
	    !vec_room(&a->module, &a->module_cap, (uint64_t)c->profile.nmapping + 1, sizeof *a->module)) {
		error("more than there is memory for");
		return false;
	}
	for (uint32_t i = 0; i < c->modules.n && i < c->mapping_cap; i++)
		if (c->mapping[i])
			a->module[c->mapping[i] - 1] = c->modules.module[i];
	return find_function(a) && show(a, &c->modules);
}

static int
record_first(struct annotating *a)
{
	bool ok = add_word(a, "--lines");

	for (unsigned i = 0; i < a->places.dirs; i++)
		ok = ok && add_word(a, "--debug-dir") && add_word(a, a->places.dir[i]);
	if (a->places.sysroot)
		ok = ok && add_word(a, "--sysroot") && add_word(a, a->places.sysroot);
	if (a->command)
		ok = ok && add_word(a, "--");
	for (char **word = a->command; ok && word && *word; word++)
		ok = add_word(a, *word);
	return ok ? record_for(a->words, a->word, from_recording, a) : EXIT_FAILED;
}

int
cmd_annotate(int argc, char **argv)
{
	static struct annotating a;

	a.view.context = 2;
	a.view.min = 50;
	a.view.lines = a.view.instructions = true;
	if (!read_words(&a, argc, argv))
		return EXIT_FAILED;
	return a.input ? from_file(&a) : record_first(&a);
}
