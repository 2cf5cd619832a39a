/* See refused.h. */
#include "refused.h"

#include <errno.h>
#include <string.h>

#include "lib/msg.h"

/* The reason in a text of the form "cannot profile WHOM (ERROR): REASON". */
static const char *
reason(const char *what)
{
	const char *at = strstr(what, "): ");

	return at ? at : what;
}

void
refused_tell(const struct refusal *r, const char *command)
{
	const char *at = command ? strstr(r->mend, "prof -") : NULL;

	error("%s", r->what);
	if (at)
		error("try: %.*sprof %s %s", (int)(at - r->mend), r->mend, command, at + 5);
	else if (*r->mend)
		error("try: %s", r->mend);
	if (*r->last && strcmp(reason(r->last), reason(r->what)))
		error("%s", r->last);
}

void
refused_process(const char *of)
{
	int err = errno;

	error("%scannot start a process: %s", of, strerror(err));
	if (err == EMFILE)
		error("try: ulimit -n 256   # then start prof again");
}
