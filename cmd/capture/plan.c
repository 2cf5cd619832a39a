/* See plan.h. */
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/msg.h"
#include "sample/tasks/container.h"
#include "sample/tasks/target.h"
#include "cmd/command.h"
#include "rights.h"
#include "cmd/options/options.h"
#include "cmd/options/picture.h"

enum { ALL_NAMED = 300, WAIT, CALL_GRAPH, STACK_SIZE, MAX_STACK, NO_INHERIT, IDLE, THREADS, PIDS, STATS, NO_DEMANGLE, SHORT_NAMES, DEBUG_DIR,
       SYSROOT, RAW_ADDRESSES, ENGINE, LINES, INLINE, NO_INLINE, BY_CONTAINER, PROC_ROOT, OFF_CPU, WALL, NO_SANDBOX, WAKERS };

static const struct option table[] = {
	{ 'p', "pid=PID,...", "attach to processes: all threads, new ones, and what they fork" },
	{ 't', "tid=TID,...", "attach to these threads alone" },
	{ 'n', "name=NAME", "attach to the newest process of that name" },
	{ ALL_NAMED, "all", "with -n: to each of them" },
	{ WAIT, "wait", "with -n: wait until one starts" },
	{ 'a', "all-cpus", "the whole system" },
	{ 'G', "cgroup=CGROUP|PID", "a container: a cgroup by path, or that of a process" },
	{ 'C', "cpu=LIST", "these CPUs alone, as 0,2-3" },
	{ 'd', "duration=SECS", "stop after that many seconds" },
	{ 'D', "delay=MS", "leave the first milliseconds out" },
	{ 'F', "freq=HZ", "samples a second and CPU (999), or max" },
	{ 'c', "count=N", "a sample every N events" },
	{ 'e', "event=LIST", "events, as cycles:u,page-faults (cycles, else cpu-clock)" },
	{ 'g', "", "stacks: always on" },
	{ CALL_GRAPH, "call-graph=HOW", "auto, dwarf[,BYTES], fp or none (auto)" },
	{ STACK_SIZE, "stack-size=BYTES", "user stack copied with each sample (chosen by need)" },
	{ MAX_STACK, "max-stack=N", "frames kept; deeper stacks keep both ends (512)" },
	{ NO_INHERIT, "no-inherit", "leave the target's later children out" },
	{ ENGINE, "engine=HOW", "perf or ptrace (perf where it is allowed)" },
	{ IDLE, "idle", "with -a: the idle task too" },
	{ OFF_CPU, "off-cpu", "waiting time too: where threads wait, and for how long" },
	{ WALL, "wall", "all time of all threads, running or not" },
	{ WAKERS, "wakers", "with --off-cpu: who ended each wait, behind \"--\", innermost function first" },
	{ THREADS, "threads", "keep threads apart in .folded and .txt" },
	{ PIDS, "pids", "keep processes apart" },
	{ BY_CONTAINER, "by-container", "containers, pods and units at the root, the comm above" },
	{ PROC_ROOT, "proc-root=DIR", "where the host's /proc is, if not at /proc" },
	{ DEBUG_DIR, "debug-dir=DIR", "look for debug information here first; repeatable" },
	{ RAW_ADDRESSES, "raw-addresses", "no symbols: build-ids and addresses, for prof symbolize elsewhere" },
	{ SYSROOT, "sysroot=DIR", "look for files and debug information below DIR first" },
	{ LINES, "lines", "source lines: name:LINE, and a frame for each line that ran" },
	{ INLINE, "inline", "inlined functions as frames of their own (so it is)" },
	{ NO_INLINE, "no-inline", "what is inlined belongs to the function it is in" },
	{ NO_DEMANGLE, "no-demangle", "names as the linker sees them" },
	{ SHORT_NAMES, "short-names", "no template arguments, no return types" },
	{ 'o', "output=FILE", "where, by suffix: .html .svg .json .folded .pb.gz .perf .txt; repeatable; - is stdout" },
	{ 'f', "format=NAME", "html, svg, speedscope, folded, pprof, script or table, whatever the suffix" },
	PICTURE_OPTIONS,
	{ STATS, "stats=FILE", "the closing line and every counter as JSON" },
	{ NO_SANDBOX, "no-sandbox", "read what others wrote with all of prof's rights (for odd kernels)" },
	{ 'q', "quiet", "no closing line, no summary" },
	{ 'v', "verbose", "more on what was lost and why" },
	{ 'h', "help", "this" },
	{ 0 },
};
const struct option *const record_options = table;

/* What the words left for later, while options are still being read. */
struct reading {
	struct options o;
	const char *format, *file[OUTPUTS_MAX];
	unsigned files;
	char first_target;       /* the letter of the option that chose it */
};

static bool
choose_target(struct plan *p, struct reading *r, char letter, enum target target)
{
	if (r->first_target && r->first_target != letter) {
		error("-%c and -%c do not go together", r->first_target, letter);
		return false;
	}
	r->first_target = letter;
	p->target = target;
	p->attached = true;
	return true;
}

static bool
add_pids(struct plan *p, struct reading *r, char letter, enum target target)
{
	unsigned n;

	if (!choose_target(p, r, letter, target))
		return false;
	n = option_pids(&r->o, p->pid + p->npid, PIDS_MAX - p->npid);
	p->npid += n;
	return n != 0;
}

static bool
set_stacks(struct plan *p, struct options *o)
{
	static const char *const names[] = { "auto", "dwarf", "fp", "none", NULL };
	unsigned which;

	if (strncmp(o->value, "dwarf,", 6) == 0) {   /* perf's: bytes of stack a sample */
		o->value += 6;
		p->stacks = STACKS_DWARF;
		return option_number(o, 256, 65528, &p->stack_size);
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
	p->count = 0;
	return p->freq_max || option_number(o, 1, 1000000, &p->freq);
}

static bool
set_cpus(struct plan *p, struct reading *r)
{
	const char *why = cpu_choose(r->o.value, p->cpu, &p->ncpu, &p->arena);

	if (why)
		error("-C '%s': %s", r->o.value, why);
	return !why;
}

static bool
set_events(struct plan *p, struct reading *r)
{
	const char *why = event_parse(p->event, &p->nevent, r->o.value, &p->arena);

	if (why)
		error("-e: %s", why);
	return !why;
}

static bool
set_proc(const char *dir)
{
	const char *why = container_proc(dir);

	if (why)
		error("--proc-root %s: %s", dir, why);
	return !why;
}

static bool
add_output(struct reading *r)
{
	if (r->files == OUTPUTS_MAX)
		error("more than %d outputs", OUTPUTS_MAX);
	else
		r->file[r->files++] = r->o.value;
	return r->files <= OUTPUTS_MAX;
}

static bool
take(struct plan *p, struct reading *r, int id)
{
	struct options *o = &r->o;

	switch (id) {
	case 'p':
		return add_pids(p, r, 'p', TARGET_PROCESSES);
	case 't':
		return add_pids(p, r, 't', TARGET_THREADS);
	case 'n':
		p->name = o->value;
		return choose_target(p, r, 'n', TARGET_PROCESSES);
	case 'a':
		return choose_target(p, r, 'a', TARGET_SYSTEM);
	case 'G':
		p->cgroup = o->value;
		return choose_target(p, r, 'G', TARGET_SYSTEM);
	case 'C':
		return set_cpus(p, r);
	case ALL_NAMED:
		p->all_named = true;
		return true;
	case WAIT:
		p->wait_named = true;
		return true;
	case 'd':
		return option_time(o, 1000000000, &p->duration);
	case 'D':
		if (!option_number(o, 0, 1000000000, &p->delay))
			return false;
		p->delay *= 1000000;
		return true;
	case 'F':
		return set_freq(p, o);
	case 'c':
		p->freq_max = false;
		return option_number(o, 1, INT64_MAX, &p->count);
	case 'e':
		return set_events(p, r);
	case 'g':
		return true;
	case CALL_GRAPH:
		return set_stacks(p, o);
	case STACK_SIZE:
		return option_number(o, 256, 65528, &p->stack_size);
	case MAX_STACK:
		return option_number(o, 2, STACK_MAX - 128, &p->max_stack);
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
		return places_add_dir(&p->places, o->value);
	case RAW_ADDRESSES:
		return p->raw = true;
	case NO_SANDBOX:
		return p->no_sandbox = true;
	case SYSROOT:
		return places_set_sysroot(&p->places, o->value);
	case LINES:
		return p->lines = true;
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
		p->stats = o->value;
		return true;
	case 'q':
		msg_level = -1;
		return true;
	case 'v':
		msg_level++;
		return true;
	default:
		return picture_take(&p->picture, o, id);
	}
}

static bool
resolve_outputs(struct plan *p, const struct reading *r)
{
	const struct format *given;

	if (!output_format(r->format, &given))
		return false;
	for (unsigned i = 0; i < r->files; i++)
		if (!output_add(&p->output[p->noutput++], r->file[i], given, &format_folded))
			return false;
	if (!p->noutput)   /* named once the target's pid is known */
		p->output[p->noutput++] = (struct output){ .format = given ? given : &format_html };
	return true;
}

static bool
resolve_stats(const struct plan *p)
{
	struct output out = { .path = p->stats, .format = &format_table };
	const char *why = p->stats ? output_check(&out) : NULL;

	if (why)
		error("--stats %s: %s", p->stats, why);
	return !why;
}

/* What options say together; false once it has said what does not fit. */
static bool
consistent(struct plan *p, const struct reading *r)
{
	const char *wrong = NULL;

	if (p->ncpu && !p->attached && r->o.at >= r->o.argc) {   /* -C alone: those CPUs, whoever runs there */
		p->target = TARGET_SYSTEM;
		p->attached = true;
	}
	if (!p->attached && !p->command)
		wrong = "nothing to profile: give a command, -p PID, -n NAME, -t TID, -G CGROUP or -a";
	else if (p->attached && p->command && !r->o.dashes)
		wrong = "with -p, -t, -n, -a, -G or -C a command must follow \"--\"";
	else if ((p->all_named || p->wait_named) && !p->name)
		wrong = "--all and --wait go with -n NAME";
	else if (p->idle && (p->target != TARGET_SYSTEM || p->cgroup))
		wrong = "--idle goes with -a";
	else if (p->wall && (p->nevent || p->count))
		wrong = "--wall is of time: it goes without -e and -c";
	else if (p->duration && p->delay >= p->duration)
		wrong = "-D leaves out all that -d lets in";
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

int
plan_read(struct plan *p, int argc, char **argv)
{
	struct reading r = { 0 };
	const char *why;
	int id;

	*p = (struct plan){ .target = TARGET_COMMAND, .freq = 999, .max_stack = 512 };
	options_open(&r.o, record_options, argc, argv);
	while ((id = options_next(&r.o)) != OPTION_END) {
		if (id == 'h')
			return cmd_help(2, (char *[]){ argv[0], (char[]){ "record" }, NULL }) ? EXIT_FAILED : -1;
		if (id == OPTION_BAD || !take(p, &r, id))
			return EXIT_FAILED;
	}
	if (r.o.at < argc)
		p->command = argv + r.o.at;
	if (!consistent(p, &r) || !resolve_outputs(p, &r) || !resolve_stats(p))
		return EXIT_FAILED;
	if (p->command) {
		int status;

		why = "";
		status = launch_check(p->command, &why);

		if (status) {
			error("%s: %s", p->command[0], why);
			return status;
		}
	}
	if (p->target != TARGET_COMMAND && (why = container_adapt()))
		warn("%s", why);
	return plan_find_targets(p);
}

/* Until one of that name starts that is not there yet. */
static unsigned
wait_for_name(struct plan *p)
{
	unsigned n;

	verbose("waiting for a process called %s", p->name);
	while (!(n = target_named(p->name, p->pid, PIDS_MAX)))
		if (nanosleep(&(struct timespec){ 0, 5000000 }, NULL) && errno == EINTR)
			return 0;
	return n;
}

static bool
find_named(struct plan *p)
{
	unsigned n = target_named(p->name, p->pid, PIDS_MAX);

	if (!n && p->wait_named)
		n = wait_for_name(p);
	if (!n)
		error("-n %s: no process of that name; --wait waits for one", p->name);
	p->npid = n && !p->all_named ? 1 : n;
	return n != 0;
}

int
plan_find_targets(struct plan *p)
{
	int32_t of;

	if (p->name && !find_named(p))
		return EXIT_FAILED;
	for (unsigned i = 0; i < p->npid; i++) {
		bool thread = p->target == TARGET_THREADS;

		if (p->pid[i] == getpid()) {
			error("-%c %d: that is prof itself", thread ? 't' : 'p', p->pid[i]);
			return EXIT_FAILED;
		}
		if (thread ? target_tid_exists(p->pid[i], &of) : target_pid_exists(p->pid[i]))
			continue;
		error("-%c %d: no such %s", thread ? 't' : 'p', p->pid[i], thread ? "thread" : "process");
		return EXIT_FAILED;
	}
	return guard_allows(p) ? 0 : EXIT_FAILED;
}
