/* What sym/ says of a code, as functions of a profile. */
#ifndef CMD_SITES_H
#define CMD_SITES_H

#include "out/profile/profile.h"
#include "sym/name.h"

/* Fills SITE, outermost first, at most MAX; returns how many, at least 1. */
unsigned sites_of(struct names *, const struct code *, struct profile *, struct site *site, unsigned max);

#endif
