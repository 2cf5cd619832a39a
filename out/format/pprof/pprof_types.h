/* What a pprof profile measures.  Inside this folder only. */
#ifndef OUT_FORMAT_PPROF_PPROF_TYPES_H
#define OUT_FORMAT_PPROF_PPROF_TYPES_H

#include "pprof_tables.h"

/* Chooses which values of the samples are read: the reading's measures. */
void pprof_measures(struct reading *);

#endif
