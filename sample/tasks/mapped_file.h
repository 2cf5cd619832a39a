/* What lies behind mappings: files, each opened once however many processes map it, the vdso, memory without a file. */
#ifndef SAMPLE_TASKS_MAPPED_FILE_H
#define SAMPLE_TASKS_MAPPED_FILE_H

#include "lib/index.h"
#include "sym/module/module.h"
#include "foreign.h"

struct mapped_file {
	struct file_id id;
	struct module *module;     /* NULL until somebody asks for it */
	struct module *lost;       /* stands for the file if prof could not open it */
	uint64_t tried, pause;     /* ns: the time of that attempt, and how long until the next one below the same root */
	int root;
	bool memory;               /* not a file with an image: code that the process made itself */
};

/* How prof opens files that processes of a recording had mapped: the processes may have run anywhere, and have ended. */
struct file_finder {
	int (*file)(void *ctx, const struct file_id *);   /* -1 with errno, as foreign_mapped */
	int (*perfmap)(void *ctx, int32_t pid);
	bool here;                 /* they ran on this machine, under the kernel that runs now */
	void *ctx;
};

struct mapped_files {
	struct modules *modules;
	const struct file_finder *finder;   /* NULL: the processes exist, and prof looks at them */
	struct arena arena;        /* paths */
	struct mapped_file *file;   /* 0 is memory without a name */
	uint32_t n, cap;
	struct index index;
	uint64_t own_dev, own_ino; /* prof's root */
	uint32_t missed;           /* times that prof could not open a file */
};

bool mapped_files_init(struct mapped_files *, struct modules *);
void mapped_files_free(struct mapped_files *);
/* The number of that file, new or known; 0 at the memory cap. */
uint32_t mapped_file_number(struct mapped_files *, const struct file_id *);
/* Whether it is not a file with an image: then the process made the code itself. */
bool mapped_file_is_memory(const struct mapped_files *, uint32_t number);
/* Whether it is a file that prof should try to open when a process maps it: nobody has tried yet, or in vain and long enough ago. */
bool mapped_file_is_due(const struct mapped_files *, uint32_t number);
/* Whether it has a path, and prof has not opened it: the next look at it needs a root. */
bool mapped_file_is_unopened(const struct mapped_files *, uint32_t number);
/* How many times prof could not open a file. */
uint32_t mapped_files_missed(const struct mapped_files *);
/* Its module.  prof opens it when it first needs it: through PID, which maps it at [lo, hi), or below PID's ROOT, which prof
 * has kept (or -1).  NULL if the process made the code itself, or at the memory cap. */
struct module *mapped_file_module(struct mapped_files *, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root);
/* Opens a file that is due, before it is the turn of PID's mapping.  If that fails, prof has not given up the file. */
void mapped_file_ahead(struct mapped_files *, uint32_t number, int32_t pid, uint64_t lo, uint64_t hi, int root);

#endif
