/* See event.h.  Names, spellings and modifiers: perf-list(1) and perf-record(1); numbers: <linux/perf_event.h>;
 * PMU/terms/: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events. */
#include "event.h"
#include "lib/file.h"
#include "lib/text.h"
#include "lib/nearest.h"
#include "perf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifndef EVENT_DEVICES   /* tests bring their own */
#define EVENT_DEVICES "/sys/bus/event_source/devices"
#endif

struct text {
	const char *s;
	size_t n;
};

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

__attribute__((format(printf, 2, 3))) static const char *
words(struct arena *a, const char *fmt, ...)
{
	char buf[512];
	const char *why;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	why = n < 0 ? NULL : arena_str(a, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
	return why ? why : "out of memory";
}

const char *
event_generic(unsigned i)
{
	return named[i].name;
}

static bool
equal(struct text t, const char *s)
{
	return strlen(s) == t.n && !strncmp(t.s, s, t.n);
}

static bool
known(struct event *e, struct text t)
{
	for (const struct named *n = named; n->name; n++)
		if (equal(t, n->name)) {
			e->type = n->type;
			e->config = n->config;
			return true;
		}
	return false;
}

/* Takes one of the spellings, up to a '-' or the end, off T's front: its number in LIST, or -1. */
static int
spelled(struct text *t, const char *const *list)
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
cache(struct event *e, struct text t)
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
raw(struct event *e, struct text t)
{
	const char *s = t.s + 1;

	e->type = PERF_TYPE_RAW;
	return t.n > 1 && *t.s == 'r' && text_hex(&s, &e->config) && s == t.s + t.n;
}

/* The cache events' usual names, behind those of the table, into NAME, which has room for all. */
static void
all_names(const char **name, struct arena *a)
{
	unsigned n = 0;

	while ((name[n] = event_generic(n)))
		n++;
	for (unsigned i = 0; caches[i]; i++)
		for (unsigned op = 0; ops[op]; op++)
			for (unsigned miss = 0; miss < 2 && cache_ops[i] >> op & 1; miss++) {
				const char *verb = miss ? ops[op] : strchr(ops[op], ' ') + 1;   /* load-misses, but loads */

				name[n++] = words(a, "%.*s-%.*s%s", (int)strcspn(caches[i], " "), caches[i], (int)strcspn(verb, " "), verb,
				                  miss ? "-misses" : "");
			}
	name[n] = NULL;
}

static const char *
unknown(struct text t, struct arena *a)
{
	const char *name[128], *near;
	char word[64] = "";

	memcpy(word, t.s, t.n < sizeof word ? t.n : 0);
	all_names(name, a);
	if ((near = nearest(word, name, "")))
		return words(a, "unknown event '%.*s': did you mean '%s'?", (int)t.n, t.s, near);
	return words(a, "unknown event '%.80s'; prof knows, among others, cycles, instructions, cache-misses, branch-misses, "
	             "cpu-clock, page-faults, context-switches", t.s);
}

/* A word that is safe as a file's name. */
static bool
plain(struct text t)
{
	for (size_t i = 0; i < t.n; i++)
		if (!isalnum((unsigned char)t.s[i]) && t.s[i] != '_' && t.s[i] != '-' && (t.s[i] != '.' || !i))
			return false;
	return t.n && t.n < 64;
}

static bool
pmu_file(struct text pmu, const char *dir, struct text name, char *buf, size_t cap)
{
	char path[256];

	if (!plain(name))
		return false;
	snprintf(path, sizeof path, "%s/%.*s%s/%.*s", EVENT_DEVICES, (int)pmu.n, pmu.s, dir, (int)name.n, name.s);
	return file_text(AT_FDCWD, path, buf, cap) > 0;
}

/* Puts the value where a format file ("config1:0-7,32") says. */
static const char *
place(struct event *e, const char *format, uint64_t value)
{
	uint64_t *config[] = { &e->config, &e->config1, &e->config2 }, *to = config[0], lo, hi;
	static const char odd[] = "has an unknown format";

	if (strncmp(format, "config", 6))
		return odd;
	format += 6;
	if (*format == '1' || *format == '2')
		to = config[*format++ - '0'];
	if (*format != ':')
		return odd;
	do {
		format++;
		if (!text_dec(&format, &lo))
			return odd;
		hi = lo;
		if (*format == '-' && (format++, !text_dec(&format, &hi)))
			return odd;
		if (hi > 63 || lo > hi)
			return odd;
		for (; lo <= hi; lo++, value >>= 1)
			*to = (*to & ~(1ull << lo)) | (value & 1) << lo;
	} while (*format == ',');
	return value ? "cannot hold so large a value" : NULL;
}

static bool
number_of(struct text t, uint64_t *v)
{
	const char *s = t.s;
	bool ok = t.n > 2 && *s == '0' && (s[1] | 32) == 'x' ? (s += 2, text_hex(&s, v)) : text_dec(&s, v);

	return ok && s == t.s + t.n;
}

static const char *
term(struct event *e, struct text pmu, struct text key, struct text value, struct arena *a)
{
	uint64_t *const config[] = { &e->config, &e->config1, &e->config2 }, v = 1;
	static const char *const direct[] = { "config", "config1", "config2" };
	const char *why = "does not exist for this PMU";
	char buf[256];

	if (equal(key, "name"))
		return (e->name = arena_str(a, value.s ? value.s : "", value.n)) ? NULL : "out of memory";
	if (value.s && !number_of(value, &v))
		return words(a, "event term '%.*s': the value is not a number", (int)key.n, key.s);
	for (unsigned i = 0; i < 3; i++)
		if (equal(key, direct[i])) {
			*config[i] = v;
			return NULL;
		}
	if (!pmu_file(pmu, "/format", key, buf, sizeof buf) || (why = place(e, buf, v)))
		return words(a, "event term '%.*s' %s ('%.*s')", (int)key.n, key.s, why, (int)pmu.n, pmu.s);
	return NULL;
}

/* The terms of T: key, key=value; and, where ALIASES, the names of the PMU's own events, which stand for more terms. */
static const char *
terms(struct event *e, struct text pmu, struct text t, bool aliases, struct arena *a)
{
	while (t.n) {
		const char *comma = memchr(t.s, ',', t.n), *eq, *why;
		struct text key = { t.s, comma ? (size_t)(comma - t.s) : t.n }, value = { NULL, 0 };
		char buf[1024];

		t.n -= key.n + (comma != NULL);
		t.s += key.n + (comma != NULL);
		if ((eq = memchr(key.s, '=', key.n))) {
			value = (struct text){ eq + 1, (size_t)(key.s + key.n - eq - 1) };
			key.n = (size_t)(eq - key.s);
		}
		if (!plain(key) || (comma && !t.n))
			return words(a, "event of PMU '%.*s': a term is missing or has invalid letters", (int)pmu.n, pmu.s);
		if (aliases && !eq && pmu_file(pmu, "/events", key, buf, sizeof buf))
			why = terms(e, pmu, (struct text){ buf, strcspn(buf, "\n") }, false, a);
		else
			why = term(e, pmu, key, value, a);
		if (why)
			return why;
	}
	return NULL;
}

/* PMU/terms/ with the slashes at SLASH and *END. */
static const char *
pmu_event(struct event *e, const char *s, const char *slash, const char **end, struct arena *a)
{
	struct text pmu = { s, (size_t)(slash - s) };
	uint64_t type;
	char buf[32];

	if (!(*end = strchr(slash + 1, '/')))
		return words(a, "event '%.80s' needs a slash at its end", s);
	if (!plain(pmu) || !pmu_file(pmu, "", (struct text){ "type", 4 }, buf, sizeof buf) ||
	    !number_of((struct text){ buf, strcspn(buf, "\n") }, &type) || type > UINT32_MAX)
		return words(a, "event '%.80s': there is no PMU '%.*s' on this machine", s,
		             (int)(pmu.n < 64 ? pmu.n : 64), s);
	e->type = (uint32_t)type;
	return terms(e, pmu, (struct text){ slash + 1, (size_t)(*end - slash - 1) }, true, a);
}

static const char *
modifiers(struct event *e, const char *m, struct arena *a)
{
	const char *all = m;

	e->user = e->kernel = true;
	for (; *m; m++) {
		if (*m == 'p') {
			if (++e->precise > 3)
				return words(a, "event modifier '%.20s' has more than three p", all);
			continue;
		}
		if (*m != 'u' && *m != 'k')
			return words(a, "unknown event modifier '%c' in '%.20s'; use u (user), k (kernel) or p (precise)",
			             *m, all);
		if (!e->sides_given)
			e->user = e->kernel = false;
		e->sides_given = true;
		*(*m == 'u' ? &e->user : &e->kernel) = true;
	}
	return NULL;
}

/* What is not a plain event: said as it is, where it looks like something that perf knows. */
static const char *
refuse(const char *s, struct text t, struct arena *a)
{
	static const char *const probes[] = { "uprobe", "uretprobe", "kprobe", "kretprobe", "probe", "usdt", "sdt" };
	const char *rest = s + t.n, *what = NULL;

	for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++)
		if (*rest && equal(t, probes[i]))
			what = "probes";
	if (!what && *rest && equal(t, "mem"))
		what = "breakpoints";
	if (!what && *rest && rest[1 + strspn(rest + 1, "ukp")])
		what = "tracepoints";
	if (*s == '{')
		what = "event groups";
	if (!what)
		return unknown(t, a);
	return words(a, "event '%.80s': prof does not support %s yet; use hardware, cache or software events, "
	             "rNNN or pmu/terms/", s, what);
}

static const char *
parse(struct event *e, const char *s, struct arena *a)
{
	const char *slash = strchr(s, '/'), *mods = s + strcspn(s, ":/"), *why;
	struct text t = { s, (size_t)(mods - s) };

	*e = (struct event){ .name = s };
	if (slash == mods) {
		if ((why = pmu_event(e, s, slash, &mods, a)))
			return why;
		mods += mods[1] == ':' ? 2 : 1;
	} else {
		if (!known(e, t) && !cache(e, t) && !raw(e, t))
			return refuse(s, t, a);
		if (*mods && !*++mods)
			return words(a, "event '%.80s': no modifier follows the colon", s);
	}
	e->is_time = e->type == PERF_TYPE_SOFTWARE && e->config <= PERF_COUNT_SW_TASK_CLOCK;
	e->is_cycles = e->is_time || (e->type == PERF_TYPE_HARDWARE && (e->config == PERF_COUNT_HW_CPU_CYCLES ||
	                                                                e->config == PERF_COUNT_HW_REF_CPU_CYCLES));
	return modifiers(e, mods, a);
}

const char *
event_parse(struct event *event, unsigned *n, const char *list, struct arena *a)
{
	for (;; list++) {
		const char *end = list, *why, *one;
		bool inside = false;   /* slashes, where commas part terms */

		for (; *end && (*end != ',' || inside); end++)
			inside ^= *end == '/';
		if (end == list)
			return "the list of events has an empty name";
		if (*n == EVENTS_MAX)
			return "too many events; at most 16 are possible";
		if (!(one = arena_str(a, list, (size_t)(end - list))))
			return "out of memory";
		if ((why = parse(&event[*n], one, a)))
			return why;
		++*n;
		if (!*(list = end))
			return NULL;
	}
}

bool
perf_event_interrupts(const struct event *e)
{
	struct perf_event_attr attr = { .type = e->type };
	const uint32_t raised = 1u << PERF_COUNT_HW_CPU_CYCLES | 1u << PERF_COUNT_HW_INSTRUCTIONS |
	                        1u << PERF_COUNT_HW_BRANCH_INSTRUCTIONS | 1u << PERF_COUNT_HW_REF_CPU_CYCLES;

	attr.config = e->config;
	if (e->type != PERF_TYPE_HARDWARE || e->config > 31 || !(raised >> e->config & 1))
		return true;
	return perf_interrupts(&attr);
}

struct event
event_default(void)
{
	struct event cycles = { .name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	                        .user = true, .kernel = true, .is_cycles = true };
	struct event clock = { .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	                       .user = true, .kernel = true, .is_cycles = true, .is_time = true };

	errno = 0;
	if (perf_event_interrupts(&cycles))
		return cycles;
	clock.refused = errno ? errno : EIO;
	return clock;
}
