/* See target_options.h. */
#include "target_options.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exit.h"
#include "lib/clock.h"
#include "lib/msg.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/proc_mount.h"
#include "sample/tasks/launch.h"
#include "sample/tasks/target.h"
#include "sample/tasks/whose.h"

static bool
choose(struct target_options *t, char letter, enum target kind)
{
	if (t->chosen_by && t->chosen_by != letter) {
		error("-%c and -%c cannot be combined", t->chosen_by, letter);
		return false;
	}
	t->chosen_by = letter;
	t->kind = kind;
	t->attached = true;
	return true;
}

static bool
add_pids(struct target_options *t, const struct options *o, char letter, enum target kind)
{
	unsigned n;

	if (!choose(t, letter, kind))
		return false;
	n = option_pids(o, t->pid + t->npid, PIDS_MAX - t->npid);
	t->npid += n;
	return n != 0;
}

static bool
set_cpus(struct target_options *t, const struct options *o, struct arena *arena)
{
	const char *why = cpu_choose(o->value, t->cpu, &t->ncpu, arena);

	if (why)
		error("-C '%s': %s", o->value, why);
	return !why;
}

bool
target_options_has(int id)
{
	static const struct option table[] = { TARGET_OPTIONS, { 0 } };
	const struct option *o = table;

	while (o->id && o->id != id)
		o++;
	return o->id != 0;
}

bool
target_options_take(struct target_options *t, const struct options *o, int id, struct arena *arena)
{
	switch (id) {
	case 'p':
		return add_pids(t, o, 'p', TARGET_PROCESSES);
	case 't':
		return add_pids(t, o, 't', TARGET_THREADS);
	case 'n':
		t->name = o->value;
		return choose(t, 'n', TARGET_PROCESSES);
	case 'a':
		return choose(t, 'a', TARGET_SYSTEM);
	case 'G':
		t->cgroup = o->value;
		return choose(t, 'G', TARGET_SYSTEM);
	case 'C':
		return set_cpus(t, o, arena);
	case TARGET_ALL_NAMED:
		return t->all_named = true;
	case TARGET_NEWEST:
		return t->newest = true;
	case TARGET_WAIT:
		return t->wait_named = true;
	}
	return false;
}

bool
target_options_check(struct target_options *t, const struct options *o)
{
	const char *wrong = NULL;

	if (o->at < o->argc)
		t->command = o->argv + o->at;
	if (t->ncpu && !t->attached && !t->command) {   /* -C alone: all that runs on those CPUs */
		t->kind = TARGET_SYSTEM;
		t->attached = true;
	}
	if (!t->attached && !t->command)
		wrong = "nothing to profile: give a command, -p PID, -n NAME, -t TID, -G CGROUP or -a";
	else if (t->attached && t->command && !o->dashes)
		wrong = "write \"--\" before the command when you use -p, -t, -n, -a, -G or -C";
	else if ((t->all_named || t->newest || t->wait_named) && !t->name)
		wrong = "--all, --newest and --wait need -n NAME";
	else if (t->all_named && t->newest)
		wrong = "use --all or --newest, not both";
	if (wrong)
		error("%s", wrong);
	return !wrong;
}

/* Waits until a process of that name starts.  Looking for it takes at most a twentieth of a CPU. */
static unsigned
wait_for_name(struct target_options *t)
{
	enum { LEAST = 5000000, MOST = 500000000, PART = 20 };
	uint64_t began = clock_now();
	unsigned n;

	warn("prof waits for a process called %s; Ctrl-C ends", t->name);
	while (!(n = target_named(t->name, t->pid, PIDS_MAX))) {
		uint64_t pause = (clock_now() - began) * PART;

		pause = pause < LEAST ? LEAST : pause < MOST ? pause : MOST;
		if (nanosleep(&(struct timespec){ 0, (long)pause }, NULL) && errno == EINTR)
			return 0;
		began = clock_now();
	}
	return n;
}

/* An ordinary user may not profile the processes of others; if own ones are there, prof takes these. */
static unsigned
own_ones(struct target_options *t, unsigned n)
{
	unsigned kept = 0;

	if (n < 2 || (!sandbox_lent() && (!getuid() || !whose_may(getpid()))))
		return n;
	for (unsigned i = 0; i < n; i++)
		if (whose_may(t->pid[i]))
			t->pid[kept++] = t->pid[i];
	if (!kept || kept == n)
		return n;
	warn("%u of %u processes called %s are not yours, and prof leaves them out; root may profile them", n - kept, n, t->name);
	return kept;
}

static bool
find_named(struct target_options *t)
{
	unsigned n = target_named(t->name, t->pid, PIDS_MAX);

	if (!n && t->wait_named)
		n = wait_for_name(t);
	n = own_ones(t, n);
	if (!n)
		error("-n %s: there is no process of that name%s", t->name, t->cannot_wait ? "" : "; use --wait to wait for one");
	t->npid = n && t->newest ? 1 : n;
	if (n > 1 && t->newest)
		warn("%u processes are called %s; the newest is %d", n, t->name, t->pid[0]);
	else if (n > 1)
		warn("%u processes are called %s, and prof takes all of them; use --newest to take one", n, t->name);
	return n != 0;
}

static bool
there(const struct target_options *t, int32_t pid)
{
	int32_t of;

	return t->kind == TARGET_THREADS ? target_tid_exists(pid, &of) : target_pid_exists(pid);
}

bool
target_options_left(const struct target_options *t)
{
	for (unsigned i = 0; i < t->npid; i++)
		if (there(t, t->pid[i]))
			return true;
	return !t->npid;
}

/* Whether all pids and tids exist, and none is prof's. */
static bool
all_there(const struct target_options *t)
{
	bool thread = t->kind == TARGET_THREADS;

	for (unsigned i = 0; i < t->npid; i++) {
		if (t->pid[i] == getpid()) {
			error("-%c %d: that is prof itself", thread ? 't' : 'p', t->pid[i]);
			return false;
		}
		if (there(t, t->pid[i]))
			continue;
		error("-%c %d: no such %s", thread ? 't' : 'p', t->pid[i], thread ? "thread" : "process");
		return false;
	}
	return true;
}

int
target_options_find(struct target_options *t)
{
	const char *why = "";
	int status;

	if (t->command && (status = launch_check(t->command, &why))) {
		error("%s: %s", t->command[0], why);
		return status;
	}
	if (t->kind != TARGET_COMMAND && (why = proc_mount_adapt()))
		warn("%s", why);
	return (!t->name || find_named(t)) && all_there(t) ? 0 : EXIT_FAILED;
}
