/* prof annotate: shows one function by its lines and instructions, from a profile that it reads or records first. */
#include "command.h"

#include <errno.h>
#include <string.h>

#include "lib/msg.h"
#include "lib/nearest.h"
#include "sample/tasks/foreign.h"
#include "cmd/annotate/annotate_code.h"
#include "cmd/annotate/annotate_files.h"
#include "cmd/annotate/annotate_objdump.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/annotate/annotate_source.h"
#include "cmd/capture/inputs.h"
#include "cmd/capture/plan.h"
#include "cmd/options/outputs.h"
#include "record.h"
#include "sample/rights/sandbox.h"
#include "cmd/options/terminal.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"
#include "out/report/annotate_text.h"

enum { TOLD_MAX = 12 };

struct annotating {
	struct annotate_options asked;
	struct annotation annotation;
	struct modules modules;               /* of a profile that prof reads */
	struct profile read;
	struct module **module;               /* by mapping */
	uint32_t module_cap;
	struct inputs in;
	struct output text;
	bool used;                            /* prof has shown what it recorded */
};

static const char *
text_path(const struct annotating *a)
{
	return a->asked.path ? a->asked.path : "-";
}

/* ---- the function ---- */

static void
tell_matches(const struct annotation *an, const char *word, const uint32_t *match, uint32_t n)
{
	error("'%s' matches %u functions; give the name of one of these:", word, n);
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
		for (uint32_t i = 0; i < an->ncalled; i++) {   /* without parameters and the numbers of clones */
			const char *name = arena_str(&a->asked.arena, an->called[i].name, strcspn(an->called[i].name, "(."));

			if (name)
				names[n++] = name;
		}
		near = nearest(a->asked.function, names, "");
	}
	error("no function '%s' was sampled%s%.160s%s", a->asked.function, near ? "; did you mean " : "", near ? near : "",
	      near ? "?" : "");
	vec_free(&names, &cap, sizeof *names);
}

/* Finds the one function that the user means; false after an error message that lists the matches. */
static bool
find_function(struct annotating *a)
{
	struct annotation *an = &a->annotation;
	uint32_t *match = NULL, cap = 0, n = 0, first = 0;

	if (!vec_room(&match, &cap, (uint64_t)an->ncalled + 1, sizeof *match)) {
		error("out of memory");
		return false;
	}
	n = annotation_match(an, a->asked.function, &a->asked.arena, match);
	first = n ? match[0] : 0;
	if (n > 1 && strcmp(an->called[match[1]].name, an->called[first].name) == 0 && n == 2)
		n = 1;   /* of a user function and a kernel function it takes the heavier; the other is NAME_[k] */
	if (n > 1)
		tell_matches(an, a->asked.function, match, n);
	else if (!n)
		tell_none(a);
	vec_free(&match, &cap, sizeof *match);
	return n == 1 && annotation_choose(an, first);
}

static void
write_events(struct sink *out, struct annotating *a)
{
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
		annotation_write(out, &a->annotation, &a->asked.view, e);
		any = true;
	}
}

static void
write_text(struct sink *out, const void *ctx)
{
	const struct annotating *given = ctx;
	struct annotating *a = (struct annotating *)(uintptr_t)given;
	struct screen screen;
	struct sink shown;

	screen_open(&screen, &shown, out, a->asked.view.width, a->asked.view.ascii);
	write_events(&shown, a);
	if (sink_close(&shown))
		sink_fail(out, shown.err);
}

static bool
put_text(struct annotating *a, struct output *out)
{
	const char *path = out->path, *why;
	struct place_words words;
	struct report terminal = { 0 };

	if (strcmp(path, "-") == 0)
		terminal_report(&terminal, 0);
	a->asked.view.width = terminal.width;
	a->asked.view.colour = terminal.colour;
	a->asked.view.ascii = terminal.ascii;
	if ((why = output_text(out, write_text, a, &words))) {
		error("%s: %s", strcmp(path, "-") ? path : "stdout", why);
		return false;
	}
	outputs_tell(out, 1);
	return true;
}

/* All that follows the profile, and the modules of its mappings. */
static bool
show(struct annotating *a, struct modules *modules, struct output *out)
{
	struct code_reading code = { .a = &a->annotation, .modules = modules, .module = a->module, .arena = &a->asked.arena,
		                     .objdump = a->asked.objdump };

	if (a->asked.view.instructions && !code_read(&code, &a->asked.view.aside)) {
		error("out of memory");
		return false;
	}
	sources_use(&a->asked.sources, modules);
	a->asked.sources.carried = &a->annotation.p->sources;
	a->asked.view.source = source_text;
	a->asked.view.ctx = &a->asked.sources;
	return put_text(a, out);
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

static bool
has_lines(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nsite; i++)
		if (p->site[i].line)
			return true;
	return false;
}

static int
from_profile(struct annotating *a)
{
	struct annotation_files files;

	profile_name(&a->read, NULL, NULL);
	if (!has_addresses(&a->read)) {
		bool lines = has_lines(&a->read);

		if (!lines || !a->asked.view.lines) {
			error("%s holds no addresses, only %s; annotate needs %s, or -p PID, or a command", a->asked.input,
			      lines ? "names and lines" : "names",
			      lines ? "pprof's format for instructions (prof -o FILE.pb)" : "pprof's format (prof -o FILE.pb), or a page (prof -o FILE.html)");
			return EXIT_FAILED;
		}
		a->asked.view.instructions = false;
	}
	if (!modules_init(&a->modules) || !annotation_open(&a->annotation, &a->read)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	search_dirs_use(&a->asked.dirs, &a->modules);
	if (!find_function(a))
		return EXIT_FAILED;
	files = (struct annotation_files){ .a = &a->annotation, .modules = &a->modules, .dirs = &a->asked.dirs };
	if (!vec_room(&a->module, &a->module_cap, (uint64_t)a->read.nmapping + 1, sizeof *a->module)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	files.module = a->module;
	if (a->asked.view.instructions && !annotation_files_find(&files)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	return show(a, &a->modules, &a->text) ? 0 : EXIT_FAILED;
}

/* ---- recorded, now or by perf ---- */

static bool
from_recording(void *ctx, struct collector *c, struct output *out)
{
	struct annotating *a = ctx;

	if (!annotation_open(&a->annotation, &c->profile) ||
	    !vec_room(&a->module, &a->module_cap, (uint64_t)c->profile.nmapping + 1, sizeof *a->module)) {
		error("out of memory");
		return false;
	}
	for (uint32_t i = 0; i < c->modules.n && i < c->mapping_cap; i++)
		if (c->mapping[i])
			a->module[c->mapping[i] - 1] = c->modules.module[i];
	return a->used = find_function(a) && show(a, &c->modules, out);
}

static void
before_recording(void *ctx, struct modules *modules)
{
	const struct annotating *a = ctx;

	sources_add_roots(&a->asked.sources, modules);
}

static long
serve_recording(void *ctx, const char *words, int with, int *fd)
{
	const struct annotating *a = ctx;

	return objdump_serve(a->asked.objdump, words, with, fd);
}

static bool
from_perf(void *ctx, struct collector *c)
{
	struct annotating *a = ctx;

	return from_recording(a, c, &a->text);
}

static int
from_file(struct annotating *a)
{
	struct inputs *in = &a->in;
	int status = EXIT_FAILED;

	sandbox_give_back();
	input_cap();
	profile_init(&a->read);
	a->text = (struct output){ .path = text_path(a), .format = &format_table, .sources = true };
	in->how.dirs = a->asked.dirs;
	in->how.lines = true;
	in->how.use = from_perf;
	in->how.ctx = a;
	in->begin = before_recording;
	in->serve = serve_recording;
	if (inputs_open(in, &a->asked.input, 1, &a->text, 1) && inputs_read(in, 0, &a->read))
		status = a->used ? 0 : from_profile(a);
	inputs_close(in);
	return status;
}

static int
record_first(struct annotating *a)
{
	const struct record_use use = { .ctx = a, .path = text_path(a), .begin = before_recording, .use = from_recording, .serve = serve_recording };
	bool ok = annotate_options_add(&a->asked, "--lines");

	for (unsigned i = 0; i < a->asked.dirs.ndir; i++)
		ok = ok && annotate_options_add(&a->asked, "--debug-dir") && annotate_options_add(&a->asked, a->asked.dirs.dir[i]);
	if (a->asked.dirs.sysroot)
		ok = ok && annotate_options_add(&a->asked, "--sysroot") && annotate_options_add(&a->asked, a->asked.dirs.sysroot);
	if (a->asked.command)
		ok = ok && annotate_options_add(&a->asked, "--");
	for (char **word = a->asked.command; ok && word && *word; word++)
		ok = annotate_options_add(&a->asked, *word);
	return ok ? record_for(a->asked.words, a->asked.word, &use) : EXIT_FAILED;
}

static int
cmd_annotate(int argc, char **argv)
{
	static struct annotating a;

	a.asked.view.context = 2;
	a.asked.view.min = 50;
	a.asked.view.lines = a.asked.view.instructions = true;
	sources_init(&a.asked.sources);
	if (!annotate_options_read(&a.asked, plan_options, argc, argv))
		return EXIT_FAILED;
	return a.asked.input ? from_file(&a) : record_first(&a);
}

const struct command command_annotate = { .name = "annotate", .synopsis = "[OPTIONS] FILE|COMMAND FUNCTION",
	.summary = "show what each line and instruction of a function took (also -p PID, with record's options)",
	.options = annotate_own_options, .run = cmd_annotate, .rights = true };
