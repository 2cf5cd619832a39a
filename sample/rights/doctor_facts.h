/* Facts about the machine, its kernel and prof's own process that matter for profiling. */
#ifndef SAMPLE_RIGHTS_DOCTOR_FACTS_H
#define SAMPLE_RIGHTS_DOCTOR_FACTS_H

#include "examination.h"

/* Adds the facts of a machine with so many CPUS. */
void doctor_facts(struct examination *, uint32_t cpus);

#endif
