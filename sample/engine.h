/* The two engines that samples come from: the kernel's events and, where these are refused, ptrace. */
#ifndef SAMPLE_ENGINE_H
#define SAMPLE_ENGINE_H

#include <stdbool.h>

struct capture;
struct refusal;
struct session;

/* Opens all events on the capture's targets, stopped: the caller launches a command after that.  Returns false if prof cannot
 * open them; REFUSAL says why, and the ladder says what prof tried. */
bool engine_open(struct session *, const struct capture *, struct refusal *);
/* Takes in the command, which exists and waits.  Returns false if that fails; REFUSAL says why. */
bool engine_take_in(struct session *, struct refusal *);

#endif
