/* A file's sections of debug information, its links to other files and the symbols that it carries compressed.  A link may
 * lead to no other directory than those that are searched, and paths may be too long. */
#include "sym/module/debug_file.c"

#include <stdlib.h>

#include "tests/fuzz/harness/bounds.h"

/* A section may claim EXPANDS_ANY bytes, whatever it holds. */
const struct bounds bounds = { .steps = { 20000, 200 }, .memory = { 3 * EXPANDS_ANY + (2 << 20), 1000 }, .ns = { 500000000, 20000 } };

static unsigned sum;

/* The name is /d/n, so that what a debuglink names lies at one of these depths. */
static int
open_none(int root, const char *path)
{
	unsigned slashes = 0;

	(void)root;
	if (*path != '/')
		abort();
	for (const char *p = path; *p; p++)
		slashes += *p == '/';
	if (strncmp(path, "/usr/lib/debug/", 15) ? slashes > 3 : slashes > 6)
		abort();
	return -1;
}

static int
open_any(int root, const char *path)
{
	sum += (unsigned)root + (unsigned)strlen(path);
	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { ".debug_info", ".debug_str", ".debug_line" };
	uint8_t *copy = malloc(size + 1);
	char dir[3000] = "", name[3000] = "";
	struct modules ms;
	struct module *m;

	mem_cap((size_t)64 << 20);
	if (!copy || !modules_init(&ms))
		return 0;
	memcpy(copy, data, size);
	if ((m = module_bytes(&ms, "/d/n", copy, size)) && !m->bad) {
		ms.open = open_none;
		for (unsigned i = 0; i < 3; i++) {
			struct cursor c = debug_file_section_of(&ms, m, names[i]);

			if (cur_left(&c))
				sum += c.pos[0] + c.end[-1];
		}
		debug_file(&ms, m);
		debug_file_symbols(&ms, m);
		ms.open = open_any;
		debug_file_alt(&ms, m);
		debug_file_dwp(&ms, m);
		memset(dir, '/', sizeof dir - 1);
		memset(name, 'n', size % (sizeof name - 1));
		debug_file_dwo(&ms, m, dir, name);
	}
	modules_free(&ms);
	if (mem_used())
		abort();
	free(copy);
	return 0;
}
