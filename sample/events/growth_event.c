/* See growth_event.h.  The tracepoint raw_syscalls:sys_exit, with a filter of the kernel for these calls.  mmap(2), mremap(2),
 * brk(2); what brk returns is where the heap ends now. */
#include "growth_event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event_kind.h"
#include "perf.h"
#include "trace_format.h"
#include "tracefs.h"

#ifdef SYS_mmap2
enum { CALL_MMAP = SYS_mmap2 };
#else
enum { CALL_MMAP = SYS_mmap };
#endif
enum { FORMAT_BYTES = 2048, ERRORS = 4095 };

/* The arguments of a system call behind the first one. */
enum { LENGTH, PROTECTION, FLAGS, NEW_LENGTH = PROTECTION };

static const char *
find_arguments(struct growth *g)
{
	const char *names = perf_reg_words.call;
	char word[16];

	for (unsigned i = 0; i < sizeof g->arg / sizeof *g->arg; i++) {
		size_t n = strcspn(names, " ");

		snprintf(word, sizeof word, "%%%.*s", (int)n, names);
		if (probe_arg_parse(&g->arg[i], word, NULL, NULL))
			return "does not know where this machine's system calls have their arguments";
		names += n + (names[n] == ' ');
	}
	return NULL;
}

const char *
growth_event_add(struct event *event, unsigned *n, struct arena *a)
{
	struct event_list l = { .event = event, .n = *n, .arena = a, .more = "", .weight = *n ? (uint8_t)(event[*n - 1].weight + 1) : 0 };
	struct event e = { .name = "growth bytes", .type = PERF_TYPE_TRACEPOINT, .each = true, .period = 1, .no_kernel_chain = true };
	struct growth *g = arena_alloc(a, sizeof *g);
	char *format = arena_alloc(a, FORMAT_BYTES);
	const char *why;

	if (!g || !format)
		return "out of memory";
	if ((why = tracefs_missing()))
		return event_words(a, "--growth %s", why);
	if (!tracefs_id("raw_syscalls", "sys_exit", &e.config) || !tracefs_format("raw_syscalls", "sys_exit", format, FORMAT_BYTES) ||
	    !trace_format_find(format, "id", &g->number) || !trace_format_find(format, "ret", &g->result))
		return "--growth: this kernel has no tracepoint raw_syscalls:sys_exit (CONFIG_FTRACE_SYSCALLS)";
	if ((why = find_arguments(g)))
		return event_words(a, "--growth: prof %s", why);
	e.filter = event_words(a, "id == %d || id == %d || id == %d", (int)CALL_MMAP, (int)SYS_mremap, (int)SYS_brk);
	e.growth = g;
	if ((why = event_add(&l, &e, "")))
		return why;
	*n = l.n;
	return NULL;
}

static uint64_t
argument(const struct growth *g, const struct probe_moment *m, unsigned i)
{
	uint64_t v;

	return probe_arg_value(&g->arg[i], m, &v) ? v : 0;
}

/* The number of the call, and what it returned; false if it failed. */
static bool
call_of(const struct growth *g, struct cursor raw, int64_t *number, uint64_t *result)
{
	uint64_t n, r;

	if (!trace_field_number(&g->number, raw, &n) || !trace_field_number(&g->result, raw, &r))
		return false;
	*number = (int64_t)n;
	*result = sizeof(long) == 4 ? (uint32_t)r : r;
	return r < (uint64_t)-ERRORS;
}

static uint64_t
pages(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

uint64_t
growth_event_bytes(const struct growth *g, struct cursor raw, const struct probe_moment *m, uint64_t *brk)
{
	uint64_t result, before = *brk, old, new;
	int64_t number;

	if (!call_of(g, raw, &number, &result))
		return 0;
	switch (number) {
	case SYS_brk:
		*brk = result;
		return before && result > before ? pages(result) - pages(before) : 0;
	case CALL_MMAP:   /* MAP_FIXED takes the place of what was there */
		return argument(g, m, FLAGS) & MAP_FIXED ? 0 : pages(argument(g, m, LENGTH));
	case SYS_mremap:
		old = pages(argument(g, m, LENGTH));
		new = pages(argument(g, m, NEW_LENGTH));
		return new > old ? new - old : 0;
	}
	return 0;
}

const char *
growth_event_way(const struct growth *g, struct cursor raw, const struct probe_moment *m)
{
	uint64_t result;
	int64_t number;

	if (!call_of(g, raw, &number, &result) || number == SYS_brk)
		return "[brk]";
	if (number == SYS_mremap)
		return "[mremap]";
	return argument(g, m, PROTECTION) == PROT_NONE ? "[reserved]" : argument(g, m, FLAGS) & MAP_ANONYMOUS ? "[anonymous]" : "[file]";
}
