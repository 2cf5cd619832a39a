/* Code whose callers make the frame records of their callees. */
#ifndef UNWIND_DERIVE_CALLERS_RECORD_H
#define UNWIND_DERIVE_CALLERS_RECORD_H

#include "forward.h"

/* The rule at the reader's address.  RETURNS: it is of a return address.  WAYS: as for derive_forward. */
void derive_callers_record(struct reader *, struct ways *, bool returns, struct rule *);

#endif
