/* The calls in one section of a table. */
#ifndef OUT_REPORT_REPORT_TREE_H
#define OUT_REPORT_REPORT_TREE_H

#include "table.h"

/* Its call tree; and the callers or callees of one function. */
void report_tree(struct table *);
void report_around(struct table *);

#endif
