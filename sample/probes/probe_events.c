/* See probe_events.h.  The PMUs uprobe and kprobe: Documentation/ABI/testing/sysfs-bus-event_source-devices-format, and
 * perf_event_open(2): config1 is a path or a function, config2 an offset, config's bit 0 tells of returns, and its upper half where
 * a semaphore is. */
#include "probe_events.h"

#include <string.h>

#include "probe_sites.h"
#include "sample/events/event_kind.h"
#include "sample/events/perf.h"
#include "sample/events/probe_arg.h"
#include "sample/events/probe_pmu.h"

static const char *
argument(const struct probe_arg **to, const char *words, const struct site *site, struct arena *a)
{
	struct probe_arg *arg = arena_alloc(a, sizeof *arg);

	if (!arg)
		return "out of memory";
	if (probe_arg_parse(arg, words, site->args, NULL))
		return event_words(a, "%s needs a number as its %.4s; this one has: %s", site->name, words, site->args);
	*to = arg;
	return NULL;
}

/* OpenTelemetry's contract for heaps, alloc(user, size, weighted_bytes) and free(user): an allocation stands for so many bytes. */
static const char *
weigh(struct event *e, const struct site *site, struct arena *a)
{
	const char *why;

	if (!strcmp(site->name, "otel_memory:free"))
		return argument(&e->frees, "arg1:u64", site, a);
	if (strcmp(site->name, "otel_memory:alloc"))
		return NULL;
	why = argument(&e->weigh, "arg3:u64", site, a);
	return why ? why : argument(&e->allocates, "arg1:u64", site, a);
}

/* One event for each site, from AT on. */
static const char *
place(struct event *at, const struct probe_sites *p, const char *file, struct arena *a)
{
	const struct event like = *at;
	const char *text = p->probe.text, *function, *why;
	bool kernel = p->file.fd < 0, several = false;
	uint32_t type;

	if (!probe_pmu_type(kernel, &type))
		return event_words(a, "event '%.80s': this kernel has no %s", text, kernel ? "kprobes (CONFIG_KPROBES)" : "uprobes (CONFIG_UPROBES)");
	for (uint32_t i = 1; i < p->sites.n; i++)
		several |= strcmp(p->sites.site[i].name, p->sites.site[0].name) != 0;
	function = arena_str(a, p->probe.place, strcspn(p->probe.place, "+"));
	for (uint32_t i = 0; i < p->sites.n; i++) {
		const struct site *site = &p->sites.site[i];
		struct event *e = &at[i];

		*e = like;
		e->probe = NULL;
		e->no_heir = true;
		e->type = type;
		e->config = (uint64_t)probe_returns(&p->probe) | (kernel ? 0 : site->semaphore << 32);
		e->config1 = (uintptr_t)(kernel ? function : file);
		e->config2 = site->off;
		e->no_kernel_chain = kernel && probe_returns(&p->probe) && !perf_probe_regs.kernel_returns;
		if (like.probe_leaf) {
			struct probe_arg *arg = arena_alloc(a, sizeof *arg);

			bool usdt = p->probe.kind == USDT, variable = !usdt && probe_arg_is_variable(like.probe_leaf);

			why = arg ? probe_arg_parse(arg, like.probe_leaf, usdt ? site->args : NULL, variable ? site->args : NULL) : "out of memory";
			if (why)
				return event_words(a, "--leaf '%.60s' of %.80s: %s%s%s", like.probe_leaf, text, why, usdt && *site->args ? "; its arguments: " : "", usdt ? site->args : "");
			if (kernel && probe_arg_on_stack(arg))
				return event_words(a, "%.80s at %.80s: a sample has no copy of the kernel's stack; write a register or $arg1 to $arg6", like.probe_leaf, text);
			arg->kernel = kernel;
			e->arg = arg;
		}
		if (p->probe.kind == USDT && (why = weigh(e, site, a)))
			return why;
		if (several && (e->weigh || e->frees))
			return event_words(a, "event '%.80s' is several probes, which weigh different things: name otel_memory:alloc and otel_memory:free, each as an event", text);
		if (several && p->probe.kind != UPROBE) {   /* for a uprobe the stack tells the place */
			e->entry = like.name;
			e->name = event_words(a, "%s", site->name);
		}
	}
	return function && file ? NULL : "out of memory";
}

static const char *
find(struct event *event, unsigned *n, unsigned i, unsigned *all, const struct probe_wants *wants, struct arena *a)
{
	struct event *e = &event[i];
	struct probe_wants w = *wants;
	struct probe_sites p;
	const char *text = e->probe->text, *file, *why;
	char words[512];

	w.returns = probe_returns(e->probe);
	w.variable = e->probe_leaf && e->probe->kind != USDT && probe_arg_is_variable(e->probe_leaf) ? probe_arg_fetch(e->probe_leaf) : NULL;
	if (!probe_sites_find(&p, e->probe, &w, words, sizeof words))
		return p.no_variable ? event_words(a, "--leaf '%.60s' of %.80s: %s", e->probe_leaf, text, words) : event_words(a, "event '%.80s': %s", text, words);
	*all += p.sites.n;
	if (*all > PROBE_EVENTS_MOST)
		return event_words(a, "event '%.80s' means %u places; record and stat take %d in all, because the kernel needs up to half a second to "
		                   "remove each; use prof latency for more", text, (unsigned)p.sites.n, PROBE_EVENTS_MOST);
	if (*n + p.sites.n - 1 > EVENTS_MAX)
		return "too many events";
	memmove(e + p.sites.n, e + 1, (*n - i - 1) * sizeof *e);
	*n += p.sites.n - 1;
	file = event_words(a, "%s", p.file.path);
	why = place(e, &p, file, a);
	sites_free(&p.sites);
	return why;
}

const char *
probe_events_find(struct event *event, unsigned *n, const struct probe_wants *wants, struct arena *a)
{
	const char *why = NULL;
	unsigned all = 0;

	for (unsigned i = 0; i < *n && !why; i++)
		if (event[i].probe)
			why = find(event, n, i, &all, wants, a);
	return why;
}
