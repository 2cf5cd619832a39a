/* Profiles as text for people. */
#ifndef OUT_REPORT_REPORT_TEXT_H
#define OUT_REPORT_REPORT_TEXT_H

#include "lib/sink.h"
#include "out/profile/profile.h"
#include "report.h"

void report_write(struct sink *, const struct profile *, const struct report *);
/* Writes the terminal's short summary: self and total of the TOP functions, in WIDTH columns, with colour or without. */
void report_summary(struct sink *, const struct profile *, unsigned top, unsigned width, bool colour);

#endif
