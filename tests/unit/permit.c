#include "test.h"
#include "sample/rights/permit.c"

#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ALL UINT64_MAX

struct verdict {
	struct facts f;
	int err;
	const char *what, *mend;   /* must be in it; a mend of "" must be empty */
};

#define NOBODY .event = "cpu-clock", .software = true, .uid = 1000, .its_uid = 1000, .gid = 1000, .its_gid = 1000, \
	.dumpable = true, .paranoid = 2, .perfmon_known = true, .max_rate = 100000, .nofile = 1024, .self = "/bin/prof"
#define ROOT .event = "cycles", .dumpable = true, .paranoid = 2, .perfmon_known = true, .caps = ALL, \
	.max_rate = 100000, .nofile = 1024, .self = "/bin/prof"

static const struct verdict verdicts[] = {
	{ { NOBODY, .system = true }, EACCES, "paranoid is 2; for the whole system it must be 0", "kernel.perf_event_paranoid=0" },
	{ { NOBODY, .kernel_asked = true }, EACCES, "kernel", "sudo setcap cap_perfmon,cap_sys_ptrace+ep /bin/prof" },
	{ { NOBODY, .system = true, .perfmon_known = false }, EACCES, "paranoid is 2", "sysctl kernel.perf_event_paranoid=0" },
	{ { NOBODY, .paranoid = 3 }, EACCES, "paranoid is 3; at that level this kernel refuses all", "kernel.perf_event_paranoid=1" },
	{ { NOBODY, .paranoid = 4, .pid = 7 }, EACCES, "process 7 (Permission denied): kernel.perf_event_paranoid is 4", "paranoid=1" },
	{ { NOBODY, .paranoid = INT_MAX }, EACCES, "paranoid is unknown; it may forbid all events", "paranoid=1" },
	{ { NOBODY, .paranoid = INT_MAX, .kernel_asked = true }, EACCES, "paranoid is unknown; for the kernel's side it must be 1", "paranoid=1" },
	{ { NOBODY, .kernel_asked = true }, EACCES, "for the kernel's side it must be 1", "paranoid=1" },
	{ { NOBODY, .paranoid = 3, .container = DOCKER }, EACCES, "is 3", "docker run --cap-add PERFMON ..., or on the host: sudo sysctl" },
	{ { NOBODY, .paranoid = 3, .container = PODMAN }, EACCES, "is 3", "podman run --cap-add PERFMON ..., or" },
	{ { NOBODY, .paranoid = 3, .container = KUBERNETES }, EACCES, "is 3", "securityContext: {capabilities: {add: [PERFMON]}}, or" },
	{ { NOBODY, .seccomp = true, .container = KUBERNETES }, EPERM, "seccomp", "[PERFMON]}}, or seccompProfile: {type: Unconfined}" },
	{ { NOBODY, .paranoid = 3, .container = DOCKER, .namespaced = true }, EACCES, "is 3", "on the host: sudo sysctl" },
	{ { NOBODY, .uid = 0, .its_uid = 0, .gid = 0, .its_gid = 0, .namespaced = true, .system = true }, EACCES,
	  "root in a user namespace counts", "outside of the namespace" },
	{ { NOBODY, .event = "sched:sched_switch", .tracepoint = true, .pid = 7, .paranoid = 1 }, EPERM, "for tracepoints it must be -1", "paranoid=-1" },
	{ { NOBODY, .event = "uprobe", .probe = true, .paranoid = -1 }, EACCES, "probes need CAP_PERFMON", "sudo prof ..." },
	{ { NOBODY, .event = "uprobe", .probe = true, .paranoid = -1, .container = DOCKER }, EACCES, "CAP_PERFMON", "--cap-add PERFMON" },
	{ { NOBODY, .system = true, .cgroup = "x" }, EACCES, "cannot profile the cgroup (Permission denied)", "paranoid=0" },
	{ { ROOT, .system = true, .cgroup = "x" }, EBADF, "the kernel counts events only in cgroups of the perf_event hierarchy", "" },
	{ { NOBODY, .pid = 7, .its_uid = 0 }, EACCES, "belongs to user 0, prof runs as user 1000", "sudo prof -p 7" },
	{ { NOBODY, .pid = 7, .its_uid = 33 }, EACCES, "belongs to user 33", "sudo -u '#33' prof -p 7" },
	{ { NOBODY, .pid = 7, .its_uid = 33, .thread = true }, EACCES, "cannot profile thread 7", "prof -t 7" },
	{ { NOBODY, .pid = 7, .its_uid = 0, .paranoid = 4 }, EACCES, "belongs to user 0", "sudo prof -p 7" },
	{ { NOBODY, .pid = 7, .its_gid = 5 }, EACCES, "runs as group 5, prof as group 1000", "sudo prof -p 7" },
	{ { NOBODY, .pid = 7, .dumpable = false }, EACCES, "not dumpable", "sudo prof -p 7" },
	{ { NOBODY, .pid = 7, .hidden = true }, EACCES, "hidepid", "sudo prof -p 7" },
	{ { NOBODY, .pid = 7 }, EACCES, "security module", "dmesg" },
	{ { NOBODY, .seccomp = true, .container = DOCKER }, EPERM, "seccomp filter refuses perf_event_open, as Docker's",
	  "docker run --cap-add PERFMON" },
	{ { NOBODY, .seccomp = true }, EPERM, "seccomp", "SystemCallFilter" },
	{ { ROOT, .seccomp = true, .container = DOCKER, .caps = 0xa80425fb }, EPERM, "seccomp", "PERFMON" },
	{ { ROOT, .seccomp = true }, ENOSYS, "seccomp", "SystemCallFilter" },
	{ { ROOT }, ENOSYS, "no perf_event_open", "CONFIG_PERF_EVENTS" },
	{ { ROOT, .caps = 0xa80425fb, .system = true }, EACCES, "paranoid is 2", "setcap" },   /* root, but few rights */
	{ { ROOT, .pid = 7, .its_uid = 1000, .dumpable = false }, EACCES, "security module", "dmesg" },
	{ { ROOT, .lockdown = true }, EPERM, "locked down", "lockdown=integrity" },
	{ { ROOT, .pid = 7 }, ESRCH, "cannot profile process 7 (No such process): it does not exist", "" },
	{ { ROOT }, ESRCH, "cannot profile the command", "" },
	{ { ROOT, .pid = 7 }, EMFILE, "limit of 1024", "prlimit" },
	{ { ROOT }, ENFILE, "no file descriptors left", "file-max" },
	{ { ROOT }, ENOENT, "cannot profile the command: this machine has no counter that can sample 'cycles'", "-e cpu-clock" },
	{ { ROOT }, EOPNOTSUPP, "no counter", "-e cpu-clock" },
	{ { ROOT }, ENODEV, "no counter", "-e cpu-clock" },
	{ { ROOT, .event = "cgroup-switches", .software = true }, ENOENT, "no event 'cgroup-switches'", "" },
	{ { ROOT, .software = true, .cpus = true, .system = true }, ENODEV, "offline", "" },
	{ { ROOT }, ENOSPC, "too few counters", "-e" },
	{ { ROOT }, EBUSY, "has reserved the counters", "-e cpu-clock" },
	{ { ROOT, .freq = 200000 }, EINVAL, "-F 200000 is above kernel.perf_event_max_sample_rate, 100000", "-F max" },
	{ { ROOT, .freq = 100000 }, EINVAL, "rejects event 'cycles'", "" "-e cpu-clock" },
	{ { ROOT }, E2BIG, "too old", "--call-graph none" },
	{ { ROOT }, EIO, "perf_event_open for 'cycles' failed", "" },
};

static void
table(void)
{
	for (unsigned i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
		const struct verdict *v = &verdicts[i];
		struct facts f = v->f;
		struct refusal r;
		bool good;

		f.err = v->err;
		explain(&r, &f, reason(&f));
		good = strstr(r.what, v->what) && (*v->mend ? strstr(r.mend, v->mend) != NULL : !*r.mend) &&
		       (v->err == ENOENT && !v->f.cgroup) != (strstr(r.what, strerror(v->err)) != NULL) && strlen(r.what) < sizeof r.what - 1 && strlen(r.mend) < sizeof r.mend - 1;
		if (!good)
			printf("# verdict %u: %s | %s\n", i, r.what, r.mend);
		CHECK(good);
	}
}

static void
status_fields(void)
{
	static const char status[] = "Name:\tx\nUid:\t1000\t0\t0\t1000\nGid:\t5\t5\t5\t9\n";

	CHECK_U64(other_id(status, "\nUid:\t", 1000), 0);
	CHECK_U64(other_id(status, "\nUid:\t", 7), 1000);
	CHECK_U64(other_id(status, "\nGid:\t", 5), 5);   /* the fourth, the file system's, is of no account */
	CHECK_U64(other_id(status, "\nNone:\t", 5), 5);
	CHECK(permit_paranoid() != INT_MAX || access("/proc/sys/kernel/perf_event_paranoid", R_OK));
}

/* Refusals of the real kernel, each in a child of its own: the child exits with 0 if the words fit, with 77 for a skip. */
static void
provoke(const char *label, int (*fn)(struct refusal *))
{
	struct refusal r = { 0 };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	if (!(pid = fork())) {
		int code = fn(&r);

		if (code == 1)
			printf("# %s: %s | %s\n", label, r.what, r.mend);
		fflush(stdout);
		_exit(code);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		printf("skip permit/%s: needs root, and a kernel that refuses it\n", label);
	else
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct event event = { .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .user = true };
static struct capture capture = { .event = &event, .nevent = 1, .freq = 999 };

static bool
drop(void)
{
	return !geteuid() && !setgroups(0, NULL) && !setresgid(65534, 65534, 65534) && !setresuid(65534, 65534, 65534);
}

static int
ask(struct refusal *r, pid_t pid, int cpu, const char *what, const char *mended)
{
	struct perf_event_attr attr = { .type = event.type, .exclude_kernel = !event.kernel };
	int fd;

	attr.config = event.config;
	attr.freq = 1;
	attr.sample_freq = capture.freq;
	if ((fd = perf_open(&attr, pid, cpu, -1, 0)) >= 0)
		return 77;
	permit_explain(r, &capture, 0, pid, errno);
	return !strstr(r->what, what) || !strstr(r->mend, mended);
}

static int
foreign(struct refusal *r)
{
	pid_t pid = getppid();

	if (!drop() || permit_paranoid() > 2)
		return 77;
	capture.target = TARGET_PROCESSES;
	return ask(r, pid, -1, "belongs to user 0, prof runs as user 65534", "sudo prof -p");
}

static int
undumpable(struct refusal *r)
{
	pid_t pid;
	int code;

	if (!drop() || permit_paranoid() > 2)
		return 77;
	if (!(pid = fork())) {
		prctl(PR_SET_DUMPABLE, 0);
		pause();
	}
	usleep(20000);
	capture.target = TARGET_PROCESSES;
	code = ask(r, pid, -1, "not dumpable", "sudo prof -p");
	kill(pid, SIGKILL);
	return code;
}

static int
whole_system(struct refusal *r)
{
	if (!drop() || permit_paranoid() <= 0)
		return 77;
	capture.target = TARGET_SYSTEM;
	return ask(r, -1, 0, "for the whole system it must be 0", "kernel.perf_event_paranoid=0");
}

static int
kernel_side(struct refusal *r)
{
	if (!drop() || permit_paranoid() != 2)
		return 77;
	event.kernel = event.sides_given = true;
	return ask(r, 0, -1, "kernel's side", "kernel.perf_event_paranoid=1");
}

static int
ended(struct refusal *r)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	capture.target = TARGET_PROCESSES;
	return ask(r, pid, -1, "does not exist", "");
}

static int
descriptors(struct refusal *r)
{
	struct rlimit few = { 0, 0 };

	setrlimit(RLIMIT_NOFILE, &few);
	return ask(r, 0, -1, "limit of 0", "prlimit");
}

static int
no_counter(struct refusal *r)
{
	event = (struct event){ .name = "node-stores", .type = PERF_TYPE_HW_CACHE, .config = 0x106, .user = true };
	return ask(r, 0, -1, "no counter that can sample 'node-stores'", "-e cpu-clock");
}

static int
too_often(struct refusal *r)
{
	capture.freq = 100000000;
	return ask(r, 0, -1, "perf_event_max_sample_rate", "-F max");
}

static int
filtered(struct refusal *r)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof code / sizeof *code, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 77;
	return ask(r, 0, -1, "seccomp filter", "");
}

static void
provoked(void)
{
	provoke("foreign", foreign);
	provoke("undumpable", undumpable);
	provoke("whole_system", whole_system);
	provoke("kernel_side", kernel_side);
	provoke("ended", ended);
	provoke("descriptors", descriptors);
	provoke("no_counter", no_counter);
	provoke("too_often", too_often);
	provoke("filtered", filtered);
}

static void
ring(void)
{
	struct refusal r;

	permit_explain_ring(&r, EPERM);
	CHECK(strstr(r.what, "perf_event_mlock_kb") && strstr(r.mend, "sysctl"));
	permit_explain_ring(&r, ENOMEM);
	CHECK(strstr(r.what, strerror(ENOMEM)) && !*r.mend);
}

int
main(void)
{
	RUN("permit", table);
	RUN("permit", status_fields);
	RUN("permit", provoked);
	RUN("permit", ring);
	return TEST_STATUS;
}
