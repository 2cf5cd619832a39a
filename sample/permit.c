/* See permit.h.  The kernel's rules: perf_event_open(2), Documentation/admin-guide/perf-security.rst,
 * kernel/events/core.c; levels above 2 are Debian's, Ubuntu's and Android's.  Reading the facts and judging them are kept
 * apart, so that every verdict can be tested without provoking it. */
#include "permit.h"
#include "../lib/file.h"
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYS_PTRACE_BIT = 19, SYS_ADMIN_BIT = 21, PERFMON_BIT = 38 };   /* of <linux/capability.h> */

struct facts {
	const char *event;         /* the one most likely meant */
	bool software;             /* it is a software event */
	bool kernel_asked;         /* by a modifier */
	bool system;               /* -a, -C */
	bool cpus;                 /* -C */
	int32_t pid;               /* attached to, else 0 */
	bool thread;               /* ... and it is -t */
	bool hidden;               /* ... and /proc does not show it to us */
	uint32_t uid, gid;         /* prof's */
	uint32_t its_uid, its_gid; /* the target's, where they differ; else prof's */
	bool dumpable;
	int paranoid;
	uint64_t caps;             /* effective, and worth something: none in a user namespace */
	bool namespaced;           /* in a user namespace */
	bool perfmon_known;        /* CAP_PERFMON is there: Linux 5.8 */
	bool seccomp;              /* a filter is on */
	bool container;
	bool lockdown;             /* confidentiality */
	uint64_t freq, max_rate, nofile;
	char self[128];            /* prof's own file */
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

/* The first of the four ids behind KEY that is not OWN, or OWN. */
static uint32_t
other_id(const char *status, const char *key, uint32_t own)
{
	const char *p = field(status, key);
	uint64_t id;

	for (int i = 0; p && i < 3 && text_dec(&p, &id); i++, p += *p == '\t')   /* real, effective, saved */
		if (id != own)
			return (uint32_t)id;
	return own;
}

static void
learn_self(struct facts *f)
{
	char buf[4096];
	const char *p;
	uint64_t v;
	ssize_t n;

	f->uid = f->its_uid = geteuid();
	f->gid = f->its_gid = getegid();
	f->paranoid = permit_paranoid();
	if (file_text(AT_FDCWD, "/proc/self/uid_map", buf, sizeof buf) > 0) {
		p = strstr(buf, "4294967295");
		f->namespaced = !p;
	}
	if (file_text(AT_FDCWD, "/proc/self/status", buf, sizeof buf) > 0) {
		if ((p = field(buf, "\nCapEff:\t")) && text_hex(&p, &v) && !f->namespaced)
			f->caps = v;
		f->seccomp = (p = field(buf, "\nSeccomp:\t")) && *p == '2';
	} else if (!f->uid)
		f->caps = UINT64_MAX;
	f->perfmon_known = number_in("/proc/sys/kernel/cap_last_cap", PERFMON_BIT) >= PERFMON_BIT;
	f->container = !access("/.dockerenv", F_OK) || !access("/run/.containerenv", F_OK) || getenv("KUBERNETES_SERVICE_HOST");
	f->lockdown = file_text(AT_FDCWD, "/sys/kernel/security/lockdown", buf, sizeof buf) > 0 &&
	              strstr(buf, "[confidentiality]");
	n = readlink("/proc/self/exe", f->self, sizeof f->self - 1);
	snprintf(f->self + (n > 0 ? n : 0), sizeof f->self - (size_t)(n > 0 ? n : 0), "%s", n > 0 ? "" : "prof");
}

static void
learn_target(struct facts *f, int32_t pid)
{
	char path[32], buf[4096];
	struct stat st;
	uint32_t owner;

	f->dumpable = true;
	if (pid <= 0)
		return;
	f->pid = pid;
	if (file_proc(pid, "status", buf, sizeof buf) <= 0) {
		f->hidden = kill(pid, 0) && errno == EPERM;
		return;
	}
	owner = other_id(buf, "\nUid:\t", UINT32_MAX);
	f->its_uid = other_id(buf, "\nUid:\t", f->uid);
	f->its_gid = other_id(buf, "\nGid:\t", f->gid);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);   /* of root where the process is not dumpable */
	f->dumpable = stat(path, &st) || st.st_uid == owner || !owner;
}

static void
learn_capture(struct facts *f, const struct capture *c)
{
	struct rlimit files;
	unsigned which = 0;

	for (unsigned i = c->nevent; i--;)   /* software events are hardly ever refused for themselves */
		if (c->event[i].type != PERF_TYPE_SOFTWARE)
			which = i;
	f->event = c->nevent ? c->event[which].name : "";
	f->software = c->nevent && c->event[which].type == PERF_TYPE_SOFTWARE;
	for (unsigned i = 0; i < c->nevent; i++)
		f->kernel_asked |= c->event[i].sides_given && c->event[i].kernel;
	f->system = c->target == TARGET_SYSTEM;
	f->thread = c->target == TARGET_THREADS;
	f->cpus = c->ncpu != 0;
	f->freq = c->freq;
	f->max_rate = number_in("/proc/sys/kernel/perf_event_max_sample_rate", UINT64_MAX);
	f->nofile = getrlimit(RLIMIT_NOFILE, &files) ? 0 : files.rlim_cur;
}

__attribute__((format(printf, 2, 3))) static void
mend(struct refusal *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->mend, sizeof r->mend, fmt, ap);
	va_end(ap);
}

/* Says what was tried and what the system said, then the reason. */
__attribute__((format(printf, 4, 5))) static void
because(struct refusal *r, const struct facts *f, int err, const char *fmt, ...)
{
	size_t n;
	va_list ap;

	if (f->system)
		snprintf(r->what, sizeof r->what, "cannot profile the whole system (%s): ", strerror(err));
	else if (f->pid)
		snprintf(r->what, sizeof r->what, "cannot profile %s %d (%s): ", f->thread ? "thread" : "process", (int)f->pid,
		         strerror(err));
	else
		snprintf(r->what, sizeof r->what, "cannot profile the command (%s): ", strerror(err));
	n = strlen(r->what);
	va_start(ap, fmt);
	vsnprintf(r->what + n, sizeof r->what - n, fmt, ap);
	va_end(ap);
}

/* The paranoid level is in the way, LEVEL would do. */
static void
paranoid(struct refusal *r, const struct facts *f, int err, int level, const char *need)
{
	char is[32] = "cannot be read", sysctl[64];

	if (f->paranoid != INT_MAX)
		snprintf(is, sizeof is, "is %d", f->paranoid);
	because(r, f, err, "kernel.perf_event_paranoid %s; %s%s", is, need,
	        f->namespaced && !f->uid ? "; root in a user namespace counts as an ordinary user" : "");
	snprintf(sysctl, sizeof sysctl, "sudo sysctl kernel.perf_event_paranoid=%d", level);
	if (f->container && !f->namespaced)
		mend(r, "start the container with --cap-add %s, or on the host: %s", f->perfmon_known ? "PERFMON" : "SYS_ADMIN", sysctl);
	else if (f->container)
		mend(r, "on the host: %s", sysctl);
	else if (f->namespaced)
		mend(r, "outside of the namespace: %s", sysctl);
	else
		mend(r, "%s, or: sudo setcap cap_%s,cap_sys_ptrace+ep %s", sysctl, f->perfmon_known ? "perfmon" : "sys_admin", f->self);
}

static void
seccomp(struct refusal *r, const struct facts *f, int err)
{
	because(r, f, err, "a seccomp filter refuses perf_event_open%s", f->container ? ", as Docker's default profile does" : "");
	if (f->container)
		mend(r, "docker run --cap-add %s ..., or --security-opt seccomp=PROFILE that allows perf_event_open",
		     f->perfmon_known ? "PERFMON" : "SYS_ADMIN");
	else
		mend(r, "run prof outside of the sandbox, or allow it the system call (systemd: SystemCallFilter=perf_event_open)");
}

static void
denied(struct refusal *r, const struct facts *f, int err)
{
	bool able = f->caps >> PERFMON_BIT & 1 || f->caps >> SYS_ADMIN_BIT & 1;
	bool tracer = f->caps >> SYS_PTRACE_BIT & 1;
	char attach[32];

	snprintf(attach, sizeof attach, "-%c %d ...", f->thread ? 't' : 'p', (int)f->pid);
	if (f->seccomp && err == EPERM)
		seccomp(r, f, err);
	else if (f->hidden) {
		because(r, f, err, "it belongs to another user, and /proc does not show it (hidepid)");
		mend(r, "sudo prof %s", attach);
	} else if (!tracer && f->its_uid != f->uid) {
		because(r, f, err, "it belongs to user %u, prof runs as user %u", f->its_uid, f->uid);
		if (f->its_uid)
			mend(r, "sudo -u '#%u' prof %s", f->its_uid, attach);
		else
			mend(r, "sudo prof %s", attach);
	} else if (!tracer && f->its_gid != f->gid) {
		because(r, f, err, "it runs as group %u, prof as group %u", f->its_gid, f->gid);
		mend(r, "sudo prof %s", attach);
	} else if (!tracer && !f->dumpable) {
		because(r, f, err, "it is not dumpable: a set-user-id program, one with capabilities or with an unreadable "
		        "file, or one that asked for it (prctl)");
		mend(r, "sudo prof %s", attach);
	} else if (!able && f->system && f->paranoid > 0)
		paranoid(r, f, err, 0, "for the whole system it must be 0 or lower, or prof needs CAP_PERFMON");
	else if (!able && f->paranoid > 2)
		paranoid(r, f, err, 1, "this kernel then refuses all events to ordinary users");
	else if (!able && f->kernel_asked && f->paranoid > 1)
		paranoid(r, f, err, 1, "for the kernel's side it must be 1 or lower");
	else if (f->seccomp)
		seccomp(r, f, err);
	else if (f->lockdown) {
		because(r, f, err, "the kernel is locked down (confidentiality)");
		mend(r, "start the machine with lockdown=integrity, or without secure boot");
	} else {
		because(r, f, err, "neither kernel.perf_event_paranoid (%d) nor its owner forbids it: a security module "
		        "(SELinux, AppArmor) may", f->paranoid);
		mend(r, "sudo dmesg | grep -i denied");
	}
}

static void
unsupported(struct refusal *r, const struct facts *f, int err)
{
	if (f->software && f->cpus && err == ENODEV)
		because(r, f, err, "one of the CPUs has gone offline");
	else if (f->software)
		because(r, f, err, "this kernel has no event '%.60s'", f->event);
	else {
		because(r, f, err, "this machine has no counter that can sample '%.60s' (virtual machines often have none)",
		        f->event);
		mend(r, "-e cpu-clock");
	}
}

static void
invalid(struct refusal *r, const struct facts *f, int err)
{
	if (f->freq > f->max_rate) {
		because(r, f, err, "-F %llu is above kernel.perf_event_max_sample_rate, %llu", (unsigned long long)f->freq,
		        (unsigned long long)f->max_rate);
		mend(r, "-F max, or: sudo sysctl kernel.perf_event_max_sample_rate=%llu", (unsigned long long)f->freq);
	} else {
		because(r, f, err, "the kernel does not take event '%.60s' as it stands (its terms or modifiers?)", f->event);
		mend(r, "-e cpu-clock");
	}
}

static void
judge(struct refusal *r, const struct facts *f, int err)
{
	*r->what = *r->mend = 0;
	switch (err) {
	case ESRCH:
		because(r, f, err, f->pid ? "it does not exist, or has just ended" : "it has just ended");
		break;
	case EACCES:
	case EPERM:
		denied(r, f, err);
		break;
	case ENOSYS:
		if (f->seccomp)
			seccomp(r, f, err);
		else {
			because(r, f, err, "this kernel (or emulator) has no perf_event_open");
			mend(r, "use a kernel with CONFIG_PERF_EVENTS=y");
		}
		break;
	case EMFILE:
		because(r, f, err, "it takes more descriptors than the limit of %llu", (unsigned long long)f->nofile);
		mend(r, "sudo prlimit --pid $$ --nofile=1048576   (then prof again in this shell)");
		break;
	case ENFILE:
		because(r, f, err, "the whole machine's descriptors are used up");
		mend(r, "sudo sysctl fs.file-max=1000000");
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		unsupported(r, f, err);
		break;
	case ENOSPC:
		because(r, f, err, "the machine has too few counters for all these events at once");
		mend(r, "fewer events in -e");
		break;
	case EBUSY:
		because(r, f, err, "another program holds the counters of '%.60s' for itself", f->event);
		mend(r, "-e cpu-clock");
		break;
	case EINVAL:
		invalid(r, f, err);
		break;
	case E2BIG:
		because(r, f, err, "this kernel is too old for what is asked of it");
		mend(r, "--call-graph none");
		break;
	default:
		because(r, f, err, "perf_event_open for '%.60s' failed", f->event);
	}
}

void
permit_explain(struct refusal *r, const struct capture *c, int32_t pid, int err)
{
	struct facts f = { 0 };

	learn_self(&f);
	learn_target(&f, pid);
	learn_capture(&f, c);
	judge(r, &f, err);
}

void
permit_explain_ring(struct refusal *r, int err)
{
	*r->mend = 0;
	snprintf(r->what, sizeof r->what, "cannot map a ring for the samples: %s%s", strerror(err),
	         err == EPERM ? "; others of this user have used up kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK" : "");
	if (err == EPERM)
		mend(r, "sudo sysctl kernel.perf_event_mlock_kb=8192");
}
