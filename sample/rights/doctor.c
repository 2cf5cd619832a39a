/* See doctor.h.  The process to examine is a child that waits, or the one that the user named.  prof does not stop or change
 * it: a helper traces it and ends at once, and then the kernel lets go of it.  perf_event_open(2), ptrace(2), proc(5);
 * probes: Documentation/trace/{u,k}probetrace.rst and /sys/bus/event_source/devices. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor_facts.h"
#include "lib/file.h"
#include "lib/lines.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "permit.h"
#include "permit_trace.h"
#include "refusal_words.h"
#include "sample/events/cpu.h"
#include "sample/events/event_list.h"
#include "sample/events/lent_event.h"
#include "sample/events/opener.h"
#include "sample/events/perf.h"
#include "sample/events/switch_event.h"
#include "sample/tasks/cgroup_dir.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/launch.h"
#include "sample/tasks/maps_line.h"
#include "sample/tasks/proc_mount.h"
#include "sample/tasks/target.h"
#include "sandbox.h"

struct patient {
	struct examination *e;
	struct arena arena;
	int32_t pid;               /* the process, or prof's waiting child */
	int32_t asked;             /* the pid for explanations: 0 for the child */
	const char *proc;          /* what is wrong with /proc, or NULL */
	const char *cgroups;       /* what is wrong with cgroups, or NULL */
	int cgroup;                /* prof's own, or -1 */
	uint64_t lo, hi;           /* addresses of a file that it maps */
	struct opener opener;
};

/* Says why something does not work, but not what it was about.  Options of record's mend nothing here. */
static bool
refused(struct finding *f, const char *why, const char *mend)
{
	const char *reason = strstr(why, "): ");

	f->kind = FINDING_REFUSED;
	snprintf(f->text, sizeof f->text, "%s", reason ? reason + 3 : why);
	snprintf(f->mend, sizeof f->mend, "%s", *mend == '-' ? "" : mend);
	return false;
}

/* Whether /proc is the reason why something does not work. */
static bool
no_proc(const struct patient *p, struct finding *f)
{
	return p->proc && !refused(f, p->proc, proc_there() ? "" : "mount -t proc proc /proc");
}

/* Events. */

enum place { ON_TARGET, ON_SELF, ON_CPU, ON_CGROUP };

/* 0 or an errno. */
static int
open_event(struct patient *p, const struct event *e, enum place place)
{
	struct perf_event_attr a = { 0 };
	int cpu = p->opener.cpu ? p->opener.cpu[0] : 0, fd;

	a.type = e->type;
	a.config = e->config;
	a.config1 = e->config1;
	a.config2 = e->config2;
	a.sample_period = e->is_time ? 10000000 : 100000;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
	a.disabled = 1;
	a.exclude_kernel = a.exclude_hv = a.exclude_callchain_kernel = !e->kernel;
	a.exclude_user = !e->user;
	if (place == ON_CGROUP)
		fd = perf_open(&a, p->cgroup, cpu, -1, PERF_FLAG_PID_CGROUP);
	else
		fd = perf_open(&a, place == ON_CPU ? -1 : place == ON_SELF ? 0 : p->pid, place == ON_CPU ? cpu : -1, -1, 0);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool
try_event(struct patient *p, const char *key, struct event *e, enum place place)
{
	struct capture c = { .target = place == ON_CPU || place == ON_CGROUP ? TARGET_SYSTEM : p->asked ? TARGET_PROCESSES : TARGET_COMMAND,
	                     .event = e, .nevent = 1, .freq = 99, .cgroup = place == ON_CGROUP ? "" : NULL };
	struct finding *f = examination_add(p->e, "events", key);
	struct refusal r;
	int err;

	if (sandbox_lent() && (c.target == TARGET_SYSTEM || (!e->wakes && lent_event_refused(&c, e))))
		return refused(f, "this prof has more rights than you, so it samples only time and generic events of hardware and software, in your own processes", "sudo prof ...");
	if (place == ON_CGROUP && p->cgroup < 0)
		return no_proc(p, f) || refused(f, p->cgroups ? p->cgroups : "prof cannot open its own cgroup", "");
	if (!(err = open_event(p, e, place)))   /* counters may open, and never interrupt: see perf_interrupts */
		return e->type != PERF_TYPE_HARDWARE || perf_event_interrupts(e) ||
		       refused(f, "the counter opens, but never interrupts (as on some virtual machines)", "");
	permit_explain(&r, &c, 1, c.target == TARGET_SYSTEM ? -1 : place == ON_SELF ? 0 : p->asked, err);
	return refused(f, r.what, r.mend);
}

static void
try_tracepoint(struct patient *p)
{
	struct event e = switch_event();

	e.name = "sched:sched_switch";
	if (e.type == PERF_TYPE_TRACEPOINT)
		try_event(p, "tracepoints", &e, ON_TARGET);
	else if (access("/sys/kernel/tracing/events", F_OK) && errno == EACCES)
		refused(examination_add(p->e, "events", "tracepoints"), "only root may use /sys/kernel/tracing", "sudo prof ...");
	else if (access("/sys/kernel", F_OK))
		refused(examination_add(p->e, "events", "tracepoints"), "/sys is not mounted", "mount -t sysfs sysfs /sys");
	else
		refused(examination_add(p->e, "events", "tracepoints"), "/sys/kernel/tracing is not mounted",
		        "mount -t tracefs none /sys/kernel/tracing");
}

extern const char __ehdr_start[];   /* the linker's: where prof's file begins in memory */

/* A probe of prof's own, in prof or on a function of the kernel that is hardly ever called.  NAME: "uprobe", "kprobe". */
static void
try_probe(struct patient *p, const char *name, uintptr_t where, uint64_t off)
{
	struct event e = { .name = name, .user = true, .kernel = true, .config1 = where, .config2 = off };
	char path[64], text[16];
	const char *number = text;
	uint64_t type;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", name);
	if (file_text(AT_FDCWD, path, text, sizeof text) > 0 && text_dec(&number, &type)) {
		e.type = (uint32_t)type;
		try_event(p, name, &e, ON_SELF);
	} else if (access("/sys/bus/event_source", F_OK))
		refused(examination_add(p->e, "events", name), "/sys is not mounted", "mount -t sysfs sysfs /sys");
	else
		refused(examination_add(p->e, "events", name), "this kernel has no such probes", "");
}

/* Rings as a capture has them. */
static void
try_rings(struct patient *p, struct event *e)
{
	struct capture c = { .target = TARGET_COMMAND, .event = e, .nevent = 1, .freq = 99 };
	struct finding *f = examination_add(p->e, "events", "rings");
	struct refusal r = { .what = "" };

	if (!opener_init(&p->opener, &c, &r)) {
		refusal_words(&r, &c);
		refused(f, r.what, r.mend);
	} else
		snprintf(f->text, sizeof f->text, "%u buffers of %u KiB", (unsigned)p->opener.nsample, (unsigned)(p->opener.ring_bytes >> 10));
}

/* Another process. */

/* Runs in a helper: when the helper ends, it lets go of the other process. */
static int
seize(int32_t pid)
{
	pid_t helper = fork();
	uint64_t start;
	int status;

	if (!helper) {
		int why = ptrace(PTRACE_SEIZE, pid, NULL, NULL) ? errno : 0;

		_exit(why == EPERM && !target_start(pid, &start) ? ESRCH : why);   /* a zombie, too, refuses */
	}
	while (waitpid(helper, &status, 0) < 0 && errno == EINTR)
		;
	return helper > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

static int
as_errno(int fd)
{
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
read_memory(const struct patient *p)
{
	char byte;

	errno = ESRCH;
	return foreign_read(p->pid, p->lo, &byte, 1) ? 0 : errno;
}

static int
map_file(const struct patient *p)
{
	char path[PROC_PATH_MAX];

	proc_path(path, p->pid, "map_files/%llx-%llx", (unsigned long long)p->lo, (unsigned long long)p->hi);
	return as_errno(open(path, O_PATH | O_CLOEXEC));
}

/* The first file that it maps. */
static int
maps(struct patient *p)
{
	int fd = foreign_maps(p->pid);
	struct maps_line m;
	struct lines l;
	char *line;

	if (fd < 0)
		return errno;
	lines_open(&l, fd);
	errno = EACCES;   /* the kernel shows others an empty file */
	while (!p->hi && (line = lines_next(&l)))
		if (maps_line_parse(&m, line) && *m.path == '/') {
			p->lo = m.lo;
			p->hi = m.hi;
		}
	close(fd);
	return p->hi ? 0 : errno;
}

static bool
access_result(struct patient *p, const char *key, int err, bool attach)
{
	struct capture c = { .target = TARGET_PROCESSES };
	struct finding *f = examination_add(p->e, "process", key);
	struct refusal r;

	if (!err)
		return true;
	if (p->proc && strcmp(key, "ptrace")) {
		no_proc(p, f);
		return false;
	}
	if (attach)
		permit_trace_explain(&r, &c, p->pid, err);
	else if (!permit_explain_target(&r, &c, p->pid, err))
		r = (struct refusal){ .what = "prof cannot reach it" };
	return refused(f, r.what, r.mend);
}

static void
try_process(struct patient *p)
{
	bool stop = access_result(p, "ptrace", p->asked ? seize(p->pid) : ptrace(PTRACE_SEIZE, p->pid, NULL, NULL) ? errno : 0, true);
	int err;

	access_result(p, "maps", maps(p), false);
	p->e->stop = access_result(p, "process_vm_readv", read_memory(p), true) & stop;
	p->e->stop |= access_result(p, "mem", as_errno(foreign_memory(p->pid)), true) & stop;
	access_result(p, "root", as_errno(foreign_root(p->pid)), false);
	if ((err = map_file(p)) == EPERM || err == EACCES)
		refused(examination_add(p->e, "process", "map_files"), "this needs CAP_CHECKPOINT_RESTORE; without it prof finds "
		        "most files by their paths", "");
	else
		access_result(p, "map_files", err, false);
}

static void
try_kallsyms(struct patient *p)
{
	char text[64] = "";
	int fd = foreign_kallsyms();
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	struct finding *f = examination_add(p->e, "kernel", "kallsyms");

	if (fd >= 0)
		close(fd);
	if (n <= 0 && p->proc)
		no_proc(p, f);
	else if (n <= 0 || strspn(text, "0") == strspn(text, "0123456789abcdef"))
		refused(f, "the kernel hides its addresses, so its functions have no names",
		        "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
}

static void
try_sandbox(struct patient *p)
{
	struct finding *f = examination_add(p->e, "kernel", "sandbox");
	unsigned layers = sandbox_try();

	f->kind = layers & LAYER_CALLS ? FINDING_WORKS : FINDING_REFUSED;
	sandbox_words(layers, f->text, sizeof f->text);
}

static int32_t
waiting_child(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 1);   /* a command's program is dumpable, too, whatever rights prof's own file has */
	for (;;)
		pause();
}

void
doctor_examine(struct examination *e, int32_t pid)
{
	static const struct { char key[17], spec[20]; uint8_t place; } events[] = {
		{ "cpu_clock", "cpu-clock:u", ON_TARGET },
		{ "kernel_side", "cpu-clock:k", ON_TARGET },
		{ "system_wide", "cpu-clock", ON_CPU },
		{ "cgroup", "cpu-clock", ON_CGROUP },
		{ "task_clock", "task-clock:u", ON_TARGET },
		{ "page_faults", "page-faults:u", ON_TARGET },
		{ "context_switches", "context-switches:k", ON_TARGET },
		{ "cycles", "cycles:u", ON_TARGET },
	};
	static struct patient p;
	struct event *clock;
	bool works[sizeof events / sizeof *events];
	unsigned n = 0;
	char dir[480];
	bool unified;

	*e = (struct examination){ .pid = pid };
	p = (struct patient){ .e = e, .asked = pid, .cgroup = -1, .proc = proc_there() ? proc_mount_adapt() : "/proc is not mounted" };
	p.pid = pid ? foreign_by(pid) : waiting_child();
	if (!(p.cgroups = cgroup_dir(0, CGROUP_EVENTS, dir, sizeof dir, &unified)))
		p.cgroup = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!(clock = arena_alloc(&p.arena, EVENTS_MAX * sizeof *clock)) || event_parse(clock, &n, events[0].spec, &p.arena))
		return;
	try_rings(&p, clock);
	for (unsigned i = n = 0; i < sizeof events / sizeof *events; i++, n = 0)
		works[i] = !event_parse(clock, &n, events[i].spec, &p.arena) && try_event(&p, events[i].key, clock, events[i].place);
	e->user = works[0];
	e->kernel = works[1];
	e->system = works[2];
	try_tracepoint(&p);
	/* The place of a function that nothing calls meanwhile. */
	try_probe(&p, "uprobe", (uintptr_t)"/proc/self/exe", (uintptr_t)launch_drop - (uintptr_t)__ehdr_start);
	try_probe(&p, "kprobe", (uintptr_t)"orderly_reboot", 0);
	try_process(&p);
	try_kallsyms(&p);
	try_sandbox(&p);
	doctor_facts(e, p.opener.ncpu);
	opener_free(&p.opener);
	if (!pid && p.pid > 0) {
		kill(p.pid, SIGKILL);
		while (waitpid(p.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (p.cgroup >= 0)
		close(p.cgroup);
	arena_free(&p.arena);
}
