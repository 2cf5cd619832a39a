/* Lines of /proc/PID/maps. */
#include <stdlib.h>
#include <string.h>

#include "sample/tasks/maps_line.c"

int
LLVMFuzzerTestOneInput(const uint8_t *in, size_t size)
{
	const uint8_t *end = in + size;

	while (in < end) {
		const uint8_t *nl = memchr(in, '\n', (size_t)(end - in)), *stop = nl ? nl : end;
		size_t n = (size_t)(stop - in);
		char *line = malloc(n + 1);   /* exactly, so that a read behind it is seen */
		struct maps_line m;

		memcpy(line, in, n);
		line[n] = 0;
		if (maps_line_parse(&m, line)) {
			if (m.lo >= m.hi || m.path < line || m.path > line + n || strlen(m.path) > (size_t)(line + n - m.path))
				abort();
		}
		free(line);
		in = nl ? nl + 1 : end;
	}
	return 0;
}
