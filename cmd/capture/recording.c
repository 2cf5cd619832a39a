/* See recording.h.  The steps of a capture, with perfdata.h in the place of a session. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/capture/collect.h"
#include "cmd/capture/naming.h"
#include "cmd/capture/recorded_kernel.h"
#include "lib/msg.h"
#include "lib/progress.h"
#include "lib/text.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"
#include "sample/events/event.h"
#include "sample/perfdata/perfdata.h"

enum { EVENTS = sizeof ((struct profile *)0)->event / sizeof *((struct profile *)0)->event, CHAIN_MOST = 200, TOLD_MAX = 5 };

struct recording {
	struct collector collector;
	struct perfdata *data;
	struct recorded_files files;
	const struct recording_how *how;
	const char *name;
	struct progress progress;
	uint32_t *number;          /* in the profile, + 1, of each event; 0: none yet */
	uint32_t number_cap;
	struct recorded_kernel kernel;
	uint64_t chain[CHAIN_MOST];
	uint64_t too_many;         /* samples of events for which the profile has no room */
	uint64_t last;             /* time */
	bool here;                 /* recorded on this machine, under the kernel that runs now */
	bool kernel_found;         /* prof has looked for its names */
};

/* ---- what the header says ---- */

static const struct machine {
	const char *name;          /* as uname -m says it, or begins with it */
	const struct arch *arch, *compat;
} machines[] = {
	{ "x86_64", &arch_x86_64, &arch_i686 }, { "aarch64", &arch_aarch64, &arch_armv7 }, { "arm", &arch_armv7, NULL },
	{ "riscv64", &arch_riscv64, NULL }, { "i686", &arch_i686, NULL }, { "i586", &arch_i686, NULL }, { "i386", &arch_i686, NULL },
};

static const char *
event_name(const struct recorded_event *e, char *text, size_t n)
{
	static const char *const hardware[] = { "cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	                                        "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles" };
	static const char *const software[] = { "cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	                                        "major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches" };

	if (e->name)
		return e->name;
	if (e->type == 0 && e->config < sizeof hardware / sizeof *hardware)
		return hardware[e->config];
	if (e->type == 1 && e->config < sizeof software / sizeof *software)
		return software[e->config];
	snprintf(text, n, "event %u:0x%llx", e->type, (unsigned long long)e->config);
	return text;
}

/* ns that one sample of it stands for; 0: it does not measure time. */
static uint64_t
period_of(const struct recorded_event *e)
{
	bool clock = e->type == 1 && e->config < 2, cycles = e->type == 0 && e->config == 0;

	if (e->freq)
		return (clock || cycles || e->type > 5) && e->period ? 1000000000 / e->period : 0;
	return clock ? e->period : 0;
}

static bool
number_of(struct recording *r, uint32_t event, uint32_t *number)
{
	const struct recorded_event *e = &perfdata_header(r->data)->event[event];
	char text[64];

	if (!vec_room(&r->number, &r->number_cap, (uint64_t)event + 1, sizeof *r->number))
		return false;
	if (!r->number[event]) {
		const char *name = event_name(e, text, sizeof text), *own = arena_str(&r->collector.profile.arena, name, strlen(name));
		uint32_t n = own ? profile_event(&r->collector.profile, &(struct event_info){ .name = own, .period_ns = period_of(e) }) : UINT32_MAX;

		if (n == UINT32_MAX)
			return false;
		r->number[event] = n + 1;
	}
	*number = r->number[event] - 1;
	return true;
}

static void
describe(struct recording *r)
{
	const struct header *h = perfdata_header(r->data);
	struct profile *p = &r->collector.profile;

	p->exporter = "prof@" PROF_VERSION;
	p->command = h->command ? arena_str(&p->arena, h->command, strlen(h->command)) : NULL;
	if (!p->command)
		p->command = "";
	if (h->host)
		profile_note(p, "host", h->host);
	if (h->release)
		profile_note(p, "kernel", h->release);
	if (h->machine)
		profile_note(p, "machine", h->machine);
	if (h->cpu)
		profile_note(p, "CPU", h->cpu);
	if (h->version)
		profile_note(p, "recorded by perf", h->version);
}

static void
begin(void *recording)
{
	struct recording *r = recording;
	const struct header *h = perfdata_header(r->data);
	struct collector *c = &r->collector;
	struct utsname own;
	bool here;

	here = !uname(&own) && (!h->host || !strcmp(h->host, own.nodename)) && (!h->release || !strcmp(h->release, own.release));
	recorded_files_here(&r->files, here && !r->how->dirs.sysroot);
	for (unsigned i = 0; h->machine && i < sizeof machines / sizeof *machines; i++)
		if (!strncmp(h->machine, machines[i].name, strlen(machines[i].name))) {
			c->arch = machines[i].arch;
			c->compat = machines[i].compat;
			break;
		} else if (i + 1 == sizeof machines / sizeof *machines) {
			c->arch = c->compat = NULL;
		}
	perfdata_registers(r->data, c->arch ? c->arch->sample : 0, c->compat ? c->compat->sample : 0);
	r->here = here && !r->how->dirs.sysroot;
	describe(r);
}

/* ---- samples ---- */

static void
find_kernel(struct recording *r)
{
	struct collector *c = &r->collector;

	r->kernel = (struct recorded_kernel){ .how = r->how, .files = &r->files, .data = r->data, .modules = &c->modules, .names = &c->names };
	c->kernel_named = recorded_kernel_find(&r->kernel, r->here);
	r->kernel_found = true;
}

static void
collect(void *recording, const struct sample *s)
{
	struct recording *r = recording;
	struct profile *p = &r->collector.profile;
	struct sample mine = *s;
	struct event of = { 0 };

	if (!number_of(r, s->event, &mine.event)) {
		r->too_many++;
		return;
	}
	if (!r->kernel_found)
		find_kernel(r);
	of.weight = (uint8_t)mine.event;
	mine.of = &of;
	if (!p->start)
		p->start = s->time;
	mine.time = r->last = s->time > r->last ? s->time : r->last;
	if (r->kernel.moved && mine.nkchain) {
		mine.nkchain = mine.nkchain < CHAIN_MOST ? mine.nkchain : CHAIN_MOST;
		for (uint32_t i = 0; i < mine.nkchain; i++)
			r->chain[i] = recorded_kernel_addr(&r->kernel, s->kchain[i]);
		mine.kchain = r->chain;
	}
	collect_sample(&r->collector, &mine);
}

static void
say_progress(struct recording *r)
{
	int done = perfdata_done(r->data);

	if (!progress_due(&r->progress))
		return;
	if (done < 0)
		progress_say(&r->progress, "%llu sample%s read", (unsigned long long)r->collector.profile.samples, plural(r->collector.profile.samples));
	else
		progress_say(&r->progress, "%d%% of %s read, %llu sample%s", done / 10, r->name, (unsigned long long)r->collector.profile.samples,
		             plural(r->collector.profile.samples));
}

/* ---- what is to be said ---- */

/* Says which files with samples prof did not find; it names the first of them. */
static void
tell_missing(const struct recording *r)
{
	const struct modules *ms = &r->collector.modules;
	unsigned n = 0;

	for (uint32_t i = 0; i < ms->n; i++) {
		const struct module *m = ms->module[i];

		if (m->kind == MODULE_LOST && *m->path == '/' && strncmp(m->path, "/memfd:", 7) && ++n <= TOLD_MAX)
			warn("%s %s; its frames keep their addresses", m->path, m->bad);
	}
	if (n > TOLD_MAX)
		warn("and %u more", n - TOLD_MAX);
	if (n && r->files.denied && r->how->asked && !geteuid())
		warn("the recording is not root's alone, so prof opened files with fewer rights; --sysroot / makes it open them with root's");
	else if (n && !r->how->dirs.sysroot)
		warn("try --sysroot DIR, if DIR has the files of the machine that was recorded");
}

static void
tell(const struct recording *r)
{
	const struct collector *c = &r->collector;
	uint64_t walks = collector_walked(c);
	struct perfdata_counts n;
	char share[64] = "";

	perfdata_counts(r->data, &n);
	if (n.cut)
		warn("%s: at byte %llu: %s; prof shows what comes before that", r->name, (unsigned long long)n.at, n.cut);
	if (walks)
		snprintf(share, sizeof share, "; %llu.%llu%% complete stacks", (unsigned long long)(c->walks[WALK_ROOT] * 100 / walks),
		         (unsigned long long)(c->walks[WALK_ROOT] * 1000 / walks % 10));
	warn("%s: %llu sample%s (%llu lost)%s", r->name, (unsigned long long)n.samples, plural(n.samples), (unsigned long long)n.lost, share);
	if (n.bad)
		warn("%s: prof left out %llu broken record%s", r->name, (unsigned long long)n.bad, plural(n.bad));
	if (n.throttled)
		warn("the kernel limited sampling %llu time%s", (unsigned long long)n.throttled, plural(n.throttled));
	if (n.late)
		verbose("%s: %llu record%s came too late for prof to put in order", r->name, (unsigned long long)n.late, plural(n.late));
	if (r->too_many)
		warn("prof left out %llu sample%s: a profile has room for %d events", (unsigned long long)r->too_many, plural(r->too_many), (int)EVENTS);
	if (c->kernel_hidden)
		warn("the kernel's functions have no names: name its symbols with --kallsyms FILE (/proc/kallsyms of that machine, read as root, or its vmlinux)");
	tell_missing(r);
}

/* ---- all of it ---- */

static void
join(const void *bytes, size_t n, struct profile *to)
{
	struct cursor c = cur_of(bytes, n, false);

	if (format_pprof.read(to, &c))
		to->dropped++;
}

/* If the profile holds something already, the recording goes through a format that keeps all but times. */
static void
hand_over(struct profile *from, struct profile *to)
{
	struct profile old = *to;
	struct sink s;

	if (!to->nthread && !to->nlocation) {
		*to = *from;
		to->picture = old.picture;
		to->by_thread |= old.by_thread;
		to->by_process |= old.by_process;
		to->lines |= old.lines;
		profile_init(from);
		return;
	}
	sink_open(&s, -1);
	format_pprof.write(&s, from);
	if (s.err)
		to->dropped++;
	else
		join(s.buf, s.len, to);
	sink_close(&s);
}

static bool
read_all(struct recording *r, struct source *source, struct profile *to)
{
	struct collector *c = &r->collector;
	struct perfdata_taker taker = { begin, collect, r };
	const char *why;
	struct perfdata_counts n;

	c->languages = NULL;       /* their frames are in the processes' memory, which nobody has */
	c->modules.open = r->how->places->open;
	c->modules.places = r->how->places->places;
	for (uint32_t i = 0; i < r->how->places->nroot; i++)
		modules_root(&c->modules, r->how->places->root[i].fd);
	recorded_files_init(&r->files, &c->modules, r->how->cache);
	if (!(r->data = perfdata_open(source, &c->modules, &why))) {
		error("%s: %s", r->name, why);
		return false;
	}
	processes_recorded(perfdata_processes(r->data), &r->files.finder);
	progress_open(&r->progress, UINT64_C(1000000000));
	while (perfdata_read(r->data, &taker))
		say_progress(r);
	c->profile.end = r->last;
	perfdata_counts(r->data, &n);
	if (!n.samples) {
		error("%s: it holds no samples%s%s", r->name, n.cut ? ": " : "", n.cut ? n.cut : "");
		return false;
	}
	c->names.outermost = r->how->outermost;
	c->names.mangled = r->how->mangled;
	c->names.brief = r->how->brief;
	c->raw = r->how->raw;
	c->profile.lines = r->how->lines;
	if (r->progress.on)
		progress_say(&r->progress, "looking up names");
	recorded_kernel_modules(&r->kernel, &c->codes);
	naming_finish(c);
	progress_close(&r->progress);
	tell(r);
	if (r->how->use)
		return r->how->use(r->how->ctx, c);
	hand_over(&c->profile, to);
	return true;
}

bool
recording_read(struct profile *to, const char *name, struct source *source, const struct recording_how *how)
{
	struct recording *r = NULL;
	uint32_t cap = 0;
	bool good = vec_room(&r, &cap, 1, sizeof *r) && collector_init(&r->collector, MODE_AUTO, STACK_MAX, false);

	if (!good) {
		error("%s: out of memory", name);
		return false;
	}
	r->name = name;
	r->how = how;
	good = read_all(r, source, to);
	if (r->data)
		perfdata_free(r->data);
	collector_free(&r->collector);
	recorded_kernel_free(&r->kernel);
	vec_free(&r->number, &r->number_cap, sizeof *r->number);
	vec_free(&r, &cap, sizeof *r);
	return good;
}
