/* See debug.h. */
#include "debug.h"

#include <elf.h>

struct cursor
debug_section_of(struct modules *ms, struct module *file, const char *name)
{
	struct section s;

	(void)ms;
	if (file->bad || !elf_section_named(&file->elf, name, &s) || (s.flags & SHF_COMPRESSED))
		return cur_of(NULL, 0, file->elf.bytes.big);
	return s.data;
}

struct module *
debug_file(struct modules *ms, struct module *m)
{
	struct cursor c = debug_section_of(ms, m, ".debug_info");

	return cur_left(&c) ? m : NULL;
}

struct cursor
debug_section(struct modules *ms, struct module *m, const char *name)
{
	struct module *file = debug_file(ms, m);

	return file ? debug_section_of(ms, file, name) : cur_of(NULL, 0, m->elf.bytes.big);
}

struct module *
debug_alt(struct modules *ms, struct module *file)
{
	(void)ms;
	(void)file;
	return NULL;
}

struct module *
debug_dwo(struct modules *ms, struct module *m, const char *comp_dir, const char *name)
{
	(void)ms;
	(void)m;
	(void)comp_dir;
	(void)name;
	return NULL;
}

struct module *
debug_dwp(struct modules *ms, struct module *m)
{
	(void)ms;
	(void)m;
	return NULL;
}
