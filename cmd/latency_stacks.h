/* prof latency -o PROFILE: another process records the stacks of the slowest calls, as prof record does. */
#ifndef CMD_LATENCY_STACKS_H
#define CMD_LATENCY_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct latency_stacks {
	const char *output;
	uint32_t most;             /* how many calls */
	int map;                   /* the programs write their samples to the events in this map, by CPU */
	const char *(*name)(void *ctx, uint32_t site);
	void *ctx;
	bool verbose, quiet;
	pid_t pid, caller;
	int ready;
};

/* Whether FILE's suffix is that of a profile; text is the table. */
bool latency_stacks_are(const char *file);
/* Starts the process; its events are on.  False after an error message. */
bool latency_stacks_start(struct latency_stacks *);
/* Ends the recording, and waits until the file is written.  False if it could not be. */
bool latency_stacks_end(struct latency_stacks *);
/* Ends it, and writes no file. */
void latency_stacks_drop(struct latency_stacks *);

#endif
