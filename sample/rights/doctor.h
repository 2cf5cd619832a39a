/* What works here and now, and what blocks the rest.  It tries everything. */
#ifndef SAMPLE_RIGHTS_DOCTOR_H
#define SAMPLE_RIGHTS_DOCTOR_H

#include "examination.h"

/* Tries everything, on PID or, 0, on a child of prof's own. */
void doctor_examine(struct examination *, int32_t pid);

#endif
