/* What a command says when the kernel refused something. */
#ifndef CMD_OPTIONS_REFUSED_H
#define CMD_OPTIONS_REFUSED_H

#include "sample/events/refusal.h"

/* Says why, and the line that mends it: COMMAND is what follows "prof" in that line, or NULL for record. */
void refused_tell(const struct refusal *, const char *command);

/* Says that prof could not start a process (errno), and the line that mends it; OF stands before it, such as "--option: ". */
void refused_process(const char *of);

#endif
