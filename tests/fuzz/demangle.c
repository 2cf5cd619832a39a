/* Mangled names, both ways of printing them. */
#include "sym/demangle/cxx_name.c"
#include "sym/demangle/demangle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);

	if (!name)
		return 0;
	memcpy(name, data, size);
	name[size] = 0;
	for (unsigned flags = 0; flags <= (DEMANGLE_VERBOSE | DEMANGLE_SHORT); flags++) {
		struct arena arena = { 0 };
		const char *got = demangle(&arena, name, flags);

		if (!got || (got != name && (!*got || strlen(got) > TEXT_MAX)))
			abort();
		arena_free(&arena);
	}
	if (mem_used())
		abort();
	free(name);
	return 0;
}
