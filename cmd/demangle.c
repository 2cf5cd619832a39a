/* prof demangle: prints names as a developer wrote them, from arguments or in the text on stdin, with the options of c++filt.
 * */
#include "command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/msg.h"
#include "lib/sink.h"
#include "sym/demangle/demangle.h"

enum { SHORT_NAMES = 300 };

static const struct option options[] = {
	{ SHORT_NAMES, "short-names", "show names without template arguments and return types" },
	{ 'i', "no-verbose", "show names as profiles do: no crate hashes, short std::string" },
	{ 0 },
};

/* A word longer than this is no mangled name; memory in use above which prof forgets the names so far. */
enum { WORD_MAX = 128 << 10, NAMES_MAX = 1 << 20 };

struct filter {
	struct sink out;
	struct arena names;
	unsigned flags;
	char *word;        /* a vector */
	uint32_t cap, n;
	bool plain;        /* the word is too long: it is passed on as it comes */
};

static void
put_name(struct filter *f, const char *name)
{
	sink_str(&f->out, demangle(&f->names, name, f->flags));
	if (mem_used() > NAMES_MAX)
		arena_free(&f->names);
}

static bool
is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static void
end_word(struct filter *f)
{
	if (f->n) {
		f->word[f->n] = 0;
		/* Assemblers and linkers put dots and dollars before names. */
		size_t lead = strspn(f->word, ".$");

		sink_put(&f->out, f->word, lead);
		put_name(f, f->word + lead);
	}
	f->n = 0;
	f->plain = false;
}

static void
put_byte(struct filter *f, char ch)
{
	if (!is_word((unsigned char)ch)) {
		end_word(f);
		sink_char(&f->out, ch);
	} else if (f->plain || f->n == WORD_MAX || !vec_room(&f->word, &f->cap, f->n + 2u, 1)) {
		sink_put(&f->out, f->word, f->n);
		f->n = 0;
		f->plain = true;
		sink_char(&f->out, ch);
	} else
		f->word[f->n++] = ch;
}

/* Prints each line before it waits for the next. */
static int
filter_text(struct filter *f)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf, sizeof buf)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		for (ssize_t i = 0; i < n; i++)
			put_byte(f, buf[i]);
		if (f->out.err || sink_flush(&f->out))
			break;
	}
	end_word(f);
	return 0;
}

static int
cmd_demangle(int argc, char **argv)
{
	struct filter f = { .flags = DEMANGLE_VERBOSE };
	struct options o;
	int id, err = 0;

	options_open(&o, options, argc, argv);
	while ((id = options_next(&o)) > 0)
		if (id == 'i')
			f.flags &= ~(unsigned)DEMANGLE_VERBOSE;
		else if (id == SHORT_NAMES)
			f.flags |= DEMANGLE_SHORT;
		else
			return EXIT_FAILED;
	if (id != OPTION_END)
		return EXIT_FAILED;
	sink_open(&f.out, STDOUT_FILENO);
	if (o.at == argc)
		err = filter_text(&f);
	for (int i = o.at; i < argc; i++) {
		put_name(&f, argv[i]);
		sink_char(&f.out, '\n');
	}
	vec_free(&f.word, &f.cap, 1);
	arena_free(&f.names);
	if (err)
		error("stdin: %s", strerror(err));
	if (sink_close(&f.out)) {
		error("stdout: %s", strerror(f.out.err));
		err = f.out.err;
	}
	return err ? EXIT_FAILED : 0;
}

const struct command command_demangle = { .name = "demangle", .synopsis = "[-i] [NAME...]",
	.summary = "demangle names of C++, Rust, D, OCaml and Fortran: the arguments, or all names in the text on stdin",
	.options = options, .run = cmd_demangle };
