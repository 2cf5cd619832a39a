/* See plan.h. */
#include "plan.h"

#include <string.h>

#include "lib/msg.h"
#include "sample/events/event_list.h"
#include "sample/events/growth_event.h"
#include "sample/tasks/proc_mount.h"
#include "cmd/options/exit.h"
#include "cmd/options/picture.h"
#include "out/formats.h"

enum { CALL_GRAPH = 300, STACK_SIZE, MAX_STACK, NO_INHERIT, IDLE, THREADS, PIDS, STATS, NO_DEMANGLE, SHORT_NAMES, DEBUG_DIR,
       SYSROOT, RAW_ADDRESSES, ENGINE, LINES, EMBED_SOURCE, INLINE, NO_INLINE, BY_CONTAINER, PROC_ROOT, OFF_CPU, WALL, NO_SANDBOX, WAKERS, FILTER, LEAF, NATIVE_INTERPRETER, GROWTH, GIL, JIT_NAMES };

const struct option plan_options[] = {
	TARGET_OPTIONS,
	{ 'd', "duration=SECS", "stop after this time: seconds, or 500ms, 2m, 1h" },
	{ 'D', "delay=MS", "leave the first milliseconds out" },
	{ 'F', "freq=HZ", "samples per second and CPU (999), or max" },
	{ 'c', "count=N", "take a sample every N events" },
	{ 'e', "event=LIST", "what to count, such as cycles:u,page-faults (cycles, else cpu-clock)" },
	{ GROWTH, "growth", "what makes processes larger (mmap, mremap, brk), in bytes" },
	{ FILTER, "filter=EXPR", "for the tracepoint before it: sample only what passes this kernel filter" },
	{ LEAF, "leaf=FIELD", "for the tracepoint before it: show this field's value as a frame" },
	{ 'g', "", "record stacks (always on)" },
	{ CALL_GRAPH, "call-graph=HOW", "how to unwind stacks: auto, dwarf[,BYTES], fp or none (auto)" },
	{ STACK_SIZE, "stack-size=BYTES", "bytes of user stack to take with each sample, at most (as needed)" },
	{ MAX_STACK, "max-stack=N", "frames to keep; deeper stacks keep both ends (512)" },
	{ NATIVE_INTERPRETER, "native-interpreter", "keep the interpreter's own frames beside those of Python's, Ruby's and PHP's functions" },
	{ GIL, "gil", "keep only samples of threads that hold Python's interpreter lock (the GIL)" },
	{ JIT_NAMES, "jit-names", "ask Java processes (17 and later) to write down the names of compiled code" },
	{ NO_INHERIT, "no-inherit", "leave the target's children out" },
	{ ENGINE, "engine=HOW", "how to sample: perf or ptrace (perf where it is allowed)" },
	{ IDLE, "idle", "with -a: sample the idle task, too" },
	{ OFF_CPU, "off-cpu", "add waiting time: where threads wait, and for how long" },
	{ WALL, "wall", "count all time of all threads, running or not" },
	{ WAKERS, "wakers", "with --off-cpu: add, after \"--\", the stack that ended each wait" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ BY_CONTAINER, "by-container", "put containers, pods and systemd units at the root of stacks" },
	{ PROC_ROOT, "proc-root=DIR", "the directory of the host's /proc, if it is not /proc" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information in DIR first; repeatable" },
	{ RAW_ADDRESSES, "raw-addresses", "write build-ids and addresses; prof symbolize names them later" },
	{ SYSROOT, "sysroot=DIR", "look for files and debug information below DIR first" },
	{ LINES, "lines", "show source lines: name:LINE, a frame for each line that ran" },
	{ EMBED_SOURCE, "embed-source", "put the source text of sampled lines into .html" },
	{ INLINE, "inline", "show inlined functions as frames of their own (the default)" },
	{ NO_INLINE, "no-inline", "count inlined functions as part of the function around them" },
	{ NO_DEMANGLE, "no-demangle", "show names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "show names without template arguments and return types" },
	{ 'o', "output=FILE", "write to FILE, in the format of its suffix; repeatable; - is stdout" },
	{ 'f', "format=NAME", "write this format, for any suffix" },
	PICTURE_OPTIONS,
	{ STATS, "stats=FILE", "write the closing line and every counter as JSON" },
	{ NO_SANDBOX, "no-sandbox", "read other programs' files with all of prof's rights (if the sandbox fails)" },
	{ 'q', "quiet", "print no closing lines and no summary" },
	{ 'v', "verbose", "say more about what was lost, and why" },
	{ 'h', "help", "show this help" },
	{ 0 },
};

/* What the options leave for later, while they are being read. */
struct reading {
	struct plan *plan;
	struct options o;
	const char *format, *file[OUTPUTS_MAX];
	unsigned files;
	bool by_time, by_count;    /* -F, -c */
};

static bool
set_stacks(struct plan *p, const struct options *o)
{
	static const char *const names[] = { "auto", "dwarf", "fp", "none", NULL };
	unsigned which;

	if (strncmp(o->value, "dwarf,", 6) == 0) {   /* perf's: bytes of stack a sample */
		struct options bytes = *o;

		bytes.value += 6;
		p->stacks = STACKS_DWARF;
		return option_number(&bytes, 256, 65528, &p->stack_size);
	}
	if (!option_word("--call-graph", o->value, names, &which))
		return false;
	p->stacks = which;
	return true;
}

static bool
set_engine(struct plan *p, const char *how)
{
	static const char *const names[] = { "perf", "ptrace", NULL };
	unsigned which;

	if (!option_word("--engine", how, names, &which))
		return false;
	p->engine = which ? ENGINE_PTRACE : ENGINE_PERF;
	return true;
}

static bool
set_freq(struct plan *p, const struct options *o)
{
	p->freq_max = strcmp(o->value, "max") == 0;
	return p->freq_max || option_number(o, 1, 1000000, &p->freq);
}

static bool
set_events(struct plan *p, struct reading *r, bool growth)
{
	const char *why = growth ? growth_event_add(p->event, &p->nevent, &p->arena) : event_parse(p->event, &p->nevent, r->o.value, &p->arena);

	if (!why && p->event[p->nevent - 1].weight >= WEIGHTS_MAX)
		why = "too many events; a profile has room for 14 (a glob counts as one)";
	if (why)
		error("%s%s", growth ? "" : "-e: ", why);
	return !why;
}

static bool
said(const char *why)
{
	if (why)
		error("%s", why);
	return !why;
}

/* Every occurrence is a sample, unless the user says how many. */
static void
take_each(struct plan *p, const struct reading *r)
{
	for (unsigned i = 0; i < p->nevent; i++)
		if (p->event[i].each && !r->by_time && !r->by_count && !p->event[i].period && !p->event[i].freq)
			p->event[i].period = 1;
}

static bool
set_proc(const char *dir)
{
	const char *why = proc_mount_use(dir);

	if (why)
		error("--proc-root %s: %s", dir, why);
	return !why;
}

static bool
add_output(struct reading *r)
{
	if (r->files == OUTPUTS_MAX)
		error("too many outputs; at most %d are possible", OUTPUTS_MAX);
	else
		r->file[r->files++] = r->o.value;
	return r->files <= OUTPUTS_MAX;
}

static bool
take(void *reading, const struct options *o, int id)
{
	struct reading *r = reading;
	struct plan *p = r->plan;

	if (target_options_has(id))
		return target_options_take(&p->target, o, id, &p->arena);
	switch (id) {
	case 'd':
		return option_duration(o, &p->duration);
	case 'D':
		if (!option_number(o, 0, 1000000000, &p->delay))
			return false;
		p->delay *= 1000000;
		return true;
	case 'F':
		r->by_time = true;
		return set_freq(p, o);
	case 'c':
		r->by_count = true;
		return option_number(o, 1, INT64_MAX, &p->count);
	case 'e':
	case GROWTH:
		return set_events(p, r, id == GROWTH);
	case FILTER:
		return said(event_filter(p->event, p->nevent, o->value, &p->arena));
	case LEAF:
		return said(event_leaf(p->event, p->nevent, o->value, &p->arena));
	case 'g':
		return true;
	case CALL_GRAPH:
		return set_stacks(p, o);
	case STACK_SIZE:
		return option_number(o, 256, 65528, &p->stack_size);
	case MAX_STACK:
		return option_number(o, 2, STACK_MAX - 128, &p->max_stack);
	case NATIVE_INTERPRETER:
		return p->interpreter = true;
	case GIL:
		return p->gil = true;
	case JIT_NAMES:
		return p->jit_names = true;
	case NO_INHERIT:
		return p->no_inherit = true;
	case ENGINE:
		return set_engine(p, o->value);
	case IDLE:
		return p->idle = true;
	case OFF_CPU:
		return p->off_cpu = true;
	case WALL:
		return p->off_cpu = p->wall = true;
	case WAKERS:
		return p->off_cpu = p->wakers = true;
	case THREADS:
		return p->by_thread = true;
	case PIDS:
		return p->by_process = true;
	case BY_CONTAINER:
		return p->by_container = true;
	case PROC_ROOT:
		return set_proc(o->value);
	case DEBUG_DIR:
		return search_dirs_add(&p->dirs, o->value);
	case RAW_ADDRESSES:
		return p->raw = true;
	case NO_SANDBOX:
		return p->no_sandbox = true;
	case SYSROOT:
		return search_dirs_sysroot(&p->dirs, o->value);
	case LINES:
		return p->lines = true;
	case EMBED_SOURCE:
		return p->embed_source = true;
	case INLINE:
	case NO_INLINE:
		p->outermost = id == NO_INLINE;
		return true;
	case NO_DEMANGLE:
		return p->mangled = true;
	case SHORT_NAMES:
		return p->brief = true;
	case 'o':
		return add_output(r);
	case 'f':
		r->format = o->value;
		return true;
	case STATS:
		p->stats.path = o->value;
		return true;
	default:
		return picture_take(&p->picture, o, id);
	}
}

static bool
resolve_outputs(struct plan *p, const struct reading *r)
{
	const struct format *given;

	if (!outputs_format(r->format, &given))
		return false;
	for (unsigned i = 0; i < r->files; i++)
		if (!outputs_add(&p->output[p->noutput++], r->file[i], given, &format_folded))
			return false;
	if (!p->noutput)   /* prof names it once it knows the target's pid */
		p->output[p->noutput++] = (struct output){ .format = given ? given : &format_html };
	return !p->embed_source || outputs_embed(p->output, p->noutput);
}

static bool
resolve_stats(struct plan *p)
{
	struct place_words words;
	const char *why;

	p->stats.format = &format_table;
	why = p->stats.path ? output_check(&p->stats, &words) : NULL;
	if (why)
		error("--stats %s: %s", p->stats.path, why);
	return !why;
}

/* Checks options together; false after an error message. */
static bool
consistent(const struct plan *p, const struct reading *r)
{
	const char *wrong = NULL;
	bool growth = false;

	for (unsigned i = 0; i < p->nevent; i++)
		growth |= p->event[i].growth != NULL;
	if (growth && (p->stacks == STACKS_FP || p->stacks == STACKS_NONE))
		wrong = "--growth needs the registers of each sample, so it cannot be combined with --call-graph fp or none";
	else if (p->idle && (p->target.kind != TARGET_SYSTEM || p->target.cgroup))
		wrong = "--idle needs -a";
	else if (p->wall && (p->nevent || p->count))
		wrong = "--wall measures time, so it cannot be combined with -e or -c";
	else if (r->by_time && r->by_count)
		wrong = "use -F or -c, not both: -F says how many samples a second, -c how many events make a sample";
	else if (p->jit_names && p->target.kind != TARGET_COMMAND && p->target.kind != TARGET_PROCESSES)
		wrong = "--jit-names asks the processes that you name: it needs -p PID, -n NAME or a command";
	else if (p->gil && p->off_cpu)
		wrong = "--gil keeps samples of threads that run, so it cannot be combined with --off-cpu, --wall or --wakers";
	else if (p->duration && p->delay >= p->duration)
		wrong = "-D must be shorter than -d";
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

int
plan_read(struct plan *p, int argc, char **argv)
{
	struct reading r = { .plan = p };
	int status;

	*p = (struct plan){ .target = { .kind = TARGET_COMMAND }, .freq = 999, .max_stack = 512 };
	options_open(&r.o, plan_options, argc, argv);
	if ((status = options_read(&r.o, NULL, take, &r)))
		return status;
	take_each(p, &r);
	if (!target_options_check(&p->target, &r.o) || !consistent(p, &r) || !resolve_outputs(p, &r) || !resolve_stats(p))
		return EXIT_FAILED;
	return target_options_find(&p->target);
}
