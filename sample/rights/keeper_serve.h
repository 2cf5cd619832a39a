/* What the keeper does once it is forked off. */
#ifndef SAMPLE_RIGHTS_KEEPER_SERVE_H
#define SAMPLE_RIGHTS_KEEPER_SERVE_H

#include <stddef.h>
#include <sys/types.h>

struct ask;
struct modules;
struct opener;

/* What the caller of keeper_start keeps to itself: answers ASK_CALLER, which came WITH a descriptor or -1, with one in *FD (or -1) and up to SIZE
 * bytes of text; the text's length, or -1. */
struct keeper_also {
	long (*serve)(void *ctx, const struct ask *, int with, int *fd, char *text, size_t size);
	void (*over)(void *ctx);   /* prof has ended; in a signal handler perhaps; or NULL */
	void *ctx;
};

/* Answers what comes by FD until that, or PROF, ends. */
__attribute__((noreturn)) void keeper_serve(int fd, pid_t prof, struct opener *, const struct modules *,
                                              const struct keeper_also *);

#endif
