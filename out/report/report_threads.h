/* The table of threads, or of the names that they have. */
#ifndef OUT_REPORT_REPORT_THREADS_H
#define OUT_REPORT_REPORT_THREADS_H

#include "table.h"

/* Writes the table of N threads; by name if the report is BY_COMM. */
void report_threads(const struct table *, const uint32_t *thread, uint32_t n);

#endif
