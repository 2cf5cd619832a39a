/* PMU/terms/MODIFIERS.  Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events; hybrids:
 * Documentation/admin-guide/perf/; PERF_PMU_TYPE_SHIFT in <linux/perf_event.h>. */
#include <ctype.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "event_named.h"
#include "event_pmu.h"
#include "lib/dir.h"
#include "lib/file.h"
#include "lib/nearest.h"
#include "lib/text.h"

/* Digits beyond these change nothing; no scale has a larger power of ten. */
#define DIGITS_ENOUGH 1e17
#define POWER_TEN     1e100
enum { POWER_MOST = 1000 };

/* A word that is safe as a file's name. */
static bool
plain(struct event_text t)
{
	for (size_t i = 0; i < t.n; i++)
		if (!isalnum((unsigned char)t.s[i]) && t.s[i] != '_' && t.s[i] != '-' && (t.s[i] != '.' || !i))
			return false;
	return t.n && t.n < 64;
}

static bool
pmu_file(struct event_text pmu, const char *dir, struct event_text name, char *buf, size_t cap)
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


/* NAME.SUFFIX of the PMU's own events into the arena, without the newline; NULL if it is not there. */
static const char *
event_file(struct event_text pmu, struct event_text name, const char *suffix, struct arena *a)
{
	char path[96], buf[64];

	snprintf(path, sizeof path, "%.*s%s", (int)name.n, name.s, suffix);
	return pmu_file(pmu, "/events", (struct event_text){ path, strlen(path) }, buf, sizeof buf) ? arena_str(a, buf, strcspn(buf, "\n"))
	                                                                                          : NULL;
}

/* A generic event of that PMU, where there are several kinds of cores (cpu_core/cycles/). */
static bool
generic_of(struct event *e, struct event_text key)
{
	struct event generic;

	if (!event_known(&generic, key) || generic.type != PERF_TYPE_HARDWARE)
		return false;
	e->config = generic.config | (uint64_t)e->type << 32;
	e->type = PERF_TYPE_HARDWARE;
	return true;
}

/* The PMU's own event or term whose name is nearest, or NULL. */
static const char *
nearest_term(struct event_text pmu, struct event_text key, struct arena *a)
{
	static const char *const dirs[] = { "events", "format" };
	char path[256], word[64] = "";
	const char **all, *near = NULL;

	memcpy(word, key.s, key.n < sizeof word ? key.n : 0);
	for (unsigned i = 0; i < 2 && !near; i++) {
		snprintf(path, sizeof path, "%s/%.*s/%s", EVENT_DEVICES, (int)pmu.n, pmu.s, dirs[i]);
		all = dir_names(AT_FDCWD, path, a);
		near = all ? nearest(word, all, "") : NULL;
	}
	return near;
}

static const char *
term(struct event *e, struct event_text pmu, struct event_text key, struct event_text value, struct arena *a)
{
	uint64_t *const config[] = { &e->config, &e->config1, &e->config2 }, v = 1;
	static const char *const direct[] = { "config", "config1", "config2" };
	const char *why = "does not exist for this PMU", *raw = key.s + 1, *near;
	char buf[256];

	if (event_common_term(e, key, value, a, &why))
		return why;
	why = "does not exist for this PMU";
	if (value.s && !event_number(value, &v))
		return event_words(a, "event term '%.*s': the value is not a number", (int)key.n, key.s);
	for (unsigned i = 0; i < 3; i++)
		if (event_text_is(key, direct[i])) {
			*config[i] = v;
			return NULL;
		}
	if (pmu_file(pmu, "/format", key, buf, sizeof buf)) {
		if (!(why = place(e, buf, v)))
			return NULL;
	} else if (!value.s && generic_of(e, key)) {
		return NULL;
	} else if (!value.s && *key.s == 'r' && text_hex(&raw, &v) && raw == key.s + key.n) {
		e->config = v;
		return NULL;
	}
	near = nearest_term(pmu, key, a);
	return event_words(a, "event term '%.*s' %s ('%.*s')%s%s", (int)key.n, key.s, why, (int)pmu.n, pmu.s, near ? "; did you mean " : "",
	                   near ? near : "");
}

/* A number as the kernel writes scales: 6.1e-5.  (libc's way to read one takes 8 KB of code.) */
static double
decimal(const char *s)
{
	double v = 0, ten = 1;
	int up = 0, power = 0;
	bool behind = false, less = false;

	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !behind); s++)
		if (*s == '.')
			behind = true;
		else if (v < DIGITS_ENOUGH) {
			v = v * 10 + (*s - '0');
			up -= behind;
		} else
			up += !behind;
	if (*s == 'e' || *s == 'E') {
		less = *++s == '-';
		for (s += *s == '-' || *s == '+'; *s >= '0' && *s <= '9' && power < POWER_MOST; s++)
			power = power * 10 + (*s - '0');
	}
	up += less ? -power : power;
	for (int n = up < 0 ? -up : up; n > 0 && ten < POWER_TEN; n--)
		ten *= 10;
	return up < 0 ? v / ten : v * ten;
}

/* The terms of T: key, key=value; and, where ALIASES, the names of the PMU's own events, which stand for more terms. */
static const char *
terms(struct event *e, struct event_text pmu, struct event_text t, bool aliases, struct arena *a)
{
	struct event_text key, value;
	const char *why = NULL, *scale;
	char buf[1024];

	while (!why && event_next_term(&t, &key, &value)) {
		if (!plain(key))
			return event_words(a, "event of PMU '%.*s': a term is missing or has invalid letters", (int)pmu.n, pmu.s);
		if (!aliases || value.s || !pmu_file(pmu, "/events", key, buf, sizeof buf)) {
			why = term(e, pmu, key, value, a);
			continue;
		}
		e->unit = event_file(pmu, key, ".unit", a);
		if ((scale = event_file(pmu, key, ".scale", a)))
			e->scale = decimal(scale);
		why = terms(e, pmu, (struct event_text){ buf, strcspn(buf, "\n") }, false, a);
	}
	return why;
}

/* Adds the event of one PMU; false if there is no such PMU. */
static bool
add(struct event_list *l, struct event_text pmu, const char *name, struct event_text t, const char *mods, const char **why)
{
	struct event e = { .name = name };
	uint64_t type;
	char buf[256];

	if (!plain(pmu) || !pmu_file(pmu, "", (struct event_text){ "type", 4 }, buf, sizeof buf) ||
	    !event_number((struct event_text){ buf, strcspn(buf, "\n") }, &type) || type > UINT32_MAX)
		return false;
	e.type = (uint32_t)type;
	if (pmu_file(pmu, "", (struct event_text){ "cpumask", 7 }, buf, sizeof buf))
		e.cpus = arena_str(l->arena, buf, strcspn(buf, "\n"));
	if (!(*why = terms(&e, pmu, t, true, l->arena)))
		*why = event_add(l, &e, mods);
	return true;
}

/* Whether NAME is PMU and a number behind it, as in uncore_imc_0: one of several that are alike. */
static bool
is_one_of(const char *name, struct event_text pmu)
{
	if (strncmp(name, pmu.s, pmu.n))
		return false;
	name += pmu.n + (name[pmu.n] == '_');
	return *name && !name[strspn(name, "0123456789")];
}

static bool
claims(const char *name)
{
	const char *slash = name + strcspn(name, ":/");
	struct event e;

	return *slash == '/' && !event_known(&e, (struct event_text){ name, (size_t)(slash - name) });
}

static const char *
parse(struct event_list *l, const char *name)
{
	const char *slash = strchr(name, '/'), *end = strchr(slash + 1, '/'), *mods, *why = NULL, **all, *near;
	struct event_text pmu = { name, (size_t)(slash - name) }, t;
	unsigned found = 0;
	char word[64] = "";

	if (!end)
		return event_words(l->arena, "event '%.80s' needs a slash at its end", name);
	t = (struct event_text){ slash + 1, (size_t)(end - slash - 1) };
	mods = end + 1 + (end[1] == ':');
	if ((l->says_more = add(l, pmu, name, t, mods, &why)))
		return why;
	all = plain(pmu) ? dir_names(AT_FDCWD, EVENT_DEVICES, l->arena) : NULL;
	for (const char **one = all; one && *one && !why; one++)
		if (is_one_of(*one, pmu))
			found += add(l, (struct event_text){ *one, strlen(*one) }, name, t, mods, &why);
	if ((l->says_more = found))
		return why;
	memcpy(word, name, pmu.n < sizeof word ? pmu.n : 0);
	near = all ? nearest(word, all, "") : NULL;
	l->says_more = near;
	return event_words(l->arena, "event '%.80s': there is no PMU '%.*s' on this machine%s%s", name, (int)(pmu.n < 64 ? pmu.n : 64), name,
	                   near ? "; did you mean " : "", near ? near : "");
}

const struct event_kind event_pmu = { .claims = claims, .parse = parse };
