/* Event lists; an input that begins with a newline is a PMU's format file instead.  A made-up PMU and two tracepoints stand in
 * for /sys. */
#define EVENT_DEVICES devices
static char devices[64];
#define TRACEFS_MOUNTS traces
static char traces[96];
#include "sample/events/event_pmu.c"
#include "sample/events/event_list.h"
#define CREATE CREATE_TRACEFS
#include "sample/events/tracefs.c"

#include <stdlib.h>
#include <sys/stat.h>

static const char *const files[][2] = {
	{ "cpu/type", "4\n" }, { "cpu/format/event", "config:0-7,32-35\n" }, { "cpu/format/edge", "config:18\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" }, { "cpu/events/misses", "event=0x2e,edge\n" },
	{ "cpu/events/loop", "loop\n" }, { "cpu/events/misses.scale", "2e-3\n" }, { "cpu/events/misses.unit", "MiB\n" },
	{ "traces/sched/sched_switch/id", "314\n" }, { "traces/sched/sched_waking/id", "315\n" },
};
static const char *const folders[] = { "", "/cpu", "/cpu/format", "/cpu/events", "/traces", "/traces/sched",
	                               "/traces/sched/sched_switch", "/traces/sched/sched_waking" };

static void
leave(void)
{
	char path[128];

	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", devices, files[i][0]);
		remove(path);
	}
	for (unsigned i = sizeof folders / sizeof *folders; i--;) {
		snprintf(path, sizeof path, "%s%s", devices, folders[i]);
		remove(path);
	}
}

static void
enter(void)
{
	char path[128];
	FILE *f;

	strcpy(devices, "/tmp/prof-event.XXXXXX");
	if (!mkdtemp(devices))
		abort();
	snprintf(traces, sizeof traces, "%s/traces", devices);
	atexit(leave);
	for (unsigned i = 1; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", devices, folders[i]);
		mkdir(path, 0700);
	}
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", devices, files[i][0]);
		if ((f = fopen(path, "w"))) {
			fputs(files[i][1], f);
			fclose(f);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event event[EVENTS_MAX];
	struct arena arena = { 0 };
	unsigned n = 0;
	char *text;

	if (!*devices)
		enter();
	if (!(text = malloc(size + 1)))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (*text == '\n') {
		event[0] = (struct event){ 0 };
		place(event, text + 1, UINT64_MAX);
	} else {
		const char *why = event_parse(event, &n, text, &arena);

		if (n > EVENTS_MAX || (why && !*why) || (!why && !n))
			abort();
		for (unsigned i = 0; i < n; i++)
			if (!event[i].user && !event[i].kernel && event[i].no_hv)
				abort();
	}
	arena_free(&arena);
	free(text);
	return 0;
}
