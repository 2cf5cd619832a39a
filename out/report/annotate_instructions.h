/* An annotation by instruction. */
#ifndef OUT_REPORT_ANNOTATE_INSTRUCTIONS_H
#define OUT_REPORT_ANNOTATE_INSTRUCTIONS_H

#include "annotate_columns.h"

void annotation_instructions(struct annotation_writing *);

#endif
