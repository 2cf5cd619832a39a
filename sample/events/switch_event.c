/* See switch_event.h.  The tracepoints sched:sched_switch and sched:sched_waking.  include/trace/events/sched.h. */
#include "switch_event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "tracefs.h"

struct event
switch_event(void)
{
	struct event e = { .name = "off-cpu", .type = PERF_TYPE_TRACEPOINT, .user = true, .kernel = true, .waits = true };

	if (!tracefs_id("sched", "sched_switch", &e.config))
		switch_event_other(&e);
	return e;
}

bool
switch_event_other(struct event *e)
{
	bool other = e->type == PERF_TYPE_TRACEPOINT;

	e->type = PERF_TYPE_SOFTWARE;
	e->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	return other;
}

const char *
switch_event_waking(struct event *e)
{
	static const char field[] = "field:pid_t pid;\toffset:24;\tsize:4;";   /* as switch_event_woken reads it */
	char format[2048];

	*e = (struct event){ .name = "waking", .type = PERF_TYPE_TRACEPOINT, .user = true, .kernel = true, .waits = true, .wakes = true };
	if (!tracefs_id("sched", "sched_waking", &e->config))
		return tracefs_missing();
	return tracefs_format("sched", "sched_waking", format, sizeof format) && strstr(format, field)
	               ? NULL : "does not work on this kernel: its tracepoint sched:sched_waking has fields that prof does not know";
}

/* The fields: common_type (2 bytes), common_flags (1; 8 and 16: in an interrupt), …; comm at 8, pid at 24. */
bool
switch_event_woken(struct cursor raw, int32_t *tid, bool *interrupt)
{
	cur_u16(&raw);
	*interrupt = cur_u8(&raw) & 24;
	cur_take(&raw, 21);
	*tid = (int32_t)cur_u32(&raw);
	return !raw.bad;
}
