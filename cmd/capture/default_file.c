/* See default_file.h. */
#include "default_file.h"

#include <stdio.h>
#include <string.h>

#include "lib/msg.h"

bool
default_file_check(void)
{
	struct place_words words;
	const char *why = place_check("prof-.html", &words), *reason = why ? strrchr(why, ':') : NULL;
	int first;

	if (!why)
		return true;
	reason = reason ? reason + 2 : why;
	first = *reason >= 'A' && *reason <= 'Z' ? *reason + 'a' - 'A' : *reason;   /* strerror's */
	error("cannot write to the current directory: %c%s; use -o FILE", first, reason + 1);
	return false;
}

void
default_file_choose(struct output *out, struct fresh_name *name, const struct target_options *target, int32_t command)
{
	int pid = target->kind == TARGET_COMMAND ? command : target->pid[0], n = (int)strcspn(out->format->suffixes, " ");

	if (target->kind == TARGET_SYSTEM)
		snprintf(name->stem, sizeof name->stem, "prof-system");
	else
		snprintf(name->stem, sizeof name->stem, "prof-%d", pid);
	snprintf(name->suffix, sizeof name->suffix, "%.*s", n, out->format->suffixes);
	fresh_name(name);
	out->path = name->path;
	out->fresh = name;
}
