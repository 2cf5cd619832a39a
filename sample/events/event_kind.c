/* See event_kind.h.  Modifiers: perf-list(1). */
#include "event_kind.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/text.h"

const char *
event_words(struct arena *a, const char *fmt, ...)
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

bool
event_number(struct event_text t, uint64_t *v)
{
	const char *s = t.s;
	bool ok = t.n > 2 && *s == '0' && (s[1] | 32) == 'x' ? (s += 2, text_hex(&s, v)) : text_dec(&s, v);

	return ok && s == t.s + t.n;
}

bool
event_next_term(struct event_text *t, struct event_text *key, struct event_text *value)
{
	const char *comma, *eq;

	if (!t->n)
		return false;
	comma = memchr(t->s, ',', t->n);
	*key = (struct event_text){ t->s, comma ? (size_t)(comma - t->s) : t->n };
	*value = (struct event_text){ NULL, 0 };
	t->n -= key->n + (comma != NULL);
	t->s += key->n + (comma != NULL);
	if (comma && !t->n)   /* a comma is last: the next term is empty */
		key->n = 0;
	if ((eq = memchr(key->s, '=', key->n))) {
		*value = (struct event_text){ eq + 1, (size_t)(key->s + key->n - eq - 1) };
		key->n = (size_t)(eq - key->s);
	}
	return true;
}

bool
event_common_term(struct event *e, struct event_text key, struct event_text value, struct arena *a, const char **why)
{
	uint64_t *number = event_text_is(key, "period") ? &e->period : event_text_is(key, "freq") ? &e->freq : NULL;

	*why = NULL;
	if (event_text_is(key, "name")) {
		if (!(e->name = arena_str(a, value.s ? value.s : "", value.n)))
			*why = "out of memory";
		return true;
	}
	if (number && (!value.s || !event_number(value, number) || !*number || *number > INT64_MAX))
		*why = event_words(a, "event term '%.*s': the value is not a number above 0", (int)key.n, key.s);
	return number != NULL;
}

bool
event_glob(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static const char *
modifiers(struct event *e, const char *m, struct arena *a)
{
	const char *all = m;
	bool user = false, kernel = false, hv = false;

	for (; *m; m++) {
		switch (*m) {
		case 'u':
			user = true;
			break;
		case 'k':
			kernel = true;
			break;
		case 'h':
			hv = true;
			break;
		case 'G':
			e->exclude_host = true;
			break;
		case 'H':
			e->exclude_guest = true;
			break;
		case 'I':
			e->exclude_idle = true;
			break;
		case 'D':
			e->pinned = true;
			break;
		case 'P':
			e->precise = 3;
			break;
		case 'p':
			if (++e->precise > 3)
				return event_words(a, "event modifier '%.20s' has more than three p", all);
			break;
		default:
			return event_words(a, "unknown event modifier '%c' in '%.20s'; use u (user), k (kernel), h (hypervisor), "
			                   "H (host), G (guest), p or P (precise), I (not idle) or D (pinned)", *m, all);
		}
	}
	if (e->exclude_host && e->exclude_guest)   /* GH: both */
		e->exclude_host = e->exclude_guest = false;
	if (user || kernel || hv) {
		e->user = user;
		e->kernel = kernel;
		e->no_hv = !hv;
		e->sides_given = true;
	}
	return NULL;
}

const char *
event_add(struct event_list *l, const struct event *e, const char *mods)
{
	struct event *new;
	const char *why;

	if (l->n == EVENTS_MAX)
		return event_words(l->arena, "too many events; at most %d are possible", EVENTS_MAX);
	new = &l->event[l->n];
	*new = *e;
	new->user = new->kernel = true;
	new->weight = l->weight;
	new->group = l->group;
	new->is_time = e->type == PERF_TYPE_SOFTWARE && e->config <= PERF_COUNT_SW_TASK_CLOCK;
	new->is_cycles = new->is_time || (e->type == PERF_TYPE_HARDWARE && ((uint32_t)e->config == PERF_COUNT_HW_CPU_CYCLES ||
	                                                                   (uint32_t)e->config == PERF_COUNT_HW_REF_CPU_CYCLES));
	l->n++;
	why = modifiers(new, mods, l->arena);
	return why ? why : modifiers(new, l->more, l->arena);
}
