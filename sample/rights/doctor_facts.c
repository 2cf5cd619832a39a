/* See doctor_facts.h.  proc(5), landlock(7), <linux/proc_ns.h>. */
#include "doctor_facts.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/file.h"
#include "sample/tasks/cgroup_dir.h"

__attribute__((format(printf, 4, 5))) static void
fact(struct examination *e, const char *key, bool number, const char *fmt, ...)
{
	struct finding *f = examination_add(e, NULL, key);
	va_list ap;

	f->kind = FINDING_FACT;
	f->number = number;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
}

/* Of /proc/sys/kernel. */
static const char *const settings[] = {
	"perf_event_paranoid", "kptr_restrict", "yama/ptrace_scope", "perf_event_max_sample_rate", "perf_event_mlock_kb",
	"perf_event_max_stack", "perf_cpu_time_max_percent",
};

static void
tell_file(struct examination *e, const char *key, const char *path)
{
	char text[200];

	if (file_text(AT_FDCWD, path, text, sizeof text) > 0)
		fact(e, key, text[strspn(text, "-0123456789")] == '\n', "%.*s", (int)strcspn(text, "\n"), text);
}

static void
tell_limit(struct examination *e, const char *key, int which, unsigned shift)
{
	struct rlimit l;

	if (getrlimit(which, &l))
		return;
	if (l.rlim_max == RLIM_INFINITY)
		fact(e, key, false, "unlimited");
	else
		fact(e, key, true, "%llu", (unsigned long long)l.rlim_max >> shift);
}

/* What /proc/PID/status says behind a word. */
static void
tell_status(struct examination *e, const char *key, const char *status, const char *word, bool number)
{
	const char *s = strstr(status, word);

	if (s)
		fact(e, key, number, "%.*s", (int)strcspn(s + strlen(word), "\t\n"), s + strlen(word));
}

static void
tell_namespaces(struct examination *e)
{
	/* <linux/proc_ns.h>: the numbers that the first namespaces of a machine have. */
	static const struct { uint32_t first; char key[20]; } spaces[] = {
		{ 0xeffffffd, "user_namespace" }, { 0xeffffffc, "pid_namespace" }, { 0xeffffffb, "cgroup_namespace" },
	};
	char path[48];
	struct stat st;

	for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		snprintf(path, sizeof path, "/proc/self/ns/%.*s", (int)strcspn(spaces[i].key, "_"), spaces[i].key);
		if (!stat(path, &st))
			fact(e, spaces[i].key, false, "%s", st.st_ino == spaces[i].first ? "host" : "own");
	}
}

void
doctor_facts(struct examination *e, uint32_t cpus)
{
	char text[4096], dir[480];
	bool unified, of_memory;
	struct utsname u;
	long landlock;

	if (!uname(&u))
		fact(e, "kernel", false, "%.60s %.20s", u.release, u.machine);
	fact(e, "cpus", true, "%u", (unsigned)cpus);
	fact(e, "uid", true, "%u", (unsigned)geteuid());
	if (file_text(AT_FDCWD, "/proc/self/status", text, sizeof text) > 0) {
		tell_status(e, "capabilities", text, "\nCapEff:\t", false);
		tell_status(e, "seccomp", text, "\nSeccomp:\t", true);
		tell_status(e, "no_new_privs", text, "\nNoNewPrivs:\t", true);
	}
	for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
		const char *slash = strchr(settings[i], '/');

		snprintf(dir, sizeof dir, "/proc/sys/kernel/%s", settings[i]);
		tell_file(e, slash ? slash + 1 : settings[i], dir);
	}
	tell_file(e, "security_modules", "/sys/kernel/security/lsm");
	tell_file(e, "lockdown", "/sys/kernel/security/lockdown");
	tell_limit(e, "memlock_kib", RLIMIT_MEMLOCK, 10);
	tell_limit(e, "nofile", RLIMIT_NOFILE, 0);
	landlock = syscall(444 /* landlock_create_ruleset, on all machines */, NULL, 0, 1u /* its version */);
	fact(e, "landlock", true, "%ld", landlock > 0 ? landlock : 0);
	if (!cgroup_dir(0, CGROUP_EVENTS, dir, sizeof dir, &unified))
		fact(e, "cgroup_version", false, "%s", !unified ? "1"
		                                : !cgroup_dir(0, "memory", dir, sizeof dir, &of_memory) && !of_memory ? "1 and 2"
		                                                                                                       : "2");
	tell_namespaces(e);
}
