/* Recording, for commands that do not write the profile, but use it. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include "cmd/capture/collector.h"
#include "out/output.h"

/* What else is done with it, by a process that has no rights any more. */
struct record_use {
	void *ctx;
	const char *path;          /* of the text that is written */
	void (*begin)(void *ctx, struct modules *);   /* before that: directories that are to be looked into become the modules' roots */
	bool (*use)(void *ctx, struct collector *, struct output *);   /* false once it has said what is wrong */
	long (*serve)(void *ctx, const char *words, int with, int *fd);   /* as in struct rights */
};
/* Does what prof record does with these words, up to the named profile, which USE takes instead of the outputs (NULL: they
 * are written).  The exit status. */
int record_for(int argc, char **argv, const struct record_use *use);

#endif
