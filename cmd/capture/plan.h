/* What the user wants of `prof record`: its options, checked before prof opens or starts anything. */
#ifndef CMD_CAPTURE_PLAN_H
#define CMD_CAPTURE_PLAN_H

#include "sample/session.h"
#include "unwind/unwind.h"
#include "cmd/options/options.h"
#include "cmd/options/outputs.h"
#include "cmd/options/search_dirs.h"
#include "cmd/options/target_options.h"

struct plan {
	struct arena arena;
	struct target_options target;
	enum engine engine;
	struct event event[EVENTS_MAX];
	unsigned nevent;
	uint64_t freq, count;
	bool freq_max;
	uint64_t duration, delay;        /* ns; 0: none */
	bool off_cpu, wall, wakers;
	bool idle, no_inherit, by_thread, by_process, mangled, brief, lines, outermost, raw, by_container, no_sandbox, embed_source, interpreter, gil, jit_names;
	enum { STACKS_AUTO, STACKS_DWARF, STACKS_FP, STACKS_NONE } stacks;
	uint64_t stack_size, max_stack;
	struct search_dirs dirs;            /* --debug-dir, --sysroot */
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	struct picture picture;
	struct output stats;             /* --stats; without it the path is NULL */
};

/* The options of prof record; ends with id 0. */
extern const struct option plan_options[];
/* 0 on success, EXIT_HELP if the user wants help, else the exit status, after an error message. */
int plan_read(struct plan *, int argc, char **argv);

#endif
