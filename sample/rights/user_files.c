/* See user_files.h.  proc(5): mountinfo.  An overlayfs does not say what a file of it lies on.  Its mount options name its
 * layers, but a user may mount one in a namespace of their own, and put something else at those paths.  So prof believes these
 * options only of what is mounted in its own mount namespace: a mount there takes root's rights.  It knows nothing of any other
 * overlayfs. */
#include "user_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/lines.h"

enum { FUSE = 0x65735546, OVERLAYFS = 0x794c7630, OPTIONS_MOST = 4096 };

struct mounted {
	char *device, *place, *type, *options;
};

static bool
parse(struct mounted *m, char *line)
{
	char *word, *rest = line;

	*m = (struct mounted){ 0 };
	for (unsigned field = 1; (word = strsep(&rest, " ")) && strcmp(word, "-"); field++)
		if (field == 3)
			m->device = word;
		else if (field == 5)
			m->place = word;
	m->type = strsep(&rest, " ");
	strsep(&rest, " ");   /* its source */
	m->options = rest;
	return m->place && m->options;
}

/* Whether the layers are named from the root on. */
static bool
are_absolute(const char *options)
{
	const char *p = options;
	bool some = false;

	while ((p = strstr(p, "lowerdir"))) {
		some = true;
		for (p += strcspn(p, "="); *p && *p != ','; p++)
			if (strchr("=:", *p) && p[1] != '/' && p[1] != ':')
				return false;
	}
	return some;
}

/* Whether a layer is DIR, or lies below it. */
static bool
has_layer(const char *options, const char *dir)
{
	size_t n;

	dir += !strcmp(dir, "/");
	n = strlen(dir);
	for (const char *p = options; (p = strstr(p, dir)) && *p; p++)
		if (p > options && strchr("=:", p[-1]) && strchr("/:,", p[n]))
			return true;
	return false;
}

/* Whether prof knows that no layer of the overlayfs DEV lies on a FUSE, or on another overlayfs, which may have a layer there. */
static bool
is_plain(dev_t dev)
{
	char device[32], options[OPTIONS_MOST], *line;
	bool plain = false;
	struct mounted m;
	struct lines l;

	snprintf(device, sizeof device, "%u:%u", major(dev), minor(dev));
	for (unsigned pass = 0; pass < 2; pass++) {
		int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return false;
		lines_open(&l, fd);
		while ((line = lines_next(&l))) {
			if (!parse(&m, line))
				continue;
			if (!pass && !strcmp(m.type, "overlay") && !strcmp(m.device, device) && strlen(m.options) < sizeof options) {
				strcpy(options, m.options);
				plain = are_absolute(options);
			}
			if (pass && plain && (!strncmp(m.type, "fuse", 4) || (!strcmp(m.type, "overlay") && strcmp(m.device, device))))
				plain = !has_layer(options, m.place);
		}
		close(fd);
	}
	return plain;
}

bool
user_files_hold(int found, dev_t dev)
{
	struct statfs fs;

	if (fstatfs(found, &fs))
		return false;
	return (uint32_t)fs.f_type == FUSE || ((uint32_t)fs.f_type == OVERLAYFS && !is_plain(dev));
}
