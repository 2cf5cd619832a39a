/* The step from samples to a profile: unwind, intern, add.  Shared by every command that captures. */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "out/profile/profile.h"
#include "sample/session.h"
#include "sym/name.h"
#include "unwind/unwind.h"

struct collector {
	struct modules modules;
	struct codes codes;
	struct profile profile;
	struct unwinder *unwinder;
	struct space kernel;             /* one map: all of the kernel's addresses */
	struct names names;
	uint32_t *mapping;               /* the profile's number + 1 of each module, by id; 0: none yet */
	uint32_t mapping_cap;
	uint32_t ahead;                  /* codes before this one lie in modules that were prepared for naming, or need not be */
	uint32_t wait_event;             /* number of the event whose samples are waits' beginnings; 0: there is none */
	uint64_t skip_until;             /* samples before this time are left out (-D) */
	bool kernel_named;               /* kernel addresses can be told apart */
	bool kernel_hidden;              /* samples fell into the kernel, but /proc/kallsyms tells no addresses */
	uint64_t throttled[3];           /* µs, of the target's cgroup: now, and before each of the last two drains */
	bool throttled_known;
	bool wall;                       /* the first event's samples weigh what they stand for, µs */
	bool raw;                        /* --raw-addresses: places in files are not named */
	bool by_container;               /* --by-container */
	bool ip_only;                    /* --call-graph none */
	uint64_t walks[WALK_ENDS];       /* user stacks by how they ended */
	uint64_t elided, frames;
	uint64_t waits;                  /* among the profile's samples */
	uint64_t by_cfi, by_fp, by_chain, by_code, by_libunwind;
	uint64_t other_machine;          /* samples of 32-bit tasks, whose stacks are not walked */
	struct need {                    /* since the stack's size was chosen last; of samples, and of waits */
		uint64_t walks, cut, cut_in_fp;
		uint64_t used;               /* bytes, of the longest */
	} need, wait_need;
	struct walk walk;
	uint32_t stack[STACK_MAX + 256];
};

bool collector_init(struct collector *, enum walk_mode, uint32_t max_stack, bool ip_only);
void collector_free(struct collector *);

/* For session_drain; CTX is the collector. */
void collect_sample(void *collector, const struct sample *);
/* While there is nothing else to do for PATIENCE ns: prepares for naming.  True: there is more of that. */
bool collect_ahead(struct collector *, uint64_t patience);
/* The codes of a sample's stack, leaf first, into STACK; how many.  And a task's name as one. */
uint32_t collect_stack(struct collector *, const struct sample *);
uint32_t collect_comm(struct collector *, const struct task *);
/* For session's waits; CTX is the collector.  And the profile's thread that a task's waits are of. */
void collect_wait(void *collector, const struct wait *);
void collect_waker(struct collector *, const struct sample *);
void collect_ran(struct collector *, struct task *, uint32_t thread, uint64_t time, uint64_t ns, uint32_t node);
uint32_t collect_wait_thread(struct collector *, struct task *);
/* What a task is known as at the root of stacks: its name, or its container. */
const char *collect_root(struct collector *, const struct task *);
/* Names the finished profile: there are no more samples. */
void collect_names(struct collector *);
/* User stacks in all, and those that reached their root. */
uint64_t collect_walked(const struct collector *);

#endif
