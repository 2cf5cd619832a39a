/* What turns samples into a profile: modules, codes, an unwinder.  It makes codes of a sample's stack.  Every command that
 * captures has one. */
#ifndef CMD_CAPTURE_COLLECTOR_H
#define CMD_CAPTURE_COLLECTOR_H

#include "code_functions.h"
#include "in_use.h"
#include "slowest.h"
#include "out/profile/profile.h"
#include "sample/session.h"
#include "sym/language/language.h"
#include "sym/name.h"
#include "unwind/unwind.h"

enum { NAMES_AHEAD = 4096 };   /* addresses that are named in one go */

struct whole_waits;

struct collector {
	struct modules modules;
	struct codes codes;
	struct profile profile;
	struct unwinder *unwinder;
	const struct arch *arch, *compat;   /* of the machine, and of its 32-bit tasks or NULL */
	struct space kernel;             /* one map: all of the kernel's addresses */
	struct names names;
	uint64_t next[NAMES_AHEAD];     /* these addresses, too large for a small stack */
	struct code_functions functions; /* the names as functions of the profile */
	uint32_t *mapping;               /* the profile's number + 1 of each module, by id; 0: none yet */
	uint32_t mapping_cap;
	uint32_t ahead;                  /* the modules of all codes before this one are ready for naming, or need nothing */
	uint32_t wait_event;             /* number of the event that samples the beginnings of waits; 0: there is none */
	uint32_t wait_weight;            /* that event's number in the profile */
	struct in_use in_use;            /* otel_memory:alloc and free */
	struct slowest slowest;          /* prof latency's */
	uint64_t skip_until;             /* prof leaves out samples before this time (-D) */
	bool kernel_named;               /* the kernel's addresses have names of their own */
	bool kernel_hidden;              /* samples fell into the kernel, but /proc/kallsyms tells no addresses */
	uint64_t throttled[3];           /* µs, of the target's cgroup: now, and before each of the last two drains */
	bool throttled_known;
	bool wall;                       /* the first event's samples weigh what they stand for, µs */
	bool raw;                        /* --raw-addresses: places in files are not named */
	bool by_container;               /* --by-container */
	bool by_name;                    /* threads with the same name are one thread of the profile */
	bool ip_only;                    /* --call-graph none */
	uint64_t walks[WALK_ENDS];       /* user stacks by how they ended */
	uint64_t elided, gaps, frames;
	uint64_t waits;                  /* among the profile's samples */
	struct whole_waits *whole;       /* the rest of their stacks; NULL: prof does not read it */
	uint64_t unread;                 /* how often prof came too late for that, although it need not have */
	uint64_t run_queue;              /* ns of them, [run queue] */
	uint64_t by_cfi, by_fp, by_chain, by_code, by_libunwind;
	struct languages *languages;     /* NULL: prof looks for none */
	bool interpreter;                /* --native-interpreter */
	enum language_lock lock;         /* of the last stack: what its thread has to do with its interpreter's lock, */
	const char *called;              /* and what the program calls the thread, or NULL */
	bool late;                       /* and whether its frames of a language were read later, */
	struct deep_chain chain;         /* from there */
	bool locked;                     /* --gil: keep only samples of threads that hold that lock */
	uint64_t unlocked;               /* samples that this leaves out */
	uint64_t language_stacks, language_doubtful, language_late;   /* user stacks with frames of a language; those in which some are not
	                                                                * sure; those with frames that prof read later */
	const struct language *doubted;  /* of the last of those that are not sure */
	uint64_t code_left;              /* see unwinder_left */
	uint64_t other_machine;          /* samples of 32-bit tasks: prof does not walk their stacks */
	struct stack_use use, wait_use;  /* of samples, and of waits */
	struct walk walk;
	uint32_t stack[STACK_MAX + 256];
};

bool collector_init(struct collector *, enum walk_mode, uint32_t max_stack, bool ip_only);
void collector_free(struct collector *);

/* Whether the sample shows where a wait begins, not what runs. */
static inline bool
collector_is_wait(const struct collector *c, const struct sample *s)
{
	return c->wait_event && s->event >= c->wait_event;
}

/* What the sample weighs: of most events how many it counts for.  The second function: the address of the memory that it allocates
 * or frees. */
uint64_t collector_weight(const struct sample *);
uint64_t collector_address(const struct sample *);
/* What prof latency's program says of a slow call: its site, and how long it took. */
struct slow_sample {
	uint32_t site;
	uint64_t ns;
};
struct slow_sample collector_slow(const struct sample *);
/* Walks the sample's user stack, and leaves that in WALK; false if it has none. */
bool collector_walk(struct collector *, const struct sample *);
/* Puts the codes of a sample's stack into STACK, leaf first, and returns their number.  The second function makes a code of a
 * task's name. */
uint32_t collector_stack(struct collector *, const struct sample *);
uint32_t collector_comm(struct collector *, const struct task *);
/* The name of a task at the root of stacks: its own, or its container's. */
const char *collector_root(struct collector *, const struct task *);
/* The profile's thread for a task and an event of the profile, as profile_thread gives it. */
uint32_t collector_thread(struct collector *, const struct task *, uint32_t event);
/* The number of user stacks, and of those that reached their root. */
uint64_t collector_walked(const struct collector *);

#endif
