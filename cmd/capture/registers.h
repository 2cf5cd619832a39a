/* What an engine that reads registers itself must know about the machine's registers. */
#ifndef CMD_CAPTURE_REGISTERS_H
#define CMD_CAPTURE_REGISTERS_H

#include "sample/session.h"

/* Fills CAPTURE's prstatus, for programs of this machine and for 32-bit ones. */
void registers_describe(struct capture *);

#endif
