/* Profiles that commands read: from files of any format that prof knows, and from stdin. */
#ifndef CMD_REPORT_INPUT_H
#define CMD_REPORT_INPUT_H

#include "out/report/report.h"

/* Adds what the file holds (of "-": stdin) to the profile; false once it has said what is wrong.  Call profile_name when
 * all is read. */
bool input_read(struct profile *, const char *path);
/* Bounds what reading may take. */
void input_cap(void);

/* Whether a terminal is to have colours. */
bool input_colour(void);
/* How text is shown on stdout: on a terminal as wide as that is, in colour if that is wanted, and ROWS of it; else all. */
void input_terminal(struct report *, unsigned rows);

#endif
