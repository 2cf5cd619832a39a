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

/* What lies at ADDR: the slow way, and into the cache.  NULL where no code is mapped. */
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
/* Its rule is to be that one from now on. */
void entry_set_rule(struct unwinder *, struct entry *, const struct rule *);
/* The module and address as linked of an entry that is not spare. */
struct module *entry_module(const struct unwinder *, const struct entry *, uint64_t *vaddr);
/* As entry_find, for an address that may be anything: asks nobody for maps. */
struct entry *entry_probe(struct unwinder *, struct space *, uint64_t addr);
/* Whether RA, whose entry (of RA - 1) is given, can be a return address: it follows a call, as far as its bytes can be read. */
bool entry_after_call(struct unwinder *, struct entry *);

#endif
