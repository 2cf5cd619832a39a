/* The keeper: a small process that keeps prof's rights, joined by a socket, while prof itself gives them up and reads what
 * others wrote.  It opens files for reading and events, hands the descriptors over, and reads no more of a file than
 * tells whether it is a program.  Without one, all of this is done by whoever asks. */
#ifndef SAMPLE_RIGHTS_KEEPER_H
#define SAMPLE_RIGHTS_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keeper_also;
struct modules;
struct opener;
struct rings;

/* Forks the keeper off.  It knows the opener and the modules (or NULL) as of now.  From here on prof asks it, at the doors of file.h, foreign.h and
 * opener.h; false with errno where there is none. */
bool keeper_start(struct opener *, const struct modules *, const struct keeper_also *);
/* Ends the keeper, and waits for that: whoever would inherit it may not. */
void keeper_end(void);
/* How many of them have died before their time; and whether there is none any more. */
unsigned keeper_lost(void);
bool keeper_gone(void);
/* Rings that fill up while prof waits for answers, or NULL for none. */
void keeper_rings(struct rings *);
/* How often a file could not be opened because too many were open. */
unsigned keeper_full(void);
/* ns of CPU that it took; 0 where there is none. */
uint64_t keeper_cpu(void);
/* ASK_CALLER, WITH a descriptor or -1: the text's length, or -1; and the descriptor, or -1. */
long keeper_ask(uint32_t number, const char *path, int with, int *fd, char *text, size_t size);

#endif
