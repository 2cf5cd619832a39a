/* See event_named.h.  Names and spellings: perf-list(1); numbers: <linux/perf_event.h>. */
#include "event_named.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <strings.h>

#include "lib/nearest.h"
#include "lib/text.h"
#include "tracefs.h"

static const struct named { const char *name; uint8_t type, config; } named[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
	{ 0 }
};

/* The spellings of the cache events' parts: each line one number, its words apart by spaces. */
static const char *const caches[] = {
	"L1-dcache l1-d l1d L1-data", "L1-icache l1-i l1i L1-instruction", "LLC L2", "dTLB d-tlb Data-TLB",
	"iTLB i-tlb Instruction-TLB", "branch branches bpu btb bpc", "node", NULL
};
static const char *const ops[] = {
	"load loads read", "store stores write", "prefetch prefetches speculative-read speculative-load", NULL
};
static const char *const results[] = { "refs Reference ops access", "misses miss", NULL };
static const uint8_t cache_ops[] = { 7, 5, 7, 7, 1, 1, 7 };   /* what each cache has: a bit for each of OPS */

const char *
event_generic(unsigned i)
{
	return named[i].name;
}

bool
event_known(struct event *e, struct event_text t)
{
	for (const struct named *n = named; n->name; n++)
		if (event_text_is(t, n->name)) {
			e->type = n->type;
			e->config = n->config;
			return true;
		}
	return false;
}

/* Takes one of the spellings, up to a '-' or the end, off T's front: its number in LIST, or -1. */
static int
spelled(struct event_text *t, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		for (const char *s = list[i]; *s; s += strspn(s, " ")) {
			size_t n = strcspn(s, " ");

			if (n <= t->n && !strncasecmp(s, t->s, n) && (n == t->n || t->s[n] == '-')) {
				n += n < t->n;
				t->s += n;
				t->n -= n;
				return i;
			}
			s += n;
		}
	return -1;
}

/* Cache[-op][-result], op and result in either order. */
static bool
cache(struct event *e, struct event_text t)
{
	bool dash = t.n && t.s[t.n - 1] == '-';
	int which = spelled(&t, caches), op = -1, result = -1;

	if (which < 0 || dash)
		return false;
	for (int i = 0; i < 2 && t.n; i++) {
		if (op < 0)
			op = spelled(&t, ops);
		if (result < 0)
			result = spelled(&t, results);
	}
	op = op < 0 ? 0 : op;
	if (t.n || !(cache_ops[which] >> op & 1))
		return false;
	e->type = PERF_TYPE_HW_CACHE;
	e->config = (uint64_t)(which | op << 8 | (result == 1) << 16);
	return true;
}

static bool
raw(struct event *e, struct event_text t)
{
	const char *s = t.s + 1;

	e->type = PERF_TYPE_RAW;
	return t.n > 1 && *t.s == 'r' && text_hex(&s, &e->config) && s == t.s + t.n;
}

unsigned
event_all_names(const char **name, struct arena *a)
{
	unsigned n = 0, generic;

	while ((name[n] = event_generic(n)))
		n++;
	generic = n;
	for (unsigned i = 0; caches[i]; i++)
		for (unsigned op = 0; ops[op]; op++)
			for (unsigned miss = 0; miss < 2 && cache_ops[i] >> op & 1; miss++) {
				const char *verb = miss ? ops[op] : strchr(ops[op], ' ') + 1;   /* load-misses, but loads */

				name[n++] = event_words(a, "%.*s-%.*s%s", (int)strcspn(caches[i], " "), caches[i], (int)strcspn(verb, " "), verb,
				                  miss ? "-misses" : "");
			}
	name[n] = NULL;
	return generic;
}

const char *
event_unknown(struct event_list *l, struct event_text t)
{
	const char *name[EVENT_NAMES_MAX], *near;
	struct arena *a = l->arena;
	char word[64] = "";

	memcpy(word, t.s, t.n < sizeof word ? t.n : 0);
	event_all_names(name, a);
	if ((near = tracefs_called(word, a)) || (near = nearest(word, name, ""))) {
		l->says_more = true;
		return event_words(a, "unknown event '%.*s': did you mean '%s'?", (int)t.n, t.s, near);
	}
	return event_words(a, "unknown event '%.80s'; prof knows, among others, cycles, instructions, cache-misses, branch-misses, "
	             "cpu-clock, page-faults, context-switches", t.s);
}


static bool
claims(const char *name)
{
	(void)name;
	return true;
}

/* NAME, NAME:MODIFIERS or NAME/period=N/MODIFIERS. */
static const char *
parse(struct event_list *l, const char *name)
{
	const char *mods = name + strcspn(name, ":/"), *end, *why;
	struct event_text t = { name, (size_t)(mods - name) }, terms, key, value;
	struct event e = { .name = name };

	if (!event_known(&e, t) && !cache(&e, t) && !raw(&e, t))
		return event_unknown(l, t);
	if (*mods == '/') {
		if (!(end = strchr(mods + 1, '/')))
			return event_words(l->arena, "event '%.80s' needs a slash at its end", name);
		terms = (struct event_text){ mods + 1, (size_t)(end - mods - 1) };
		while (event_next_term(&terms, &key, &value)) {
			if (!event_common_term(&e, key, value, l->arena, &why))
				return event_words(l->arena, "event '%.80s': an event takes only the terms period, freq and name", name);
			if (why)
				return why;
		}
		mods = end + 1 + (end[1] == ':');
	} else if (*mods && !*++mods) {
		return event_words(l->arena, "event '%.80s': no modifier follows the colon", name);
	}
	return event_add(l, &e, mods);
}

const struct event_kind event_named = { .claims = claims, .parse = parse };
