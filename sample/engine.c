/* See engine.h.  The ladder: perf events with the kernel's side, without it, then ptrace.  The ladder keeps why the kernel
 * refused each rung, so that prof can say so at the end. */
#include "engine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sample/events/cpu.h"
#include "sample/events/open_targets.h"
#include "sample/rights/permit.h"
#include "sample/rights/refusal_words.h"
#include "sample/rights/sandbox.h"
#include "session_state.h"

/* Decides what prof asks of the kernel at first. */
static void
begin_pressure(struct session *s)
{
	struct opener *o = &s->opener;
	const struct capture *c = &o->capture;

	pressure_begin(&s->pressure, &(struct pressure_given){
		.freq = o->freq,
		.events = c->nevent,
		.cpus = o->ncpu,
		.ring_bytes = o->ring_bytes,
		.stack = c->stack_size,
		.fixed = c->stack_fixed,
		.stacks = o->shape.stack,
		.behind = o->shape.kernel_regs,
		.chain = c->user_chain,
		.chain_may = c->chain_may && !s->tracer.pid,
		.waits = s->waits.on,
		.first = o->first,
		.wanted = o->first ? 0 : cpu_wanted(),
		.stops = s->tracer.pid,
		.children = geteuid() && c->target == TARGET_COMMAND,
		.deep = o->deep.program ? DEEP_MOST : s->tracer.pid && o->deep.told && !c->stack_fixed ? DEEP_STOPPED : 0,
	});
	opener_intake(o, &s->pressure.want);
	deep_beyond(&o->deep, s->pressure.want.deep);
	if (s->tracer.pid)
		tracer_stack(&s->tracer, o->capture.stack_size);
}

static bool
open_perf(struct session *s, const struct capture *c, struct refusal *r)
{
	int32_t pid = 0;

	if (!opener_init(&s->opener, c, r)) {
		s->ladder.perf = s->opener.refused;
		return false;
	}
	begin_pressure(s);
	if (open_targets(&s->opener, &s->watches, &s->found, &s->sure, &pid)) {
		s->ladder.kernel = s->opener.capture.event[0].kernel ? 0 : s->opener.refused;
		return true;
	}
	s->ladder.perf = errno;
	*r = (struct refusal){ .of = REFUSED_EVENT, .err = s->ladder.perf, .event = s->opener.tried, .pid = pid };
	watches_close(&s->opener, &s->watches);
	watches_forget(&s->watches);
	opener_free(&s->opener);
	threads_free(&s->found);
	return false;
}

bool
engine_open(struct session *s, const struct capture *c, struct refusal *r)
{
	struct refusal own = { .of = REFUSED_NOTHING };

	s->ladder.asked = c->engine == ENGINE_PTRACE;
	s->ladder.cycles = c->event[0].refused;
	if (!s->ladder.asked && open_perf(s, c, r))
		return true;
	refusal_words(r, c);
	s->ladder.filtered = permit_filtered();
	s->tracer.lent = sandbox_lent();
	if (tracer_stand_in(&s->tracer, &s->opener, c, &s->ladder, &s->found, &own)) {
		begin_pressure(s);
		return true;
	}
	refusal_words(&own, c);
	if (s->ladder.asked)
		*r = own;
	else
		memcpy(r->last, own.what, sizeof r->last);
	return false;
}

bool
engine_take_in(struct session *s, struct refusal *r)
{
	const struct capture *c = &s->opener.capture;
	int32_t whom = 0;

	if (s->tracer.pid ? tracer_attach(&s->tracer, c, &s->found, &whom) : open_targets_launched(&s->opener, &s->watches))
		return true;
	*r = (struct refusal){ .of = s->tracer.pid ? REFUSED_TRACE : REFUSED_EVENT, .err = errno, .event = s->opener.tried, .pid = whom };
	refusal_words(r, c);
	return false;
}
