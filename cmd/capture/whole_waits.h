/* The rest of stacks that are longer than their copies, of threads that wait: prof reads it while they sleep. */
#ifndef CMD_CAPTURE_WHOLE_WAITS_H
#define CMD_CAPTURE_WHOLE_WAITS_H

#include "collector.h"

/* Begins; without memory prof goes on without. */
void whole_waits_begin(struct collector *);
/* Notes that the walk of a wait's sample ended where its copy ends. */
void whole_waits_note(struct collector *, const struct sample *);
/* Reads what it has noted, of threads that wait still; call it when all records are taken in. */
void whole_waits_read(struct collector *, struct processes *);
void whole_waits_end(struct collector *);

#endif
