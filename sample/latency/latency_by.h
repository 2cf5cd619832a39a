/* prof latency --by WHAT: where the programs find the value by which they tell calls apart. */
#ifndef SAMPLE_LATENCY_LATENCY_BY_H
#define SAMPLE_LATENCY_LATENCY_BY_H

#include "latency_code.h"
#include "sample/events/probe_arg.h"
#include "sample/probes/probe_sites.h"

struct latency_by {
	const char *words;
	struct probe_arg arg;      /* how its values are shown */
	char wrong[400];           /* why there is none */
};

/* The variable that WORDS mean at a probe of this kind, for probe_wants; or NULL. */
const char *latency_by_variable(const char *words, const struct probe *);
/* The nearest of the words that latency_by_word takes, or NULL. */
const char *latency_by_near(const char *words);
/* Takes thread, process, arg0 to arg5, and retval.  False: WORDS are something else. */
bool latency_by_word(struct latency_by *, struct latency_shape *);
/* Finds the value at the sites where calls begin, or, as $RETVAL, where they return.  False, with WRONG in words. */
bool latency_by_sites(struct latency_by *, struct latency_shape *, const struct probe_sites *, bool returns);
/* Finds it among the fields of TRACEPOINT, SYSTEM:NAME, or among the arguments of the WANTED system calls.  False, with WRONG in words. */
bool latency_by_field(struct latency_by *, struct latency_shape *, const char *tracepoint);
bool latency_by_syscalls(struct latency_by *, struct latency_shape *, const uint8_t *wanted);
/* WORDS, filled with "name=value". */
const char *latency_by_say(const struct latency_by *, uint64_t value, char *words, size_t size);

#endif
