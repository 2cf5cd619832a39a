/* What lies behind mappings: files, each opened once however many processes map it, the vdso, memory without a file. */
#ifndef SAMPLE_BACKING_H
#define SAMPLE_BACKING_H

#include "lib/index.h"
#include "sym/module/module.h"
#include "foreign.h"

struct backing {
	struct file_id id;
	struct module *module;     /* NULL until it is asked for */
	struct module *lost;       /* what stands for it where it could not be opened */
	uint64_t tried, pause;     /* ns: when that was, and how long until it is tried again below the same root */
	int root;
	bool memory;               /* no file, or none with an image: code made by the process itself */
};

struct backings {
	struct modules *modules;
	struct arena arena;        /* paths */
	struct backing *backing;   /* 0 is memory without a name */
	uint32_t n, cap;
	struct index index;
	uint64_t own_dev, own_ino; /* prof's root */
	uint32_t missed;           /* times that a file could not be opened */
};

bool backings_init(struct backings *, struct modules *);
void backings_free(struct backings *);
/* The number of that file, new or known; 0 at the memory cap. */
uint32_t backing_number(struct backings *, const struct file_id *);
/* Its module, opened at first sight through PID, which maps it at [lo, hi), or in PID's ROOT that was kept (or -1).  NULL
 * where the code is the process's own making, or at the memory cap. */
struct module *backing_module(struct backings *, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root);

#endif
