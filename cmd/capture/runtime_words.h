/* Words about runtimes and stripped files: which code has no names, and how to get them. */
#ifndef CMD_CAPTURE_RUNTIME_WORDS_H
#define CMD_CAPTURE_RUNTIME_WORDS_H

#include "lib/sink.h"
#include "out/profile/profile.h"

/* Sentences for the closing line, each behind "; ", about a named profile; nothing where nearly all has names.  ASKED: with --jit-names. */
void runtime_words(struct sink *, const struct profile *, bool asked);

#endif
