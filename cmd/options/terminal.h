/* How prof shows text on a terminal. */
#ifndef CMD_OPTIONS_TERMINAL_H
#define CMD_OPTIONS_TERMINAL_H

#include "lib/screen.h"
#include "out/report/report.h"

/* Whether to write colours on a terminal. */
bool terminal_colour(void);
/* Whether it shows ASCII alone: it is dumb, or the locale is C. */
bool terminal_ascii(void);
/* How to show text on stdout: on a terminal in its width, in colour if the user wants it, and at most ROWS rows; elsewhere all
 * rows. */
void terminal_report(struct report *, unsigned rows);

#endif
