/* What processes map.  Records keep this true, in the order of time; /proc/PID/maps has what was mapped before. */
#ifndef SAMPLE_TASKS_PROCESS_MAPS_H
#define SAMPLE_TASKS_PROCESS_MAPS_H

#include "mapped_file.h"
#include "root_dirs.h"
#include "sym/module/space.h"

/* A module that still looks for its perf map: when prof looks again, and how long it waits after that, ns. */
struct jit_search {
	struct module *module;
	uint64_t due, pause;
};

/* What all processes share. */
struct all_maps {
	struct mapped_files files;
	struct root_dirs roots;
	struct jit_search *jit;
	uint32_t njit, cap_jit;
	uint64_t drained;          /* ns: when prof last read records */
	uint64_t ahead;            /* ns: until then prof opens no file before its first sample */
	uint64_t lost;             /* until then records may have been lost; 0: none were */
	uint32_t reread;           /* how many times prof has read maps again */
	uint32_t memories;         /* memories that are open */
	bool partial;              /* prof does not see some threads, and what they map */
};

/* What one process maps.  Only process_maps.c uses the fields other than SPACE and BRK. */
struct process_maps {
	struct space space;        /* first: its callbacks find the rest by it */
	struct all_maps *all;
	int32_t pid;
	int32_t by;                /* see foreign_by */
	int memory;                /* descriptor of its memory, + 1: open once prof reads it often; 0: not yet, -1: it fails, or MEMORY_OVER */
	uint32_t reads;            /* how often prof has asked for its memory instead */
	uint32_t root;             /* see root_dirs.h */
	bool root_due;             /* it has executed something since prof last asked for its root */
	bool rootless;             /* prof could not find out its root when it forked */
	bool over;                 /* all its threads have ended */
	bool scanned;              /* prof has read /proc/PID/maps (or prof saw the process begin) */
	bool stale;                /* it maps more than prof had memory for, or something else than prof knows */
	bool replaced;             /* it has mapped one file where another one lay before */
	uint64_t surveyed;         /* from then on, records tell all (ns): when it began, or when prof read its maps because some were lost */
	uint64_t sure;             /* before that, nobody knows what it mapped; 0: prof knows all that matters */
	uint64_t took;             /* ns that reading its maps took */
	uint64_t brk;              /* where its heap ends (brk), as far as records tell; 0: not known.  --growth keeps it */
	uint64_t rescanned;        /* when prof last read the maps, ns */
	uint64_t pause;            /* ns between reading them again: grows while that does not help */
	struct module *jit;        /* its JIT code as of now, once it has some */
	struct module *jit_parent; /* of the process it was forked off */
	uint64_t jit_looked;       /* when prof last looked at its JIT's files */
	uint64_t jit_since;        /* from then on (and once JIT_OVER) another module stands for its JIT code */
	bool jit_over;
	struct process_maps *lender;   /* its maps are still those of its parent, not yet copied */
	struct process_maps *borrowers, *next_borrower;
};

bool maps_init(struct all_maps *, struct modules *);
void maps_free(struct all_maps *);
/* Says that prof does not see some threads: it reads from /proc what they map. */
void maps_partial(struct all_maps *);
/* How many roots prof saw processes have, and how often it could not open a file any more. */
uint32_t maps_places(const struct all_maps *);
/* Forgets roots not needed any more; looks again for perf maps that were not there yet (all of them: LAST). */
void maps_tidy(struct all_maps *, uint64_t time, bool last);

/* A process begins, gets all that its parent has, loses it all, executes something else, and leaves the tables. */
void maps_begin(struct process_maps *, struct all_maps *, int32_t pid);
void maps_fork(struct process_maps *child, struct process_maps *parent, uint64_t time);
void maps_forget(struct process_maps *);
void maps_exec(struct process_maps *, uint64_t time);
void maps_drop(struct process_maps *);
/* The last of its threads ends; a thread begins. */
void maps_end(struct process_maps *);
void maps_live(struct process_maps *);
/* Until TIME records may have been lost, of any process. */
void maps_lost(struct all_maps *, uint64_t time);

/* Something is mapped at [lo, hi). */
void maps_add(struct process_maps *, uint64_t lo, uint64_t hi, uint64_t off, const struct file_id *, uint64_t time);
/* The same, before it is that record's turn: only opens the file if that is due. */
void maps_ahead(struct all_maps *, int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *);
/* Makes the maps ready for use, as of TIME: reads or copies them if that is not done yet.  True if it read them again because
 * records were lost; the caller may have lost other records, too. */
bool maps_ready(struct process_maps *, uint64_t time);
/* Whether prof knows what was mapped at TIME, of which the maps are ready. */
bool maps_sure(const struct process_maps *, uint64_t time);

#endif
