/* See permit.h.  The kernel's rules: perf_event_open(2), Documentation/admin-guide/perf-security.rst, kernel/events/core.c;
 * levels above 2 are Debian's, Ubuntu's and Android's.  One part reads the facts, and another judges them, so that tests can
 * check every verdict without provoking it. */
#include "permit.h"
#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "sample/tasks/foreign.h"
#include "sample/events/event.h"
#include "sample/events/kernel_function.h"
#include "sample/events/perf.h"
#include "sample/events/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYS_PTRACE_BIT = 19, SYS_ADMIN_BIT = 21, PERFMON_BIT = 38 };   /* of <linux/capability.h> */

struct facts {
	int err;                   /* what perf_event_open said */
	const char *event;         /* the event most likely meant */
	bool several;              /* the capture has others, too */
	bool software;             /* it is a software event */
	bool tracepoint, probe, kprobe;   /* the event is a tracepoint, or a probe of the user's own; in the kernel */
	bool kernel_asked;         /* the user asked for the kernel's side by a modifier */
	bool system;               /* -a, -C */
	bool cpus;                 /* -C */
	const char *cgroup;        /* -G, or NULL */
	uint64_t pid;              /* attached to, else 0 */
	bool thread;               /* ... and it is -t */
	bool hidden;               /* ... and /proc does not show it to prof */
	uint64_t uid, gid;         /* prof's */
	uint64_t its_uid, its_gid; /* the target's, where they differ; else prof's */
	bool dumpable;
	int paranoid;
	uint64_t caps;             /* effective, and worth something: none in a user namespace */
	bool namespaced;           /* in a user namespace */
	bool perfmon_known;        /* CAP_PERFMON is there: Linux 5.8 */
	bool seccomp;              /* a filter is on */
	bool ptrace;               /* the refusal is about ptrace, not about events */
	enum runtime { HOST, DOCKER, PODMAN, KUBERNETES } container;
	bool lockdown;             /* confidentiality */
	uint64_t freq, max_rate, nofile;
	char self[128];            /* prof's own file */
	char near[64];             /* the kernel's function that the name of a kprobe is nearest to; or "" */
};

int
permit_paranoid(void)
{
	char buf[32];
	long n = file_text(AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", buf, sizeof buf);

	return n > 0 ? (int)strtol(buf, NULL, 10) : INT_MAX;
}

static uint64_t
number_in(const char *path, uint64_t otherwise)
{
	char buf[32];
	const char *p = buf;
	uint64_t v;

	return file_text(AT_FDCWD, path, buf, sizeof buf) > 0 && text_dec(&p, &v) ? v : otherwise;
}

/* Behind "\nKEY:\t" in a status file, or NULL. */
static const char *
field(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? p + strlen(key) : NULL;
}

bool
permit_filtered(void)
{
	int mode = prctl(PR_GET_SECCOMP);

	return mode == 2 || (mode < 0 && errno == EPERM);
}

/* The first of the four ids behind KEY that is not OWN, or OWN. */
static uint64_t
other_id(const char *status, const char *key, uint64_t own)
{
	const char *p = field(status, key);
	uint64_t id;

	for (int i = 0; p && i < 3 && text_dec(&p, &id); i++, p += *p == '\t')   /* real, effective, saved */
		if (id != own)
			return id;
	return own;
}

/* The image of a container keeps its marks when a virtual machine boots it, but then it has the machine's first namespaces;
 * <linux/proc_ns.h> has their numbers.  If /proc does not tell, prof takes it for a container. */
static bool
in_container(void)
{
	static const struct { const char *path; uint32_t first; } spaces[] = {
		{ "/proc/self/ns/pid", 0xeffffffc }, { "/proc/self/ns/cgroup", 0xeffffffb }, { "/proc/self/ns/uts", 0xeffffffe },
		{ "/proc/self/ns/ipc", 0xefffffff },
	};
	struct stat st;
	bool any = false;

	for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		if (stat(spaces[i].path, &st))
			continue;
		if (st.st_ino != spaces[i].first)
			return true;
		any = true;
	}
	return !any;
}

static void
learn_self(struct facts *f)
{
	char buf[4096];
	const char *p;
	uint64_t v;

	f->uid = f->its_uid = geteuid();
	f->gid = f->its_gid = getegid();
	f->paranoid = permit_paranoid();
	f->namespaced = file_text(AT_FDCWD, "/proc/self/uid_map", buf, sizeof buf) > 0 && !strstr(buf, "4294967295");
	if (file_text(AT_FDCWD, "/proc/self/status", buf, sizeof buf) > 0) {
		if ((p = field(buf, "\nCapEff:\t")) && text_hex(&p, &v) && !f->namespaced)
			f->caps = v;
	} else if (!f->uid)
		f->caps = UINT64_MAX;
	f->seccomp = permit_filtered();
	f->perfmon_known = number_in("/proc/sys/kernel/cap_last_cap", PERFMON_BIT) >= PERFMON_BIT;
	f->container = getenv("KUBERNETES_SERVICE_HOST") ? KUBERNETES : !in_container() ? HOST : !access("/run/.containerenv", F_OK) ? PODMAN
	               : !access("/.dockerenv", F_OK) ? DOCKER : HOST;
	f->lockdown = file_text(AT_FDCWD, "/sys/kernel/security/lockdown", buf, sizeof buf) > 0 &&
	              strstr(buf, "[confidentiality]");
	if (readlink("/proc/self/exe", f->self, sizeof f->self - 1) <= 0)
		snprintf(f->self, sizeof f->self, "%s", (const char *)getauxval(AT_EXECFN));   /* as it was called */
}

static void
learn_target(struct facts *f, int32_t pid)
{
	char path[PROC_PATH_MAX], buf[4096];
	struct stat st;
	uint64_t owner;

	f->dumpable = true;
	if (pid <= 0)
		return;
	f->pid = (uint32_t)pid;
	if (proc_text(pid, "status", buf, sizeof buf) <= 0) {
		f->hidden = kill(pid, 0) && errno == EPERM;
		return;
	}
	owner = other_id(buf, "\nUid:\t", UINT64_MAX);
	f->its_uid = other_id(buf, "\nUid:\t", f->uid);
	f->its_gid = other_id(buf, "\nGid:\t", f->gid);
	/* root owns it if the process is not dumpable */
	f->dumpable = stat(proc_path(path, foreign_by(pid), "maps"), &st) || st.st_uid == owner || !owner;
}

static void
learn_capture(struct facts *f, const struct capture *c, unsigned event)
{
	struct rlimit files;
	unsigned which = event && event <= c->nevent ? event - 1 : 0;

	for (unsigned i = event ? 0 : c->nevent; i--;)   /* the kernel hardly ever refuses software events for themselves */
		if (c->event[i].type != PERF_TYPE_SOFTWARE)
			which = i;
	f->several = c->nevent > 1;
	f->event = c->nevent ? c->event[which].name : "";
	f->software = c->nevent && c->event[which].type == PERF_TYPE_SOFTWARE;
	f->tracepoint = c->nevent && c->event[which].type == PERF_TYPE_TRACEPOINT;
	f->probe = probe_is(f->event);
	f->kprobe = f->probe && *f->event == 'k';
	for (unsigned i = 0; i < c->nevent; i++)
		f->kernel_asked |= c->event[i].kernel && (c->event[i].sides_given || c->event[i].each);   /* prof leaves out no occurrence by itself */
	f->system = c->target == TARGET_SYSTEM;
	f->thread = c->target == TARGET_THREADS;
	f->cpus = c->ncpu != 0;
	f->cgroup = c->cgroup;
	f->freq = c->freq;
	f->max_rate = number_in("/proc/sys/kernel/perf_event_max_sample_rate", UINT64_MAX);
	f->nofile = getrlimit(RLIMIT_NOFILE, &files) ? 0 : files.rlim_cur;
}

/* What %LETTER stands for in a text, which may have %LETTERs itself; a number goes to NUMBER. */
static const char *
word(const struct facts *f, char letter, char number[24])
{
	/* uint64_t, all of them. */
	static const struct { char letter; uint8_t at; } numbers[] = {
		{ 'i', offsetof(struct facts, pid) }, { 'u', offsetof(struct facts, uid) }, { 'U', offsetof(struct facts, its_uid) },
		{ 'g', offsetof(struct facts, gid) }, { 'G', offsetof(struct facts, its_gid) }, { 'f', offsetof(struct facts, freq) },
		{ 'm', offsetof(struct facts, max_rate) }, { 'n', offsetof(struct facts, nofile) },
	};
	uint64_t n = 0;

	switch (letter) {
	case 'C':
		return f->ptrace ? "SYS_PTRACE" : f->perfmon_known ? "PERFMON" : "SYS_ADMIN";
	case 'd':   /* how to give the right to a container; and how to let its system call through */
		return f->container == KUBERNETES ? "securityContext: {capabilities: {add: [%C]}}"
		       : f->container == PODMAN ? "podman run --cap-add %C ..." : "docker run --cap-add %C ...";
	case 'D':
		return f->container == KUBERNETES ? "seccompProfile: {type: Unconfined}"
		                                  : "--security-opt seccomp=PROFILE, with a profile that allows perf_event_open";
	case 'k':
		return "sudo setcap cap_perfmon,cap_sys_ptrace+ep %s";
	case 'y':
		return f->container && !f->namespaced ? "%d, or on the host: %v"
		       : f->container ? "on the host: %v" : f->namespaced ? "outside of the namespace: %v" : "%v";
	case 'v':
		return "sudo sysctl kernel.perf_event_paranoid";
	case 'o':
		/* prof lends users events on their own threads, but no probes */
		return f->container || f->namespaced || !f->perfmon_known || (f->uid && (f->system || f->tracepoint || f->probe)) ? "" : ", or: %k";
	case 'r':
		return f->namespaced && !f->uid ? "; root in a user namespace counts as an ordinary user" : "";
	case 'W':
		return f->cgroup ? "the cgroup" : f->system ? "the whole system" : !f->pid ? "the command"
		       : f->thread ? "thread %i" : "process %i";
	case 'a':
		return f->its_uid && f->its_uid != f->uid ? "sudo -u '#%U' prof -%x %i ..." : "sudo prof -%x %i ...";
	case 'x':
		return f->thread ? "t" : "p";
	case 'e':
		return f->event;
	case 'c':
		return f->several ? "leave %e out of -e, or write cpu-clock in its place" : "-e cpu-clock";
	case 's':
		return f->self;
	case 'N':
		return f->near;
	case '!':
		return strerror(f->err);
	case 'p':
		if (f->paranoid == INT_MAX)
			return "is unknown";
		snprintf(number, 24, "is %d", f->paranoid);
		return number;
	}
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].letter == letter)
			memcpy(&n, (const char *)f + numbers[i].at, sizeof n);
	snprintf(number, 24, "%llu", (unsigned long long)n);
	return number;
}

struct line {
	const struct facts *facts;
	char *to, *end;
};

/* Adds a line of a text.  FOREIGN: at most 60 bytes, and no byte has a special meaning. */
static void
fill(struct line *l, const char *text, bool foreign)
{
	for (char number[24]; *text && (foreign || *text != '\n') && l->to < l->end; text++)
		if (*text == '%' && !foreign) {
			text++;
			fill(l, word(l->facts, *text, number), strchr("es!", *text));
		} else
			*l->to++ = *text;
	*l->to = 0;
}

/* What follows are texts: the reason, and in a second line what mends it. */

static const char *
seccomp(const struct facts *f)
{
	if (f->container)
		return "a seccomp filter refuses perf_event_open, as Docker's default profile does\n"
		       "%d, or %D";
	return "a seccomp filter refuses perf_event_open\n"
	       "run prof outside of the sandbox, or allow perf_event_open there (systemd: SystemCallFilter=perf_event_open)";
}

/* The reason if the target's owner or kind forbids it; else NULL. */
static const char *
not_ours(const struct facts *f)
{
	bool tracer = f->caps >> SYS_PTRACE_BIT & 1;

	if (f->hidden)
		return "it belongs to another user, and /proc does not show it (hidepid)\n%a";
	if (tracer)
		return NULL;
	if (f->its_uid != f->uid)
		return "it belongs to user %U, prof runs as user %u\n%a";
	if (f->its_gid != f->gid)
		return "it runs as group %G, prof as group %g\n%a";
	if (!f->dumpable)
		return "the process is not dumpable: it is a set-user-id program, has capabilities, its program file is one that you may not read, or "
		       "it asked for this itself (prctl)\n%a";
	return NULL;
}

/* The paranoid level forbids it; LEVEL would allow it. */
#define PARANOID(level, need) "kernel.perf_event_paranoid %p; " need "%r\n%y=" level "%o"

static const char *
denied(const struct facts *f)
{
	bool able = f->caps >> PERFMON_BIT & 1 || f->caps >> SYS_ADMIN_BIT & 1;
	const char *text;

	if (f->seccomp && f->err == EPERM && !(f->tracepoint && f->paranoid > -1 && !able))
		return seccomp(f);
	if ((text = not_ours(f)))
		return text;
	if (able)
		;
	else if (f->probe)
		return f->container ? "probes need CAP_PERFMON, whatever kernel.perf_event_paranoid is\n%d"
		                    : "probes need CAP_PERFMON, whatever kernel.perf_event_paranoid is\nsudo prof ...%o";
	else if (f->tracepoint && f->paranoid > -1)
		return PARANOID("-1", "for tracepoints it must be -1");
	else if (f->system && f->paranoid > 0)
		return f->cgroup ? PARANOID("0", "for a cgroup it must be 0 or lower, or prof needs CAP_PERFMON")
		                 : PARANOID("0", "for the whole system it must be 0 or lower, or prof needs CAP_PERFMON");
	else if (f->paranoid > 2 && f->paranoid != INT_MAX)
		return PARANOID("1", "at that level this kernel refuses all events to ordinary users");
	else if (f->kernel_asked && f->paranoid > 1)
		return PARANOID("1", "for the kernel's side it must be 1 or lower");
	else if (f->paranoid == INT_MAX)
		return PARANOID("1", "it may forbid all events to ordinary users");
	if (f->seccomp)
		return seccomp(f);
	if (f->lockdown)
		return "the kernel is locked down (confidentiality)\nboot with lockdown=integrity, or without secure boot";
	return "a security module (SELinux, AppArmor) may forbid it; kernel.perf_event_paranoid %p\n"
	       "sudo dmesg | grep -i denied   # may show what forbids it";
}

static const char *
unsupported(const struct facts *f)
{
	if (!f->software)
		return "this machine has no counter that can sample '%e' (virtual machines often have none)\n%c";
	return f->cpus && f->err == ENODEV ? "one of the CPUs has gone offline" : "this kernel has no event '%e'";
}

static const char *
no_function(const struct facts *f)
{
	return *f->near ? "the kernel has no function as in '%e': did you mean %N?"
	                : "the kernel has no function as in '%e', or no probe can be there";
}

static const char *
reason(const struct facts *f)
{
	if (f->cgroup && (f->err == EBADF || f->err == ENOENT))
		return "the kernel counts events only in cgroups of the perf_event hierarchy (version 1) or of version 2";
	switch (f->err) {
	case ESRCH:
		return f->pid ? "it does not exist, or has just ended" : "it has just ended";
	case EACCES:
	case EPERM:
		return denied(f);
	case ENOSYS:
		return f->seccomp ? seccomp(f)
		                  : "this kernel (or emulator) has no perf_event_open\nuse a kernel with CONFIG_PERF_EVENTS=y";
	case EMFILE:
		return "prof needs more file descriptors than the limit of %n\n"
		       "sudo prlimit --pid $$ --nofile=1048576   # then start prof again";
	case ENFILE:
		return "the machine has no file descriptors left\nsudo sysctl fs.file-max=1000000";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return f->kprobe ? no_function(f) : unsupported(f);
	case ENOSPC:
		return "there are too few counters for all these events\nuse fewer events in -e";
	case EBUSY:
		return "another program has reserved the counters of '%e'\n%c";
	case EINVAL:
		return f->freq > f->max_rate ? "-F %f is above kernel.perf_event_max_sample_rate, %m\n"
		                               "-F max, or: sudo sysctl kernel.perf_event_max_sample_rate=%f"
		       : f->kprobe ? no_function(f)
		       : f->probe || f->tracepoint ? "the kernel rejects event '%e'; its terms or modifiers may be wrong\n%c"
		                   : "the kernel rejects event '%e'; its terms or modifiers may be wrong, or it can only be counted (prof stat)\n%c";
	case E2BIG:
		return "this kernel is too old: it does not know the kind of sample that prof needs\n--call-graph none";
	default:
		return "perf_event_open for '%e' failed";
	}
}

/* Says what prof tried and what the system said, then why. */
static void
explain(struct refusal *r, const struct facts *f, const char *text)
{
	const char *mend = strchr(text, '\n');
	struct line l = { f, r->what, r->what + sizeof r->what - 1 };

	/* What is missing is no file, whatever the system says. */
	fill(&l, f->err == ENOENT && !f->cgroup ? "cannot profile %W: " : "cannot profile %W (%!): ", false);
	fill(&l, text, false);
	l = (struct line){ f, r->mend, r->mend + sizeof r->mend - 1 };
	fill(&l, mend ? mend + 1 : "", false);
}

static void
learn(struct facts *f, const struct capture *c, unsigned event, int32_t pid, int err)
{
	f->err = err;
	learn_self(f);
	learn_target(f, !pid && c->npid && c->target != TARGET_COMMAND ? *c->pid : pid);
	learn_capture(f, c, event);
	if (f->kprobe && (err == ENOENT || err == EINVAL))
		kernel_function_near(strchr(f->event, ':') + 1, f->near, sizeof f->near);
}

void
permit_explain(struct refusal *r, const struct capture *c, unsigned event, int32_t pid, int err)
{
	struct facts f = { 0 };

	learn(&f, c, event, pid, err);
	explain(r, &f, reason(&f));
}

bool
permit_explain_target(struct refusal *r, const struct capture *c, int32_t pid, int err)
{
	struct facts f = { 0 };
	const char *text;

	learn(&f, c, 0, pid, err);
	if ((text = not_ours(&f)))
		explain(r, &f, text);
	return text;
}

void
permit_give_ptrace(struct refusal *r)
{
	struct facts f = { .ptrace = true };

	learn_self(&f);
	fill(&(struct line){ &f, r->mend, r->mend + sizeof r->mend - 1 },
	     f.container ? "%d" : f.seccomp ? "run prof outside of the sandbox, or allow ptrace there (systemd: SystemCallFilter=ptrace)"
	                                    : "sudo dmesg | grep -i denied   # may show what forbids it", false);
}

void
permit_explain_ring(struct refusal *r, int err)
{
	*r->mend = 0;
	snprintf(r->what, sizeof r->what, "cannot map a buffer for samples: %s%s", strerror(err),
	         err == EPERM ? "; kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK allow no more: other programs of this user use all of it" : "");
	if (err == EPERM)
		strcpy(r->mend, "sudo sysctl kernel.perf_event_mlock_kb=8192");
}
