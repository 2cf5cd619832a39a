/* Recording, for commands that do something else with the profile than to write it. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include "cmd/capture/collector.h"

/* Does what prof record does with these words, up to the named profile, which USE takes instead of the outputs (NULL: they
 * are written); USE is false once it has said what is wrong.  The exit status. */
int record_for(int argc, char **argv, bool (*use)(void *ctx, struct collector *), void *ctx);

#endif
