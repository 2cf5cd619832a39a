/* The step from samples to a profile: unwind, intern, add.  Shared by every command that captures. */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "../out/profile.h"
#include "../sample/session.h"
#include "../sym/name.h"
#include "../unwind/unwind.h"

struct collector {
	struct modules modules;
	struct codes codes;
	struct profile profile;
	struct unwinder *unwinder;
	struct space kernel;             /* one map: all of the kernel's addresses */
	struct names names;
	uint32_t *mapping;               /* the profile's number + 1 of each module, by id; 0: none yet */
	uint32_t mapping_cap;
	uint64_t skip_until;             /* samples before this time are left out (-D) */
	bool kernel_named;               /* kernel addresses can be told apart */
	bool kernel_seen;                /* and some were */
	bool kernel_hidden;              /* samples fell into the kernel, but /proc/kallsyms tells no addresses */
	bool raw;                        /* --raw-addresses: places in files are not named */
	bool ip_only;                    /* --call-graph none */
	uint64_t walks[WALK_ENDS];       /* user stacks by how they ended */
	uint64_t elided, frames;
	uint64_t by_cfi, by_fp, by_chain, by_code;
	uint64_t other_machine;          /* samples of 32-bit tasks, whose stacks are not walked */
	struct need {                    /* since the stack's size was chosen last */
		uint64_t walks, cut, cut_in_fp;
		uint64_t used;               /* bytes, of the longest */
	} need;
	struct walk walk;
	uint32_t stack[STACK_MAX + 256];
};

bool collector_init(struct collector *, enum walk_mode, uint32_t max_stack, bool ip_only);
void collector_free(struct collector *);

/* For session_drain; CTX is the collector. */
void collect_sample(void *collector, const struct sample *);
/* While there is nothing else to do: prepares for naming.  True: there is more of that. */
bool collect_ahead(struct collector *);
/* Names the finished profile. */
void collect_names(struct collector *);
/* User stacks in all, and those that reached their root. */
uint64_t collect_walked(const struct collector *);

#endif
