/* prof stat: counts events while a command runs, or on other targets, and shows what the counts mean. */
#include "command.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/options/end_signals.h"
#include "cmd/options/own_session.h"
#include "cmd/capture/probed_code.h"
#include "cmd/options/lent_rights.h"
#include "cmd/options/refused.h"
#include "cmd/stat/stat_places.h"
#include "cmd/stat/stat_ratio.h"
#include "cmd/stat/stat_text.h"
#include "lib/clock.h"
#include "lib/columns.h"
#include "lib/msg.h"
#include "out/formats.h"
#include "out/output.h"
#include "sample/probes/probe_events.h"
#include "sample/rights/refusal_words.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/launch.h"
#include "sample/waiting/causes.h"

/* ns between two looks whether any target is still there. */
enum { LOOK = 50000000 };

/* Values of several runs: their number, mean, and the sum of the squares of their distances from it. */
struct series {
	double n, mean, squares;
};

struct counting {
	struct stat_plan plan;
	struct counters counters;
	struct stat_rows rows;
	struct count *now, *before;      /* by row and event */
	struct series *series, elapsed;
	struct launch launch;
	struct causes causes;
	struct rusage used;
	struct end_signals signals;
	int target;                      /* its pidfd, or -1 */
	int status;                      /* the command's, as wait gives it */
	bool over, stop;                 /* the command's end; a signal */
	uint64_t start, end, told;       /* ns; TOLD: the end of the last interval */
	struct sink out;
	struct output output;
};

static void
add_to(struct series *s, double v)
{
	double off = v - s->mean;

	s->n++;
	s->mean += off / s->n;
	s->squares += off * (v - s->mean);
}

/* The deviation of the mean, in percent of it. */
static double
deviation(const struct series *s)
{
	return s->n < 2 || s->mean == 0 ? 0 : 100 * sqrt(s->squares / (s->n - 1) / s->n) / s->mean;
}

static bool
find_probes(struct stat_plan *p)
{
	const struct probe_wants w = {
		.warn = warn,
		.pid = p->target.npid && p->target.kind != TARGET_SYSTEM ? p->target.pid[0] : 0,
		.command = p->target.command ? p->target.command[0] : NULL,
		.instruction = instruction_at,
	};
	const char *why;

	for (unsigned i = 0; i < p->nevent; i++)
		if (p->event[i].probe_leaf) {
			error("-e: event '%.80s': prof stat counts; it shows no arguments", p->event[i].name);
			return false;
		}
	why = probe_events_find(p->event, &p->nevent, &w, &p->arena);

	if (why)
		error("%s%s", *why == '-' ? "" : "-e: ", why);
	return !why;
}

static bool
may_write(struct counting *s)
{
	struct place_words words;
	const char *why;

	s->output = (struct output){ .path = s->plan.output, .format = &format_table };
	why = s->plan.output ? output_check(&s->output, &words) : NULL;
	if (why)
		error("-o %s: %s", s->plan.output, why);
	return !why;
}

static void
read_signals(struct counting *s)
{
	struct signalfd_siginfo info;

	while (end_signals_next(&s->signals, &info))
		s->stop |= info.ssi_signo != SIGCHLD;
	if (s->plan.target.command && !s->over && wait4(s->launch.pid, &s->status, WNOHANG, &s->used) == s->launch.pid)
		s->over = true;
}

/* The counter's line, with the counts since BEFORE (NULL: all counts). */
static struct stat_line
line_of(const struct counting *s, uint32_t row, unsigned e, double *value)
{
	const struct counters *c = &s->counters;
	struct stat_line l = { .event = &c->event[e], .row = s->rows.n ? s->rows.name[row] : NULL, .deviation = -1, .share = 100 };
	struct count v = { 0 };

	for (unsigned i = e; i < c->nevent; i++) {   /* equal events of several PMUs are one */
		const struct count *now = s->now + (size_t)row * c->nevent + i, *before = s->before + (size_t)row * c->nevent + i;

		if (i != e && (c->event[i].weight != l.event->weight || strcmp(c->event[i].name, l.event->name)))
			break;
		l.supported |= !c->err[i];
		v.value += now->value - before->value;
		v.enabled += now->enabled - before->enabled;
		v.running += now->running - before->running;
	}
	l.counted = l.supported && v.running;
	l.running = v.running;
	if (l.counted && v.running < v.enabled)
		l.share = 100.0 * (double)v.running / (double)v.enabled;
	l.value = *value = l.counted ? (double)v.value * (100 / l.share) : (double)NAN;
	return l;
}

/* Shows all counts since BEFORE, or the means of all runs. */
static void
put_counts(struct counting *s, double seconds, const char *time)
{
	const struct counters *c = &s->counters;
	double *value = arena_alloc(&s->plan.arena, c->nevent * sizeof *value);
	struct stat_values values = { .event = c->event, .value = value, .n = c->nevent, .seconds = seconds };

	for (uint32_t row = 0; value && row < c->rows; row++) {
		for (unsigned e = 0; e < c->nevent; e++) {
			line_of(s, row, e, &value[e]);
			if (s->plan.repeat > 1)
				value[e] = s->series[(size_t)row * c->nevent + e].n > 0 ? s->series[(size_t)row * c->nevent + e].mean : (double)NAN;
		}
		for (unsigned e = 0; e < c->nevent; e++) {
			double v;
			struct stat_line l = line_of(s, row, e, &v);

			if (e && c->event[e].weight == c->event[e - 1].weight && !strcmp(c->event[e].name, c->event[e - 1].name))
				continue;
			l.time = time;
			if (s->plan.repeat > 1) {
				l.counted = !isnan(value[e]);
				l.value = value[e];
				l.deviation = deviation(&s->series[(size_t)row * c->nevent + e]);
			}
			l.of = stat_ratio(&values, e, &l.ratio);
			stat_text_line(&s->out, &s->plan, &l);
		}
	}
}

static void
tell_interval(struct counting *s, uint64_t now)
{
	size_t n = (size_t)s->counters.rows * s->counters.nevent * sizeof *s->now;
	char time[32];

	memcpy(s->before, s->now, n);
	memset(s->now, 0, n);
	counters_read(&s->counters, s->now);
	snprintf(time, sizeof time, "%.9f", (double)(now - s->start) / 1e9);
	put_counts(s, (double)(now - s->told) / 1e9, time);
	if (!s->plan.output)
		sink_flush(&s->out);
	s->told = now;
}

static void
wait_for_end(struct counting *s)
{
	const struct stat_plan *p = &s->plan;

	s->told = s->start;
	while (!s->over && !s->stop) {
		struct pollfd fd[2] = { { s->signals.fd, POLLIN, 0 }, { s->target, POLLIN, 0 } };
		uint64_t now = clock_now(), next = UINT64_MAX;
		struct timespec left = { 0 };

		if (p->duration && now >= s->start + p->duration)
			break;
		if (p->interval && now >= s->told + p->interval)
			tell_interval(s, now);
		if (p->interval)
			next = s->told + p->interval;
		if (p->duration && s->start + p->duration < next)
			next = s->start + p->duration;
		if (p->target.npid && s->target < 0 && now + LOOK < next)
			next = now + LOOK;
		if (next != UINT64_MAX)
			left = (struct timespec){ (time_t)((next - now) / 1000000000), (long)((next - now) % 1000000000) };
		ppoll(fd, 2, next == UINT64_MAX ? NULL : &left, NULL);
		read_signals(s);
		if (fd[1].revents || (p->target.npid && s->target < 0 && !target_options_left(&p->target)))
			break;
	}
	s->end = clock_now();
}

static int
refused(const struct counting *s, struct refusal *r)
{
	const struct stat_plan *p = &s->plan;
	struct capture c = { .target = p->target.kind, .pid = p->target.npid ? p->target.pid : &s->launch.pid, .npid = p->target.npid ? p->target.npid : 1,
	                     .cgroup = p->target.cgroup, .event = s->counters.event, .nevent = p->nevent, .lent = s->counters.lent };

	refusal_words(r, &c);
	refused_tell(r, "stat");
	return EXIT_FAILED;
}

static bool
room(struct counting *s)
{
	size_t n = (size_t)s->counters.rows * s->counters.nevent + 1;

	if (!s->now) {
		s->now = arena_alloc(&s->plan.arena, n * sizeof *s->now);
		s->before = arena_alloc(&s->plan.arena, n * sizeof *s->before);
		s->series = arena_alloc(&s->plan.arena, n * sizeof *s->series);
	} else {
		memset(s->now, 0, n * sizeof *s->now);
	}
	return s->now && s->before && s->series;
}

/* Adds what a run counted to the series. */
static void
note_run(struct counting *s)
{
	size_t n = s->counters.nevent;

	for (size_t i = 0; s->plan.repeat > 1 && i < n * s->counters.rows; i++) {
		double v;

		line_of(s, (uint32_t)(i / n), (unsigned)(i % n), &v);
		if (!isnan(v))
			add_to(&s->series[i], v);
	}
	add_to(&s->elapsed, (double)(s->end - s->start) / 1e9);
}

/* Opens everything, stopped.  0, or the exit status after an error message. */
static int
open_run(struct counting *s)
{
	struct stat_plan *p = &s->plan;
	struct refusal r;
	const char *why;

	s->over = false;
	if (p->target.command && !launch_fork(&s->launch, p->target.command)) {
		refused_process("");
		return EXIT_FAILED;
	}
	s->counters = (struct counters){ .event = p->event, .nevent = p->nevent, .inherit = !p->no_inherit && p->target.kind != TARGET_THREADS,
	                                 .on_exec = p->target.kind == TARGET_COMMAND, .lent = sandbox_lent() };
	if ((why = stat_places(p, &s->counters, &s->rows, s->launch.pid)))
		error("%s%s%s%s", p->target.cgroup ? "-G " : "", p->target.cgroup ? p->target.cgroup : "", p->target.cgroup ? ": " : "", why);
	else if (!counters_open(&s->counters, &r))
		refused(s, &r);
	else if (room(s))
		return 0;
	if (p->target.command)
		launch_drop(&s->launch);
	return EXIT_FAILED;
}

static int
run_once(struct counting *s)
{
	struct stat_plan *p = &s->plan;
	struct capture c = { .target = p->target.kind, .pid = p->target.npid ? p->target.pid : &s->launch.pid, .npid = p->target.npid ? p->target.npid : 1,
	                     .cgroup = p->target.cgroup };
	int status = open_run(s), err;

	if (status)
		return status;
	causes_begin(&s->causes, &c);
	s->target = p->target.npid == 1 && p->target.kind == TARGET_PROCESSES ? (int)syscall(434 /* pidfd_open */, p->target.pid[0], 0) : -1;
	s->start = clock_now();
	if (p->target.kind != TARGET_COMMAND)
		counters_enable(&s->counters, true);
	if (p->target.command && !launch_go(&s->launch)) {
		err = errno;
		error("%s: %s", p->target.command[0], strerror(err));
		return err == ENOENT ? 127 : 126;
	}
	wait_for_end(s);
	if (p->target.kind != TARGET_COMMAND)
		counters_enable(&s->counters, false);
	if (p->interval) {
		tell_interval(s, s->end);
	} else {
		counters_read(&s->counters, s->now);
		note_run(s);
	}
	causes_end(&s->causes);
	if (s->target >= 0)
		close(s->target);
	return 0;
}

static void
put_head(struct counting *s)
{
	const struct stat_plan *p = &s->plan;
	const struct target_options *t = &p->target;

	sink_str(&s->out, "\n Performance counter stats for ");
	if (t->kind == TARGET_COMMAND) {
		for (char **word = t->command; *word; word++) {
			sink_str(&s->out, word == t->command ? "'" : " ");
			columns_cut(&s->out, *word, 0);
		}
		sink_char(&s->out, '\'');
	} else if (t->cgroup) {
		sink_fmt(&s->out, "cgroup '%s'", t->cgroup);
	} else if (t->kind == TARGET_SYSTEM) {
		sink_str(&s->out, "'system wide'");
	} else {
		sink_fmt(&s->out, "%s id '%d%s'", t->kind == TARGET_THREADS ? "thread" : "process", (int)t->pid[0], t->npid > 1 ? ",..." : "");
	}
	if (p->repeat > 1)
		sink_fmt(&s->out, " (%llu runs)", (unsigned long long)p->repeat);
	sink_str(&s->out, ":\n\n");
}

static void
put_seconds(struct counting *s, double seconds, const char *what)
{
	sink_fmt(&s->out, " %17.9f seconds %s\n", seconds, what);
}

static double
seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* What the cgroup, or the machine, went through meanwhile. */
static void
put_causes(struct counting *s)
{
	static const struct { enum cause cause; const char *what; } times[] = {
		{ CAUSE_THROTTLED, "throttled by the cgroup's CPU limit" },
		{ CAUSE_CPU_SOME, "CPU pressure" }, { CAUSE_MEMORY_SOME, "memory pressure" }, { CAUSE_IO_SOME, "I/O pressure" },
	};
	bool any = false;

	for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
		uint64_t us = s->causes.value[times[i].cause];
		char what[96];

		if (!(s->causes.known >> times[i].cause & 1) || !us)
			continue;
		snprintf(what, sizeof what, "%s%s", times[i].what,
		         times[i].cause == CAUSE_THROTTLED ? "" : s->causes.machine ? " (whole machine: some task waited)" : " (some task waited)");
		if (!any)
			sink_char(&s->out, '\n');
		put_seconds(s, (double)us / 1e6, what);
		any = true;
	}
}

static void
put_size(struct counting *s, uint64_t kib, const char *what)
{
	struct columns_cell c = columns_number(kib, 0);

	sink_char(&s->out, ' ');
	columns_right(&s->out, &c, 17);
	sink_fmt(&s->out, " KiB %s\n", what);
}

static void
put_tail(struct counting *s)
{
	const struct rusage *u = &s->used;

	if (s->plan.repeat > 1) {
		sink_fmt(&s->out, "\n %17.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n", s->elapsed.mean,
		         deviation(&s->elapsed) * s->elapsed.mean / 100, deviation(&s->elapsed));
	} else {
		sink_char(&s->out, '\n');
		put_seconds(s, (double)(s->end - s->start) / 1e9, "time elapsed");
	}
	if (s->plan.target.kind == TARGET_COMMAND && s->over) {
		sink_char(&s->out, '\n');
		put_seconds(s, seconds_of(&u->ru_utime), "user");
		put_seconds(s, seconds_of(&u->ru_stime), "sys");
		sink_char(&s->out, '\n');
		put_size(s, (uint64_t)u->ru_maxrss, "peak memory");
		put_size(s, (uint64_t)u->ru_inblock / 2, "read from disks");
		put_size(s, (uint64_t)u->ru_oublock / 2, "written to disks");
	}
	put_causes(s);
	sink_char(&s->out, '\n');
}

static void
put_json_tail(struct counting *s)
{
	const struct rusage *u = &s->used;

	sink_fmt(&s->out, "{\"seconds-elapsed\" : %.9f", s->elapsed.mean);
	if (s->plan.target.kind == TARGET_COMMAND && s->over)
		sink_fmt(&s->out, ", \"seconds-user\" : %.6f, \"seconds-sys\" : %.6f, \"peak-memory-kib\" : %llu, \"read-kib\" : %llu, \"written-kib\" : %llu",
		         seconds_of(&u->ru_utime), seconds_of(&u->ru_stime), (unsigned long long)u->ru_maxrss, (unsigned long long)u->ru_inblock / 2,
		         (unsigned long long)u->ru_oublock / 2);
	sink_str(&s->out, "}\n");
}

/* With -v: says why events are missing. */
static void
say_missing(const struct counting *s)
{
	for (unsigned e = 0; e < s->counters.nevent; e++)
		if (s->counters.err[e] > 0)
			verbose("%s: not supported here: %s", s->counters.event[e].name, strerror(s->counters.err[e]));
}

/* A probe is not inherited: see struct event. */
static void
say_heirless(const struct counting *s)
{
	bool threads = s->plan.target.kind == TARGET_COMMAND || s->plan.target.kind == TARGET_PROCESSES;

	for (unsigned e = 0; threads && !s->plan.no_inherit && e < s->counters.nevent; e++)
		if (s->counters.event[e].no_heir) {
			warn("%s is not counted in threads and children that began meanwhile; -a and -G count all of them", s->counters.event[e].name);
			return;
		}
}

static void
copy(struct sink *out, const void *from)
{
	const struct sink *s = from;

	sink_put(out, s->buf, s->len);
}

static bool
finish(struct counting *s)
{
	struct place_words words;
	const char *why = NULL;

	if (s->plan.as == STAT_TEXT && !s->plan.interval) {
		put_head(s);
		put_counts(s, s->elapsed.mean, NULL);
		put_tail(s);
	} else if (!s->plan.interval) {
		put_counts(s, s->elapsed.mean, NULL);
		if (s->plan.as == STAT_JSON)
			put_json_tail(s);
	}
	if (s->plan.output && (why = output_text(&s->output, copy, &s->out, &words)))
		error("-o %s: %s", s->plan.output, why);
	return !sink_close(&s->out) && !why;
}

static int
cmd_stat(int argc, char **argv)
{
	static struct counting s;
	int status = stat_plan_read(&s.plan, argc, argv);

	if (!status && !s.plan.target.command)
		own_session_begin();
	if (status || !lent_rights_allow(&s.plan.target, s.plan.event, s.plan.nevent, 0, "count what other users do") || !find_probes(&s.plan) || !may_write(&s) ||
	    !end_signals_take(&s.signals, &s.plan.target))
		return status ? status : EXIT_FAILED;
	sink_open(&s.out, s.plan.output ? -1 : STDERR_FILENO);
	if (s.plan.interval && s.plan.as == STAT_TEXT)
		sink_str(&s.out, "#           time             counts unit events\n");
	for (uint64_t i = 0; i < s.plan.repeat && !s.stop; i++) {
		if (i)
			counters_close(&s.counters);
		if ((status = run_once(&s)))
			return status;
	}
	say_missing(&s);
	say_heirless(&s);
	end_signals_release(&s.signals);
	if (!finish(&s))
		status = EXIT_FAILED;
	if (!s.plan.target.command)
		return status;
	while (!s.over && waitpid(s.launch.pid, &s.status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(s.status) ? 128 + WTERMSIG(s.status) : WEXITSTATUS(s.status) ? WEXITSTATUS(s.status) : status;
}

const struct command command_stat = { .name = "stat", .synopsis = "[OPTIONS] [--] COMMAND [ARG...]",
	.summary = "count events: of a command, processes, a cgroup or the system",
	.options = stat_options, .run = cmd_stat, .rights = true, .finds_help = true };
