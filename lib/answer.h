/* How long prof waits for another process: that may hang on a file, if its file system never answers. */
#ifndef LIB_ANSWER_H
#define LIB_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

/* Waits until FD can be read.  False: it took too long.  Each wait takes from what is left for all of them. */
bool answer_comes(int fd);
/* Makes the present wait end soon; a signal handler may call it. */
void answer_hurry(void);
/* How often an answer took too long; and whether that was so often that it is not worth asking. */
unsigned answer_missed(void);
bool answer_hopeless(void);
/* Sets other bounds, in ns: for all waits, and for one wait when nothing is left. */
void answer_patience(uint64_t all, uint64_t least);

#endif
