/* See probe_pmu.h. */
#include "probe_pmu.h"

#include <fcntl.h>

#include "lib/file.h"
#include "lib/text.h"

bool
probe_pmu_type(bool kernel, uint32_t *type)
{
	char buf[16];
	const char *p = buf;
	uint64_t v;

	if (file_text(AT_FDCWD, kernel ? "/sys/bus/event_source/devices/kprobe/type" : "/sys/bus/event_source/devices/uprobe/type", buf, sizeof buf) <= 0 ||
	    !text_dec(&p, &v))
		return false;
	*type = (uint32_t)v;
	return true;
}
