/* Rights of prof's that its caller lacks (set-user-id, or capabilities of its file): for the caller's own processes only. */
#ifndef CMD_OPTIONS_LENT_RIGHTS_H
#define CMD_OPTIONS_LENT_RIGHTS_H

#include "sample/events/event.h"
#include "target_options.h"

/* Says that only root may do what WHAT tells. */
void lent_rights_refuse(const char *what);
/* Whether the caller may have these events of that target, one sample each COUNT; WHAT: words to refuse the whole system.  False once
 * it has said why not. */
bool lent_rights_allow(const struct target_options *, const struct event *, unsigned n, uint64_t count, const char *what);

#endif
