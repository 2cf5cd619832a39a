/* -o and -f, of every command that writes profiles. */
#ifndef CMD_OUTPUTS_H
#define CMD_OUTPUTS_H

#include "out/output.h"

enum { OUTPUTS_MAX = 16 };

/* The format of -f NAME, NULL where NAME is; false once it has said that there is none. */
bool output_format(const char *name, const struct format **);
/* FILE as an output in the format that was GIVEN, else by its suffix, or on stdout in BARE.  False once it has said what is
 * wrong with writing there. */
bool output_add(struct output *, const char *file, const struct format *given, const struct format *bare);
/* Whether functions with the same name may be one, wherever they are: also of no outputs false. */
bool output_lineless(const struct output *, unsigned n);
/* Writes them; false once it has said what went wrong with some. */
bool output_all(struct output *, unsigned n, const struct profile *);
/* Behind WORDS, what was written and how large it is; nothing where nothing was. */
void output_words(struct sink *, const char *words, const struct output *, unsigned n);

#endif
