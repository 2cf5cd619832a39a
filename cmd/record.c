/* prof record: samples a target, unwinds each sample as it comes, names the profile and writes it. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/proc.h"
#include "lib/clock.h"
#include "lib/msg.h"
#include "lib/progress.h"
#include "lib/text.h"
#include "lib/watchdog.h"
#include "lib/work.h"
#include "sample/tasks/launch.h"
#include "cmd/annotate/embed_source.h"
#include "cmd/capture/closing.h"
#include "cmd/capture/collect.h"
#include "cmd/capture/default_file.h"
#include "cmd/capture/describe.h"
#include "cmd/capture/jit_names.h"
#include "cmd/capture/naming.h"
#include "cmd/capture/plan_capture.h"
#include "cmd/capture/rights.h"
#include "record.h"
#include "cmd/options/end_signals.h"
#include "cmd/options/own_session.h"
#include "cmd/options/profile_input.h"
#include "cmd/options/refused.h"
#include "cmd/capture/waits.h"
#include "cmd/capture/whole_waits.h"
#include "cmd/options/terminal.h"
#include "out/formats.h"
#include "out/report/report_text.h"

/* The bounds on prof's memory: during the capture, and with what naming may take on top. */
enum { CAPTURE_MIB = 512, NAMING_MIB = 1024 };
/* Bytes of address space that prof leaves for writing, if there is little (RLIMIT_AS). */
enum { WRITING = 2 << 20 };
/* If an interpreter's frames do not come with the samples, or the whole stack with a wait: ns that prof sleeps at most, because later they are
 * others; and for how long after the last such sample. */
enum { LATE_PAUSE = 4000000, LATE_FOR = 100000000 };
/* ns of CPU that naming may take for each byte of a file, on the slowest machine. */
enum { NAMING_BYTE = 200 };

struct recording {
	struct plan plan;
	struct collector collector;
	const struct record_use *use;   /* takes the profile instead of writing it, or NULL */
	struct session *session;
	struct causes causes;
	struct refusal refusal;
	struct launch launch;
	struct end_signals signals;
	bool command_over;
	int command_status;          /* as wait gives it */
	bool stop;                   /* a signal, or -d, ends the capture */
	bool target_over;
	uint64_t start, deadline;    /* ns; deadline 0: none */
	char events[512];
	struct fresh_name default_file;
	struct rights rights;
	struct progress progress;
	struct children children;    /* that the capture leaves out */
	struct jvm_attach attach;
};

static bool
take_signals(struct recording *r)
{
	sigaddset(&r->signals.ends, SIGXCPU);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXCPU, SIG_IGN);   /* once the capture is over */
	return end_signals_take(&r->signals, &r->plan.target);
}

static void
reap(struct recording *r)
{
	pid_t pid;

	if (r->plan.target.command && !r->command_over) {
		causes_tick(&r->causes, session_processes(r->session), 0, true);
		do
			pid = waitpid(r->launch.pid, &r->command_status, WNOHANG);
		while (pid < 0 && errno == EINTR);
		r->command_over = pid == r->launch.pid;
	}
}

static void
read_signals(struct recording *r)
{
	struct signalfd_siginfo info;

	while (end_signals_next(&r->signals, &info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(r);
		else
			r->stop = true;
		if (info.ssi_signo == SIGXCPU)
			warn("prof has used the CPU time that it may use (ulimit -t): the capture ends here");
	}
}

/* The use of stacks decides how long their copies will be. */
static void
adapt_stack(struct recording *r)
{
	struct collector *c = &r->collector;
	struct stack_use use = c->use;
	const struct pressure *p = session_pressure(r->session);

	if (session_used(r->session, &c->use, &c->wait_use))
		verbose("the longest of %llu stack%s had %llu bytes, and %llu %s cut: prof now copies up to %u bytes of stack%s", (unsigned long long)use.walks,
		        plural(use.walks), (unsigned long long)use.used, (unsigned long long)use.cut, use.cut == 1 ? "was" : "were", p->wanted, p->want.chain ? " and takes the kernel's list of callers" : "");
}

static bool
over(const struct recording *r)
{
	return r->stop || r->command_over || (r->deadline && clock_now() >= r->deadline);
}

static void
drain(struct recording *r, bool final)
{
	if (r->plan.off_cpu)
		waits_throttled(&r->collector, causes_throttled(&r->causes));
	session_drain(r->session, final, collect_sample, &r->collector);
	if (!final)
		whole_waits_read(&r->collector, session_processes(r->session));
}

/* Shows the progress on a terminal. */
static void
say_progress(struct recording *r)
{
	const struct collector *c = &r->collector;
	uint64_t walks = collector_walked(c), tenths = (clock_now() - r->start) / 100000000, samples = c->profile.samples - c->waits;

	if (!progress_due(&r->progress))
		return;
	if (walks)
		progress_say(&r->progress, "%llu sample%s, %llu.%llu s, %u%% complete; Ctrl-C ends", (unsigned long long)samples, plural(samples),
		             (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10), (unsigned)(c->walks[WALK_ROOT] * 100 / walks));
	else
		progress_say(&r->progress, "no samples yet, %llu.%llu s; Ctrl-C ends", (unsigned long long)(tenths / 10),
		             (unsigned long long)(tenths % 10));
}

static void
capture(struct recording *r)
{
	bool alive = true, ahead = false;
	uint64_t late = 0, late_at = 0;

	session_ends(r->session, r->deadline, &r->signals.ends);
	while (alive && !over(r)) {
		uint64_t t = clock_now();
		int64_t left = r->deadline ? (int64_t)(r->deadline > t ? r->deadline - t : 0) : -1;

		if (ahead && (left < 0 || left > AHEAD_PAUSE))
			left = AHEAD_PAUSE;
		if (r->collector.language_late + r->collector.unread != late) {
			late = r->collector.language_late + r->collector.unread;
			late_at = t;
		}
		if (late && t - late_at < LATE_FOR && (left < 0 || left > LATE_PAUSE))
			left = LATE_PAUSE;
		if (r->progress.on && (left < 0 || left > (int64_t)PROGRESS_PAUSE))
			left = (int64_t)PROGRESS_PAUSE;
		alive = session_wait(r->session, r->signals.fd, left);
		if (session_called(r->session))
			read_signals(r);
		drain(r, false);
		adapt_stack(r);
		causes_tick(&r->causes, session_processes(r->session), t, false);
		t = clock_now();
		do
			ahead = naming_ahead(&r->collector, session_spare(r->session));
		while (ahead && clock_now() - t < AHEAD_PIECE);
		say_progress(r);
	}
	session_disable(r->session);
	progress_close(&r->progress);
	if (r->attach.pid)
		jit_names_end(&r->attach);
	r->target_over = !alive || r->command_over;
	r->collector.profile.end = session_until(r->session);
	drain(r, true);
	if (r->plan.off_cpu)
		session_end_waits(r->session, r->collector.profile.end);
	whole_waits_end(&r->collector);
	slowest_end(&r->collector.slowest, &r->collector.profile);
	in_use_end(&r->collector.in_use, &r->collector.profile);
	r->collector.profile.dropped += r->collector.in_use.left_out + r->collector.slowest.left_out;
}

/* Whether prof shows a summary on the terminal. */
static bool
summarizes(const struct recording *r)
{
	return !r->use && msg_level >= 0 && isatty(STDERR_FILENO);
}

static void
summarize(const struct recording *r)
{
	struct winsize w = { .ws_col = 80 };
	struct screen screen;
	struct sink s, shown;

	if (!summarizes(r) || !r->collector.profile.samples)
		return;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
	sink_open(&s, STDERR_FILENO);
	screen_open(&screen, &shown, &s, w.ws_col ? w.ws_col : 80, terminal_ascii());
	report_summary(&shown, &r->collector.profile, 20, w.ws_col ? w.ws_col : 80, terminal_colour());
	sink_close(&shown);
	sink_close(&s);
}

/* Whether the command that recorded takes the profile, instead of its being written. */
static bool
uses_profile(const struct recording *r)
{
	return r->use && r->use->use;
}

/* Writes the profile, and says what there is to say; false if prof could not write something. */
static bool
finish(struct recording *r)
{
	struct ladder ladder = *session_ladder(r->session);   /* it outlives the session */
	struct closing c = {
		.plan = &r->plan,
		.collector = &r->collector,
		.causes = &r->causes,
		.elapsed = r->collector.profile.end - r->start,
		.kernel_visible = session_kernel_visible(r->session),
		.events = r->events,
		.ladder = &ladder,
		.children = &r->children,
		.over = r->target_over,
	};
	struct place_words words;
	const char *why;
	bool written;

	session_counts(r->session, &c.counts);
	if (!r->command_over)
		causes_tick(&r->causes, session_processes(r->session), 0, true);
	causes_end(&r->causes);
	session_close(r->session);   /* before naming: rings and descriptors are not needed any more */
	mem_cap((size_t)NAMING_MIB << 20);
	work_patience(NAMING_BYTE);
	r->collector.names.mangled = r->plan.mangled;
	r->collector.names.brief = r->plan.brief;
	r->collector.raw = r->plan.raw;
	r->collector.names.outermost = r->plan.outermost;
	r->collector.profile.lines = r->plan.lines;
	naming_finish(&r->collector);
	watchdog_look(false);
	mem_reserve(0);
	closing_notes(&c, &r->collector.profile);
	if (r->plan.embed_source)
		embed_source(&r->collector.profile, &r->collector.modules);
	written = uses_profile(r) || outputs_all(r->plan.output, r->plan.noutput, &r->collector.profile);
	summarize(r);
	if (r->use && r->use->closed)
		r->use->closed(r->use->ctx, &c.counts);
	else
		closing_line(&c);
	if (r->plan.stats.path && (why = closing_stats(&c, &r->plan.stats, &words))) {
		error("%s: %s", r->plan.stats.path, why);
		written = false;
	}
	if (uses_profile(r))
		written &= r->use->use(r->use->ctx, &r->collector, &r->plan.output[0]);
	return written;
}

/* A command that outlives the capture: what becomes of it, and of the terminal's Ctrl-C. */
static void
say_still_runs(struct recording *r)
{
	if (!r->command_over && waitpid(r->launch.pid, &r->command_status, WNOHANG) == r->launch.pid)
		r->command_over = true;
	if (!r->command_over)
		warn("%s (process %d) still runs; prof waits for its end, and exits with its status; Ctrl-C ends %s", r->plan.target.command[0],
		     (int)r->launch.pid, r->plan.target.kind == TARGET_COMMAND ? "it" : "both");
}

/* Waits for the command's own end, if the capture ended before it. */
static int
command_exit(struct recording *r)
{
	while (!r->command_over) {
		if (waitpid(r->launch.pid, &r->command_status, 0) == r->launch.pid)
			r->command_over = true;
		else if (errno != EINTR)
			return EXIT_FAILED;
	}
	if (WIFSIGNALED(r->command_status))
		return 128 + WTERMSIG(r->command_status);
	return WEXITSTATUS(r->command_status);
}

static int
refused(const struct recording *r)
{
	refused_tell(&r->refusal, NULL);
	return EXIT_FAILED;
}

static bool
open_session(struct recording *r)
{
	struct capture c;

	if (!plan_add_events(&r->plan, &r->collector.wait_event, &r->collector.in_use.frees))
		return false;
	r->collector.wait_weight = r->plan.event[r->collector.wait_event].weight;
	r->collector.wall = r->plan.wall;
	if (r->collector.wait_event && !r->plan.stack_size && (r->plan.stacks == STACKS_AUTO || r->plan.stacks == STACKS_DWARF))
		whole_waits_begin(&r->collector);
	c = plan_capture(&r->plan, &r->launch.pid);
	if (r->collector.in_use.frees) {
		c.gone = collect_gone;
		r->collector.in_use.pid = c.pid;
		r->collector.in_use.npid = c.npid;
	}
	r->session = session_open(&c, &r->collector.modules, &r->refusal);
	if (!r->session) {
		refused(r);
		return false;
	}
	if (r->use && r->use->opened)
		r->use->opened(r->use->ctx, r->session);
	return true;
}

/* Lets the command execute and the clocks run.  Returns 0, or the exit status of an exec that failed. */
static int
start(struct recording *r)
{
	struct capture c = plan_capture(&r->plan, &r->launch.pid);
	int err;

	r->start = clock_now();
	r->collector.profile.start = r->start;
	r->collector.profile.epoch = clock_ns(CLOCK_REALTIME);
	if (r->plan.delay)
		r->collector.skip_until = r->start + r->plan.delay;
	if (r->plan.duration)
		r->deadline = r->start + r->plan.duration;
	if (!session_prepare(r->session, &r->refusal))
		return refused(r);
	why_empty_begin(&r->children, &r->plan);
	if (!r->plan.target.command)
		progress_open(&r->progress, PROGRESS_PAUSE);
	causes_begin(&r->causes, &c);
	if (r->plan.jit_names && !jit_names_begin(&r->attach, &r->plan.target, r->launch.pid))
		return EXIT_FAILED;
	if (!r->plan.no_sandbox && !rights_give_up(&r->rights, r->session, &r->plan))
		return EXIT_FAILED;
	session_enable(r->session);
	if (r->plan.target.command && !launch_go(&r->launch)) {
		err = errno;
		error("%s: %s", r->plan.target.command[0], strerror(err));
		return err == ENOENT ? 127 : 126;
	}
	return 0;
}

static enum walk_mode
mode_of(const struct plan *p)
{
	return p->stacks == STACKS_DWARF ? MODE_CFI : p->stacks == STACKS_FP ? MODE_FP : MODE_AUTO;
}

static int
record(struct recording *r)
{
	struct session_counts n;
	int status;
	bool written;

	mem_cap((size_t)CAPTURE_MIB << 20);
	mem_reserve(WRITING);
	if (!proc_there())
		warn("/proc is not mounted: prof cannot name the kernel or JIT code, nor unwind processes that run already (mount -t proc proc /proc)");
	if (!collector_init(&r->collector, mode_of(&r->plan), (uint32_t)r->plan.max_stack, r->plan.stacks == STACKS_NONE)) {
		error("out of memory");
		return EXIT_FAILED;
	}
	if (r->use && r->use->slowest)
		r->collector.slowest = *r->use->slowest;
	r->collector.by_container = r->plan.by_container;
	r->collector.by_name = !r->use && !r->plan.by_thread && !r->plan.by_process && !summarizes(r) && outputs_threadless(r->plan.output, r->plan.noutput);
	r->collector.profile.untimed = r->collector.by_name;
	r->collector.interpreter = r->plan.interpreter;
	r->collector.locked = r->plan.gil;
	search_dirs_use(&r->plan.dirs, &r->collector.modules);
	if (uses_profile(r))
		r->use->begin(r->use->ctx, &r->collector.modules);
	r->collector.modules.lineless = !r->plan.lines && outputs_lineless(r->plan.output, r->plan.noutput);
	if (!r->plan.target.command)
		own_session_begin();
	if ((r->plan.noutput && !r->plan.output[0].path && !default_file_check()) || !take_signals(r) || !open_session(r))
		return EXIT_FAILED;
	if (!rights_allow(&r->plan)) {   /* it became another user's before prof could watch it */
		session_close(r->session);
		return EXIT_FAILED;
	}
	if (r->plan.target.command && !launch_fork(&r->launch, r->plan.target.command)) {
		refused_process("");
		session_close(r->session);
		return EXIT_FAILED;
	}
	rights_begin(&r->plan);
	if (r->plan.noutput && !r->plan.output[0].path)
		default_file_choose(&r->plan.output[0], &r->default_file, &r->plan.target, r->launch.pid);
	session_counts(r->session, &n);
	if (n.whole_machine)
		warn("-G %s: this is the root cgroup, which holds all processes; prof records the whole machine", r->plan.target.cgroup);
	describe(&r->collector.profile, &r->plan, n.freq);
	describe_events(&r->plan, r->events, sizeof r->events);
	if ((status = start(r))) {
		if (r->plan.target.command)
			launch_drop(&r->launch);
		session_close(r->session);   /* it may have left its mark on the system */
		rights_end(&r->rights);
		return status;
	}
	capture(r);
	end_signals_release(&r->signals);
	written = finish(r);
	rights_end(&r->rights);
	if (r->plan.target.command) {
		say_still_runs(r);
		status = command_exit(r);
		return written || status ? status : EXIT_FAILED;
	}
	return written ? 0 : EXIT_FAILED;
}

int
record_for(int argc, char **argv, const struct record_use *use)
{
	static struct recording r;
	int status = plan_read(&r.plan, argc, argv);

	r.use = use;
	if (use && use->events)
		use->events(use->ctx, &r.plan);
	else if (use) {
		r.rights.serve = use->serve;
		r.rights.ctx = use->ctx;
		r.plan.output[0] = (struct output){ .path = use->path, .format = &format_table, .sources = true };
		r.plan.noutput = 1;
	}
	if (status == 0 && !rights_allow(&r.plan))
		status = EXIT_FAILED;
	return status ? status : record(&r);
}

static int
cmd_record(int argc, char **argv)
{
	return record_for(argc, argv, NULL);
}

const struct command command_record = { .name = "record", .synopsis = "[OPTIONS] [--] COMMAND [ARG...]",
	.summary = "profile a command, processes or the system (the word record may be left out)",
	.options = plan_options, .run = cmd_record, .rights = true, .finds_help = true };
