/* The options that name the target, for every command that captures: -p -t -n -a -G -C, or a command to run. */
#ifndef CMD_OPTIONS_TARGET_OPTIONS_H
#define CMD_OPTIONS_TARGET_OPTIONS_H

#include "lib/mem.h"
#include "options.h"
#include "sample/events/capture.h"
#include "sample/events/cpu.h"

enum { PIDS_MAX = 4096 };

struct target_options {
	enum target kind;
	bool attached;                   /* the target ran before prof */
	int32_t pid[PIDS_MAX];           /* -p, -n; -t: tids */
	unsigned npid;
	int32_t cpu[CPUS_MAX];           /* -C */
	unsigned ncpu;
	const char *name;                /* -n */
	const char *cgroup;              /* -G */
	bool all_named, newest, wait_named;   /* --all, --newest, --wait */
	bool cannot_wait;          /* the command has no --wait */
	char **command;                  /* NULL: none */
	char chosen_by;                  /* the letter of the option that chose the target; 0: none did */
};

enum { TARGET_ALL_NAMED = 600, TARGET_NEWEST, TARGET_WAIT };

#define TARGET_OPTIONS \
	{ 'p', "pid=PID,...", "attach to processes, with all their threads and children" }, \
	{ 't', "tid=TID,...", "attach to these threads only" }, \
	{ 'n', "name=NAME", "attach to all processes of that name" }, \
	{ TARGET_ALL_NAMED, "all", "with -n: take all of them (the default)" }, \
	{ TARGET_NEWEST, "newest", "with -n: take the newest one only" }, \
	{ TARGET_WAIT, "wait", "with -n: wait until one starts" }, \
	{ 'a', "all-cpus", "profile the whole system" }, \
	{ 'G', "cgroup=CGROUP|PID", "profile a container: a cgroup path, or a PID for its cgroup" }, \
	{ 'C', "cpu=LIST", "profile only these CPUs, such as 0,2-3" }

/* Whether the option is one of these. */
bool target_options_has(int id);
/* Takes the option; false after an error message. */
bool target_options_take(struct target_options *, const struct options *, int id, struct arena *);
/* Call it after the last option: the words that follow are the command.  False after an error message, if options do not go
 * together. */
bool target_options_check(struct target_options *, const struct options *);
/* Finds the command, or the processes of -n (with --wait it waits for one), and checks that pids exist.  Returns 0, or the exit
 * status after an error message. */
int target_options_find(struct target_options *);
/* Whether any named process or thread is still there; true if the user named none. */
bool target_options_left(const struct target_options *);

#endif
