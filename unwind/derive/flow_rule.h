/* What is known of sp, fp and the return address, as a rule. */
#ifndef UNWIND_DERIVE_FLOW_RULE_H
#define UNWIND_DERIVE_FLOW_RULE_H

#include "flow.h"

/* The rule where F, which is known from the function's beginning on, holds; false where it does not tell. */
bool flow_rule(const struct reader *, const struct flow *, struct rule *);
/* The rule at the address from which F was followed forward to a return; false likewise. */
bool flow_returned(const struct reader *, const struct flow *, struct rule *);
/* By a frame record; where that does not tell the CFA, as in code that cannot be read. */
void flow_record(const struct reader *, struct rule *);

#endif
