/* What `prof record` was asked to do: its options, checked, before anything is opened or started. */
#ifndef CMD_PLAN_H
#define CMD_PLAN_H

#include "sample/events/cpu.h"
#include "sample/session.h"
#include "unwind/unwind.h"
#include "cmd/options/search_dirs.h"
#include "cmd/options/outputs.h"

enum { PIDS_MAX = 4096 };

struct plan {
	struct arena arena;
	enum target target;
	enum engine engine;
	bool attached;                   /* to what was there before prof */
	int32_t pid[PIDS_MAX];           /* -p, -n; -t: tids */
	unsigned npid;
	int32_t cpu[CPUS_MAX];
	unsigned ncpu;
	const char *name;                /* -n */
	const char *cgroup;              /* -G */
	bool all_named, wait_named;
	char **command;                  /* NULL: none */
	struct event event[EVENTS_MAX];
	unsigned nevent;
	uint64_t freq, count;
	bool freq_max;
	uint64_t duration, delay;        /* ns; 0: none */
	bool off_cpu, wall, wakers;
	bool idle, no_inherit, by_thread, by_process, mangled, brief, lines, outermost, raw, by_container, no_sandbox;
	enum { STACKS_AUTO, STACKS_DWARF, STACKS_FP, STACKS_NONE } stacks;
	uint64_t stack_size, max_stack;
	struct places places;            /* --debug-dir, --sysroot */
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct picture picture;
	const char *stats;               /* --stats, or NULL */
};

/* 0 if it is well, -1 once help was given, else the exit status once it has said what is wrong. */
int plan_read(struct plan *, int argc, char **argv);
/* Finds the processes of -n, waiting for one with --wait; checks that pids are there.  0 or an exit status. */
int plan_find_targets(struct plan *);

#endif
