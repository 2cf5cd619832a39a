/* The files of processes and programs that prof reads before it touches them: ELF headers for their loader, and lines of
 * /proc/PID/stat, which may hold any comm. */
#include <stdlib.h>

#include "sample/tasks/launch.c"
#include "sample/tasks/target.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);   /* of just this size, so that a byte too many is seen */
	const char *comm;
	uint64_t start;

	if (!copy)
		return 0;
	if (size >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG)) {
		uint8_t *exact = malloc(size);

		if (exact) {
			memcpy(exact, data, size);
			loader_there(exact, size);
		}
		free(exact);
	} else {
		memcpy(copy, data, size);
		copy[size] = 0;
		if (parse_stat((char *)copy, &comm, &start) && (comm < (char *)copy || comm + strlen(comm) > (char *)copy + size))
			abort();
	}
	free(copy);
	return 0;
}
