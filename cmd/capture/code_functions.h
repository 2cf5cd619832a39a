/* The names that sym/ finds for a code, as functions of a profile. */
#ifndef CMD_CAPTURE_CODE_FUNCTIONS_H
#define CMD_CAPTURE_CODE_FUNCTIONS_H

#include "out/profile/profile.h"
#include "sym/name.h"

struct code_functions {
	struct names *names;
	struct profile *profile;
	struct function last;      /* the last one that got a name, and its number + 1 */
	uint32_t number;
};

/* Fills SITE, outermost first, at most MAX; returns how many, at least 1. */
unsigned code_functions(struct code_functions *, const struct code *, struct site *site, unsigned max);

#endif
