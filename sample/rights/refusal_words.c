/* See refusal_words.h. */
#include "refusal_words.h"

#include "permit.h"
#include "permit_trace.h"

void
refusal_words(struct refusal *r, const struct capture *c)
{
	switch (r->of) {
	case REFUSED_NOTHING:
		break;
	case REFUSED_EVENT:
		permit_explain(r, c, r->event, r->pid, r->err);
		break;
	case REFUSED_RING:
		permit_explain_ring(r, r->err);
		break;
	case REFUSED_TRACE:
		permit_trace_explain(r, c, r->pid, r->err);
		break;
	}
	r->of = REFUSED_NOTHING;
}
