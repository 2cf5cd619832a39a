/* A timer that interrupts work on files: to end it if it takes too long, and for other work that cannot wait so long. */
#ifndef LIB_WATCHDOG_H
#define LIB_WATCHDOG_H

#include <stdbool.h>

/* A signal handler calls TICK, but only while prof reads or asks for a file; NULL: not any more, but the watchdog still looks at work
 * on files. */
void watchdog_start(void (*tick)(void *ctx), void *ctx);
/* Makes it look or not: it need not while there is nothing to do. */
void watchdog_look(bool on);

#endif
