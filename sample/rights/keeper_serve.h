/* What the keeper does once it is forked off. */
#ifndef SAMPLE_KEEPER_SERVE_H
#define SAMPLE_KEEPER_SERVE_H

#include <sys/types.h>

struct keeper_also;
struct opener;

/* Answers what comes by FD until that, or PROF, ends. */
__attribute__((noreturn)) void keeper_serve(int fd, pid_t prof, struct opener *, const struct keeper_also *);

#endif
