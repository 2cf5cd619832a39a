/* What the keeper does once it is forked off. */
#ifndef SAMPLE_RIGHTS_KEEPER_SERVE_H
#define SAMPLE_RIGHTS_KEEPER_SERVE_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

enum { KEEPER_FDS = 32 };

struct ask;
struct modules;
struct opener;

/* What only the caller of keeper_start knows.  Its function answers ASK_CALLER, which came WITH a descriptor or -1.  It gives a
 * descriptor in *FD (or -1) and up to SIZE bytes of text, and returns the text's length, or -1. */
struct keeper_also {
	long (*serve)(void *ctx, const struct ask *, int with, int *fd, char *text, size_t size);
	void (*over)(void *ctx);   /* prof has ended; the call may come from a signal handler; or NULL */
	void *ctx;
	const int *fd;             /* descriptors that it needs, up to KEEPER_FDS */
	unsigned nfd;
	/* OWNED: OWNER names the files, so what that user may read is read; else what everybody may. */
	bool owned;
	uid_t owner;
};

/* Answers what comes by FD until that, or PROF, ends. */
__attribute__((noreturn)) void keeper_serve(int fd, pid_t prof, struct opener *, const struct modules *,
                                              const struct keeper_also *);

#endif
