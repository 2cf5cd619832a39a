/* What lies behind mappings: files, each opened once however many processes map it, the vdso, memory without a file. */
#ifndef SAMPLE_TASKS_MAPPED_FILE_H
#define SAMPLE_TASKS_MAPPED_FILE_H

#include "lib/index.h"
#include "sym/module/module.h"
#include "foreign.h"

struct mapped_file {
	struct file_id id;
	struct module *module;     /* NULL until it is asked for */
	struct module *lost;       /* stands for it if it could not be opened */
	uint64_t tried, pause;     /* ns: the time of that attempt, and how long until the next one below the same root */
	int root;
	bool memory;               /* not a file with an image: code that the process made itself */
};

struct mapped_files {
	struct modules *modules;
	struct arena arena;        /* paths */
	struct mapped_file *file;   /* 0 is memory without a name */
	uint32_t n, cap;
	struct index index;
	uint64_t own_dev, own_ino; /* prof's root */
	uint32_t missed;           /* times that a file could not be opened */
};

bool mapped_files_init(struct mapped_files *, struct modules *);
void mapped_files_free(struct mapped_files *);
/* The number of that file, new or known; 0 at the memory cap. */
uint32_t mapped_file_number(struct mapped_files *, const struct file_id *);
/* Whether it is not a file with an image: then the process made the code itself. */
bool mapped_file_is_memory(const struct mapped_files *, uint32_t number);
/* Times that a file could not be opened. */
uint32_t mapped_files_missed(const struct mapped_files *);
/* Its module.  prof opens it when it first needs it: through PID, which maps it at [lo, hi), or below PID's ROOT, which prof
 * has kept (or -1).  NULL if the process made the code itself, or at the memory cap. */
struct module *mapped_file_module(struct mapped_files *, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root);

#endif
