/* Recording, for commands that do not write the profile, but use it. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include "cmd/capture/collector.h"
#include "cmd/capture/plan.h"
#include "out/output.h"

/* A command's own work with a recording, in a process that has no rights any more. */
struct record_use {
	void *ctx;
	const char *path;          /* of the text that prof writes */
	void (*begin)(void *ctx, struct modules *);   /* before that: the directories to look into become the modules' roots */
	bool (*use)(void *ctx, struct collector *, struct output *);   /* false once it has said what is wrong */
	long (*serve)(void *ctx, const char *words, int with, int *fd);   /* as in struct rights */
	/* Instead of all that, for a command that brings its own event of slow calls: it adds the event to the plan, and gets the open
	 * session while there are rights.  prof writes the plan's outputs. */
	void (*events)(void *ctx, struct plan *);
	const struct slowest *slowest;   /* how many, and their names */
	void (*opened)(void *ctx, struct session *);
	void (*closed)(void *ctx, const struct session_counts *);   /* it says what was lost, instead of the closing line */
};
/* Does what prof record does with these words, up to the named profile.  Then USE takes the profile; if it is NULL, prof writes
 * the outputs.  Returns the exit status. */
int record_for(int argc, char **argv, const struct record_use *use);

#endif
