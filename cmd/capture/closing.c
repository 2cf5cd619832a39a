/* See closing.h.  Three lines: the result, what was lost or in the way (only if something was), and what it cost and where it
 * lies.  The first one's form is a contract: words may be added behind its semicolons. */
#include "closing.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/answer.h"
#include "lib/msg.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "out/profile/profile_names.h"
#include "sample/events/opener.h"
#include "sample/rights/keeper.h"
#include "sample/rights/permit.h"
#include "engine_words.h"
#include "runtime_words.h"
#include "waits_words.h"

/* Samples that did not come, because threads ran too little: prof tells them if they are that many, and one for so many that
 * came. */
enum { UNSAMPLED_LEAST = 50, UNSAMPLED_PART = 3 };
/* One lost sample to so many is worth a word. */
enum { DOUBTFUL_PART = 20 };   /* prof tells it if there is more than one in so many stacks */
enum { CROWD_LOSS = 20 };
/* prof tells why stacks are cut if so many are, and one in so many. */
enum { CUT_LEAST = 20, CUT_PART = 10 };

/* PART of WHOLE in tenths of a percent, never rounded up to all of it. */
static unsigned
permille(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(part * 1000 / whole) : 0;
}

static void
percent_words(struct sink *s, uint64_t part, uint64_t whole)
{
	unsigned p = permille(part, whole);

	if (part == whole)
		sink_str(s, "100%");
	else
		sink_fmt(s, "%u.%u%%", p / 10, p % 10);
}

static uint64_t
cpu_ns(const struct rusage *r, const struct closing *c)
{
	return c->counts.stopper.used_ns + keeper_cpu() + (uint64_t)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r->ru_utime.tv_usec + r->ru_stime.tv_usec) * 1000;
}

static void
event_words(struct sink *s, const struct closing *c)
{
	bool own = true;

	sink_str(s, c->events);
	for (unsigned i = 0; i < c->plan->nevent; i++)
		own &= c->plan->event[i].period || c->plan->event[i].freq;
	if (c->plan->count && !own)
		sink_fmt(s, " every %llu", (unsigned long long)c->plan->count);
	else if (!own)
		sink_fmt(s, " at %llu Hz", (unsigned long long)c->counts.freq);
}

static void
stack_words(struct sink *s, const struct collector *c)
{
	uint64_t all = collector_walked(c);

	if (all)
		percent_words(s, c->walks[WALK_ROOT], all);
	else
		sink_str(s, "n/a");
	sink_str(s, " complete stacks");
}

/* Adds the share of the target's CPU time that was in the kernel and not visible. */
static void
unseen_words(struct sink *s, const struct closing *c)
{
	uint64_t unseen = c->counts.unseen_samples, all = c->counts.samples + unseen;

	if (c->kernel_visible || !unseen || unseen * 100 < all)
		return;
	sink_fmt(s, "; %u%% of CPU time was in the kernel, not visible", (unsigned)(unseen * 100 / all));
	if (permit_paranoid() != INT_MAX)
		sink_fmt(s, " at perf_event_paranoid %d", permit_paranoid());
}

static void
cost_words(struct sink *s, const struct closing *c)
{
	struct rusage r;
	uint64_t cpu;

	getrusage(RUSAGE_SELF, &r);
	cpu = (cpu_ns(&r, c) + 5000000) / 10000000;
	sink_fmt(s, "%llu.%02llu s CPU, %ld MiB", (unsigned long long)(cpu / 100), (unsigned long long)(cpu % 100),
	         (r.ru_maxrss + 1023) / 1024);
}

/* Makes one note of what S holds, and empties S. */
static void
note(struct profile *p, const char *key, struct sink *s)
{
	sink_char(s, 0);
	if (!s->err && s->len > 1)
		profile_note(p, key, s->buf);
	s->len = 0;
}

static void
note_text(struct profile *p, const char *key, const char *value)
{
	if (*value)
		profile_note(p, key, value);
}

static void
note_number(struct profile *p, const char *key, struct sink *s, uint64_t v)
{
	sink_u64(s, v);
	note(p, key, s);
}

static void
note_machine(struct profile *p, struct sink *s)
{
	time_t start = (time_t)(p->epoch / 1000000000);
	struct utsname u;
	struct tm tm;

	if (uname(&u) == 0) {
		note_text(p, "host", u.nodename);
		sink_fmt(s, "%s %s", u.sysname, u.release);
		note(p, "kernel", s);
		note_text(p, "machine", u.machine);
	}
	if (start && gmtime_r(&start, &tm)) {
		sink_fmt(s, "%d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		         tm.tm_sec);
		note(p, "start", s);
	}
}

static void
note_stacks(const struct closing *c, struct profile *p, struct sink *s)
{
	const struct collector *k = c->collector;
	char key[128];

	if (!collector_walked(k))
		return;
	percent_words(s, k->walks[WALK_ROOT], collector_walked(k));
	note(p, "complete stacks", s);
	for (unsigned i = 0; i < WALK_ENDS; i++)
		if (i != WALK_ROOT && k->walks[i]) {
			snprintf(key, sizeof key, "cut stacks: %s", walk_end_words[i]);
			note_number(p, key, s, k->walks[i]);
		}
}

void
closing_notes(const struct closing *c, struct profile *p)
{
	struct sink s;

	sink_open(&s, -1);
	note_text(p, "command", p->command);
	note_machine(p, &s);
	event_words(&s, c);
	engine_words(&s, c->ladder, &c->counts);
	note(p, "event", &s);
	if (c->plan->off_cpu) {
		waits_words(&s, &c->counts.waits);
		waits_left_out_words(&s, &c->counts.waits);
		memmove(s.buf, s.buf + 2, s.len -= 2);
		note(p, "waits", &s);
	}
	sink_decimal(&s, (c->elapsed + 500000) / 1000000, 3);
	note(p, "seconds", &s);
	note_number(p, "samples", &s, p->samples);
	note_number(p, "lost", &s, c->counts.lost);
	note_number(p, "threads", &s, c->counts.threads);
	note_stacks(c, p, &s);
	if (!c->kernel_visible)
		note_text(p, "kernel side", "not visible");
	causes_notes(c->causes, c->elapsed, p);
	cost_words(&s, c);
	note(p, "prof used", &s);
	note_text(p, "version", "prof " PROF_VERSION);
	sink_close(&s);
}

/* Files that would have taken more to read than they are worth. */
static unsigned
given_up(const struct collector *k, bool tell)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < k->modules.n; i++) {
		const struct module *m = k->modules.module[i];

		if (!m->work.over)
			continue;
		n++;
		if (tell)
			verbose("%s: this file %s; prof skipped the rest of it", m->path, m->work.over);
	}
	return n;
}

/* With -v: how stacks were unwound, and each reason for which something is missing. */
static void
details(const struct closing *c)
{
	const struct collector *k = c->collector;

	for (unsigned i = 0; i < WALK_ENDS; i++)
		if (i != WALK_ROOT && k->walks[i])
			verbose("%llu stack%s cut short: %s", (unsigned long long)k->walks[i], plural(k->walks[i]), walk_end_words[i]);
	verbose("%llu frame%s: %llu by unwind tables, %llu by frame pointers, %llu by the kernel's chain, %llu by their instructions, %llu by libunwind",
	        (unsigned long long)k->frames, plural(k->frames), (unsigned long long)k->by_cfi, (unsigned long long)k->by_fp,
	        (unsigned long long)k->by_chain, (unsigned long long)k->by_code, (unsigned long long)k->by_libunwind);
	if (k->code_left)
		verbose("%llu time%s prof did not read code that a process made: it reads at most 250 pieces a second, "
		        "and spends little time on code that leads to no caller", (unsigned long long)k->code_left, plural(k->code_left));
	if (k->elided)
		verbose("%llu stack%s deeper than --max-stack: prof left out the middle frames", (unsigned long long)k->elided,
		        k->elided == 1 ? " is" : "s are");
	if (k->gaps)
		verbose("%llu stack%s through JIT code that keeps its frames elsewhere: [jit] stands for those that prof does not know",
		        (unsigned long long)k->gaps, k->gaps == 1 ? " goes" : "s go");
	if (k->other_machine)
		verbose("%llu sample%s from 32-bit programs: this prof does not unwind their stacks", (unsigned long long)k->other_machine,
		        k->other_machine == 1 ? " comes" : "s come");
	engine_details(c->ladder);
	verbose("events on %s%s%s%s", c->counts.reach, c->counts.no_cgroup ? " (no cgroup for it: " : "",
	        c->counts.no_cgroup ? c->counts.no_cgroup : "", c->counts.no_cgroup ? ")" : "");
	verbose("%u buffer%s of %u KiB; %u bytes of stack per sample%s; prof read maps again %u time%s; the kernel throttled sampling %u time%s",
	        (unsigned)c->counts.rings, plural(c->counts.rings), (unsigned)(c->counts.ring_bytes >> 10), (unsigned)c->counts.stack_size,
	        c->plan->stack_size ? ", no deeper than you asked for" : "",
	        (unsigned)c->counts.maps_reread, plural(c->counts.maps_reread), (unsigned)c->counts.throttled, plural(c->counts.throttled));
	for (uint32_t i = 0; i < k->modules.n; i++)
		if (k->modules.module[i]->bad && k->modules.module[i]->met && k->modules.module[i]->kind >= MODULE_FILE &&
		    k->modules.module[i]->kind != MODULE_JIT)
			verbose("%s: %s; its frames have no names", k->modules.module[i]->path, k->modules.module[i]->bad);
	given_up(k, true);
}

/* What copies an interpreter's frames at the moment: the BPF program, which is root's, or the stopper. */
static void
language_words(struct sink *s, const struct closing *c)
{
	const struct collector *k = c->collector;

	if (k->language_doubtful * DOUBTFUL_PART <= k->language_stacks)
		return;
	sink_fmt(s, "; in %u%% of %s's stacks some functions had changed before prof read them; prof shows %s instead (",
	         (unsigned)(k->language_doubtful * 100 / k->language_stacks), k->doubted->title, k->doubted->doubt);
	if (!c->ladder->ptrace && k->language_late * 2 > k->language_stacks)
		sink_fmt(s, "use %s--engine=ptrace; ", geteuid() ? "sudo, or " : "");
	sink_str(s, "see docs/languages.md)");
}

/* Stacks without their roots, if these are many, and the most frequent reason. */
static void
cut_words(struct sink *s, const struct collector *k)
{
	uint64_t all = collector_walked(k), cut = all - k->walks[WALK_ROOT];
	unsigned most = WALK_ROOT;

	if (cut < CUT_LEAST || cut * CUT_PART < all)
		return;
	for (unsigned i = 0; i < WALK_ENDS; i++)
		if (i != WALK_ROOT && (most == WALK_ROOT || k->walks[i] > k->walks[most]))
			most = i;
	sink_fmt(s, "; %u%% of stacks are cut, mostly for this reason: %s (-v counts the reasons)", (unsigned)(cut * 100 / all), walk_end_words[most]);
}

/* prof is no load, whatever it looks at: see pressure.h. */
static void
budget_words(struct sink *s, const struct closing *c)
{
	const struct session_counts *n = &c->counts;
	uint64_t budget = pressure_budget(c->elapsed, n->samples) * 1000 / (c->elapsed + !c->elapsed);

	if (n->left_out)
		sink_fmt(s, "; its own work would have taken more than %llu.%llu%% of a CPU, so prof left out %llu%% of the samples and counts the others for them",
		         (unsigned long long)(budget / 10), (unsigned long long)(budget % 10), (unsigned long long)(n->left_out * 100 / (n->samples + !n->samples)));
}

static void
result_line(struct sink *s, const struct closing *c)
{
	const struct session_counts *n = &c->counts;
	uint64_t tenths = (c->elapsed + 50000000) / 100000000, all = n->samples + n->idle, samples = c->collector->profile.samples - c->collector->waits;
	/* The timer of an idle CPU need not interrupt it, so the number of samples that the CPUs' time implies counts, too. */
	uint64_t whole = c->plan->count ? 0 : n->enabled_ns / 1000000 * n->freq / 1000;

	all = whole > all ? whole : all;
	sink_fmt(s, "%llu sample%s (%llu lost) in %llu.%llu s, %llu thread%s; ", (unsigned long long)samples, plural(samples), (unsigned long long)n->lost,
	         (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10), (unsigned long long)n->threads,
	         plural(n->threads));
	stack_words(s, c->collector);
	sink_str(s, "; ");
	event_words(s, c);
	engine_words(s, c->ladder, &c->counts);
	if (c->plan->off_cpu)
		waits_words(s, &n->waits);
	if (c->plan->target.kind == TARGET_SYSTEM && !c->plan->target.cgroup && !c->plan->idle && all)
		sink_fmt(s, "; busy %u%%", (unsigned)(n->samples * 100 / all));
}

/* Adds what was lost or in the way: sentences, each behind "; ". */
static void
obstacles_line(struct sink *s, const struct closing *c)
{
	const struct session_counts *n = &c->counts;
	unsigned files = given_up(c->collector, false);

	cut_words(s, c->collector);
	unseen_words(s, c);
	if (n->strangers)
		sink_str(s, "; processes outside of prof's pid namespace have no names (run the container with --pid=host)");
	if (n->too_short * 100 > n->samples)
		sink_fmt(s, "; %u%% of CPU time was in processes too short to be sampled",
		         (unsigned)(n->too_short * 100 / (n->samples + n->too_short)));
	if (n->unsampled >= UNSAMPLED_LEAST && n->unsampled * UNSAMPLED_PART > n->samples)
		sink_fmt(s, "; %u%% of CPU time was in threads that ran too little to be sampled (use -F max to sample more often)",
		         (unsigned)(n->unsampled * 100 / (n->samples + n->unsampled)));
	if (c->kernel_visible && c->collector->kernel_hidden && proc_there())
		sink_str(s, "; the kernel hides the names of its functions (kernel.kptr_restrict)");
	if (c->collector->in_use.unknown)
		sink_fmt(s, "; the program freed %llu block%s of which prof did not see the allocation: it was before the capture, or was lost",
		         (unsigned long long)c->collector->in_use.unknown, plural(c->collector->in_use.unknown));
	budget_words(s, c);
	language_words(s, c);
	if (c->plan->gil)
		sink_fmt(s, "; prof left out %llu sample%s of threads that do not hold Python's interpreter lock (--gil)",
		         (unsigned long long)c->collector->unlocked, plural(c->collector->unlocked));
	runtime_words(s, &c->collector->profile, c->plan->jit_names);
	if (n->stopper.died)
		sink_str(s, "; the process that stops threads was killed, and there are no samples after that");
	if (keeper_lost())
		sink_str(s, !keeper_gone() ? "; the process that keeps prof's rights was killed, and a spare one took its place"
		                               : "; the processes that keep prof's rights were killed: code in files that prof needed after that has no names");
	if (answer_missed())
		sink_fmt(s, "; %u time%s a file system did not answer, so code in its files has no names (-v says which)", answer_missed(),
		         plural(answer_missed()));
	if (keeper_full())
		sink_fmt(s, "; %u time%s a file could not be opened, because the limit of %llu file descriptors is too low (ulimit -n)",
		         keeper_full(), plural(keeper_full()), (unsigned long long)opener_files());
	if (n->crowd && n->lost * CROWD_LOSS > n->samples)
		sink_fmt(s, "; the limit of %llu file descriptors is too low for events on %llu threads (ulimit -n), so prof sampled all processes on the CPUs, and lost samples",
		         (unsigned long long)opener_files(), (unsigned long long)n->crowd);
	if (files)
		sink_fmt(s, "; %u file%s too much work to read, so prof skipped the rest (-v says which)", files, files == 1 ? " was" : "s were");
	if (c->plan->off_cpu)
		waits_left_out_words(s, &n->waits);
	causes_words(s, c->causes, c->elapsed, c->collector->run_queue);
}

static void
cost_line(struct sink *s, const struct closing *c)
{
	sink_str(s, "prof used ");
	cost_words(s, c);
	outputs_words(s, "; wrote ", c->plan->output, c->plan->noutput);
}

/* Says what S holds from SKIP on, if that is anything, and empties it. */
static void
say(struct sink *s, size_t skip)
{
	sink_char(s, 0);
	if (!s->err && s->len > skip + 1)
		warn("%s", s->buf + skip);
	s->len = 0;
}

/* Whether the events might all have been in the kernel, which prof was asked to see, and may not. */
static bool
hides_kernel(const struct closing *c)
{
	const struct plan *p = c->plan;
	unsigned i = 0;

	while (i < p->nevent && !p->event[i].is_time && !p->event[i].sides_given)
		i++;
	return !c->kernel_visible && i == p->nevent;
}

void
closing_line(const struct closing *c)
{
	struct sink s;

	if (c->collector->profile.dropped)
		warn("prof left out %llu sample%s: its memory is full", (unsigned long long)c->collector->profile.dropped,
		     plural(c->collector->profile.dropped));
	details(c);
	sink_open(&s, -1);
	result_line(&s, c);
	say(&s, 0);
	obstacles_line(&s, c);
	say(&s, 2);
	cost_line(&s, c);
	say(&s, 0);
	if (c->counts.tracer)
		warn("%s can trace no program that it starts, because the ptrace engine traces it already; profile that program without %s, or use "
		     "--engine=perf (prof doctor says what this needs)", c->counts.tracer, c->counts.tracer);
	if (!c->collector->profile.samples && hides_kernel(c))
		warn("the profile is empty: the target had no %s on its user side, and prof may not see the kernel's side "
		     "(sudo sysctl kernel.perf_event_paranoid=1)", c->events);
	else if (!c->collector->profile.samples)
		why_empty_tell(c->children, c->plan, &c->counts, c->events, c->over);
	sink_close(&s);
}

static void
field(struct sink *s, const char *name, uint64_t v)
{
	sink_fmt(s, "  \"%s\": %llu,\n", name, (unsigned long long)v);
}

/* Counters, and where they lie in their struct. */
struct counter {
	const char *name;
	size_t off;
};

#define WALKS(end) offsetof(struct collector, walks[end])
static const struct counter session_counters[] = {
	{ "lost", offsetof(struct session_counts, lost) },
	{ "threads", offsetof(struct session_counts, threads) },
	{ "processes", offsetof(struct session_counts, processes) },
	{ "samples_idle", offsetof(struct session_counts, idle) },
	{ "samples_too_short", offsetof(struct session_counts, too_short) },
	{ "samples_of_strangers", offsetof(struct session_counts, strangers) },
	{ "samples_of_others", offsetof(struct session_counts, others) },
	{ "samples_left_out", offsetof(struct session_counts, left_out) },
	{ "samples_too_rare", offsetof(struct session_counts, unsampled) },
	{ "samples_unseen", offsetof(struct session_counts, unseen_samples) },
	{ "throttled", offsetof(struct session_counts, throttled) },
	{ "enabled_ns", offsetof(struct session_counts, enabled_ns) },
	{ "maps_reread", offsetof(struct session_counts, maps_reread) },
	{ "stack_bytes", offsetof(struct session_counts, stack_size) },
	{ "stacks_deep", offsetof(struct session_counts, deep) },
	{ "stops", offsetof(struct session_counts, stopper.stops) },
	{ "ticks", offsetof(struct session_counts, stopper.ticks) },
	{ "ticks_ns", offsetof(struct session_counts, stopper.ticks_ns) },
	{ "paused_us", offsetof(struct session_counts, stopper.paused) },
	{ "paused_us_most", offsetof(struct session_counts, stopper.paused_most) },
	{ "rings", offsetof(struct session_counts, rings) },
	{ "ring_bytes", offsetof(struct session_counts, ring_bytes) },
	{ NULL, 0 },
}, collector_counters[] = {
	{ "samples", offsetof(struct collector, profile.samples) },
	{ "samples_dropped", offsetof(struct collector, profile.dropped) },
	{ "samples_of_other_machine", offsetof(struct collector, other_machine) },
	{ "stacks_complete", WALKS(WALK_ROOT) },
	{ "stacks_truncated", WALKS(WALK_STACK_SHORT) },
	{ "stacks_no_unwind_info", WALKS(WALK_NO_RULE) },
	{ "stacks_no_module", WALKS(WALK_NO_MODULE) },
	{ "stacks_no_map", WALKS(WALK_NO_MAP) },
	{ "stacks_bad_unwind_info", WALKS(WALK_BAD_RULE) },
	{ "stacks_loop", WALKS(WALK_LOOP) },
	{ "stacks_too_deep", WALKS(WALK_DEEP) },
	{ "stacks_unsure", WALKS(WALK_UNSURE) },
	{ "stacks_of_languages", offsetof(struct collector, language_stacks) },
	{ "stacks_of_languages_doubtful", offsetof(struct collector, language_doubtful) },
	{ "samples_without_gil", offsetof(struct collector, unlocked) },
	{ "stacks_elided", offsetof(struct collector, elided) },
	{ "stacks_with_jit_gap", offsetof(struct collector, gaps) },
	{ "frames", offsetof(struct collector, frames) },
	{ "frames_by_cfi", offsetof(struct collector, by_cfi) },
	{ "frames_by_frame_pointer", offsetof(struct collector, by_fp) },
	{ "frames_by_kernel_chain", offsetof(struct collector, by_chain) },
	{ "frames_by_code", offsetof(struct collector, by_code) },
	{ "frames_by_libunwind", offsetof(struct collector, by_libunwind) },
	{ "code_left_unread", offsetof(struct collector, code_left) },
	{ NULL, 0 },
};
#undef WALKS

static void
fields(struct sink *s, const struct counter *counter, const void *of)
{
	for (uint64_t v; counter->name; counter++) {
		memcpy(&v, (const char *)of + counter->off, sizeof v);
		field(s, counter->name, v);
	}
}

static void
stats_json(struct sink *s, const void *closing)
{
	const struct closing *c = closing;
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	sink_str(s, "{\n");
	fields(s, collector_counters, c->collector);
	fields(s, session_counters, &c->counts);
	field(s, "files_given_up", given_up(c->collector, false));
	causes_fields(s, c->causes);
	if (c->plan->off_cpu)
		waits_fields(s, &c->counts.waits);
	field(s, "stacks", collector_walked(c->collector));
	sink_str(s, "  \"seconds\": ");
	sink_decimal(s, c->elapsed, 9);
	sink_str(s, ",\n");
	sink_str(s, "  \"event\": ");
	sink_json(s, c->events);
	sink_str(s, ",\n");
	field(s, c->plan->count ? "count" : "freq", c->plan->count ? c->plan->count : c->counts.freq);
	sink_fmt(s, "  \"engine\": \"%s\",\n  \"cpu_seconds\": ", c->ladder->ptrace ? "ptrace" : "perf");
	sink_decimal(s, cpu_ns(&r, c), 9);
	sink_str(s, ",\n");
	field(s, "max_rss_kib", (uint64_t)r.ru_maxrss);
	sink_str(s, "  \"outputs\": [");
	for (unsigned i = 0, written = 0; i < c->plan->noutput; i++) {
		if (!c->plan->output[i].size)
			continue;
		sink_str(s, written++ ? ", {\"file\": " : "{\"file\": ");
		sink_json(s, c->plan->output[i].path);
		sink_fmt(s, ", \"bytes\": %llu}", (unsigned long long)c->plan->output[i].size);
	}
	sink_str(s, "]\n}\n");
}

const char *
closing_stats(const struct closing *c, struct output *out, struct place_words *words)
{
	return output_text(out, stats_json, c, words);
}
