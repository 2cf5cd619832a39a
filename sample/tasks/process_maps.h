/* What processes map.  Records keep this true, in the order of time; /proc/PID/maps has what was mapped before. */
#ifndef SAMPLE_TASKS_PROCESS_MAPS_H
#define SAMPLE_TASKS_PROCESS_MAPS_H

#include "mapped_file.h"
#include "root_dirs.h"
#include "sym/module/space.h"

/* What all processes share. */
struct all_maps {
	struct mapped_files files;
	struct root_dirs roots;
	struct module **jit;       /* modules that still look for their perf map */
	uint32_t njit, cap_jit;
	uint64_t jit_looked, jit_pause;
	uint64_t drained;          /* ns: when records were read last */
	uint32_t reread;           /* how often maps were read again */
	bool partial;              /* prof does not see some threads, and what they map */
};

/* What one process maps.  Only process_maps.c uses the fields other than SPACE. */
struct process_maps {
	struct space space;        /* first: its callbacks find the rest by it */
	struct all_maps *all;
	int32_t pid;
	int32_t by;                /* see foreign_by */
	uint32_t root;             /* see root_dirs.h */
	bool over;                 /* all its threads have ended */
	bool scanned;              /* /proc/PID/maps has been read (or the process was born under our eyes) */
	bool stale;                /* records were lost: they are read again before the next sample */
	uint64_t rescanned;        /* when they were read last, ns */
	uint64_t pause;            /* ns between reading them again: grows while that does not help */
	struct module *jit;        /* its JIT code as of now, once it has some */
	struct module *jit_parent; /* of the process it was forked off */
	uint64_t jit_looked;       /* when its JIT's files were looked at last */
	uint64_t jit_since;        /* from then on (and once JIT_OVER) another module stands for its JIT code */
	bool jit_over;
	struct process_maps *lender;   /* its maps are still those of its parent, not yet copied */
	struct process_maps *borrowers, *next_borrower;
};

bool maps_init(struct all_maps *, struct modules *);
void maps_free(struct all_maps *);
/* Says that prof does not see some threads: it reads from /proc what they map. */
void maps_partial(struct all_maps *);
/* How many roots processes were seen to have, and how often files could not be opened any more. */
uint32_t maps_places(const struct all_maps *);
/* Forgets roots not needed any more; looks again for perf maps that were not there yet (all of them: LAST). */
void maps_tidy(struct all_maps *, uint64_t time, bool last);

/* A process comes to be, has all of its parent's, nothing any more, executes something else, and is out of the tables. */
void maps_begin(struct process_maps *, struct all_maps *, int32_t pid);
void maps_fork(struct process_maps *child, struct process_maps *parent);
void maps_forget(struct process_maps *);
void maps_exec(struct process_maps *);
void maps_drop(struct process_maps *);
/* The last of its threads ends; one comes to be. */
void maps_end(struct process_maps *);
void maps_live(struct process_maps *);
/* Records were lost that may have told of it. */
void maps_lost(struct process_maps *);

/* Something is mapped at [lo, hi). */
void maps_add(struct process_maps *, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *);
/* Makes the maps ready for use, as of TIME: reads or copies them if that is not done yet.  True if it read them again because
 * records were lost; the caller may have lost other records, too. */
bool maps_ready(struct process_maps *, uint64_t time);

#endif
