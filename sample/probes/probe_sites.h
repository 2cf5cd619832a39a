/* Where prof must set a probe.  A process without rights reads the file. */
#ifndef SAMPLE_PROBES_PROBE_SITES_H
#define SAMPLE_PROBES_PROBE_SITES_H

#include "sample/events/probe.h"
#include "probe_file.h"
#include "probe_wants.h"
#include "sym/probe/sites.h"

struct probe_sites {
	struct probe probe;
	struct probe_file file;    /* FD -1: the kernel's */
	struct sites sites;
	bool no_variable;          /* what is wrong is the variable that was asked for, not the place */
};

/* Finds the file and the sites of PROBE; they live until probe_sites_free.  False, with WHY in words. */
bool probe_sites_find(struct probe_sites *, const struct probe *, const struct probe_wants *, char *why, size_t size);
void probe_sites_free(struct probe_sites *);

#endif
