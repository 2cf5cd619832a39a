/* See stat_plan.h. */
#include "stat_plan.h"

#include <unistd.h>

#include "cmd/options/exit.h"
#include "lib/msg.h"
#include "sample/events/event_list.h"

enum { DURATION = 900, PER_THREAD, PER_CORE, PER_CGROUP, NO_INHERIT, FILTER };

const struct option stat_options[] = {
	TARGET_OPTIONS,
	{ 'e', "event=LIST", "what to count, such as cycles,instructions or {a,b} for both at the same time" },
	{ FILTER, "filter=EXPR", "for the tracepoint before it: count only what passes this kernel filter" },
	{ 'd', "detailed", "count cache events, too; -dd and -ddd count more of them" },
	{ 'r', "repeat=N", "run the command N times, and print means and their deviation" },
	{ 'I', "interval-print=MS", "print every MS milliseconds what was counted since" },
	{ DURATION, "duration=SECS", "stop after this time: seconds, or 500ms, 2m, 1h" },
	{ PER_THREAD, "per-thread", "keep threads apart (with -p, -n or -t)" },
	{ PER_CORE, "per-core", "keep cores apart (with -a or -C)" },
	{ PER_CGROUP, "per-cgroup", "keep the cgroups below -G's apart, or below the root (with -a)" },
	{ NO_INHERIT, "no-inherit", "leave the target's children out" },
	{ 'x', "field-separator=SEP", "write fields with SEP between them, for programs" },
	{ 'j', "json", "write a JSON object for each counter" },
	{ 'o', "output=FILE", "write to FILE instead of stderr" },
	{ 'q', "quiet", "print no messages besides the counts" },
	{ 'v', "verbose", "say more about what is missing, and why" },
	{ 'h', "help", "show this help" },
	{ 0 },
};

/* perf's own choice; the clock comes first. */
static const char usual[] = "context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
static const char *const detail[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static bool
add(struct stat_plan *p, const char *list)
{
	const char *why = event_parse(p->event, &p->nevent, list, &p->arena);

	if (why)
		error("-e: %s", why);
	return !why;
}

static bool
add_filter(struct stat_plan *p, const char *filter)
{
	const char *why = event_filter(p->event, p->nevent, filter, &p->arena);

	if (why)
		error("%s", why);
	return !why;
}

static bool
take(void *plan, const struct options *o, int id)
{
	struct stat_plan *p = plan;

	if (target_options_has(id))
		return target_options_take(&p->target, o, id, &p->arena);
	switch (id) {
	case 'e':
		return add(p, o->value);
	case FILTER:
		return add_filter(p, o->value);
	case 'd':
		p->detail++;
		return true;
	case 'r':
		return option_number(o, 1, 100000, &p->repeat);
	case 'I':
		if (!option_number(o, 10, 1000000000, &p->interval))
			return false;
		p->interval *= 1000000;
		return true;
	case DURATION:
		return option_duration(o, &p->duration);
	case PER_THREAD:
		p->by = STAT_THREADS;
		return true;
	case PER_CORE:
		p->by = STAT_CORES;
		return true;
	case PER_CGROUP:
		p->by = STAT_CGROUPS;
		return true;
	case NO_INHERIT:
		return p->no_inherit = true;
	case 'x':
		p->as = STAT_CSV;
		p->separator = o->value;
		return true;
	case 'j':
		p->as = STAT_JSON;
		return true;
	case 'o':
		return option_once(o, &p->output);
	}
	return false;
}

static bool
consistent(const struct stat_plan *p)
{
	const struct target_options *t = &p->target;
	const char *wrong = NULL;

	if (p->by == STAT_THREADS && (t->kind == TARGET_COMMAND || t->kind == TARGET_SYSTEM))
		wrong = "--per-thread needs -p, -n or -t";
	else if (p->by == STAT_CORES && (t->kind != TARGET_SYSTEM || t->cgroup))
		wrong = "--per-core needs -a or -C";
	else if (p->by == STAT_CGROUPS && t->kind != TARGET_SYSTEM)
		wrong = "--per-cgroup needs -a or -G CGROUP";
	else if (p->repeat > 1 && t->kind != TARGET_COMMAND)
		wrong = "-r needs a command of its own, without -p, -t, -n, -a, -C or -G";
	else if (p->repeat > 1 && p->interval)
		wrong = "use -r or -I, not both";
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

static bool
add_usual(struct stat_plan *p)
{
	if (p->nevent && !p->detail)
		return true;
	if (!p->nevent && (!add(p, p->target.kind == TARGET_SYSTEM ? "cpu-clock" : "task-clock") || !add(p, usual)))
		return false;
	for (unsigned i = 0; i < p->detail && i < sizeof detail / sizeof *detail; i++)
		if (!add(p, detail[i]))
			return false;
	return true;
}

int
stat_plan_read(struct stat_plan *p, int argc, char **argv)
{
	struct options o;
	int status;

	*p = (struct stat_plan){ .target = { .kind = TARGET_COMMAND }, .repeat = 1 };
	options_open(&o, stat_options, argc, argv);
	if ((status = options_read(&o, NULL, take, p)))
		return status;
	if (!target_options_check(&p->target, &o) || !consistent(p) || !add_usual(p))
		return EXIT_FAILED;
	return target_options_find(&p->target);
}
