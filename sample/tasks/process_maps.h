/* What processes map: kept true by records, in the order of time, and by /proc/PID/maps for what was there before. */
#ifndef SAMPLE_MAPPED_H
#define SAMPLE_MAPPED_H

#include "mapped_file.h"
#include "process.h"
#include "root_dirs.h"

/* What all processes share. */
struct mapped {
	struct backings backings;
	struct roots roots;
	struct module **jit;       /* whose perf map is still to be found */
	uint32_t njit, cap_jit;
	uint64_t jit_looked, jit_pause;
	uint64_t drained;          /* ns: when records were read last */
	uint32_t reread;           /* how often maps were read again */
	bool partial;              /* some threads are not seen, nor what they map */
};

bool mapped_init(struct mapped *, struct modules *);
void mapped_free(struct mapped *);
/* Forgets roots not needed any more; looks again for perf maps that were not there yet (all of them: LAST). */
void mapped_tidy(struct mapped *, uint64_t time, bool last);

/* A process comes to be, has all of its parent's, nothing any more, executes something else, ends, and is out of the tables. */
void mapped_begin(struct process *);
void mapped_fork(struct process *child, struct process *parent);
void mapped_forget(struct process *);
void mapped_exec(struct process *);
void mapped_end(struct process *);
void mapped_drop(struct process *);

/* Something is mapped at [lo, hi). */
void mapped_add(struct process *, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *);
/* Its maps are to be looked at, as of TIME: reads or copies them where that is still to be done. */
void mapped_ready(struct process *, uint64_t time);

#endif
