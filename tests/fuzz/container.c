/* Makes a name of a cgroup's path, in buffers of several sizes; and reads /proc's lines about cgroups and mounts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sample/tasks/cgroup_dir.c"
#include "sample/tasks/container.c"

int
LLVMFuzzerTestOneInput(const uint8_t *in, size_t size)
{
	char *text = malloc(size + 1), name[160], dir[96];
	const char *controller = size && in[0] & 1 ? CGROUP_EVENTS : "cpu";
	bool unified;

	if (!text)
		abort();
	for (size_t room = 1; room <= sizeof name; room = room * 4 + 3) {
		char *exact = malloc(room);

		memcpy(text, in, size);
		text[size] = 0;
		if (!exact || strlen(container_name(text, exact, room)) >= room)
			abort();
		free(exact);
	}
	shows(text, "/docker/x", controller, size & 1, dir, sizeof dir);
	if (path_in(text, controller, &unified) && strlen(text) > size)
		abort();
	free(text);
	return 0;
}
