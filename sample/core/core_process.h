/* The process of a core file, in the form of a living process: what it had mapped; prof opens a file when somebody asks for
 * it. */
#ifndef SAMPLE_CORE_CORE_PROCESS_H
#define SAMPLE_CORE_CORE_PROCESS_H

#include "core.h"
#include "sample/tasks/process.h"

struct core_process {
	struct process process;    /* first: its space's callbacks find the rest by it */
	const struct core *core;
	struct modules *modules;
	struct module **opened;    /* by number of the core's map; NULL: nobody has asked for it yet */
	uint32_t cap_opened;
	struct module *jit;        /* code that no file has, once there is some */
	uint32_t elsewhere;        /* files of another build than the process had */
};

/* False at the memory cap. */
bool core_process_init(struct core_process *, const struct core *, struct modules *);
void core_process_free(struct core_process *);

#endif
