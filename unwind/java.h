/* Calls of HotSpot's interpreter, which no other code makes in this way. */
#ifndef UNWIND_JAVA_H
#define UNWIND_JAVA_H

#include "job.h"

/* Whether F, just stepped to, is where a call returns to: any call, or the interpreter's, which is a jump. */
bool java_returns(struct job *, const struct frame *);
/* Compiled Java that calls interpreted code leaves room for arguments below its sp, and the interpreter keeps that sp.  TO: the
 * step by RULE from there. */
bool java_sender(struct job *, const struct rule *, const struct frame *, struct frame *to);

#endif
