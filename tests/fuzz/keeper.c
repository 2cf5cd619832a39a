/* Requests to the keeper: the bytes of one message each. */
#include <stdlib.h>
#include <string.h>

#include "sample/rights/keeper_ask.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ask_proc p;
	struct ask *a;

	if (size > sizeof *a || !(a = malloc(size ? size : 1)))   /* exactly, so that a read behind it is seen */
		return 0;
	memcpy(a, data, size);
	if (ask_check(a, size)) {
		if (strlen(a->path) != size - offsetof(struct ask, path) - 1)
			abort();
		if (ask_proc(&p, a->path) && (p.pid < 0 || strstr(a->path, "/..")))
			abort();
		if (ask_mapped(&p, a->path) && (p.pid <= 0 || strstr(a->path, "/..")))
			abort();
		ask_jit(a->path);
		ask_code((const uint8_t *)a->path, strlen(a->path));
	}
	free(a);
	return 0;
}
