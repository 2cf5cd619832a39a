/* What the tables share: sums, shares, ink.  Inside out/ only. */
#ifndef OUT_REPORT_TABLE_H
#define OUT_REPORT_TABLE_H

#include "lib/columns.h"
#include "report_rows.h"

struct table {
	const struct profile *p;
	struct sink *out;
	struct report how;
	struct rows rows;
	uint32_t *line;            /* rows, as they are shown */
	uint32_t line_cap, lines;
	uint32_t *thread;          /* sorted: threads of one event, and of one section, stand together */
	uint32_t thread_cap;
	uint64_t sum;              /* of the section */
	uint64_t own;              /* what the rows weigh themselves: samples without a stack are no row's */
	uint64_t period;
};

/* The share of W in ALL, in tenths of a percent. */
unsigned table_permille(uint64_t w, uint64_t all);
/* Whether W is less than MIN hundredths of a percent of ALL. */
bool table_below(uint64_t w, uint64_t all, unsigned min);
/* A weight as time, in one unit for all of a section (s, or ms if it lasted less than one second), or as a count. */
struct columns_cell table_amount(const struct table *, uint64_t weight);
/* Writes an escape sequence, if there is colour. */
void table_ink(const struct table *, const char *code);
void table_percent(const struct table *, uint64_t weight);
/* Writes a row's name, in at most ROOM columns (0: as long as it is). */
void table_name(const struct table *, const struct words *, unsigned room);
/* Whether numbers of samples mean something.  Folded stacks with times have only microseconds, and each microsecond would
 * count as a sample. */
bool table_has_samples(const struct table *);

/* For sorting: the heavier first. */
static inline int
table_heavier(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

#endif
