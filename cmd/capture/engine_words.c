/* See engine_words.h. */
#include "engine_words.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/msg.h"
#include "lib/text.h"
#include "sample/rights/permit.h"

static const char *
no_perf_words(const struct ladder *l)
{
	if (l->asked)
		return "--engine asks for it";
	if (l->perf == ENOSYS)
		return "the kernel has no perf_event_open";
	if (l->filtered)
		return "a seccomp filter refuses perf_event_open";
	return permit_paranoid() > 2 && permit_paranoid() != INT_MAX ? "perf_event_paranoid refuses perf_event_open"
	                                                             : "perf_event_open is refused";
}

void
engine_words(struct sink *s, const struct ladder *l, const struct session_counts *n)
{
	if (l->ptrace)
		sink_fmt(s, n->stopper.paused_most ? " by ptrace (%s), %llu stop%s, paused %llu us a sample, %llu at most" : " by ptrace (%s), %llu stop%s",
		         no_perf_words(l), (unsigned long long)n->stopper.stops, plural(n->stopper.stops), (unsigned long long)n->stopper.paused, (unsigned long long)n->stopper.paused_most);
	else if (l->kernel)
		sink_fmt(s, " of the user side only (perf_event_paranoid %d)", permit_paranoid());
	else if (l->cycles)
		sink_str(s, l->cycles == EIO ? " (the hardware counter of cycles never interrupts here)" : " (no hardware cycles here)");
}

void
engine_details(const struct ladder *l)
{
	if (l->cycles)
		verbose("hardware cycles: %s", l->cycles == EIO ? "the counter opens, but never interrupts" : strerror(l->cycles));
	if (l->kernel)
		verbose("the kernel's side: %s", strerror(l->kernel));
	if (l->perf)
		verbose("perf_event_open: %s", strerror(l->perf));
}
