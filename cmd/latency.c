/* prof latency: how long functions, system calls and pairs of probes take, counted in the kernel. */
#include "command.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/capture/probed_code.h"
#include "cmd/options/end_signals.h"
#include "cmd/options/refused.h"
#include "latency_show.h"
#include "latency_stacks.h"
#include "lib/clock.h"
#include "lib/msg.h"
#include "lib/sort.h"
#include "lib/text.h"
#include "out/place.h"
#include "out/report/durations.h"
#include "sample/events/perf.h"
#include "sample/events/syscalls.h"
#include "sample/latency/latency.h"
#include "sample/latency/latency_by.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/cgroup.h"
#include "sample/tasks/launch.h"
#include "sample/tasks/target.h"

enum { BY = 300, JSON, TOP, SLOWEST };
/* SOURCES: -e.  CHARTS: histograms that prof shows.  LOOK: ns between looks at whether targets still live. */
enum { SOURCES = 16, CHARTS_MOST = 20, LOOK = 200, SLOWEST_USUAL = 100, SLOWEST_MOST = 10000 };

#define APART "; give each event a -e of its own"

static const struct option options[] = {
	TARGET_OPTIONS,
	{ 'e', "event=WHAT", "uprobe:FILE:FUNCTION, kprobe:FUNCTION, syscall:NAME, or BEGIN..END with two probes or tracepoints; repeatable" },
	{ 'd', "duration=SECS", "stop after this time: seconds, or 500ms, 2m, 1h" },
	{ BY, "by=WHAT", "keep apart by thread, process, arg0 to arg5, retval, a variable (p->x), or a tracepoint's field" },
	{ TOP, "top=N", "draw the histograms of the N with the most time (3)" },
	{ JSON, "json", "write JSON: every bucket" },
	{ 'o', "output=FILE", "write the table to FILE; or with the suffix of a profile (.html .svg .folded ...) the stacks of the slowest calls" },
	{ SLOWEST, "slowest=N", "with -o slow.html: keep the stacks of the N slowest calls (100)" },
	{ 'q', "quiet", "print no messages besides the table" },
	{ 'v', "verbose", "say more about what is missing, and why" },
	{ 'h', "help", "show this help" },
	{ 0 },
};

struct source {
	const char *text;
	struct probe_sites begin, end;   /* END: of a pair */
	uint32_t first;            /* number of its first site */
};

struct latencies {
	struct arena arena;
	struct target_options target;
	const char *event[SOURCES];
	unsigned nevent;
	uint64_t duration, top, slowest;
	struct latency_by by;
	const char *output;
	struct latency_stacks stacks;    /* OUTPUT: a profile's file, or NULL */
	char call[SYSCALL_NAME];
	bool json;
	struct latency_shape shape;
	uint8_t wanted[LATENCY_SYSCALLS];
	struct source source[SOURCES];
	const char *tracepoint[2];       /* of a pair: SYSTEM:NAME */
	unsigned nsource;
	uint32_t nsite;
	struct latency l;
	struct latency_rows rows;
	struct launch launch;
	struct end_signals signals;
	int status;
	bool over;
	uint64_t start, end;
};

/* ---- what is wanted ---- */

static bool
set_by(struct latencies *c)
{
	bool usdt = c->source[0].begin.probe.kind == USDT && !strncmp(c->by.words ? c->by.words : "", "arg", 3), good = true;

	if (!c->by.words)
		return true;
	if (!usdt && latency_by_word(&c->by, &c->shape)) {
		if (c->shape.value.at >= 0 || c->shape.by == PER_THREAD || c->shape.by == PER_PROCESS)
			return true;
		error("--by %s: prof does not know where to find this %s", c->by.words, c->shape.tracepoint ? "in a tracepoint" : "on this machine");
		return false;
	}
	if (c->shape.syscalls)
		good = latency_by_syscalls(&c->by, &c->shape, c->wanted);
	else if (c->shape.tracepoint)
		good = latency_by_field(&c->by, &c->shape, c->tracepoint[0]);
	else
		for (unsigned i = 0; good && i < c->nsource; i++)
			good = latency_by_sites(&c->by, &c->shape, &c->source[i].begin, !c->source[i].end.probe.kind);
	if (!good)
		error("--by %s: %s", c->by.words, c->by.wrong);
	return good;
}

static bool
add_syscalls(struct latencies *c, const char *names)
{
	char near[SYSCALL_NAME];

	if (syscalls_named(names, c->wanted, LATENCY_SYSCALLS, near))
		return true;
	if (!strncmp(names, "sys_enter_", 10) && syscalls_named(names + 10, c->wanted, LATENCY_SYSCALLS, near))
		snprintf(near, sizeof near, "%s", names + 10);
	error("-e syscall:%s: there is no such system call%s%s%s%s", names, *near ? ": did you mean " : "", near, *near ? "?" : "", strchr(names, ',') ? APART : "");
	return false;
}

/* Says WHY there is no such variable, and the nearest word that means no variable. */
static void
refuse_by(const struct latencies *c, const char *why)
{
	const char *near = latency_by_near(c->by.words);

	if (strchr(why, '?'))
		error("--by %s: %s", c->by.words, why);
	else if (near)
		error("--by %s: did you mean %s? If not: %s", c->by.words, near, why);
	else
		error("--by %s: %s; --by also takes thread, process, arg0 to arg5, retval", c->by.words, why);
}

static bool
find(struct latencies *c, struct probe_sites *p, const char *text, bool begins, bool returns)
{
	struct probe probe;
	const char *why = probe_parse(&probe, text, &c->arena);
	const struct probe_wants w = {
		.warn = warn,
		.pid = c->target.npid && c->target.kind != TARGET_SYSTEM ? c->target.pid[0] : 0,
		.command = c->target.command ? c->target.command[0] : NULL,
		.returns = returns || probe_returns(&probe),
		.variable = begins && !why ? latency_by_variable(c->by.words, &probe) : NULL,
		.frame = call_frame,
		.instruction = instruction_at,
	};
	char words[512];

	if (!why && probe_sites_find(p, &probe, &w, words, sizeof words))
		return true;
	if (!why && p->no_variable)
		refuse_by(c, words);
	else
		error("-e %s: %s%s", text, why ? why : words, strchr(text, ',') ? APART : "");
	return false;
}

/* BEGIN..END */
static bool
add_pair(struct latencies *c, struct source *s, const char *dots)
{
	char *begin = arena_str(&c->arena, s->text, (size_t)(dots - s->text));
	const char *end = dots + 2;
	char words[256];

	if (c->nevent > 1) {
		error("a pair (BEGIN..END) cannot be combined with another -e");
		return false;
	}
	if (!begin || probe_is(begin) != probe_is(end)) {
		error("-e %s: both ends must be probes, or both tracepoints", s->text);
		return false;
	}
	if (probe_is(end))
		return find(c, &s->begin, begin, true, false) && find(c, &s->end, end, false, false);
	c->shape.tracepoint = true;
	c->tracepoint[0] = begin;
	c->tracepoint[1] = end;
	if (!strchr(begin, ':') || !strchr(end, ':'))
		snprintf(words, sizeof words, "a tracepoint is SYSTEM:NAME");
	else if (!latency_no_tracepoint(begin, words, sizeof words) && !latency_no_tracepoint(end, words, sizeof words))
		return true;
	error("-e %s: %s", s->text, words);
	return false;
}

static bool
add_source(struct latencies *c, const char *text)
{
	struct source *s = &c->source[c->nsource++];
	const char *dots = strstr(text, "..");
	bool pair = dots && strchr(dots, ':'), syscall = !pair && (!strncmp(text, "syscall:", 8) || !strncmp(text, "syscalls:", 9)), good;

	s->text = text;
	s->first = c->nsite;
	if (c->nsource > 1 && syscall != c->shape.syscalls) {
		error("system calls cannot be combined with other events");
		return false;
	}
	if (syscall) {
		c->shape.syscalls = c->shape.tracepoint = true;
		good = add_syscalls(c, strchr(text, ':') + 1);
	} else if (pair) {
		good = add_pair(c, s, dots);
	} else if (!probe_is(text) || !strncmp(text, "usdt", 4) || !strncmp(text, "sdt", 3)) {
		error(strchr(text, ':') ? "-e %s: prof does not know where this ends; write BEGIN..END, for example usdt:FILE:query__start..usdt:FILE:query__done%s"
		                        : "-e %s: this is no call that prof can measure; write uprobe:FILE:FUNCTION, kprobe:FUNCTION, syscall:NAME or BEGIN..END%s", text,
		      strchr(text, ',') ? APART : "");
		return false;
	} else {
		good = find(c, &s->begin, text, true, true);
	}
	c->nsite += s->begin.sites.n ? s->begin.sites.n : 1;
	if (good && s->begin.sites.left_out)
		warn("%s means more than %d places; prof leaves out %u of them", text, SITES_MAX, (unsigned)s->begin.sites.left_out);
	return good;
}

static bool
take(void *latencies, const struct options *o, int id)
{
	struct latencies *c = latencies;

	if (target_options_has(id))
		return target_options_take(&c->target, o, id, &c->arena);
	switch (id) {
	case 'e':
		if (c->nevent == SOURCES)
			error("too many events; at most %d are possible", SOURCES);
		else
			c->event[c->nevent++] = o->value;
		return c->nevent <= SOURCES;
	case 'd':
		return option_duration(o, &c->duration);
	case BY:
		c->by.words = o->value;
		return true;
	case TOP:
		return option_number(o, 0, CHARTS_MOST, &c->top);
	case JSON:
		return c->json = true;
	case 'o':
		return option_once(o, &c->output);
	case SLOWEST:
		return option_number(o, 1, SLOWEST_MOST, &c->slowest);
	}
	return false;
}

static int
read_options(struct latencies *c, int argc, char **argv)
{
	struct place_words words;
	struct options o;
	const char *why;
	int status;

	c->target.kind = TARGET_COMMAND;
	c->top = 3;
	options_open(&o, options, argc, argv);
	if ((status = options_read(&o, NULL, take, c)))
		return status;
	if (!target_options_check(&c->target, &o))
		return EXIT_FAILED;
	if (!c->nevent || c->target.ncpu) {
		error(c->nevent ? "latency has no -C" : "say what to measure: -e uprobe:FILE:FUNCTION, -e syscall:read, ...");
		return EXIT_FAILED;
	}
	if (c->output && !c->json && latency_stacks_are(c->output)) {
		c->stacks.output = c->output;
		c->output = NULL;
	}
	if (c->output && (why = place_check(c->output, &words))) {
		error("-o %s: %s", c->output, why);
		return EXIT_FAILED;
	}
	if (c->slowest && !c->stacks.output) {
		error("--slowest writes stacks, and needs a profile's file: add -o slow.html");
		return EXIT_FAILED;
	}
	c->slowest = c->slowest ? c->slowest : SLOWEST_USUAL;
	if (sandbox_lent()) {
		error("prof does not lend its rights for probes: run it as root, or with CAP_BPF and CAP_PERFMON");
		return EXIT_FAILED;
	}
	return target_options_find(&c->target);
}

/* ---- measuring ---- */

static bool
refused(const struct refusal *r)
{
	refused_tell(r, "latency");
	return false;
}

/* BPF programs see pids of the machine, not of a container. */
static bool
sees_pids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == 0xeffffffc;
}

static bool
choose_whom(struct latencies *c)
{
	enum target kind = c->target.kind;

	c->shape.whom = kind == TARGET_THREADS ? WHOM_THREADS : kind != TARGET_SYSTEM ? WHOM_PROCESSES : c->target.cgroup ? WHOM_CGROUP : WHOM_ALL;
	if ((c->shape.whom == WHOM_PROCESSES || c->shape.whom == WHOM_THREADS || c->shape.by == PER_THREAD) && !sees_pids()) {
		error("BPF programs do not know the pids of this container; use -a or -G, or start the container with --pid=host");
		return false;
	}
	return true;
}

static bool
set_whom(struct latencies *c)
{
	struct cgroup group = { 0 };
	const char *why;

	if (c->shape.whom == WHOM_CGROUP) {
		if ((why = cgroup_open(&group, c->target.cgroup))) {
			error("-G %s: %s", c->target.cgroup, why);
			return false;
		}
		if (!latency_cgroup(&c->l, group.fd)) {
			error("-G %s: the kernel does not take this cgroup for BPF programs (it must be of version 2)", c->target.cgroup);
			return false;
		}
	}
	if (c->target.kind == TARGET_COMMAND)
		latency_whom(&c->l, c->launch.pid);
	for (unsigned i = 0; i < c->target.npid; i++)
		latency_whom(&c->l, c->target.pid[i]);
	if (c->shape.whom == WHOM_PROCESSES && !latency_children(&c->l))
		warn("prof leaves out the target's children: it needs tracefs to follow them (mount -t tracefs none /sys/kernel/tracing)");
	return true;
}

static bool
attach(struct latencies *c, struct refusal *r)
{
	if (c->shape.syscalls)
		return latency_syscalls(&c->l, c->wanted, r);
	if (c->tracepoint[0]) {
		for (unsigned i = 2; i--;)
			if (!latency_tracepoint(&c->l, c->tracepoint[i], i, r))
				return false;
		return true;
	}
	for (unsigned i = 0; i < c->nsource; i++) {
		struct source *s = &c->source[i];

		if (s->end.probe.kind ? !latency_place(&c->l, &s->end, true, 0, r) || !latency_place(&c->l, &s->begin, false, 0, r)
		                      : !latency_functions(&c->l, &s->begin, s->first, 0, r))
			return false;
	}
	return true;
}

static void
wait_for_end(struct latencies *c)
{
	uint64_t deadline = c->duration ? c->start + c->duration : UINT64_MAX;
	struct signalfd_siginfo info;
	bool stop = false;

	while (!stop && !c->over && clock_now() < deadline && target_options_left(&c->target)) {
		uint64_t left = (deadline - clock_now()) / 1000000 + 1;
		struct pollfd ready = { .fd = c->signals.fd, .events = POLLIN };

		poll(&ready, 1, left < LOOK ? (int)left : LOOK);
		while (end_signals_next(&c->signals, &info))
			if (info.ssi_signo != SIGCHLD)
				stop = true;
			else if (c->target.command && waitpid(c->launch.pid, &c->status, WNOHANG) == c->launch.pid)
				c->over = true;
	}
	c->end = clock_now();
}

static const char *
name_site(const struct latencies *c, uint32_t site, char call[SYSCALL_NAME])
{
	for (unsigned i = 0; i < c->nsource; i++)
		if (!c->source[i].end.probe.kind && site - c->source[i].first < c->source[i].begin.sites.n)
			return c->source[i].begin.sites.site[site - c->source[i].first].name;
	return c->shape.syscalls ? syscall_name(site, call) : c->source[0].text;
}

static const char *
name_slow(void *latencies, uint32_t site)
{
	struct latencies *c = latencies;

	return name_site(c, site, c->call);
}

static bool
start_stacks(struct latencies *c)
{
	struct latency_stacks *s = &c->stacks;

	s->most = (uint32_t)c->slowest;
	s->map = c->l.map[MAP_OUTPUT];
	s->name = name_slow;
	s->ctx = c;
	s->quiet = msg_level < 0;
	s->verbose = msg_level > 0;
	return latency_stacks_start(s);
}

static bool
in_kernel(const struct probe_sites *p)
{
	return p->probe.kind && p->file.fd < 0;
}

static bool
measure(struct latencies *c)
{
	struct refusal r;

	if (!c->shape.tracepoint) {
		c->shape.sp_at = c->source[0].end.probe.kind ? 0 : perf_probe_regs.sp;
		c->shape.popped = perf_probe_regs.popped;
	}
	for (unsigned i = 0; i < c->nsource; i++)
		c->shape.kernel |= in_kernel(&c->source[i].begin) || in_kernel(&c->source[i].end);
	c->shape.slowest = c->stacks.output ? 2 * (uint32_t)c->slowest : 0;
	if (!latency_open(&c->l, &c->shape, &r))
		return refused(&r);
	if (c->stacks.output && !start_stacks(c))
		return false;
	if (c->target.command && !launch_fork(&c->launch, c->target.command)) {
		refused_process("");
		return false;
	}
	if (!set_whom(c))
		return false;
	if (!attach(c, &r))
		return refused(&r);
	return true;
}

/* ---- telling ---- */

static const char *
name_row(struct latencies *c, const struct latency_row *row)
{
	char text[256], value[128], comm[64], call[SYSCALL_NAME];
	const char *what = name_site(c, row->site, call);

	if (c->shape.by == PER_THREAD || c->shape.by == PER_PROCESS)
		snprintf(text, sizeof text, "%s %lld %s", target_comm((int32_t)row->by, comm, sizeof comm), (long long)row->by, what);
	else if (c->shape.by)
		snprintf(text, sizeof text, "%s %s", what, latency_by_say(&c->by, row->by, value, sizeof value));
	else
		snprintf(text, sizeof text, "%s", what);
	what = arena_str(&c->arena, text, strlen(text));
	return what ? what : "?";
}

static const char *
calls_word(const struct latencies *c, uint64_t n)
{
	return c->shape.syscalls ? n == 1 ? "system call" : "system calls" : n == 1 ? "call" : "calls";
}

/* What was lost, and why. */
static void
say_lost(const struct latencies *c)
{
	const uint64_t *n = c->rows.lost;
	/* When prof begins to measure, the process of the command is in a read: it waits for prof, so this is none of its calls. */
	uint64_t begun = n[LOST_BEGUN] - (n[LOST_BEGUN] && c->target.command && c->wanted[SYS_read]);

	if (begun)
		warn("prof saw the end of %llu %s, but not the beginning: it was before the capture, or prof missed it", (unsigned long long)begun,
		     calls_word(c, begun));
	if (n[LOST_LEFT])
		warn("%llu call%s did not return, because of longjmp or an exception", (unsigned long long)n[LOST_LEFT], plural(n[LOST_LEFT]));
	if (n[LOST_DEEP])
		warn("prof did not count %llu call%s: the nesting was more than %d deep", (unsigned long long)n[LOST_DEEP], plural(n[LOST_DEEP]), LATENCY_DEPTH);
	if (n[LOST_ROOM] || n[LOST_GROUP])
		warn("prof did not count %llu call%s: there was no room for more %s", (unsigned long long)(n[LOST_ROOM] + n[LOST_GROUP]),
		     plural(n[LOST_ROOM] + n[LOST_GROUP]),
		     n[LOST_GROUP] ? "threads or values" : "threads");
	if (c->rows.missed)
		warn("prof missed the end of %llu call%s: another BPF program was running on that CPU", (unsigned long long)c->rows.missed,
		     plural(c->rows.missed));
}

static bool
tell(struct latencies *c)
{
	struct durations *d;
	struct item *item = NULL;
	uint32_t cap = 0, n = c->rows.n;
	uint64_t calls = 0;
	bool good;

	if (!(d = arena_alloc(&c->arena, (n + 1) * sizeof *d)) || !vec_room(&item, &cap, (uint64_t)n + 1, sizeof *item)) {
		error("out of memory");
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		item[i] = (struct item){ UINT64_MAX - c->rows.row[i].durations.total, i, 0 };
	sort_items(item, n);
	for (uint32_t i = 0; i < n; i++) {
		d[i].ns = c->rows.row[item[i].a].durations;
		d[i].name = name_row(c, &c->rows.row[item[i].a]);
		calls += d[i].ns.count;
	}
	good = latency_show(&(struct latency_shown){ .d = d, .n = n, .top = c->top, .json = c->json, .output = c->output,
	                    .fd = c->target.command ? STDERR_FILENO : STDOUT_FILENO });
	say_lost(c);
	warn("%llu %s in %.1f s", (unsigned long long)calls, calls_word(c, calls), (double)(c->end - c->start) / 1e9);
	vec_free(&item, &cap, sizeof *item);
	return good;
}

static int
command_exit(struct latencies *c)
{
	while (!c->over)
		if (waitpid(c->launch.pid, &c->status, 0) == c->launch.pid)
			c->over = true;
		else if (errno != EINTR)
			return EXIT_FAILED;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

static int
run(struct latencies *c)
{
	bool good, written;
	int status;

	for (unsigned i = 0; i < c->nevent; i++)
		if (!add_source(c, c->event[i]))
			return EXIT_FAILED;
	if (!set_by(c) || !choose_whom(c) || !end_signals_take(&c->signals, &c->target))
		return EXIT_FAILED;
	if (!measure(c)) {
		if (c->launch.pid)
			launch_drop(&c->launch);
		latency_close(&c->l);
		latency_stacks_drop(&c->stacks);
		return EXIT_FAILED;
	}
	c->start = clock_now();
	if (c->target.command && !launch_go(&c->launch)) {
		int err = errno;

		error("%s: %s", c->target.command[0], strerror(err));
		latency_close(&c->l);
		latency_stacks_drop(&c->stacks);
		return err == ENOENT ? 127 : 126;
	}
	wait_for_end(c);
	end_signals_release(&c->signals);
	good = latency_read(&c->l, &c->rows);
	latency_close(&c->l);
	written = latency_stacks_end(&c->stacks);
	if (!good)
		error("out of memory");
	good = good && tell(c) && written;
	if (written && c->stacks.output)
		warn("%s has the stacks of the slowest calls, %llu at most", c->stacks.output, (unsigned long long)c->slowest);
	status = c->target.command ? command_exit(c) : 0;
	return good || status ? status : EXIT_FAILED;
}

static int
cmd_latency(int argc, char **argv)
{
	static struct latencies c;
	int status = read_options(&c, argc, argv);

	return status ? status : run(&c);
}

const struct command command_latency = { .name = "latency", .synopsis = "-e WHAT [OPTIONS] [--] [COMMAND...]",
	.summary = "measure how long functions, system calls or pairs of probes take",
	.options = options, .run = cmd_latency, .rights = true, .finds_help = true };
