/* Breakpoints: mem:ADDRESS[/LENGTH][:ACCESS][:MODIFIERS], ACCESS of r, w and x (rw).  perf-list(1), <linux/hw_breakpoint.h>. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "event_kind.h"
#include "lib/text.h"

static const char *
parse(struct event_list *l, const char *name)
{
	const char *s = name + 4, *why = "must begin with mem:ADDRESS, as in mem:0x1000/4:rw";
	struct event e = { .name = name, .type = PERF_TYPE_BREAKPOINT, .each = true };
	struct event_text address = { s, strcspn(s, "/:") };

	s += address.n;
	if (!event_number(address, &e.config1))
		return event_words(l->arena, "event '%.80s' %s", name, why);
	if (*s == '/' && (s++, !text_dec(&s, &e.config2)))
		return event_words(l->arena, "event '%.80s': the length must be 1, 2, 4 or 8", name);
	if (*s == ':' && s[1] && strchr("rwx", s[1]))
		for (s++; *s && *s != ':'; s++) {
			uint32_t bit = *s == 'r' ? HW_BREAKPOINT_R : *s == 'w' ? HW_BREAKPOINT_W : *s == 'x' ? HW_BREAKPOINT_X : 0;

			if (!bit || e.bp_type & bit)
				return event_words(l->arena, "event '%.80s': the access must be r, w, x or rw", name);
			e.bp_type |= bit;
		}
	if (!e.bp_type)
		e.bp_type = HW_BREAKPOINT_RW;
	if (!e.config2)
		e.config2 = e.bp_type == HW_BREAKPOINT_X ? sizeof(long) : 4;
	if (e.config2 > 8 || e.config2 & (e.config2 - 1))
		return event_words(l->arena, "event '%.80s': the length must be 1, 2, 4 or 8", name);
	if (*s && *s != ':')
		return event_words(l->arena, "event '%.80s' %s", name, why);
	return event_add(l, &e, *s ? s + 1 : s);
}

const struct event_kind event_breakpoint = { .prefix = "mem:", .parse = parse };
