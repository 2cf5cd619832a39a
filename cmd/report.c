/* prof report: profiles are read from files, joined, what is not asked for is left out, and shown or written again. */
#include "command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "lib/msg.h"
#include "out/profile/filter.h"
#include "out/profile/raw_address.h"
#include "cmd/options/options.h"
#include "cmd/options/outputs.h"
#include "cmd/options/picture.h"
#include "cmd/options/profile_input.h"

enum { BY = 300, CALLERS, CALLEES, TREE, MIN, TOP, FOCUS, IGNORE, THREAD, FROM, TO, THREADS, PIDS, RAW_ADDRESSES };

static const struct option options[] = {
	{ BY, "by=WHAT", "function, module, file:line, thread or comm (function)" },
	{ TREE, "tree", "who calls whom, from the outermost function on" },
	{ CALLERS, "callers=NAME", "who calls this function, and how much each way weighs" },
	{ CALLEES, "callees=NAME", "what this function calls" },
	{ MIN, "min=PERCENT", "leave out what is less (0; of trees 1)" },
	{ TOP, "top=N", "at most N rows (on a terminal 20, else all)" },
	{ FOCUS, "focus=REGEX", "only stacks with a function of that name" },
	{ IGNORE, "ignore=REGEX", "only stacks without" },
	{ THREAD, "thread=REGEX", "only threads whose \"name pid/tid\" it is found in" },
	{ FROM, "from=SECS", "only what came later than that after the start" },
	{ TO, "to=SECS", "only what came before that" },
	{ 'e', "event=NAME", "only this event, where there are several" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ RAW_ADDRESSES, "raw-addresses", "build-ids and addresses for names, as far as it has them (pprof)" },
	{ 'o', "output=FILE", "write it there, in the format of its suffix; repeatable; - is stdout" },
	{ 'f', "format=NAME", "in this format, whatever the suffix" },
	PICTURE_OPTIONS,
	{ 'q', "quiet", "only what is wrong" },
	{ 0 },
};
const struct option *const report_options = options;

struct reporting {
	struct options o;
	struct arena arena;
	struct report how;
	struct filter filter;
	const char *event, *format, *file[OUTPUTS_MAX];
	unsigned files;
	int inputs;                  /* argv[1] on */
	bool min_given, top_given, threads, pids, raw;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct profile read, kept;   /* as it was read; what filters left of it */
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

static bool
add_regex(struct reporting *r, struct regex **list, unsigned *n)
{
	if (*n == FILTER_MAX) {
		error("%.*s: more than %d of them", (int)strcspn(r->o.shown, "="), r->o.shown, FILTER_MAX);
		return false;
	}
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

/* A name as it is written, or what it looks like. */
static bool
set_around(struct reporting *r, const char **which)
{
	const char *why;

	if (r->how.callers || r->how.callees) {
		error("one of --callers and --callees, once");
		return false;
	}
	*which = r->o.value;
	r->how.pattern = regex_new(&r->arena, r->o.value, &why);   /* a name need not be one */
	return true;
}

static bool
set_time(struct reporting *r, uint64_t *ns)
{
	const char *p = r->o.value;

	if (!text_decimal(&p, 9, ns) || *p) {
		error("%.*s '%s': not a number of seconds", (int)strcspn(r->o.shown, "="), r->o.shown, r->o.value);
		return false;
	}
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
		error("more than %d outputs", OUTPUTS_MAX);
		return false;
	}
	r->file[r->files++] = r->o.value;
	return true;
}

static bool
take(struct reporting *r, int id)
{
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
		return r->min_given = option_percent(&r->o, &r->how.min);
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
		r->event = r->o.value;
		return true;
	case THREADS:
		return r->threads = true;
	case PIDS:
		return r->pids = true;
	case RAW_ADDRESSES:
		return r->raw = true;
	case 'o':
		return add_file(r);
	case 'f':
		r->format = r->o.value;
		return true;
	case 'q':
		msg_level = -1;
		return true;
	default:
		return picture_take(&r->read.picture, &r->o, id);
	}
}

/* What options say together. */
static bool
consistent(struct reporting *r)
{
	bool around = r->how.callers || r->how.callees, tree = r->how.tree || around;
	const struct format *given;

	if (tree && (r->how.by == BY_THREAD || r->how.by == BY_COMM)) {
		error("--by thread and --by comm have no calls: leave --tree, --callers and --callees out");
		return false;
	}
	if (r->filter.to && r->filter.to <= r->filter.from) {
		error("--from leaves out all that --to lets in");
		return false;
	}
	if (tree && !r->min_given)
		r->how.min = 100;
	if (!output_format(r->format, &given))
		return false;
	if (!r->files && given)
		r->file[r->files++] = "-";
	for (unsigned i = 0; i < r->files; i++)
		if (!output_add(&r->output[r->noutput++], r->file[i], given, &format_folded))
			return false;
	return true;
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
		error("-e %s: there is no such event in it", r->event);
		for (uint32_t i = 0; i < r->read.nevent; i++)
			error("it has %s", r->read.event[i].name);
	}
	return r->filter.events != 0;
}

static bool
read_inputs(struct reporting *r)
{
	if (!r->inputs) {
		error("nothing to read: prof report FILE..., or - for stdin");
		return false;
	}
	for (int i = 1; i <= r->inputs; i++)
		if (!input_read(&r->read, r->o.argv[i]))
			return false;
	if (r->raw)
		raw_names(&r->read);
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
		error("--from and --to: what was read holds no times, only sums");
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
		error("more than there is memory for");
		return false;
	}
	profile_free(&r->read);
	r->profile = &r->kept;
	if (!r->kept.samples)
		warn("nothing is left");
	return true;
}

static void
write_table(struct sink *out, const void *ctx)
{
	const struct reporting *r = ctx;

	report_write(out, r->profile, &r->how);
}

static bool
show(struct reporting *r)
{
	struct report given = r->how;
	const char *why;

	input_terminal(&r->how, 20);
	if (r->top_given || r->min_given || r->how.tree || r->how.callers || r->how.callees)
		r->how.top = given.top;
	if ((why = output_stream("-", write_table, r, NULL)))
		error("stdout: %s", why);
	return !why;
}

/* Every format as it is; but a table is the one that was asked for. */
static bool
write_outputs(struct reporting *r)
{
	bool all = true;
	struct sink s;

	for (unsigned i = 0; i < r->noutput; i++) {
		struct output *out = &r->output[i];
		const char *why;

		if (out->format != &format_table) {
			all &= output_all(out, 1, r->profile);
		} else if ((why = output_stream(out->path, write_table, r, &out->size))) {
			error("%s: %s", out->path, why);
			all = false;
		}
	}
	sink_open(&s, -1);
	output_words(&s, "wrote ", r->output, r->noutput);
	sink_char(&s, 0);
	if (s.len > 1 && !s.err && strcmp(r->output[0].path, "-") != 0)
		warn("%s", s.buf);
	sink_close(&s);
	return all;
}

int
cmd_report(int argc, char **argv)
{
	static struct reporting r;
	int id;

	input_cap();
	profile_init(&r.read);
	options_open(&r.o, options, argc, argv);
	while ((id = options_next_or_word(&r.o, &r.inputs)) != OPTION_END)
		if (id == OPTION_BAD || !take(&r, id))
			return EXIT_FAILED;
	if (!consistent(&r) || !read_inputs(&r) || !apply_filter(&r))
		return EXIT_FAILED;
	return (r.noutput ? write_outputs(&r) : show(&r)) ? 0 : EXIT_FAILED;
}
