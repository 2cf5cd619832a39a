/* See latency_by.h.  All calls of a capture go through the same two programs, so the value must be at the same place at all sites. */
#include "latency_by.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "latency.h"
#include "lib/nearest.h"
#include "sample/events/perf.h"
#include "sample/events/syscalls.h"
#include "sample/events/trace_format.h"
#include "sample/events/tracefs.h"

enum { FIELDS_MOST = 32, COMMON = 8 };   /* bytes before a tracepoint's own fields, which no BPF program may read */

__attribute__((format(printf, 2, 3))) static bool
wrong(struct latency_by *by, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(by->wrong, sizeof by->wrong, fmt, ap);
	va_end(ap);
	return false;
}

static int
argument_of(const char *words)
{
	return !strncmp(words, "arg", 3) && words[3] >= '0' && words[3] <= '5' && !words[4] ? words[3] - '0' : -1;
}

const char *
latency_by_near(const char *words)
{
	static const char *const known[] = { "thread", "process", "arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "retval", NULL };

	return nearest(words, known, "");
}

static bool
is_word(const char *words)
{
	return !strcmp(words, "thread") || !strcmp(words, "process") || !strcmp(words, "retval") || argument_of(words) >= 0;
}

const char *
latency_by_variable(const char *words, const struct probe *p)
{
	return words && p->kind != USDT && !is_word(words) && probe_arg_is_variable(words) ? probe_arg_fetch(words) : NULL;
}

bool
latency_by_word(struct latency_by *by, struct latency_shape *s)
{
	int argument = argument_of(by->words);
	int16_t at = -1;

	if (!is_word(by->words))
		return false;
	by->arg = (struct probe_arg){ .kind = ARG_SIGNED, .size = sizeof(long) };
	snprintf(by->arg.name, sizeof by->arg.name, "%s", by->words);
	s->by = argument >= 0 ? PER_ARGUMENT : *by->words == 'r' ? PER_VALUE : *by->words == 't' ? PER_THREAD : PER_PROCESS;
	if (s->syscalls)
		at = (int16_t)(argument >= 0 ? 16 + (int)sizeof(long) * argument : 16);
	else if (!s->tracepoint)
		at = argument >= 0 ? perf_probe_regs.arg[argument] : perf_probe_regs.value;
	s->value = (struct latency_value){ .at = at, .size = sizeof(long) };
	return true;
}

/* All sites must have the value at the same place. */
static bool
set(struct latency_by *by, struct latency_shape *s, enum latency_by_kind kind, const struct latency_value *v)
{
	struct latency_value same = *v;

	same.is_signed |= s->by && s->value.is_signed;   /* read takes an unsigned fd, recvfrom a signed one */
	s->value.is_signed |= v->is_signed;
	if (s->by && (s->by != kind || memcmp(&s->value, &same, sizeof same)))
		return wrong(by, "it is not at the same place in all functions or probes: name one of them");
	s->by = kind;
	s->value = same;
	return true;
}

bool
latency_by_sites(struct latency_by *by, struct latency_shape *s, const struct probe_sites *p, bool returns)
{
	bool usdt = p->probe.kind == USDT, variable = latency_by_variable(by->words, &p->probe) != NULL;
	struct latency_value v;
	const char *why;

	if (strstr(by->words, "$retval") && !returns && !probe_returns(&p->probe))
		return wrong(by, "a function has its result at its end: write retval");
	for (uint32_t i = 0; i < p->sites.n; i++) {
		const char *args = p->sites.site[i].args;

		if ((why = probe_arg_parse(&by->arg, by->words, usdt ? args : NULL, variable ? args : NULL)))
			return wrong(by, "%s%s%s", why, usdt ? "; its arguments: " : "", usdt ? args : "");
		if (by->arg.kind == ARG_TEXT)
			return wrong(by, "prof latency tells numbers apart, no texts");
		memset(&v, 0, sizeof v);
		v.at = by->arg.constant || sizeof(long) < 8 ? -1 : perf_probe_reg_at(by->arg.reg);
		v.size = by->arg.size;
		v.is_signed = by->arg.kind == ARG_SIGNED;
		v.depth = by->arg.depth;
		for (unsigned k = 0; k < v.depth; k++) {
			v.off[k] = (int32_t)by->arg.off[k];
			if (v.off[k] != by->arg.off[k])
				return wrong(by, "the offset is too large");
		}
		if (v.at < 0)
			return wrong(by, "prof does not know where to find it on this machine");
		if (!set(by, s, returns && strstr(by->words, "$retval") ? PER_VALUE : PER_ARGUMENT, &v))
			return false;
	}
	return true;
}

bool
latency_by_field(struct latency_by *by, struct latency_shape *s, const char *tracepoint)
{
	struct trace_field field, all[FIELDS_MOST];
	const char *known[FIELDS_MOST + 1], *at, *near;
	struct latency_value v;
	char text[8192], system[64];
	int nsystem = (int)strcspn(tracepoint, ":");
	unsigned n = 0;
	size_t end;

	snprintf(system, sizeof system, "%.*s", nsystem, tracepoint);
	if (!tracefs_format(system, tracepoint + nsystem + 1, text, sizeof text)) {
		latency_no_tracepoint(tracepoint, by->wrong, sizeof by->wrong);
		return false;
	}
	if (!trace_format_find(text, by->words, &field)) {
		for (at = text; n < FIELDS_MOST && trace_format_next(&at, &all[n]);)
			if (strncmp(all[n].name, "common_", 7) && all[n].name[0] != '_') {
				known[n] = all[n].name;
				n++;
			}
		known[n] = NULL;
		if ((near = nearest(by->words, known, "")) || (near = latency_by_near(by->words)))
			return wrong(by, "did you mean %s?", near);
		wrong(by, "use thread, process, arg0 to arg5, retval, or a field of %s:", tracepoint);
		for (unsigned i = 0; i < n && (end = strlen(by->wrong)) < sizeof by->wrong; i++)
			snprintf(by->wrong + end, sizeof by->wrong - end, " %s", known[i]);
		return false;
	}
	if ((field.kind != TRACE_NUMBER && field.kind != TRACE_POINTER) || field.offset > INT16_MAX ||
	    (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8))
		return wrong(by, "prof latency tells numbers apart, and this field is none");
	if (field.offset < COMMON || field.offset % field.size)
		return wrong(by, "the kernel shows this field to nobody who counts: use thread or process");
	memset(&v, 0, sizeof v);
	v.at = (int16_t)field.offset;
	v.size = (uint8_t)field.size;
	v.is_signed = field.is_signed;
	by->arg = (struct probe_arg){ .kind = field.kind == TRACE_POINTER ? ARG_HEX : field.is_signed ? ARG_SIGNED : ARG_UNSIGNED, .size = v.size };
	snprintf(by->arg.name, sizeof by->arg.name, "%s", by->words);
	return set(by, s, PER_ARGUMENT, &v);
}

bool
latency_by_syscalls(struct latency_by *by, struct latency_shape *s, const uint8_t *wanted)
{
	char call[SYSCALL_NAME], name[SYSCALL_NAME + 24];
	bool good = true;

	for (uint32_t i = 0; good && i < LATENCY_SYSCALLS; i++)
		if (wanted[i]) {
			snprintf(name, sizeof name, "syscalls:sys_enter_%s", syscall_name(i, call));
			good = latency_by_field(by, s, name);
		}
	return good;
}

const char *
latency_by_say(const struct latency_by *by, uint64_t value, char *words, size_t size)
{
	const struct probe_moment none = { 0 };
	struct probe_arg a = by->arg;

	a.constant = true;
	a.depth = 0;
	a.off[0] = (int64_t)value;
	if (value == LATENCY_UNKNOWN)
		snprintf(words, size, "%s=?", a.name);
	else
		probe_arg_say(&a, &none, words, size);
	return words;
}
