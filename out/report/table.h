/* What the tables share: sums, shares, ink.  Inside out/ only. */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include "lib/columns.h"
#include "report_rows.h"

struct table {
	const struct profile *p;
	struct sink *out;
	struct report how;
	struct rows rows;
	uint32_t *line;            /* rows, as they are shown */
	uint32_t line_cap, lines;
	uint32_t *thread;          /* sorted: those of one event, and of one section, stand together */
	uint32_t thread_cap;
	uint64_t sum;              /* of the section */
	uint64_t period;
};

/* W of ALL in tenths of a percent. */
unsigned permille(uint64_t w, uint64_t all);
/* Is W less than MIN hundredths of a percent of ALL? */
bool below(uint64_t w, uint64_t all, unsigned min);
/* A weight as time in one unit for all of a section (s, or ms where it lasted less than one), or as a count. */
struct cell amount(const struct table *, uint64_t weight);
/* An escape sequence, where there is colour. */
void ink(const struct table *, const char *code);
void put_percent(const struct table *, uint64_t weight);
/* A row's name, in at most ROOM columns (0: as long as it is). */
void put_name(const struct table *, const struct row *, unsigned room);

/* The call tree of the section; callers or callees of what is asked for. */
void put_tree(struct table *);
void put_around(struct table *);

#endif
