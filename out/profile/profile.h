/* The model of a profile: a tree of stacks, threads with a timeline of runs, and (once named) functions.
 *
 * While a capture runs, stacks consist of numbers that mean nothing here (sym/module/code.h's).  At the end profile_name asks,
 * once for each distinct number, which functions it stands for, and builds the tree of functions that writers read. */
#ifndef OUT_PROFILE_PROFILE_H
#define OUT_PROFILE_PROFILE_H

#include "lib/index.h"
#include "source_text.h"
#include "timeline.h"
#include "tree.h"

enum function_kind { FUNCTION_USER, FUNCTION_KERNEL, FUNCTION_JIT, FUNCTION_MARK, FUNCTION_INLINED };

/* What stands behind a function's name. */
static inline const char *
function_suffix(enum function_kind kind)
{
	return kind == FUNCTION_KERNEL ? "_[k]" : kind == FUNCTION_INLINED ? "_[i]" : "";
}

struct function {
	const char *name;          /* the plain name: writers escape it, and add _[k] and _[i] */
	const char *module;        /* "" where there is none */
	const char *file;          /* source, or NULL */
	uint32_t line;             /* where the function begins; with --lines the line that ran; 0: not known */
	enum function_kind kind;
};

/* The language whose functions have that module, "[python]"; NULL: it is a file, or another word. */
const char *profile_language(const char *module);

/* A function in a stack, and the line of it that ran (or called); 0 if that is not known. */
struct site {
	uint32_t function, line;
};

/* The meaning of a code: a place in a mapped file, and there SITES functions from SITE on, outermost first; each is inlined into
 * the one before it. */
struct location {
	uint64_t address;          /* as linked */
	uint32_t mapping;          /* its number among the profile's mappings, or MAPPING_NONE */
	uint32_t site : 25;
	uint32_t sites : 7;        /* 0: not asked for yet */
};
#define MAPPING_NONE UINT32_MAX

struct mapping {
	const char *file;          /* as the process calls it */
	const char *build_id;      /* in hexadecimal, or "" */
};

/* A thread's last stack, outermost first: DEPTH codes, and behind them, at ROOM / 2, their nodes. */
struct last_stack {
	uint32_t *stack;
	uint32_t room, depth;
	uint32_t thread;           /* its number */
};

/* A thread under one name and one event: after exec or a new name it is another thread here. */
struct thread {
	int32_t pid, tid;
	const char *comm;
	const char *name;          /* what the program itself calls it, or NULL */
	uint32_t event;            /* number among the profile's events */
	uint64_t weight;           /* sum of its samples' weights */
	uint64_t samples;
	struct timeline *timeline;
};

enum unit { UNIT_SAMPLES, UNIT_MICROSECONDS };

struct event_info {
	const char *name;
	uint64_t period_ns;        /* what one unit of weight is worth in time; 0 for events that are not time */
	bool waiting;              /* its time is time that threads wait, not time on a CPU */
};

/* Whether a weight of one is a byte: the event's name says so. */
bool event_in_bytes(const struct event_info *);

/* A fact about the capture, for the headers of formats. */
struct note {
	const char *key, *value;
};

/* How to draw flame graphs; all zero is the default. */
struct picture {
	const char *title;
	const char *colors;        /* one of format.h's picture_colors, or NULL */
	uint32_t width;            /* px of the still picture */
	uint32_t min_width;        /* narrower frames are left out: tenths of a px */
	bool reverse;              /* by callers: from the functions that ran outwards */
	bool inverted;             /* the outermost frames on top */
};

struct profile {
	struct arena arena;        /* strings, functions, timelines */
	struct tree raw;           /* of codes */
	struct tree tree;          /* of functions; empty until profile_name */
	bool tree_is_raw;          /* its nodes are those of `raw`, which do not change any more */
	uint32_t *hint;            /* nodes of `raw` by their stacks' hashes; most of a sample's nodes are found here */
	struct last_stack *last;   /* of LASTS threads, each at its number modulo LASTS */
	uint32_t *named;           /* node of `tree` for each node of `raw` */
	uint32_t nnamed, named_cap;
	/* Set if this profile is compared with an earlier one, else NULL: for each node of `tree`, its share of all weight (with
	 * what it calls) less its share in the earlier one, in parts per 100,000; for pictures in red and blue. */
	int32_t *delta;
	uint32_t delta_cap;
	struct location *location; /* by code */
	uint32_t nlocation, location_cap;
	uint32_t plain;            /* without locations: codes below this one stand for the function of the same number */
	struct site *site;
	uint32_t nsite, site_cap;
	struct mapping *mapping;
	uint32_t nmapping, mapping_cap;
	struct function *function;
	uint32_t nfunction, function_cap;
	struct index functions, locations;
	struct thread *thread;
	uint32_t nthread, thread_cap;
	struct index threads, comms;   /* comms: of a thread for each name */
	uint32_t last_thread;
	struct event_info event[16];
	uint32_t nevent;
	enum unit unit;
	uint64_t start, end;       /* of the capture: ns, CLOCK_MONOTONIC */
	uint64_t epoch;            /* the time of its start: ns since 1970, UTC; 0: not known */
	uint64_t samples, dropped; /* dropped: at the memory cap */
	/* metadata for the formats' headers */
	const char *exporter;      /* "prof@VERSION", or NULL */
	const char *command;       /* what was profiled, in words */
	struct note note[48];      /* in the order in which they are shown */
	unsigned nnote;
	struct picture picture;
	struct source_texts sources;   /* by --embed-source, or from a page that has it */
	bool by_thread, by_process;/* --threads, --pids */
	bool lines;                /* --lines: a function has a row for each line that ran */
	bool untimed;              /* no output tells when samples were, or what programs call their threads: all samples are at the start */
	bool placeless;            /* set before it is read from a file: nobody will ask for locations, only for functions */
	bool timeless;             /* read from a file that holds no times: only weights mean something */
};

void profile_init(struct profile *);
void profile_free(struct profile *);
/* Frees the tree of functions. */
void profile_drop_tree(struct profile *);

/* The number of the thread, made if it is new; UINT32_MAX at the memory cap. */
uint32_t profile_thread(struct profile *, int32_t pid, int32_t tid, const char *comm, uint32_t event);

/* Notes what the program itself calls a thread. */
void profile_call(struct profile *, uint32_t thread, const char *name);

/* What a thread is called where threads are kept apart. */
static inline const char *
thread_title(const struct thread *t)
{
	return t->name ? t->name : t->comm;
}

/* Adds a sample: NCODE codes, leaf first, kernel frames before user frames.  TIME never runs backwards within a thread. */
void profile_add(struct profile *, uint32_t thread, uint64_t time, uint64_t weight, const uint32_t *code, uint32_t ncode);
/* The node of `raw` for a stack of that thread, for profile_add_node later; NODE_NONE at the memory cap, or without a
 * stack. */
uint32_t profile_stack(struct profile *, uint32_t thread, const uint32_t *code, uint32_t ncode);
/* Adds a sample of the stack that profile_stack gave. */
void profile_add_node(struct profile *, uint32_t thread, uint64_t time, uint64_t weight, uint32_t node);
/* The largest sum of all weights of one file: so the sum of many files has room. */
#define WEIGHT_MAX ((uint64_t)1 << 56)
/* For profiles that are read from a file: adds many samples at once.  It ignores the run's node and its first weight. */
void profile_add_run(struct profile *, uint32_t thread, const struct run *, const uint32_t *code, uint32_t ncode);
/* Adds a run with a known node of `raw`: tree_node made it from codes, or it is NODE_NONE. */
void profile_add_known_run(struct profile *, uint32_t thread, const struct run *);
/* The number of the event; makes it if it is new.  UINT32_MAX if there is no room for more. */
uint32_t profile_event(struct profile *, const struct event_info *);

/* Says that no more samples come: gives back the memory that only samples need.  A later sample takes it again. */
void profile_settle(struct profile *);

/* Begins to read a thread's runs, in the order of time, with nodes of `tree`; runs_next goes on. */
void runs_open(struct run_reader *, const struct profile *, const struct thread *);

#endif
