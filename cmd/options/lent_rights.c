/* See lent_rights.h. */
#include "lent_rights.h"

#include "lib/msg.h"
#include "sample/events/lent_event.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/whose.h"

static const char alone[] = "prof has more rights here than you; it uses them for your own processes only";

void
lent_rights_refuse(const char *what)
{
	error("only root may %s: %s", what, alone);
}

bool
lent_rights_allow(const struct target_options *t, const struct event *event, unsigned n, uint64_t count, const char *what)
{
	const struct capture c = { .count = count };
	const char *why;

	if (!sandbox_lent())
		return true;
	if (t->kind == TARGET_SYSTEM) {
		lent_rights_refuse(what);
		return false;
	}
	for (unsigned i = 0; i < t->npid; i++)
		if (!whose_may(t->pid[i])) {
			error("process %d is not yours: %s", (int)t->pid[i], alone);
			return false;
		}
	for (unsigned i = 0; i < n; i++)
		if ((why = lent_event_refused(&c, &event[i]))) {
			error("-e %s: %s", event[i].name, why);
			return false;
		}
	return true;
}
