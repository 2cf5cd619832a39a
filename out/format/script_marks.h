/* What the writer and the reader of perf script's text have in common.  Inside out/ only. */
#ifndef OUT_FORMAT_SCRIPT_MARKS_H
#define OUT_FORMAT_SCRIPT_MARKS_H

#define SCRIPT_GLOBAL "::"               /* before names that begin with a parenthesis */
#define SCRIPT_PERIOD "period_ns = "     /* in the header's line of an event: what one unit of weight is worth; 0 if it is no time */

#endif
