/* The ladder of engines, in words: hardware cycles, cpu-clock, its user side alone, ptrace. */
#ifndef CMD_CAPTURE_ENGINE_WORDS_H
#define CMD_CAPTURE_ENGINE_WORDS_H

#include "lib/sink.h"
#include "sample/session.h"

/* The engine that the capture used, and why it used no better one. */
void engine_words(struct sink *, const struct ladder *, const struct session_counts *);
/* With -v: why each better engine failed. */
void engine_details(const struct ladder *);

#endif
