/* The two engines that samples come from: the kernel's events and, where these are refused, ptrace. */
#ifndef SAMPLE_ENGINE_H
#define SAMPLE_ENGINE_H

#include <stdbool.h>

struct capture;
struct refusal;
struct session;

/* Opens all on the capture's targets, stopped: the caller launches a command after that.  If prof cannot open them, it is
 * false and REFUSAL says why; the ladder says what was tried. */
bool engine_open(struct session *, const struct capture *, struct refusal *);
/* Takes in the command, which exists and waits.  If that fails, it is false and REFUSAL says why. */
bool engine_take_in(struct session *, struct refusal *);

#endif
