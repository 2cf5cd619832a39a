/* What slowed the target's cgroup down, in words. */
#ifndef CMD_CAPTURE_CAUSES_WORDS_H
#define CMD_CAPTURE_CAUSES_WORDS_H

#include "lib/sink.h"
#include "out/profile/profile.h"
#include "sample/waiting/causes.h"

/* Sentences for the closing line, each behind "; ", about what matters in ELAPSED ns; nothing where nothing does.
 * RUN_QUEUE: ns that the profile shows as [run queue], or 0 where it shows no waits. */
void causes_words(struct sink *, const struct causes *, uint64_t elapsed, uint64_t run_queue);
/* All causes, as notes of the profile and as fields of a JSON object. */
void causes_notes(const struct causes *, uint64_t elapsed, struct profile *);
void causes_fields(struct sink *, const struct causes *);

#endif
