/* The model of a profile: a tree of stacks, threads with a timeline of runs, and (once named) functions.
 *
 * While a capture runs, stacks are made of numbers that mean nothing here (sym/code.h's).  At the end profile_name asks,
 * once for each distinct number, which functions it stands for, and builds the tree of functions that writers read. */
#ifndef OUT_PROFILE_H
#define OUT_PROFILE_H

#include "lib/index.h"
#include "lib/mem.h"

#define NODE_NONE UINT32_MAX   /* the empty stack: the parent of outermost frames */

struct node {
	uint32_t parent;           /* always a smaller number, or NODE_NONE */
	uint32_t frame;
};

struct tree {
	struct node *node;
	uint32_t n, cap;
	uint32_t *slot;            /* hash table: a tag and a number each; at most four fifths full */
	uint32_t slots;
	bool full;                 /* at the memory cap: finds, but adds no more */
	uint16_t *depth;           /* once settled, and as far as there is memory: frames of each node's stack */
	uint32_t ndepth, depth_cap;
};

/* The node of FRAME called by PARENT, made if it is new; NODE_NONE at the memory cap. */
uint32_t tree_node(struct tree *, uint32_t parent, uint32_t frame);
/* Gives the hash table back; the next tree_node makes it again. */
void tree_drop_table(struct tree *);
/* The tree stays as it is from now on: the same, and paths become quicker. */
void tree_settle(struct tree *);
void tree_free(struct tree *);

enum function_kind { FUNCTION_USER, FUNCTION_KERNEL, FUNCTION_JIT, FUNCTION_MARK, FUNCTION_INLINED };

/* What is written behind a function's name. */
static inline const char *
function_suffix(enum function_kind kind)
{
	return kind == FUNCTION_KERNEL ? "_[k]" : kind == FUNCTION_INLINED ? "_[i]" : "";
}

struct function {
	const char *name;          /* as it is: writers escape, and add _[k] and _[i] */
	const char *module;        /* "" where there is none */
	const char *file;          /* source, or NULL */
	uint32_t line;             /* where the function begins; with --lines the line that ran; 0: not known */
	enum function_kind kind;
};

/* A function as it stands in a stack, and the line of it that ran (or called), 0 where that is not known. */
struct site {
	uint32_t function, line;
};

/* What a code stands for: a place in a mapped file, and there SITES functions from SITE on, outermost first: each
 * is inlined into the one before it. */
struct location {
	uint64_t address;          /* as linked */
	uint32_t mapping;          /* number among the profile's mappings, or MAPPING_NONE */
	uint32_t site : 25;
	uint32_t sites : 7;        /* 0: nobody has asked for it yet */
};
#define MAPPING_NONE UINT32_MAX

struct mapping {
	const char *file;          /* as the process calls it */
	const char *build_id;      /* in hexadecimal, or "" */
};

/* A thread under one name and one event: exec and renaming make another. */
struct thread {
	int32_t pid, tid;
	const char *comm;
	uint32_t event;            /* number among the profile's events */
	uint64_t weight;           /* sum of its samples' weights */
	uint64_t samples;
	struct timeline *timeline; /* out/timeline.c's own */
};

enum unit { UNIT_SAMPLES, UNIT_MICROSECONDS };

struct event_info {
	const char *name;
	uint64_t period_ns;        /* what one unit of weight is worth in time; 0 for events that are not time */
	bool waiting;              /* its time is not spent on a CPU, but waiting for something */
};

/* One thing to know about the capture, for the formats' headers. */
struct note {
	const char *key, *value;
};

/* How flame graphs are drawn; all zero is as they are by default. */
struct picture {
	const char *title;
	const char *colors;        /* one of format.h's picture_colors, or NULL */
	uint32_t width;            /* px of the still picture */
	uint32_t min_width;        /* frames that are narrower are left out: tenths of a px */
	bool reverse;              /* by callers: from the functions that ran outwards */
	bool inverted;             /* the outermost frames on top */
};

struct profile {
	struct arena arena;        /* strings, functions, timelines */
	struct tree raw;           /* of codes */
	struct tree tree;          /* of functions; empty until profile_name */
	uint32_t *hint;            /* nodes of `raw` by their stacks' hashes: where most of a sample's are found */
	uint32_t *named;           /* node of `tree` for each node of `raw` */
	uint32_t nnamed, named_cap;
	/* Set where this profile is compared with an earlier one: of each node of `tree`, its share of all weight (with what it
	 * calls) less its share there, in parts per 100,000; for pictures in red and blue.  Else NULL. */
	int32_t *delta;
	uint32_t delta_cap;
	struct location *location; /* by code */
	uint32_t nlocation, location_cap;
	struct site *site;
	uint32_t nsite, site_cap;
	struct mapping *mapping;
	uint32_t nmapping, mapping_cap;
	struct function *function;
	uint32_t nfunction, function_cap;
	struct function again;     /* of cmd/sites.c alone: the one that was named last, and its number + 1 */
	uint32_t again_number;
	struct index functions, locations;
	struct thread *thread;
	uint32_t nthread, thread_cap;
	struct index threads;
	uint32_t last_thread;
	struct event_info event[16];
	uint32_t nevent;
	enum unit unit;
	uint64_t start, end;       /* of the capture: ns, CLOCK_MONOTONIC */
	uint64_t epoch;            /* its start as the calendar has it: ns since 1970, UTC; 0: not known */
	uint64_t samples, dropped; /* dropped: at the memory cap */
	/* metadata for the formats' headers */
	const char *exporter;      /* "prof@VERSION", or NULL */
	const char *command;       /* what was profiled, in words */
	struct note note[48];      /* the order is that of showing */
	unsigned nnote;
	struct picture picture;
	bool by_thread, by_process;/* --threads, --pids */
	bool lines;                /* --lines: functions are told apart by the line that ran */
	bool timeless;             /* read back from a file that holds no times: only weights mean something */
};

void profile_init(struct profile *);
void profile_free(struct profile *);

/* The number of the thread, made if it is new; UINT32_MAX at the memory cap. */
uint32_t profile_thread(struct profile *, int32_t pid, int32_t tid, const char *comm, uint32_t event);

/* Neighbouring samples of a thread that are equal. */
struct run {
	uint64_t start;            /* of its first sample: ns since profile's start */
	uint64_t span;             /* from its first sample to its last */
	uint64_t weight, samples;
	uint64_t first;            /* the weight of its first sample */
	uint32_t node;             /* of `tree`; NODE_NONE for a sample without a stack */
};

/* Adds a sample: NCODE codes, leaf first, kernel frames before user frames.  TIME never runs backwards within a thread. */
void profile_add(struct profile *, uint32_t thread, uint64_t time, uint64_t weight, const uint32_t *code, uint32_t ncode);
/* The node of `raw` of a stack of that thread's, which is to be added later; NODE_NONE at the memory cap, or without a stack. */
uint32_t profile_stack(struct profile *, uint32_t thread, const uint32_t *code, uint32_t ncode);
/* Adds a sample of that stack. */
void profile_add_node(struct profile *, uint32_t thread, uint64_t time, uint64_t weight, uint32_t node);
/* Of a file that is read, all weights together: so the sum of many files has room. */
#define WEIGHT_MAX ((uint64_t)1 << 56)
/* For profiles that are read from a file: many at once.  Of the run its node does not count, nor its first weight. */
void profile_add_run(struct profile *, uint32_t thread, const struct run *, const uint32_t *code, uint32_t ncode);
/* The number of the event, made if it is new; UINT32_MAX where there is no room for more. */
uint32_t profile_event(struct profile *, const struct event_info *);

/* Interns a function. UINT32_MAX at the memory cap. */
uint32_t profile_function(struct profile *, const struct function *);

/* Copies of FILE and BUILD_ID as a mapping of its own; MAPPING_NONE at the memory cap. */
uint32_t profile_mapping(struct profile *, const char *file, const char *build_id);
/* Says something about the capture; what finds no room is left out. */
void profile_note(struct profile *, const char *key, const char *value);

/* No more samples are to come: what only they need is given back, until one does. */
void profile_settle(struct profile *);
/* Names everything and builds the tree of functions: NAME, called once for each distinct code, fills WHERE's address and
 * mapping and SITE, outermost first, at most MAX, and returns how many (at least 1). */
enum { NAME_MAX_INLINE = 64 };
void profile_name(struct profile *, unsigned (*name)(void *ctx, uint32_t code, struct location *where, struct site *site,
                                                     unsigned max), void *ctx);
/* Asks NAME about CODE, unless it is known: for those who want an order of their own before they call profile_name.  NULL at
 * the memory cap. */
const struct location *profile_locate(struct profile *, uint32_t code, unsigned (*name)(void *, uint32_t, struct location *,
                                                                                      struct site *, unsigned), void *ctx);
/* For profiles that are read from a file, where names are known at once: the code of WHERE with its N sites, the same one for
 * the same; UINT32_MAX at the memory cap.  Add samples of such codes, then call profile_name with NULL. */
uint32_t profile_location(struct profile *, const struct location *where, const struct site *site, unsigned n);

/* Makes CODE, which is known, stand for other functions.  Call it before profile_name. */
void profile_relocate(struct profile *, uint32_t code, const struct site *site, unsigned n);

/* Reading a thread's timeline, in the order of time. */
struct run_reader {
	const struct profile *profile;
	const struct timeline *timeline;
	const void *chunk;
	uint32_t pos, node;
	uint64_t time, period;
	bool end;
	bool raw;                  /* set after runs_open: nodes are those of `raw`, and runs as they were recorded, where all
	                            * samples of a run weigh the same */
};
void runs_open(struct run_reader *, const struct profile *, const struct thread *);
/* The next run of equal stacks (after naming: neighbours that became equal are one). */
bool runs_next(struct run_reader *, struct run *);

/* The frames of NODE, outermost first, as function numbers into STACK (the outermost MAX of them); returns how many
 * there are. */
uint32_t tree_stack(const struct tree *, uint32_t node, uint32_t *stack, uint32_t max);

/* Numbers all nodes so that a node's callees follow it, before its parent's others, into ORDER.  False at the memory cap. */
bool tree_order(const struct tree *, uint32_t *order);

/* The nodes from the outermost to some node, kept between calls; all zero is an empty one. */
struct path {
	uint32_t *node;
	uint32_t n, cap;
};
/* Makes PATH that of NODE; returns how many outer nodes it shares with what it was.  At the memory cap it is cut short. */
uint32_t tree_path(const struct tree *, uint32_t node, struct path *);
void path_free(struct path *);

/* A duration or count that cannot run over. */
static inline uint64_t
times(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

#endif
