/* What prof may do.  Which processes it may watch with rights that its caller lacks; and how it gives up its rights before it
 * reads foreign bytes, while a keeper goes on with them. */
#ifndef CMD_CAPTURE_RIGHTS_H
#define CMD_CAPTURE_RIGHTS_H

#include "plan.h"

/* The keeper's own, while it writes for prof. */
struct rights {
	struct plan *plan;
	struct output_file file;
	const struct output *writes;   /* what that is of, or NULL */
	/* What the caller has the keeper do besides, or NULL: answers rights_ask WITH a descriptor or -1; 0 and one in *FD, or -1. */
	long (*serve)(void *ctx, const char *words, int with, int *fd);
	void *ctx;
};

/* For a prof that has rights which its caller lacks (set-user-id, or capabilities of its file): whether the caller may have
 * what PLAN asks for.  False once it has said why not. */
bool rights_allow(const struct plan *);
/* When the command has been forked, which keeps what it was given: finds prof a /proc of its own pids, and says who may read
 * the files that prof makes. */
void rights_begin(struct plan *);
/* Gives up the rights of this process: after this it can only go on with SESSION, and write PLAN's outputs.  All three
 * arguments must stay valid.  False after an error message. */
bool rights_give_up(struct rights *, struct session *, struct plan *);
/* Has the keeper SERVE: the descriptor, or -1 with errno. */
int rights_ask(const char *words, int with);
/* Ends the keeper.  With -v it says what the sandbox refused. */
void rights_end(void);

#endif
