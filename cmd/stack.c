/* prof stack: the stacks of all threads, now or in a core file. */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/capture/jit_names.h"
#include "cmd/capture/naming.h"
#include "cmd/capture/rights.h"
#include "cmd/capture/runtime_words.h"
#include "cmd/options/search_dirs.h"
#include "cmd/stack/equal_stacks.h"
#include "cmd/stack/stack_core.h"
#include "cmd/stack/stack_live.h"
#include "cmd/stack/stack_text.h"
#include "lib/msg.h"
#include "lib/work.h"
#include "out/formats.h"
#include "sample/events/opener.h"
#include "sample/rights/sandbox.h"

enum { CORE = 300, JSON, TWICE, STOP, NO_STOP, SYSROOT, DEBUG_DIR, LINES, NO_INLINE, NO_DEMANGLE, SHORT_NAMES, MAX_STACK, THREADS, JIT_NAMES, NO_SANDBOX };
enum { STACK_DEFAULT = 512, MEMORY = 1024, NAMING_BYTE = 200, SEPARATOR = 2 };

static const struct option options[] = {
	{ 'p', "pid=PID,...", "all threads of these processes" },
	{ 't', "tid=TID,...", "these threads only" },
	{ 'n', "name=NAME", "all processes of that name" },
	{ TARGET_NEWEST, "newest", "with -n: take the newest one only" },
	{ 'a', "all", "all processes" },
	{ CORE, "core=FILE", "the threads of a core file; - is stdin, as for core_pattern" },
	{ TWICE, "twice", "look again after a second, and tell which threads have moved" },
	{ STOP, "stop", "stop threads that sleep, too (for less than 1 ms), so that all registers are known" },
	{ NO_STOP, "no-stop", "stop no thread, and leave out those that run" },
	{ JIT_NAMES, "jit-names", "ask Java processes (17 and later) to write down the names of compiled code" },
	{ JSON, "json", "print JSON" },
	{ SYSROOT, "sysroot=DIR", "look for the files of a core file below DIR first" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information in DIR first; repeatable" },
	{ LINES, "lines", "in files of profiles: show lines, too" },
	{ NO_INLINE, "no-inline", "show inlined functions as part of the function around them" },
	{ NO_DEMANGLE, "no-demangle", "show names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "show names without template arguments and return types" },
	{ MAX_STACK, "max-stack=N", "keep N frames of deeper stacks, at both ends (512)" },
	{ 'o', "output=FILE", "write to FILE: .txt as on the terminal, or a profile in the format of its suffix; repeatable" },
	{ 'f', "format=NAME", "write this format, for any suffix" },
	{ NO_SANDBOX, "no-sandbox", "read files and core files with all of prof's rights" },
	{ 'q', "quiet", "say nothing but errors" },
	{ 'v', "verbose", "say more about what is missing, and why" },
	{ 0 },
};

/* The command's own data. */
static struct stacking {
	struct options o;
	int words;
	struct arena arena;
	struct target_options target;
	const char *format, *file[OUTPUTS_MAX];
	unsigned files;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct search_dirs dirs;
	struct stack_live live;
	struct stack_core core;
	struct jvm_attach attach;
	struct thread_stacks stacks;
	struct opener opener;
	struct rights rights;
	uint64_t max_stack;
	bool json, lines, no_inline, mangled, brief, jit_names, no_sandbox;
} s;

static void
write_text(struct sink *out, const struct profile *p)
{
	(void)p;
	stack_text(out, &s.stacks);
}

static void
write_json(struct sink *out, const struct profile *p)
{
	(void)p;
	stack_json(out, &s.stacks);
}

static const struct format text = { .name = "text", .suffixes = ".txt", .what = "stacks for people", .write = write_text };
static const struct format json = { .name = "json", .suffixes = ".json", .what = "stacks for programs", .write = write_json };

static bool
take(void *ctx, const struct options *o, int id)
{
	(void)ctx;
	switch (id) {
	case CORE:
		s.core.path = o->value;
		return true;
	case TWICE:
		return s.live.twice = true;
	case STOP:
		return s.live.snapshots.all_stop = true;
	case NO_STOP:
		return s.live.snapshots.none_stop = true;
	case JIT_NAMES:
		return s.jit_names = true;
	case JSON:
		return s.json = true;
	case SYSROOT:
		return search_dirs_sysroot(&s.dirs, o->value);
	case DEBUG_DIR:
		return search_dirs_add(&s.dirs, o->value);
	case LINES:
		return s.lines = true;
	case NO_INLINE:
		return s.no_inline = true;
	case NO_DEMANGLE:
		return s.mangled = true;
	case SHORT_NAMES:
		return s.brief = true;
	case MAX_STACK:
		return option_number(o, 2, STACK_MAX, &s.max_stack);
	case NO_SANDBOX:
		return s.no_sandbox = true;
	case 'f':
		s.format = o->value;
		return true;
	case 'o':
		if (s.files == OUTPUTS_MAX) {
			error("too many outputs; at most %d are possible", OUTPUTS_MAX);
			return false;
		}
		s.file[s.files++] = o->value;
		return true;
	}
	return target_options_take(&s.target, o, id, &s.arena);
}

static bool
ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

/* The formats of its own come before those of profiles. */
static const struct format *
own_format(const char *path)
{
	bool out = !strcmp(path, "-");

	if (s.format && !strcmp(s.format, "text"))
		return &text;
	if (s.format && !strcmp(s.format, "json"))
		return &json;
	if (s.format)
		return NULL;
	if (s.json && (out || ends_in(path, ".json")))
		return &json;
	return out || ends_in(path, ".txt") ? &text : NULL;
}

static bool
open_outputs(void)
{
	bool profiles = false;

	if (!s.files)
		s.file[s.files++] = "-";
	for (unsigned i = 0; i < s.files; i++) {
		const struct format *given = own_format(s.file[i]);

		profiles |= !given;
		if ((!given && !outputs_format(s.format, &given)) || !outputs_add(&s.output[s.noutput++], s.file[i], given, &text))
			return false;
		rights_output(&s.rights, &s.output[i]);
	}
	s.lines |= !profiles;
	return true;
}

static bool
consistent(void)
{
	const char *wrong = NULL;

	if (s.words && !s.core.path)
		s.core.path = s.o.argv[1];
	if (s.words > 1)
		wrong = "one core file at a time";
	else if (s.core.path && s.target.chosen_by)
		wrong = "a core file, or processes; not both";
	else if (!s.core.path && !s.target.chosen_by)
		wrong = "say whose stacks: -p PID, -n NAME, -t TID, -a, or a core file";
	else if (s.core.path && (s.live.twice || s.live.snapshots.all_stop || s.live.snapshots.none_stop))
		wrong = "--twice, --stop and --no-stop work on running processes, not on core files";
	else if (s.jit_names && s.target.kind != TARGET_PROCESSES)
		wrong = "--jit-names asks the processes that you name: it needs -p PID or -n NAME";
	else if (s.target.newest && !s.target.name)
		wrong = "--newest needs -n NAME";
	else if (s.no_sandbox && sandbox_lent())
		wrong = "only root may use --no-sandbox: prof has more rights here than you";
	if (wrong)
		error("%s", wrong);
	return !wrong && open_outputs();
}

/* Does what needs rights. */
static bool
begin(void)
{
	struct collector *c = &s.stacks.collector;

	mem_cap((size_t)MEMORY << 20);
	if (s.core.path) {
		sandbox_give_back();   /* the caller names the file */
		s.rights.reads_stdin = !strcmp(s.core.path, "-");
		s.opener.capture.target = TARGET_PROCESSES;
		if (!stack_core_open(&s.core))
			return false;
		if (!s.dirs.sysroot && s.core.own)   /* the user alone has chosen the paths in the core */
			s.dirs.sysroot = "/";
	} else {
		if (target_options_find(&s.target) || !stack_live_take(&s.live, &s.target))
			return false;
		if (s.jit_names && !jit_names_begin(&s.attach, &s.target, 0))
			return false;
		s.opener.capture = s.live.capture;
	}
	if (!collector_init(c, MODE_AUTO, (uint32_t)s.max_stack, false) || (!s.core.path && !stack_live_ready(&s.live, &c->modules))) {
		error("out of memory");
		return false;
	}
	search_dirs_use(&s.dirs, &c->modules);
	return s.no_sandbox || rights_give_up_for(&s.rights, &s.opener, &c->modules);
}

static void
name(void)
{
	struct collector *c = &s.stacks.collector;

	work_patience(NAMING_BYTE);
	c->names.mangled = s.mangled;
	c->names.brief = s.brief;
	c->names.outermost = s.no_inline;
	c->profile.lines = s.lines;
	naming_finish(c);
	equal_stacks(&s.stacks);
}

static void
tell(void)
{
	const struct modules *ms = &s.stacks.collector.modules;
	uint32_t n = s.stacks.n - s.stacks.first;
	unsigned told = 0;
	struct sink words;

	for (uint32_t i = 0; i < ms->n; i++)
		if (ms->module[i]->kind == MODULE_LOST && *ms->module[i]->path == '/' && told++ < 4)
			warn("%s %s", ms->module[i]->path, ms->module[i]->bad);
	sink_open(&words, -1);
	runtime_words(&words, &s.stacks.collector.profile, false);
	if (words.len > SEPARATOR)
		warn("%.*s", (int)(words.len - SEPARATOR), words.buf + SEPARATOR);
	sink_close(&words);
	if (s.core.core.cut)
		warn("the core file is not complete: its end is missing");
	if (s.stacks.incomplete)
		warn("%u of %u stack%s early%s", s.stacks.incomplete, n, n == 1 ? " ends" : "s end",
		     s.core.path || s.live.snapshots.all_stop || !s.stacks.asleep ? "" : "; --stop also takes the registers of threads that sleep (their call may then return EINTR)");
}

static int
stack(void)
{
	struct profile *p = &s.stacks.collector.profile;
	bool good = begin();

	if (good) {
		p->exporter = "prof@" PROF_VERSION;
		p->command = s.core.path ? s.core.path : "stacks";
		p->nevent = 1;
		p->event[0] = (struct event_info){ .name = "stacks" };
		if (s.attach.pid)
			jit_names_end(&s.attach);
		good = s.core.path ? stack_core_follow(&s.core, &s.stacks) : stack_live_follow(&s.live, &s.stacks);
	}
	if (good) {
		name();
		tell();
		good = outputs_all(s.output, s.noutput, p);
	}
	rights_end(&s.rights);
	stack_live_free(&s.live);
	stack_core_free(&s.core);
	thread_stacks_free(&s.stacks);
	arena_free(&s.arena);
	return good ? 0 : EXIT_FAILED;
}

static int
cmd_stack(int argc, char **argv)
{
	int status;

	s.max_stack = STACK_DEFAULT;
	s.target.cannot_wait = true;
	options_open(&s.o, options, argc, argv);
	status = options_read(&s.o, &s.words, take, NULL);
	return status ? status : consistent() ? stack() : EXIT_FAILED;
}

const struct command command_stack = { .name = "stack", .synopsis = "-p PID|-n NAME|-t TID|-a|CORE",
	.summary = "print the stacks of all threads, now or in a core file",
	.options = options, .run = cmd_stack, .rights = true };
