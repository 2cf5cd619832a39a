/* Names the collected codes: prepares some while samples come, and names all of them at the end. */
#ifndef CMD_CAPTURE_NAMING_H
#define CMD_CAPTURE_NAMING_H

#include "collector.h"

/* Prepares for naming while there is nothing else to do, for PATIENCE ns.  True: there is more to prepare. */
bool naming_ahead(struct collector *, uint64_t patience);
/* Names the finished profile; no more samples come. */
void naming_finish(struct collector *);

#endif
