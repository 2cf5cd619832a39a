/* The two engines that samples come from: the kernel's events and, where these are refused, ptrace. */
#ifndef SAMPLE_ENGINE_H
#define SAMPLE_ENGINE_H

#include <stdbool.h>

struct capture;
struct refusal;
struct session;

/* Opens all on the capture's targets, stopped: a command is to be launched after that.  False and REFUSAL filled where it cannot
 * be had; the ladder says what was tried. */
bool engine_open(struct session *, const struct capture *, struct refusal *);
/* The command is there, and waits: takes it in.  False and REFUSAL filled where that cannot be had. */
bool engine_take_in(struct session *, struct refusal *);

#endif
