/* The keeper: a small process that keeps prof's rights, while prof itself gives them up and reads what others wrote.  A socket
 * joins the two.  The keeper opens events, and files for reading, and gives prof the descriptors.  It reads only so much of a
 * file as shows whether that is a program.  If there is no keeper, the process that asks does all of this itself. */
#ifndef SAMPLE_RIGHTS_KEEPER_H
#define SAMPLE_RIGHTS_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keeper_also;
struct modules;
struct opener;
struct rings;

/* Forks the keeper, which knows the opener and the modules (or NULL) as they are now.  From then on prof asks it, through
 * file.h, foreign.h and opener.h.  False with errno if there is no keeper. */
bool keeper_start(struct opener *, const struct modules *, const struct keeper_also *);
/* Ends the keeper, and waits for its end, because the process that would inherit it may not wait. */
void keeper_end(void);
/* How many keepers have died too early; whether no keeper is left. */
unsigned keeper_lost(void);
bool keeper_gone(void);
/* Rings that fill up while prof waits for answers, or NULL for none. */
void keeper_rings(struct rings *);
/* How many times prof could not open a file because too many were open. */
unsigned keeper_full(void);
/* CPU time that it took, ns; 0 if there is no keeper. */
uint64_t keeper_cpu(void);
/* ASK_CALLER, WITH a descriptor or -1: the text's length, or -1; and the descriptor, or -1. */
long keeper_ask(uint32_t number, const char *path, int with, int *fd, char *text, size_t size);

#endif
