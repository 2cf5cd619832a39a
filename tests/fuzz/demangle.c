/* link: lib/mem.c lib/file.c sym/demangle.c sym/demangle_cxx.c sym/demangle_cxx_type.c sym/demangle_cxx_expr.c sym/demangle_cxx_print.c sym/demangle_cxx_show.c sym/demangle_rust.c sym/demangle_rust_v0.c sym/demangle_rust_const.c sym/demangle_rust_word.c */
/* Mangled names, both ways of printing them. */
#include "sym/demangle_cxx_name.c"
#include "sym/demangle.h"

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
