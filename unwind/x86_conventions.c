/* x86-64 has all of the conventions that prof knows. */
#include "conventions.h"

#include "aligned_frame.h"
#include "convention.h"
#include "hosted_frame.h"
#include "jit_gap.h"
#include "jumped_frame.h"
#include "saved_sp.h"

const struct conventions x86_conventions = {
	.saved_sp = saved_sp,
	.aligned_rule = aligned_rule,
	.of = convention_of,
	.jumped = step_jumped, .jumped_known = jumped_known,
	.hosted_rule = hosted_rule, .hosted = step_hosted,
	.gap_find = jit_gap_find, .gap_push = jit_gap_push, .gap_learn = jit_gap_learn,
};
