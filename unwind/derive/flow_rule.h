/* What is known of sp, fp and the return address, as a rule. */
#ifndef UNWIND_DERIVE_FLOW_RULE_H
#define UNWIND_DERIVE_FLOW_RULE_H

#include "flow.h"

/* The rule for a place with the state F, which was followed from the function's beginning; false if F does not show it. */
bool flow_rule(const struct reader *, const struct flow *, struct rule *);
/* The rule for other code that runs on with the sp of F, and may have changed all else; false if F does not show it. */
bool flow_kept(const struct reader *, const struct flow *, struct rule *);
/* The rule for the address from which F was followed forward to a return; false if F does not show it. */
bool flow_returned(const struct reader *, const struct flow *, struct rule *);
/* The rule by a frame record; if the record does not show the CFA, the rule for code that prof cannot read. */
void flow_record(const struct reader *, struct rule *);

#endif
