/* -o and -f, for every command that writes profiles. */
#ifndef CMD_OPTIONS_OUTPUTS_H
#define CMD_OPTIONS_OUTPUTS_H

#include "out/output.h"

enum { OUTPUTS_MAX = 16 };

/* The format of -f NAME; NULL if NAME is NULL. False after an error message, if there is no such format. */
bool outputs_format(const char *name, const struct format **);
/* Makes FILE an output: in the format GIVEN, else by its suffix, or on stdout in BARE. False after an error message, if prof
 * cannot write there. */
bool outputs_add(struct output *, const char *file, const struct format *given, const struct format *bare);
/* Whether functions with the same name may be one, wherever their lines are; false if there are no outputs. */
bool outputs_lineless(const struct output *, unsigned n);
/* Whether none of them tells when threads with the same name ran, and which of these did; false if there are no outputs. */
bool outputs_threadless(const struct output *, unsigned n);
/* For --embed-source: makes the outputs that can hold source text do so.  False after an error message, if none can. */
bool outputs_embed(struct output *, unsigned n);
/* Writes all outputs; false after an error message, if some failed. */
bool outputs_all(struct output *, unsigned n, const struct profile *);
/* Adds, behind WORDS, which files prof wrote and their sizes; nothing if it wrote none. */
void outputs_words(struct sink *, const char *words, const struct output *, unsigned n);
/* Says that on stderr, unless the first one is stdout. */
void outputs_tell(const struct output *, unsigned n);

#endif
