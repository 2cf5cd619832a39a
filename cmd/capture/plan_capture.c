/* See plan_capture.h. */
#include "plan_capture.h"

#include "probed_code.h"
#include "lib/msg.h"
#include "registers.h"
#include "sample/events/event_kind.h"
#include "sample/events/switch_event.h"
#include "sample/probes/probe_events.h"
#include "sample/rights/sandbox.h"
#include "waits.h"

/* What samples weigh, behind the events' names.  Returns the event that tells of memory that was given back; NULL: none, or no
 * event tells of memory that was allocated. */
static const struct event *
name_bytes(struct plan *p)
{
	struct event *frees = NULL;
	bool allocates = false;

	for (unsigned i = 0; i < p->nevent; i++) {
		struct event *e = &p->event[i];

		if (e->frees)
			frees = e;
		if (!e->weigh)
			continue;
		e->name = event_words(&p->arena, "%s bytes", e->name);
		allocates = true;
	}
	if (!allocates || !frees)
		return NULL;
	frees->name = event_words(&p->arena, "%s in-use bytes", frees->name);
	return frees;
}

bool
plan_add_events(struct plan *p, uint32_t *wait_event, const struct event **frees)
{
	struct probe_wants w = { .warn = warn, .frame = call_frame, .instruction = instruction_at };
	const char *why;

	*wait_event = 0;
	w.pid = p->target.npid && p->target.kind != TARGET_SYSTEM ? p->target.pid[0] : 0;
	w.command = p->target.command ? p->target.command[0] : NULL;
	why = probe_events_find(p->event, &p->nevent, &w, &p->arena);
	if (why) {
		error("%s%s", *why == '-' ? "" : "-e: ", why);
		return false;
	}
	*frees = name_bytes(p);
	if (!p->nevent)
		p->event[p->nevent++] = event_default();
	if (!p->off_cpu)
		return true;
	if (p->nevent > EVENTS_MAX - 2)
		p->nevent = EVENTS_MAX - 2;
	*wait_event = p->nevent;
	p->event[p->nevent] = switch_event();
	p->event[p->nevent].weight = (uint8_t)(p->event[p->nevent - 1].weight + 1);
	if (sandbox_lent())   /* tracepoints are not lent */
		switch_event_other(&p->event[p->nevent]);
	p->nevent++;
	if (p->wakers && (why = switch_event_waking(&p->event[p->nevent]))) {
		error("--wakers %s", why);
		return false;
	}
	p->event[p->nevent].weight = p->event[p->nevent - 1].weight;
	p->nevent += p->wakers;
	return true;
}

bool
plan_takes_children(const struct plan *p)
{
	return !p->no_inherit && p->target.kind == TARGET_PROCESSES && !sandbox_lent();
}

struct capture
plan_capture(const struct plan *p, const int32_t *command_pid)
{
	bool command = p->target.kind == TARGET_COMMAND, stacks = p->stacks != STACKS_NONE;
	struct capture c = {
		.target = p->target.kind,
		.pid = command ? command_pid : p->target.pid,
		.npid = command ? 1 : p->target.npid,
		.cgroup = p->target.cgroup,
		.cpu = p->target.cpu,
		.ncpu = p->target.ncpu,
		.event = (struct event *)(uintptr_t)p->event,
		.nevent = p->nevent,
		.freq = p->count ? 0 : p->freq,
		.count = p->count,
		.freq_max = p->freq_max,
		.inherit = !p->no_inherit && p->target.kind != TARGET_THREADS,
		.descendants = plan_takes_children(p),
		.lent = sandbox_lent(),
		.idle = p->idle,
		.delay = p->delay,
		.user_stack = p->stacks == STACKS_AUTO || p->stacks == STACKS_DWARF,
		.user_chain = p->stacks == STACKS_FP,
		.kernel_chain = stacks,
		.chain_may = p->stacks == STACKS_AUTO,
		.stack_size = (uint32_t)p->stack_size,
		.stack_fixed = p->stack_size != 0,
		.wall = p->wall,
		.waited = p->off_cpu ? waits_add : NULL,
		.regs_mask = arch_host->sample,
		.engine = p->engine,
	};

	registers_describe(&c);
	return c;
}
