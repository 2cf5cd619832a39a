/* An annotation by source line, with the text of the source. */
#ifndef OUT_REPORT_ANNOTATE_LINES_H
#define OUT_REPORT_ANNOTATE_LINES_H

#include "annotate_columns.h"

void annotation_lines(struct annotation_writing *);

#endif
