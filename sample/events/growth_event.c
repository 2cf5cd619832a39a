/* See growth_event.h.  The tracepoint raw_syscalls:sys_exit, with a filter of the kernel for these calls.  mmap(2), mremap(2),
 * brk(2); what brk returns is where the heap ends now.  32-bit programs on a 64-bit kernel have their calls by other numbers, which
 * i386 and ARM share; each means another call in 64-bit programs, too: the registers of a sample tell whose it is. */
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
enum { CALL32_BRK = 45, CALL32_MREMAP = 163, CALL32_MMAP = 192 };   /* asm/unistd_32.h; mmap2 */
enum { FORMAT_BYTES = 2048, ERRORS = 4095 };

/* The arguments of a system call behind the first one. */
enum { LENGTH, PROTECTION, FLAGS, NEW_LENGTH = PROTECTION };

static const char *
find_arguments(struct probe_arg *arg, const char *names)
{
	char word[16];

	for (unsigned i = 0; i < 3; i++) {
		size_t n = strcspn(names, " ");

		snprintf(word, sizeof word, "%%%.*s", (int)n, names);
		if (probe_arg_parse(&arg[i], word, NULL, NULL))
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
	why = find_arguments(g->arg[0], perf_reg_words.call);
	if (!why && perf_reg_words.call32)
		why = find_arguments(g->arg[1], perf_reg_words.call32);
	if (why)
		return event_words(a, "--growth: prof %s", why);
	e.filter = event_words(a, "id == %d || id == %d || id == %d%s", (int)CALL_MMAP, (int)SYS_mremap, (int)SYS_brk,
	                       perf_reg_words.call32 ? " || id == 163 || id == 192 || (id == 45 && ret > 0x1000000)" : "");   /* recvfrom returns less */
	e.growth = g;
	if ((why = event_add(&l, &e, "")))
		return why;
	*n = l.n;
	return NULL;
}

/* A return from a system call. */
struct call {
	int64_t number;            /* as prof's own kind of programs have it */
	uint64_t result, arg[3];
};

/* False if the call failed, or is another one. */
static bool
call_of(const struct growth *g, struct cursor raw, const struct probe_moment *m, bool narrow, struct call *c)
{
	uint64_t n, r;

	if (!trace_field_number(&g->number, raw, &n) || !trace_field_number(&g->result, raw, &r))
		return false;
	if (narrow)
		n = n == CALL32_MMAP ? CALL_MMAP : n == CALL32_MREMAP ? SYS_mremap : n == CALL32_BRK ? SYS_brk : UINT64_MAX;
	c->number = (int64_t)n;
	c->result = narrow || sizeof(long) == 4 ? (uint32_t)r : r;
	for (unsigned i = 0; i < 3; i++)
		if (!probe_arg_value(&g->arg[narrow][i], m, &c->arg[i]))
			c->arg[i] = 0;
	return r < (uint64_t)-ERRORS;
}

static uint64_t
pages(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

uint64_t
growth_event_bytes(const struct growth *g, struct cursor raw, const struct probe_moment *m, bool narrow, uint64_t *brk)
{
	uint64_t before = *brk, old, new;
	struct call c;

	if (!call_of(g, raw, m, narrow, &c))
		return 0;
	switch (c.number) {
	case SYS_brk:
		*brk = c.result;
		return before && c.result > before ? pages(c.result) - pages(before) : 0;
	case CALL_MMAP:   /* MAP_FIXED takes the place of what was there */
		return c.arg[FLAGS] & MAP_FIXED ? 0 : pages(c.arg[LENGTH]);
	case SYS_mremap:
		old = pages(c.arg[LENGTH]);
		new = pages(c.arg[NEW_LENGTH]);
		return new > old ? new - old : 0;
	}
	return 0;
}

const char *
growth_event_way(const struct growth *g, struct cursor raw, const struct probe_moment *m, bool narrow)
{
	struct call c;

	if (!call_of(g, raw, m, narrow, &c) || c.number == SYS_brk)
		return "[brk]";
	if (c.number == SYS_mremap)
		return "[mremap]";
	return c.arg[PROTECTION] == PROT_NONE ? "[reserved]" : c.arg[FLAGS] & MAP_ANONYMOUS ? "[anonymous]" : "[file]";
}
