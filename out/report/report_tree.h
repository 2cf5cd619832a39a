/* The call trees of one section of a table. */
#ifndef OUT_REPORT_REPORT_TREE_H
#define OUT_REPORT_REPORT_TREE_H

#include "table.h"

/* report_tree writes the call tree; report_around the callers or callees of one function. */
void report_tree(struct table *);
void report_around(struct table *);

#endif
