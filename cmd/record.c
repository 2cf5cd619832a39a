/* prof record: a target is sampled, each sample unwound as it comes, the profile named and written. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/msg.h"
#include "sample/tasks/target.h"
#include "cmd/capture/closing.h"
#include "cmd/capture/collector.h"
#include "cmd/capture/rights.h"
#include "cmd/capture/engine_words.h"
#include "cmd/capture/plan.h"
#include "record.h"
#include "cmd/options/profile_input.h"
#include "cmd/capture/waits.h"

/* The bounds on prof's memory: while it captures, and with what naming may take on top. */
enum { CAPTURE_MIB = 512, NAMING_MIB = 1024 };

/* Bytes of stack copied with each sample: at first and at most (the kernel's own limit), and in steps of.  Stacks that are
 * looked at before copies become shorter, the first time and at most; stacks that may be cut before they become longer. */
enum { STACK_LARGEST = 65528, STACK_STEP = 16 << 10, PATIENCE_FIRST = 1000, PATIENCE_MOST = 1 << 16, CUTS_MOST = 2 };

/* Pieces of what is done ahead, and what lies between them, ns: a tenth of a CPU is enough for it. */
enum { AHEAD_PIECE = 1000000, AHEAD_PAUSE = 10000000 };

struct recording {
	struct plan plan;
	struct collector collector;
	bool (*use)(void *ctx, struct collector *);   /* instead of writing it, or NULL */
	void *ctx;
	struct session *session;
	struct causes causes;
	struct refusal refusal;
	struct launch launch;
	int signals;                 /* signalfd, or -1 */
	sigset_t mask;               /* as prof was started with */
	bool command_over;
	int command_status;          /* as wait gives it */
	bool stop;                   /* by a signal, or at -d */
	uint64_t start, deadline;    /* ns; deadline 0: none */
	uint32_t stack_size, wait_stack_size;
	uint64_t patience;           /* stacks that are looked at before copies become shorter */
	bool user_chain;
	char events[512], default_file[64], stem[32], suffix[16];
};

/* The terminal's signals are the command's where there is one; without, they end the capture. */
static bool
take_signals(struct recording *r)
{
	sigset_t take;
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(&take);
	sigaddset(&take, SIGCHLD);
	sigaddset(&take, SIGTERM);
	sigaddset(&take, SIGHUP);
	if (r->plan.target == TARGET_COMMAND) {
		sigaction(SIGINT, &ignore, NULL);
		sigaction(SIGQUIT, &ignore, NULL);
	} else {
		sigaddset(&take, SIGINT);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &take, &r->mask);
	return (r->signals = signalfd(-1, &take, SFD_CLOEXEC | SFD_NONBLOCK)) >= 0;
}

/* From here on the next signal ends prof as it would any program. */
static void
release_signals(struct recording *r)
{
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
}

static void
reap(struct recording *r)
{
	pid_t pid;

	if (r->plan.command && !r->command_over) {
		causes_tick(&r->causes, r->session, 0, true);
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

	while (read(r->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			reap(r);
		else
			r->stop = true;
	}
}

static struct capture
capture_of(const struct recording *r)
{
	const struct plan *p = &r->plan;
	bool command = p->target == TARGET_COMMAND, stacks = p->stacks != STACKS_NONE;

	return (struct capture){
		.target = p->target,
		.pid = command ? &r->launch.pid : p->pid,
		.npid = command ? 1 : p->npid,
		.cgroup = p->cgroup,
		.cpu = p->cpu,
		.ncpu = p->ncpu,
		.event = (struct event *)(uintptr_t)p->event,
		.nevent = p->nevent,
		.freq = p->count ? 0 : p->freq,
		.count = p->count,
		.freq_max = p->freq_max,
		.inherit = !p->no_inherit && p->target != TARGET_THREADS,
		.idle = p->idle,
		.delay = p->delay,
		.user_stack = p->stacks == STACKS_AUTO || p->stacks == STACKS_DWARF,
		.user_chain = p->stacks == STACKS_FP,
		.kernel_chain = stacks,
		.stack_size = r->stack_size,
		.stack_fixed = p->stack_size != 0,
		.wall = p->wall,
		.wait_stack_size = r->wait_stack_size,
		.waited = p->off_cpu ? collect_wait : NULL,
		.regs_mask = arch_host->sample,
		.engine = p->engine,
	};
}

/* A copy of stacks that reach as far as USED, and as much again. */
static uint32_t
fitting(uint64_t used)
{
	uint64_t size = (used * 2 + STACK_STEP - 1) / STACK_STEP * STACK_STEP;

	return size < STACK_STEP ? STACK_STEP : size < STACK_LARGEST ? (uint32_t)size : STACK_LARGEST;
}

/* Copies as long as can be at first and where some cut too much off, shorter ones once it is known how far stacks reach; the
 * kernel's own chain where the longest are too short and it can go on. */
static void
adapt_stack(struct recording *r)
{
	struct need *need = &r->collector.need;
	bool cut = need->cut >= CUTS_MOST && need->cut * 200 >= need->walks, chain = r->user_chain;
	uint32_t size = cut ? STACK_LARGEST : r->stack_size, wait_size;

	if (r->plan.stack_size)
		return;
	wait_size = waits_stack(&r->collector.wait_need, r->wait_stack_size);
	if (wait_size != r->wait_stack_size)
		session_wait_stack(r->session, r->wait_stack_size = wait_size);
	if (!cut && need->walks < r->patience)
		return;
	if (cut && size == r->stack_size && r->plan.stacks == STACKS_AUTO && need->cut_in_fp * 2 > need->cut)
		chain = true;
	if (!cut && fitting(need->used) <= size / 2)
		size = fitting(need->used);
	if (size != r->stack_size || chain != r->user_chain) {
		verbose("%llu of %llu stacks cut, the longest %llu bytes: now at most %u bytes of stack a sample%s", (unsigned long long)need->cut,
		        (unsigned long long)need->walks, (unsigned long long)need->used, size, chain ? ", and the kernel's chain" : "");
		session_stack(r->session, size, chain);
		r->stack_size = size;
		r->user_chain = chain;
		r->patience *= r->patience < PATIENCE_MOST ? 4 : 1;
	} else if (cut) {   /* rings may have room for more by now */
		session_stack(r->session, size, chain);
	}
	*need = (struct need){ 0 };
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
}

static void
capture(struct recording *r)
{
	bool alive = true, ahead = false;

	while (alive && !over(r)) {
		uint64_t t = clock_now();
		int64_t left = r->deadline ? (int64_t)(r->deadline > t ? r->deadline - t : 0) : -1;

		if (ahead && (left < 0 || left > AHEAD_PAUSE))
			left = AHEAD_PAUSE;
		alive = session_wait(r->session, r->signals, left);
		read_signals(r);
		drain(r, false);
		adapt_stack(r);
		causes_tick(&r->causes, r->session, t, false);
		t = clock_now();
		do
			ahead = collect_ahead(&r->collector, session_patience(r->session));
		while (ahead && clock_now() - t < AHEAD_PIECE);
	}
	session_disable(r->session);
	r->collector.profile.end = clock_now();
	drain(r, true);
	if (r->plan.off_cpu)
		session_end_waits(r->session, r->collector.profile.end);
}

static void
name_events(struct recording *r)
{
	size_t n = 0;

	for (unsigned i = 0; i < r->plan.nevent && n < sizeof r->events - 64; i++) {
		const struct event *e = &r->plan.event[i];
		size_t len = strnlen(e->name, sizeof r->events - n - 4);

		if (i) {
			memcpy(r->events + n, ", ", 2);
			n += 2;
		}
		memcpy(r->events + n, e->name, len);
		n += len;
	}
}

/* What is profiled, in words: the command line, or whom prof attached to. */
static const char *
target_words(struct recording *r)
{
	struct arena *arena = &r->collector.profile.arena;
	const struct plan *p = &r->plan;
	const char *words = NULL;
	char comm[64];
	struct sink s;

	sink_open(&s, -1);
	if (p->target == TARGET_COMMAND)
		for (char **word = p->command; *word; word++)
			sink_fmt(&s, "%s%s", word == p->command ? "" : " ", *word);
	else if (p->cgroup)
		sink_fmt(&s, "cgroup %s", p->cgroup);
	else if (p->target == TARGET_SYSTEM)
		sink_str(&s, "the whole system");
	else
		sink_fmt(&s, "%s, %s %d%s", target_comm(p->pid[0], comm, sizeof comm),
		         p->target == TARGET_THREADS ? "thread" : "process", p->pid[0], p->npid > 1 ? ", …" : "");
	if (!s.err)
		words = arena_str(arena, s.buf, s.len);
	sink_close(&s);
	return words ? words : "";
}

static void
describe(struct recording *r)
{
	struct profile *p = &r->collector.profile;
	struct session_counts n;

	session_counts(r->session, &n);
	name_events(r);
	p->exporter = "prof@" PROF_VERSION;
	p->command = target_words(r);
	p->nevent = r->plan.nevent - r->plan.wakers;   /* wakings have no samples of their own */
	p->picture = r->plan.picture;
	p->by_thread = r->plan.by_thread;
	p->by_process = r->plan.by_process;
	for (unsigned i = 0; i < p->nevent; i++) {
		const struct event *e = &r->plan.event[i];
		uint64_t period = 0;

		if (r->plan.count)
			period = e->is_time ? r->plan.count : 0;
		else if ((e->is_time || e->is_cycles) && n.freq)
			period = 1000000000 / n.freq;
		p->event[i] = (struct event_info){ .name = e->name, .period_ns = e->waits || (r->plan.wall && !i) ? 1000 : period, .waiting = e->waits };
	}
	if (r->plan.off_cpu)
		p->unit = UNIT_MICROSECONDS;
}

static void
choose_default_file(struct recording *r)
{
	struct output *out = &r->plan.output[0];
	size_t n = strcspn(out->format->suffixes, " ");
	struct sink s;

	if (out->path || r->use)
		return;
	sink_open(&s, -1);
	if (r->plan.target == TARGET_SYSTEM)
		sink_str(&s, "prof-system");
	else
		sink_fmt(&s, "prof-%d", r->plan.target == TARGET_COMMAND ? r->launch.pid : r->plan.pid[0]);
	memcpy(r->stem, s.buf, s.len);
	r->stem[s.len] = 0;
	sink_close(&s);
	memcpy(r->suffix, out->format->suffixes, n);
	r->suffix[n] = 0;
	output_fresh(r->default_file, sizeof r->default_file, r->stem, r->suffix);
	out->path = r->default_file;
}

static void
summarize(const struct recording *r)
{
	struct winsize w = { .ws_col = 80 };
	struct sink s;

	if (msg_level < 0 || !isatty(STDERR_FILENO) || !r->collector.profile.samples)
		return;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
	sink_open(&s, STDERR_FILENO);
	table_summary(&s, &r->collector.profile, 20, w.ws_col ? w.ws_col : 80, input_colour());
	sink_close(&s);
}

/* The profile, written, and what is to be said of it; false where something could not be written. */
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
	};
	const char *why;
	bool written;

	session_counts(r->session, &c.counts);
	if (!r->command_over)
		causes_tick(&r->causes, r->session, 0, true);
	causes_end(&r->causes);
	session_close(r->session);   /* before naming: rings and descriptors are not needed any more */
	mem_cap((size_t)NAMING_MIB << 20);
	r->collector.names.mangled = r->plan.mangled;
	r->collector.names.brief = r->plan.brief;
	r->collector.raw = r->plan.raw;
	r->collector.names.outermost = r->plan.outermost;
	r->collector.profile.lines = r->plan.lines;
	collect_names(&r->collector);
	closing_notes(&c, &r->collector.profile);
	written = r->use || output_all(r->plan.output, r->plan.noutput, &r->collector.profile);
	if (!r->use)
		summarize(r);
	closing_line(&c);
	if (r->plan.stats && (why = closing_stats(&c, r->plan.stats))) {
		error("%s: %s", r->plan.stats, why);
		written = false;
	}
	if (r->use)
		written &= r->use(r->ctx, &r->collector);
	return written;
}

/* The command's own end, waited for where the capture ended before it. */
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
	error("%s", r->refusal.what);
	if (r->refusal.mend[0])
		error("%s", r->refusal.mend);
	if (r->refusal.last[0])
		error("%s", r->refusal.last);
	return EXIT_FAILED;
}

static bool
open_session(struct recording *r)
{
	struct capture c;
	const char *why;

	if (!r->plan.nevent)
		r->plan.event[r->plan.nevent++] = event_default();
	if (r->plan.off_cpu) {
		if (r->plan.nevent > EVENTS_MAX - 2)
			r->plan.nevent = EVENTS_MAX - 2;
		r->collector.wall = r->plan.wall;
		r->collector.wait_event = r->plan.nevent;
		r->plan.event[r->plan.nevent++] = wait_event();
		if (r->plan.wakers && (why = wait_wakers(&r->plan.event[r->plan.nevent]))) {
			error("--wakers: %s", why);
			return false;
		}
		r->plan.nevent += r->plan.wakers;
	}
	r->wait_stack_size = r->plan.stack_size ? (uint32_t)r->plan.stack_size : WAIT_STACK_FIRST;
	/* An ordinary user's short children begin with up to ten thousand samples a second: large copies have no room in the rings. */
	r->stack_size = r->plan.stack_size ? (uint32_t)r->plan.stack_size
	              : geteuid() && r->plan.target == TARGET_COMMAND ? STACK_STEP : STACK_LARGEST;
	r->patience = PATIENCE_FIRST;
	c = capture_of(r);
	ladder_registers(&c);
	r->session = session_open(&c, &r->collector.modules, &r->refusal);
	if (!r->session) {
		refused(r);
		return false;
	}
	r->user_chain = c.user_chain;
	if (session_ladder(r->session)->ptrace && !r->plan.stack_size)   /* it waits for that */
		session_stack(r->session, r->stack_size = STACK_STEP, r->user_chain);
	return true;
}

/* Lets the command execute and the clocks run. 0, or the exit status of an exec that failed. */
static int
start(struct recording *r)
{
	struct capture c = capture_of(r);
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
	causes_begin(&r->causes, &c);
	if (!r->plan.no_sandbox && !r->use)   /* what comes then may run other programs */
		guard(r->session, &r->plan);
	session_enable(r->session);
	if (r->plan.command && (err = launch_go(&r->launch))) {
		error("%s: %s", r->plan.command[0], strerror(err));
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
	int status;
	bool written;

	mem_cap((size_t)CAPTURE_MIB << 20);
	if (!proc_there())
		warn("/proc is not mounted: no names of the kernel or of JIT code, no stacks of older processes");
	if (!collector_init(&r->collector, mode_of(&r->plan), (uint32_t)r->plan.max_stack, r->plan.stacks == STACKS_NONE)) {
		error("no memory to start with");
		return EXIT_FAILED;
	}
	r->collector.by_container = r->plan.by_container;
	places_use(&r->plan.places, &r->collector.modules);
	r->collector.modules.lineless = !r->plan.lines && output_lineless(r->plan.output, r->plan.noutput);
	if (!guard_room(&r->plan) || !take_signals(r) || !open_session(r))
		return EXIT_FAILED;
	if (!guard_allows(&r->plan)) {   /* it has become another's before it could be watched */
		session_close(r->session);
		return EXIT_FAILED;
	}
	if (r->plan.command && !launch_fork(&r->launch, r->plan.command)) {
		error("cannot fork: %s", strerror(errno));
		session_close(r->session);
		return EXIT_FAILED;
	}
	guard_begin(&r->plan);
	choose_default_file(r);
	describe(r);
	if ((status = start(r))) {
		if (r->plan.command)
			launch_drop(&r->launch);
		session_close(r->session);   /* it may have left its mark on the system */
		guard_over();
		return status;
	}
	capture(r);
	release_signals(r);
	written = finish(r);
	guard_over();
	if (r->plan.command) {
		status = command_exit(r);
		return written || status ? status : EXIT_FAILED;
	}
	return written ? 0 : EXIT_FAILED;
}

int
record_for(int argc, char **argv, bool (*use)(void *, struct collector *), void *ctx)
{
	static struct recording r;
	int status = plan_read(&r.plan, argc, argv);

	r.use = use;
	r.ctx = ctx;
	if (use)
		r.plan.noutput = 0;
	if (status == 0)
		status = record(&r);
	else if (status < 0)
		status = 0;
	return status;
}

int
cmd_record(int argc, char **argv)
{
	return record_for(argc, argv, NULL, NULL);
}
