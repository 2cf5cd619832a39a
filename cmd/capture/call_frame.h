/* Frames of calls by their descriptions, for the variables that probes show. */
#ifndef CMD_CAPTURE_CALL_FRAME_H
#define CMD_CAPTURE_CALL_FRAME_H

#include "sym/module/module.h"

/* The caller's sp when the code at PC is about to run: a register by DWARF's number, and what is added to it. */
bool call_frame(struct modules *, struct module *, uint64_t pc, uint64_t *reg, int64_t *off);

#endif
