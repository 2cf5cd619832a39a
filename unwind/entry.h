/* The cache of the hot path: what lies at an address of a space, and the rule there. */
#ifndef UNWIND_ENTRY_H
#define UNWIND_ENTRY_H

#include "unwinder.h"

enum { SETS_LOG = 13 };

static inline struct set *
entry_set(const struct unwinder *u, uint32_t epoch, uint64_t addr)
{
	return u->set + ((addr ^ (uint64_t)epoch << 40) * 0x9e3779b97f4a7c15u >> (64 - SETS_LOG));
}

/* Finds what lies at ADDR, the slow way, and puts it into the cache.  NULL if no code is mapped. */
struct entry *entry_fill(struct unwinder *, struct space *, uint64_t addr);

static inline struct entry *
entry_find(struct unwinder *u, struct space *space, uint64_t addr)
{
	struct set *s = entry_set(u, space->epoch, addr);

	if (s->way[0].addr == addr && s->way[0].epoch == space->epoch)
		return &s->way[0];
	if (s->way[1].addr == addr && s->way[1].epoch == space->epoch)
		return &s->way[1];
	return entry_fill(u, space, addr);
}

/* Finds out the entry's rule, if that is not done yet. */
void entry_rule(struct unwinder *, struct entry *);
/* Finds out the entry's rule, if tables describe its code; false if not: the caller looks for a rule then, and entry_set_rule
 * keeps it. */
bool entry_described(struct unwinder *, struct entry *);
/* Gives the entry this rule from now on. */
void entry_set_rule(struct unwinder *, struct entry *, const struct rule *);
/* The module and address as linked of an entry that is not spare. */
struct module *entry_module(const struct unwinder *, const struct entry *, uint64_t *vaddr);
/* Like entry_find, for an address that may be just a number: it does not read maps for it. */
struct entry *entry_probe(struct unwinder *, struct space *, uint64_t addr);
/* Whether RA can be a return address: it must follow a call, if prof can read the bytes.  The entry is that of RA - 1. */
bool entry_after_call(struct unwinder *, struct entry *);

#endif
