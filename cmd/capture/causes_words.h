/* What the target's cgroup went through, in words. */
#ifndef CMD_CAUSES_H
#define CMD_CAUSES_H

#include "lib/sink.h"
#include "out/profile/profile.h"
#include "sample/waiting/causes.h"

/* The closing line's clause, of what matters in ELAPSED ns; nothing where nothing does. */
void causes_words(struct sink *, const struct causes *, uint64_t elapsed);
/* All of it, as notes of the profile and as fields of a JSON object. */
void causes_notes(const struct causes *, uint64_t elapsed, struct profile *);
void causes_fields(struct sink *, const struct causes *);

#endif
