/* What the closing line, the profile's notes and --stats say of waits. */
#ifndef CMD_CAPTURE_WAITS_WORDS_H
#define CMD_CAPTURE_WAITS_WORDS_H

#include "lib/sink.h"
#include "sample/waiting/wait.h"

/* Each adds clauses behind "; ": how many waits there were; and which prof left out, or cannot see. */
void waits_words(struct sink *, const struct wait_counts *);
void waits_left_out_words(struct sink *, const struct wait_counts *);
/* Adds the numbers as members of a JSON object. */
void waits_fields(struct sink *, const struct wait_counts *);

#endif
