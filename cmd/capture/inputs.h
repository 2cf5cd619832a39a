/* The profiles that a command reads: files of any format, perf's recordings among them.  prof opens all of them first.  A
 * recording holds registers and pieces of programs that others wrote, so prof gives up its rights before it reads one. */
#ifndef CMD_CAPTURE_INPUTS_H
#define CMD_CAPTURE_INPUTS_H

#include "cmd/options/profile_input.h"
#include "recording.h"
#include "rights.h"
#include "sample/events/opener.h"

struct inputs {
	struct recording_how how;
	bool no_sandbox;           /* --no-sandbox */
	struct input *input;
	uint32_t n, cap;
	struct modules places;
	char cache[256];
	struct rights rights;
	struct opener none;        /* nothing is captured */
	/* For a caller that uses a recording itself, with HOW.ctx; or NULL.  BEGIN: before prof gives up rights; SERVE: in the keeper, as
	 * in struct rights. */
	void (*begin)(void *ctx, struct modules *places);
	long (*serve)(void *ctx, const char *words, int with, int *fd);
	struct output screen;
};

/* Opens N files, and gives up rights if need be: from then on prof opens no others, and writes just these outputs.  False after an
 * error message. */
bool inputs_open(struct inputs *, const char *const *path, unsigned n, struct output *, unsigned noutput);
/* Adds what the I-th holds to the profile.  False after an error message. */
bool inputs_read(struct inputs *, unsigned i, struct profile *);
/* All is written. */
void inputs_close(struct inputs *);

#endif
