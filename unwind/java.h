/* What HotSpot does that no other code does: its interpreter's calls. */
#ifndef UNWIND_JAVA_H
#define UNWIND_JAVA_H

#include "job.h"

/* Whether F, just stepped to, is where a call returns to: any call, or the interpreter's, which is a jump. */
bool java_returns(struct job *, const struct frame *);
/* Compiled Java leaves room for arguments below its sp when it calls what is interpreted, which keeps the sp for it: TO, the
 * step by RULE from there. */
bool java_sender(struct job *, const struct rule *, const struct frame *, struct frame *to);

#endif
