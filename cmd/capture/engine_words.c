/* See ladder.h. */
#include "engine_words.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/msg.h"
#include "sample/rights/permit.h"

/* Which of the sampled registers the one with DWARF's NUMBER is. */
static uint8_t
sampled(const struct arch *a, uint8_t number)
{
	uint8_t n = 0;

	while (a->dwarf[n] != number)
		n++;
	return n;
}

void
ladder_registers(struct capture *c)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct arch *a = i ? arch_compat : arch_host;

		if (a)
			c->prstatus[i] = (struct prstatus){ a->prstatus, a->sample, sampled(a, a->sp), sampled(a, a->pc) };
	}
}

static const char *
no_perf_words(const struct ladder *l)
{
	if (l->asked)
		return "as asked";
	if (l->perf == ENOSYS)
		return "the kernel has no perf_event_open";
	if (l->filtered)
		return "a seccomp filter refuses perf_event_open";
	return permit_paranoid() > 2 && permit_paranoid() != INT_MAX ? "perf_event_paranoid refuses perf_event_open"
	                                                             : "perf_event_open is refused";
}

void
ladder_words(struct sink *s, const struct closing *c)
{
	const struct session_counts *n = &c->counts;
	const struct ladder *l = c->ladder;

	if (l->ptrace)
		sink_fmt(s, n->paused_most ? " by ptrace (%s), %llu stops, paused %llu us a sample, %llu at most" : " by ptrace (%s), %llu stops",
		         no_perf_words(l), (unsigned long long)n->stops, (unsigned long long)n->paused, (unsigned long long)n->paused_most);
	else if (l->kernel)
		sink_fmt(s, " of the user side (perf_event_paranoid %d)", permit_paranoid());
	else if (l->cycles)
		sink_str(s, l->cycles == EIO ? " (hardware cycles are silent here)" : " (no hardware cycles here)");
}

void
ladder_details(const struct ladder *l)
{
	if (l->cycles)
		verbose("hardware cycles: %s", l->cycles == EIO ? "they open, but never interrupt" : strerror(l->cycles));
	if (l->kernel)
		verbose("the kernel's side: %s", strerror(l->kernel));
	if (l->perf)
		verbose("perf_event_open: %s", strerror(l->perf));
}
