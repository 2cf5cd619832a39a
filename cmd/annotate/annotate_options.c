/* See annotate_options.h. */
#include "annotate_options.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options/outputs.h"
#include "lib/msg.h"
#include "out/formats.h"

enum { SOURCE_DIR = 500, DEBUG_DIR, SYSROOT, CONTEXT, MIN, BY, OBJDUMP };

const struct option annotate_own_options[] = {
	{ BY, "by=WHAT", "show only one part: line or address (both)" },
	{ SOURCE_DIR, "source-dir=DIR", "look for source files in DIR first; repeatable" },
	{ CONTEXT, "context=N", "lines to show around those with samples (2)" },
	{ MIN, "min=PERCENT", "leave out lines with a smaller share of the function's time (0.5)" },
	{ OBJDUMP, "objdump=PROGRAM", "the disassembler (objdump or llvm-objdump, whichever is on PATH)" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information in DIR first; repeatable" },
	{ SYSROOT, "sysroot=DIR", "look for files, debug information and sources below DIR first" },
	{ 'o', "output=FILE", "write to FILE (.txt)" },
	{ 'q', "quiet", "say nothing but errors" },
	{ 'v', "verbose", "say more about what was lost, and why" },
	{ 0 },
};

/* Whether an option of record is not about its outputs. */
static bool
is_for_recording(const struct option *o)
{
	static const char *const others[] = { "output", "format", "stats", "raw-addresses", "threads", "pids", "lines", "embed-source", "title",
		                              "width", "min-width", "colors", "reverse", "inverted", "help", NULL };

	size_t n = option_name(o);

	for (unsigned i = 0; n && others[i]; i++)
		if (strlen(others[i]) == n && memcmp(o->form, others[i], n) == 0)
			return false;
	for (const struct option *mine = annotate_own_options; mine->id; mine++)
		if (mine->id == o->id || strcmp(mine->form, o->form) == 0)
			return false;
	return true;
}

static void
make_table(struct annotate_options *a, const struct option *record)
{
	unsigned n = 0;

	for (const struct option *o = annotate_own_options; o->id; o++)
		a->table[n++] = *o;
	for (const struct option *o = record; o->id && n + 1 < ANNOTATE_OPTIONS_MAX; o++)
		if (is_for_recording(o))
			a->table[n++] = *o;
}

bool
annotate_options_add(struct annotate_options *a, const char *word)
{
	if (a->words == ANNOTATE_WORDS_MAX - 1 || !(a->word[a->words] = arena_str(&a->arena, word, strlen(word)))) {
		error("too many options");
		return false;
	}
	a->words++;
	return true;
}

/* Hands the option on as "-X" or "--name", and its value. */
static bool
hand_on(struct annotate_options *a, int id, const char *value)
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
	return annotate_options_add(a, text) && (!value || annotate_options_add(a, value));
}

static bool
set_by(struct annotate_options *a)
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
set_output(struct annotate_options *a)
{
	struct output out;

	if (!outputs_add(&out, a->o.value, NULL, &format_table))
		return false;
	if (!option_once(&a->o, &a->path))
		return false;
	if (out.format != &format_table)
		error("-o %s: annotate writes text: .txt, or - for stdout", a->path);
	return out.format == &format_table;
}

static bool
take(struct annotate_options *a, int id)
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
		return search_dirs_add(&a->dirs, a->o.value);
	case SYSROOT:
		return search_dirs_sysroot(&a->dirs, a->o.value);
	case 'o':
		return set_output(a);
	default:
		if (option_loudness(id))
			return true;
		a->recorded++;
		return hand_on(a, id, a->o.value);
	}
}

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

/* Whether a word is a program, or is found on PATH; else it is a profile. */
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
has_target(const struct annotate_options *a)
{
	for (int i = 0; i < a->words; i++)
		if (a->word[i][0] == '-' && a->word[i][1] && strchr("ptnaCG", a->word[i][1]) && !a->word[i][2])
			return true;
	return false;
}

/* FUNCTION alone belongs to a target, or to a command after "--"; a word before it is a file or a command. */
static bool
choose(struct annotate_options *a, char **word, int n)
{
	const char *wrong = NULL;

	if (a->command || (a->recorded && has_target(a))) {
		wrong = n == 1 ? NULL : "give one FUNCTION: prof annotate [OPTIONS] FUNCTION -- COMMAND [ARG...]";
		a->function = word[0];
	} else if (n == 2 && is_command(word[0])) {
		a->command = word;   /* its name, and what stands behind it is ours */
		a->function = word[1];
		word[1] = NULL;
	} else if (n == 2) {
		a->input = word[0];
		a->function = word[1];
		if (a->recorded)
			wrong = "the profile comes from a file, so you cannot use options of prof record";
	} else {
		wrong = "usage: prof annotate FILE FUNCTION, or -p PID FUNCTION, or FUNCTION -- COMMAND [ARG...]";
	}
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

bool
annotate_options_read(struct annotate_options *a, const struct option *record, int argc, char **argv)
{
	int id, n = 0;

	make_table(a, record);
	annotate_options_add(a, "record");
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
