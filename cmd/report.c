/* prof report: reads profiles from files, joins them, leaves out what the user does not want, and shows or writes the rest. */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/msg.h"
#include "lib/nearest.h"
#include "lib/text.h"
#include "cmd/annotate/embed_source.h"
#include "cmd/capture/inputs.h"
#include "out/profile/filter.h"
#include "out/profile/raw_address.h"
#include "cmd/options/outputs.h"
#include "cmd/options/picture.h"
#include "cmd/options/terminal.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"
#include "out/report/report_text.h"

enum { BY = 300, CALLERS, CALLEES, TREE, MIN, TOP, FOCUS, IGNORE, THREAD, FROM, TO, THREADS, PIDS, RAW_ADDRESSES, EMBED_SOURCE, SYSROOT, DEBUG_DIR, KALLSYMS, NO_INLINE,
       NO_DEMANGLE, SHORT_NAMES, NO_SANDBOX };

static const struct option options[] = {
	{ BY, "by=WHAT", "what a row is: function, module, file:line, thread or comm (function)" },
	{ TREE, "tree", "show a call tree, from the outermost function on" },
	{ CALLERS, "callers=NAME", "show the callers of this function, with the share of each" },
	{ CALLEES, "callees=NAME", "show the functions that it calls, with the share of each" },
	{ MIN, "min=PERCENT", "leave out rows with a smaller share (0; in trees 1)" },
	{ TOP, "top=N", "show at most N rows (20 on a terminal, else all)" },
	{ FOCUS, "focus=REGEX", "keep only stacks with a function that matches" },
	{ IGNORE, "ignore=REGEX", "keep only stacks without a function that matches" },
	{ THREAD, "thread=REGEX", "keep only threads whose \"name pid/tid\" matches" },
	{ FROM, "from=SECS", "keep only what came after this time" },
	{ TO, "to=SECS", "keep only what came before this time" },
	{ 'e', "event=NAME", "keep only this event, if there are several" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ RAW_ADDRESSES, "raw-addresses", "write build-ids and addresses instead of names, if the file has them (pprof)" },
	{ EMBED_SOURCE, "embed-source", "put the source text of sampled lines into .html" },
	{ SYSROOT, "sysroot=DIR", "perf.data: find the files of the recorded machine below DIR" },
	{ DEBUG_DIR, "debug-dir=DIR", "perf.data: look in DIR, too, for files by build-id; repeatable" },
	{ KALLSYMS, "kallsyms=FILE", "perf.data: take the kernel's names from FILE, a copy of /proc/kallsyms, or vmlinux" },
	{ NO_INLINE, "no-inline", "perf.data: count inlined functions as part of the function around them" },
	{ NO_DEMANGLE, "no-demangle", "perf.data: show names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "perf.data: show names without template arguments and return types" },
	{ NO_SANDBOX, "no-sandbox", "perf.data: read it with all of prof's rights" },
	{ 'o', "output=FILE", "write to FILE, in the format of its suffix; repeatable; - is stdout" },
	{ 'f', "format=NAME", "write this format, for any suffix" },
	PICTURE_OPTIONS,
	{ 'q', "quiet", "say nothing but errors" },
	{ 0 },
};

struct reporting {
	struct options o;
	struct arena arena;
	struct report how;
	struct filter filter;
	char asked[256];             /* the filter's options, as an error names them */
	const char *event, *format, *file[OUTPUTS_MAX];
	unsigned files;
	int inputs;                  /* argv[1] on */
	struct inputs in;
	bool min_given, top_given, threads, pids, raw, embed_source;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct profile read, kept;   /* as prof read it; what filters left of it */
	const struct profile *profile;
	uint64_t before[sizeof ((struct profile *)0)->event / sizeof *((struct profile *)0)->event];
};

static struct regex *
compile(struct reporting *r)
{
	const char *why;
	struct regex *re = regex_new(&r->arena, r->o.value, &why);

	if (!re)
		error("%.*s '%s': %s", (int)strcspn(r->o.shown, "="), r->o.shown, r->o.value, why);
	return re;
}

/* Adds the option, as the user gave it, to those that filter. */
static void
note_filter(struct reporting *r)
{
	size_t n = strlen(r->asked);

	snprintf(r->asked + n, sizeof r->asked - n, "%s%.*s '%s'", n ? " " : "", (int)strcspn(r->o.shown, "="), r->o.shown, r->o.value);
}

static bool
add_regex(struct reporting *r, struct regex **list, unsigned *n)
{
	if (*n == FILTER_MAX) {
		error("%.*s: too many; at most %d are possible", (int)strcspn(r->o.shown, "="), r->o.shown, FILTER_MAX);
		return false;
	}
	note_filter(r);
	return (list[(*n)++] = compile(r)) != NULL;
}

static bool
set_by(struct reporting *r)
{
	static const char *const names[] = { "function", "module", "file:line", "thread", "comm", "line", NULL };
	unsigned which;

	if (!option_word("--by", r->o.value, names, &which))
		return false;
	r->how.by = which == 5 ? BY_LINE : (enum report_by)which;
	return true;
}

/* Takes a name, or a pattern of names. */
static bool
set_around(struct reporting *r, const char **which)
{
	const char *why;

	if (r->how.callers || r->how.callees) {
		error("use one of --callers and --callees, and only once");
		return false;
	}
	*which = r->o.value;
	r->how.pattern = regex_new(&r->arena, r->o.value, &why);   /* a name need not be a pattern */
	return true;
}

static bool
set_time(struct reporting *r, uint64_t *ns)
{
	const char *p = r->o.value;

	if (!text_decimal(&p, 9, ns) || *p) {
		error("%.*s '%s' is not a number of seconds", (int)strcspn(r->o.shown, "="), r->o.shown, r->o.value);
		return false;
	}
	note_filter(r);
	return true;
}

static bool
set_top(struct reporting *r)
{
	uint64_t v;

	if (!option_number(&r->o, 0, UINT32_MAX, &v))
		return false;
	r->how.top = (unsigned)v;
	return r->top_given = true;
}

static bool
add_file(struct reporting *r)
{
	if (r->files == OUTPUTS_MAX) {
		error("too many outputs; at most %d are possible", OUTPUTS_MAX);
		return false;
	}
	r->file[r->files++] = r->o.value;
	return true;
}

static bool
take(void *reporting, const struct options *o, int id)
{
	struct reporting *r = reporting;
	switch (id) {
	case BY:
		return set_by(r);
	case TREE:
		return r->how.tree = true;
	case CALLERS:
		return set_around(r, &r->how.callers);
	case CALLEES:
		return set_around(r, &r->how.callees);
	case MIN:
		return r->min_given = option_percent(o, &r->how.min);
	case TOP:
		return set_top(r);
	case FOCUS:
		return add_regex(r, r->filter.focus, &r->filter.nfocus);
	case IGNORE:
		return add_regex(r, r->filter.ignore, &r->filter.nignore);
	case THREAD:
		return add_regex(r, r->filter.thread, &r->filter.nthread);
	case FROM:
		return set_time(r, &r->filter.from);
	case TO:
		return set_time(r, &r->filter.to);
	case 'e':
		r->event = o->value;
		note_filter(r);
		return true;
	case THREADS:
		return r->threads = true;
	case PIDS:
		return r->pids = true;
	case RAW_ADDRESSES:
		return r->raw = true;
	case SYSROOT:
		return search_dirs_sysroot(&r->in.how.dirs, o->value);
	case DEBUG_DIR:
		return search_dirs_add(&r->in.how.dirs, o->value);
	case KALLSYMS:
		r->in.how.kallsyms = o->value;
		return true;
	case NO_INLINE:
		return r->in.how.outermost = true;
	case NO_DEMANGLE:
		return r->in.how.mangled = true;
	case NO_SANDBOX:
		return r->in.no_sandbox = true;
	case SHORT_NAMES:
		return r->in.how.brief = true;
	case EMBED_SOURCE:
		return r->embed_source = true;
	case 'o':
		return add_file(r);
	case 'f':
		r->format = o->value;
		return true;
	default:
		return picture_take(&r->read.picture, o, id);
	}
}

/* Checks options that belong together. */
static bool
consistent(struct reporting *r)
{
	bool around = r->how.callers || r->how.callees, tree = r->how.tree || around;
	const struct format *given;

	if (tree && (r->how.by == BY_THREAD || r->how.by == BY_COMM)) {
		error("--by thread and --by comm cannot be combined with --tree, --callers or --callees");
		return false;
	}
	if (r->filter.to && r->filter.to <= r->filter.from) {
		error("--from must be less than --to");
		return false;
	}
	if (tree && !r->min_given)
		r->how.min = 100;
	if (!outputs_format(r->format, &given))
		return false;
	if (!r->files && given)
		r->file[r->files++] = "-";
	for (unsigned i = 0; i < r->files; i++)
		if (!outputs_add(&r->output[r->noutput++], r->file[i], given, &format_folded))
			return false;
	return !r->embed_source || outputs_embed(r->output, r->noutput);
}

static bool
choose_event(struct reporting *r)
{
	if (!r->event)
		return true;
	for (uint32_t i = 0; i < r->read.nevent; i++)
		if (strcmp(r->read.event[i].name, r->event) == 0)
			r->filter.events |= (uint64_t)1 << i;
	if (!r->filter.events) {
		error("-e %s: the profile has no such event", r->event);
		for (uint32_t i = 0; i < r->read.nevent; i++)
			error("it has the event %s", r->read.event[i].name);
	}
	return r->filter.events != 0;
}

/* Whether an output, or what is done before, asks where code is. */
static bool
needs_places(const struct reporting *r)
{
	bool needs = r->in.n != 1 || r->raw || r->embed_source || r->how.by == BY_LINE || filter_any(&r->filter) || r->event;

	for (unsigned i = 0; i < r->noutput; i++)
		needs |= r->output[i].format->places;
	return needs;
}

static bool
read_inputs(struct reporting *r)
{
	static const char *const usual = "perf.data";
	const char *const *path = r->inputs ? (const char *const *)r->o.argv + 1 : &usual;

	if (!r->inputs && access(usual, F_OK)) {
		error("no file to read, and no perf.data here: write prof report FILE..., or - for stdin");
		return false;
	}
	r->in.how.raw = r->raw;
	if (!inputs_open(&r->in, path, r->inputs ? (unsigned)r->inputs : 1, r->output, r->noutput))
		return false;
	r->read.placeless = !needs_places(r);
	for (unsigned i = 0; i < r->in.n; i++)
		if (!inputs_read(&r->in, i, &r->read))
			return false;
	if (r->raw)
		raw_address_names(&r->read);
	profile_name(&r->read, NULL, NULL);
	r->read.by_thread |= r->threads;
	r->read.by_process |= r->pids;
	return true;
}

static bool
apply_filter(struct reporting *r)
{
	r->profile = &r->read;
	if ((r->filter.from || r->filter.to) && r->read.timeless) {
		error("--from and --to: the profile holds no times, only sums");
		return false;
	}
	if (!choose_event(r))
		return false;
	if (!filter_any(&r->filter))
		return true;
	for (uint32_t i = 0; i < r->read.nthread; i++)
		r->before[r->read.thread[i].event] += r->read.thread[i].weight;
	r->how.before = r->before;
	if (!filter_copy(&r->kept, &r->read, &r->filter)) {
		error("out of memory");
		return false;
	}
	profile_free(&r->read);
	r->profile = &r->kept;
	if (!r->kept.samples)
		warn("no stack matches %s", r->asked);
	return true;
}

/* Whether the function, or the module, of --callers and --callees exists; else false, after an error message. */
static bool
find_around(struct reporting *r)
{
	const char *asked = r->how.callers ? r->how.callers : r->how.callees, **names = NULL, *near = NULL;
	const struct profile *p = r->profile;
	bool modules = r->how.by == BY_MODULE, found = !asked || r->how.by == BY_LINE;
	uint32_t cap = 0, n = 0;

	if (found || !vec_room(&names, &cap, (uint64_t)p->nfunction + 1, sizeof *names))
		return true;
	for (uint32_t i = 0; i < p->nfunction && !found; i++) {
		const char *name = modules ? p->function[i].module : p->function[i].name, *suffix = function_suffix(p->function[i].kind);
		size_t len = strlen(name);

		names[n++] = name;
		found = (strncmp(asked, name, len) == 0 && (!asked[len] || (!modules && strcmp(asked + len, suffix) == 0))) ||
		        (r->how.pattern && regex_find(r->how.pattern, name));
	}
	if (!found) {
		near = nearest(asked, names, "");
		error("no %s '%s' was sampled%s%.160s%s", modules ? "module" : "function", asked, near ? "; did you mean " : "", near ? near : "",
		      near ? "?" : "");
	}
	vec_free(&names, &cap, sizeof *names);
	return found;
}

static void
write_table(struct sink *out, const void *ctx)
{
	const struct reporting *r = ctx;
	struct screen screen;
	struct sink shown;

	screen_open(&screen, &shown, out, r->how.width, r->how.ascii);
	report_write(&shown, r->profile, &r->how);
	if (sink_close(&shown))
		sink_fail(out, shown.err);
}

static bool
show(struct reporting *r)
{
	struct output screen = { .path = "-" };
	struct report given = r->how;
	struct place_words words;
	const char *why;

	terminal_report(&r->how, 20);
	if (r->top_given || r->min_given || r->how.tree || r->how.callers || r->how.callees)
		r->how.top = given.top;
	if ((why = output_text(&screen, write_table, r, &words)))
		error("stdout: %s", why);
	return !why;
}

/* Writes every output; the options say how a table looks. */
static bool
write_outputs(struct reporting *r)
{
	bool all = true;

	for (unsigned i = 0; i < r->noutput; i++) {
		struct output *out = &r->output[i];
		struct place_words words;
		const char *why;

		if (out->format != &format_table) {
			all &= outputs_all(out, 1, r->profile);
		} else if ((why = output_text(out, write_table, r, &words))) {
			error("%s: %s", out->path, why);
			all = false;
		}
	}
	outputs_tell(r->output, r->noutput);
	return all;
}

static int
cmd_report(int argc, char **argv)
{
	static struct reporting r;
	bool shown;
	int status;

	input_cap();
	profile_init(&r.read);
	options_open(&r.o, options, argc, argv);
	if ((status = options_read(&r.o, &r.inputs, take, &r)))
		return status;
	if (!consistent(&r) || !read_inputs(&r) || !apply_filter(&r) || !find_around(&r)) {
		inputs_close(&r.in);
		return EXIT_FAILED;
	}
	if (r.embed_source)
		embed_source(filter_any(&r.filter) ? &r.kept : &r.read, NULL);
	shown = r.noutput ? write_outputs(&r) : show(&r);
	inputs_close(&r.in);
	return shown ? 0 : EXIT_FAILED;
}

const struct command command_report = { .name = "report", .synopsis = "[OPTIONS] FILE...",
	.summary = "show profiles, filter, join and convert them",
	.options = options, .run = cmd_report };
