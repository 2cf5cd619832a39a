/* What prof may do: which processes it may watch with rights that its caller lacks, and how it gives up its rights before it
 * reads foreign bytes, while a keeper goes on with them. */
#ifndef CMD_CAPTURE_RIGHTS_H
#define CMD_CAPTURE_RIGHTS_H

#include <sys/types.h>

#include "plan.h"

struct modules;
struct opener;

struct rights {
	struct output *output[OUTPUTS_MAX + 1];   /* what prof will write */
	unsigned noutput;
	bool reads_stdin;              /* prof goes on to read it */
	/* Other work of the keeper for the caller, or NULL: answers rights_ask, which sends WITH, a descriptor or -1; 0 and one in
	 * *FD, or -1. */
	long (*serve)(void *ctx, const char *words, int with, int *fd);
	void *ctx;
	bool owned;                    /* as in struct keeper_also */
	uid_t owner;
};

/* For a prof that has rights which its caller lacks (set-user-id, or capabilities of its file): whether the caller may have
 * what PLAN asks for.  False once it has said why not. */
bool rights_allow(const struct plan *);
/* Call it after the fork of the command, which keeps what it got: finds a /proc of prof's own pids, and says who may read
 * the files that prof makes. */
void rights_begin(struct plan *);
/* Opens PLAN's outputs, and gives up the rights of this process: after this it can only go on with SESSION, and write PLAN's outputs.  All three
 * arguments must stay valid.  False after an error message. */
bool rights_give_up(struct rights *, struct session *, struct plan *);
/* Does what rights_give_up does, without a session: for the processes that OPENER's capture names, and the outputs that
 * rights_output got before. */
bool rights_give_up_for(struct rights *, struct opener *, const struct modules *);
void rights_output(struct rights *, struct output *);
/* Makes the keeper SERVE: the descriptor, or -1 with errno. */
int rights_ask(const char *words, int with);
/* Removes outputs that prof opened and did not write, and ends the keeper.  With -v it says what the sandbox refused. */
void rights_end(struct rights *);

#endif
