/* --embed-source: the text of sampled source lines, into the profile, for pages. */
#ifndef CMD_ANNOTATE_EMBED_SOURCE_H
#define CMD_ANNOTATE_EMBED_SOURCE_H

#include "out/profile/profile.h"

struct modules;

/* Adds the text of lines that were sampled, and of some around each, to the profile, which has its names already: the
 * heaviest lines first, as far as there is room.  MODULES: of a capture, or NULL.  Warns if text is missing. */
void embed_source(struct profile *, const struct modules *);

#endif
