/* Columns of an annotation's lines and instructions: the shares before each, and which lines are worth a row. */
#ifndef OUT_REPORT_ANNOTATE_COLUMNS_H
#define OUT_REPORT_ANNOTATE_COLUMNS_H

#include "annotate.h"
#include "table.h"

enum { ANNOTATION_TEXT_MAX = 1024, ANNOTATION_SHARES = 14 };   /* bytes of a text; columns of two shares */

struct annotation_writing {
	struct table t;
	const struct annotation *a;
	const struct annotation_view *view;
	char note[ANNOTATION_TEXT_MAX];       /* the note of the instruction before, if it had one */
};

/* Lines of one file, or instructions of one mapping. */
struct annotation_part {
	uint32_t lo, hi;
	struct weight most;
};

/* The columns that are left behind USED ones; 0: all. */
unsigned annotation_room(const struct annotation_writing *, unsigned used);
/* The module that the function is in, or "". */
const char *annotation_module(const struct annotation_writing *);
/* Writes two shares, or as many blanks. */
void annotation_shares(struct annotation_writing *, const struct weight *);
/* Writes a mark for what was left out between two rows. */
void annotation_gap(struct annotation_writing *);
/* Whether a weight is worth a row. */
bool annotation_counts(const struct annotation_writing *, const struct weight *);
/* Adds a row's weight to its part's.  annotation_by_most is for sorting parts, the heaviest first. */
void annotation_add_most(struct annotation_part *, const struct weight *);
int annotation_by_most(const void *, const void *, void *ctx);

#endif
