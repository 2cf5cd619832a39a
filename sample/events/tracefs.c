/* See tracefs.h.  Documentation/trace/events.rst: events/SYSTEM/NAME/id and format, in one of the two places where tracefs is
 * mounted. */
#include "tracefs.h"

#include <fcntl.h>
#include <stdio.h>

#include "lib/file.h"
#include "lib/text.h"

/* What FILE of the tracepoint says, into BUF. */
static bool
read_about(const char *system, const char *name, const char *file, char *buf, size_t cap)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[128];

	for (unsigned i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		int n = snprintf(path, sizeof path, "%s/events/%s/%s/%s", mounts[i], system, name, file);

		if (n < (int)sizeof path && file_text(AT_FDCWD, path, buf, cap) > 0)
			return true;
	}
	return false;
}

bool
tracefs_id(const char *system, const char *name, uint64_t *id)
{
	char buf[16];
	const char *p = buf;

	return read_about(system, name, "id", buf, sizeof buf) && text_dec(&p, id);
}

bool
tracefs_format(const char *system, const char *name, char *buf, size_t cap)
{
	return read_about(system, name, "format", buf, cap);
}
