/* Probes: uprobe:FILE:FUNCTION and its kind.  prof knows which places that means once it knows the target: probe_events.h. */
#include <ctype.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event_kind.h"
#include "probe.h"

/* Whether there is a whole probe before the blank, not only a part of its file's name. */
static bool
is_whole(const char *name, const char *blank)
{
	unsigned colons = 0;

	for (const char *at = name; at < blank; at++)
		colons += *at == ':';
	return colons > (*name != 'k');   /* kprobes have no file */
}

/* Whether NAME= stands before a register or memory: only an argument is written so. */
static bool
is_named_fetch(const char *p)
{
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p == '=' && p[1] && strchr("$%+-", p[1]);
}

/* The argument behind the last blank of a probe, as perf probe takes it; NULL: there is none.  Names of files and of C++ have blanks, too. */
static const char *
argument(const char *name)
{
	const char *blank = strrchr(name, ' '), *p = blank ? blank + 1 : "";
	static const char before[] = "operator";
	int open = 0;

	for (const char *at = name; blank && at < blank; at++)
		open += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
	if (open || !*p || (!isalpha((unsigned char)*p) && !strchr("_$%+-", *p)) || !is_whole(name, blank) || !strcmp(p, "const") ||
	    !strcmp(p, "volatile") || strpbrk(p, "/<&*,"))
		return NULL;
	if ((size_t)(blank - name) >= sizeof before - 1 && !strncmp(blank - (sizeof before - 1), before, sizeof before - 1))
		return NULL;
	return isalpha((unsigned char)*p) && strchr(p, '(') && !is_named_fetch(p) ? NULL : p;
}

static const char *
parse(struct event_list *l, const char *name)
{
	struct probe *p = arena_alloc(l->arena, sizeof *p);
	struct event e = { .name = name, .type = PERF_TYPE_MAX, .each = true, .probe = p, .probe_leaf = argument(name) };
	const char *text = e.probe_leaf ? arena_str(l->arena, name, (size_t)(e.probe_leaf - name - 1)) : name;
	const char *why = p && text ? probe_parse(p, text, l->arena) : "out of memory";

	if (!why && e.probe_leaf && argument(text))
		why = "a probe shows one argument; name the next one behind the same probe in another -e";
	return why ? event_words(l->arena, "event '%.80s': %s", name, why) : event_add(l, &e, "");
}

const struct event_kind event_probe = { .claims = probe_is, .whole = true, .parse = parse };
