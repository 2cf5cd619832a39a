/* A timer that interrupts work on files: to end it where it takes too long, and for what may not wait so long. */
#ifndef LIB_WATCHDOG_H
#define LIB_WATCHDOG_H

#include <stdbool.h>

/* TICK is called in a signal handler, but only while a file is being read or asked for; NULL: not any more, but work on files is still
 * looked at. */
void watchdog_start(void (*tick)(void *ctx), void *ctx);
/* Whether it looks: not while there is nothing to do. */
void watchdog_look(bool on);

#endif
