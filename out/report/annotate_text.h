/* An annotation as text: its lines with their source, its instructions. */
#ifndef OUT_REPORT_ANNOTATE_TEXT_H
#define OUT_REPORT_ANNOTATE_TEXT_H

#include "annotate.h"
#include "lib/sink.h"

/* Writes what was weighed last, for EVENT, as text. */
void annotation_write(struct sink *, const struct annotation *, const struct annotation_view *, uint32_t event);
/* Whether the samples of an event come later in the code than their cause; its name tells. */
bool event_skids(const char *name);

#endif
