/* Debug information in memory, as sections by name: they stand in for what sym/module/debug_file.c finds in files.  Tests that include it
 * link all of sym/dwarf_*.c, and not sym/module/debug_file.c. */
#ifndef TESTS_UNIT_DWARFWRITE_H
#define TESTS_UNIT_DWARFWRITE_H

#include "elfwrite.h"
#include "sym/module/debug_file.h"

enum { DWARFWRITE_SECTIONS = 24 };

/* The sections of all files; a name that is there twice is the first one's. */
static struct {
	const char *name;
	const void *bytes;
	size_t n;
	bool big;
} dwarfwrite[DWARFWRITE_SECTIONS];

/* The stand-in for other files than the module's own; NULL: there is none. */
static struct module *dwarfwrite_alt, *dwarfwrite_dwo, *dwarfwrite_dwp;

static inline void
dwarfwrite_section(const char *name, const void *bytes, size_t n, bool big)
{
	for (unsigned i = 0; i < DWARFWRITE_SECTIONS; i++)
		if (!dwarfwrite[i].name) {
			dwarfwrite[i].name = name;
			dwarfwrite[i].bytes = bytes;
			dwarfwrite[i].n = n;
			dwarfwrite[i].big = big;
			return;
		}
}

static inline void
dwarfwrite_bytes(const char *name, const struct bytes *b)
{
	dwarfwrite_section(name, b->p, b->n, b->big);
}

static inline void
dwarfwrite_clear(void)
{
	memset(dwarfwrite, 0, sizeof dwarfwrite);
	dwarfwrite_alt = dwarfwrite_dwo = dwarfwrite_dwp = NULL;
}

/* Of the alternate file the names begin with "alt". */
struct cursor
debug_file_section_of(struct modules *ms, struct module *file, const char *name)
{
	bool alt = file && file == dwarfwrite_alt;

	(void)ms;
	for (unsigned i = 0; i < DWARFWRITE_SECTIONS && dwarfwrite[i].name; i++)
		if (!strncmp(dwarfwrite[i].name, "alt", 3) == alt && !strcmp(dwarfwrite[i].name + (alt ? 3 : 0), name))
			return cur_of(dwarfwrite[i].bytes, dwarfwrite[i].n, dwarfwrite[i].big);
	return cur_of(NULL, 0, false);
}

struct module *
debug_file(struct modules *ms, struct module *m)
{
	(void)ms;
	return m;
}

struct module *
debug_file_alt(struct modules *ms, struct module *file)
{
	(void)ms;
	(void)file;
	return dwarfwrite_alt;
}

struct module *
debug_file_dwo(struct modules *ms, struct module *m, const char *comp_dir, const char *name)
{
	(void)ms;
	(void)m;
	(void)comp_dir;
	(void)name;
	return dwarfwrite_dwo;
}

struct module *
debug_file_dwp(struct modules *ms, struct module *m)
{
	(void)ms;
	(void)m;
	return dwarfwrite_dwp;
}

#endif
