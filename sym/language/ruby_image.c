/* See ruby_image.h.  The offsets are those of vm_core.h, method.h, internal/class.h and include/ruby/internal/core/ on a 64-bit
 * machine. */
#include "ruby_image.h"

#include <string.h>

#include "sym/elf/symbol_tables.h"

enum { VERSION_MOST = 8, VARIABLES_MOST = 1 << 20 };

static const struct {
	char version[4];
	uint8_t at[RB_MEMBERS];
} rows[] = {
	{ "3.1", { 40, 144, 64, 120, 176, 0, 0, 12, 0 } },
	{ "3.3", { 48, 152, 56, 112, 168, 152, 128, 12, 1 } },
	{ "3.4", { 48, 144, 56, 112, 168, 152, 128, 13, 1 } },
};

static struct ruby_range
section(const struct elf *e, const char *name)
{
	struct section s;

	if (!elf_section_named(e, name, &s))
		return (struct ruby_range){ 0, 0 };
	return (struct ruby_range){ s.addr, s.addr + (s.size < VARIABLES_MOST ? s.size : VARIABLES_MOST) };
}

static bool
find_version(struct ruby_image *r, const struct elf *e, const struct symbols *t)
{
	struct raw_symbol s;
	struct cursor c;
	const uint8_t *text;

	if (!symbol_tables_named(e, t, "ruby_version", &s) || s.size < 6 || s.size > VERSION_MOST)
		return false;
	c = elf_at(e, s.value, s.size);
	if (!(text = cur_take(&c, s.size)))
		return false;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!memcmp(text, rows[i].version, 3) && text[3] == '.') {
			r->at = rows[i].at;
			r->minor = (uint8_t)(text[2] - '0');
		}
	return r->at;
}

void *
ruby_image_find(struct modules *ms, struct module *m)
{
	const struct elf *e = &m->elf;
	struct ruby_image image = { .modules = ms }, *p;
	struct symbol_tables tables;
	struct raw_symbol s;

	if (!e->is64 || e->bytes.big)
		return NULL;
	symbol_tables_find(&tables, e);
	if (!find_version(&image, e, tables.dynsym.n ? &tables.dynsym : &tables.symtab))
		return NULL;
	if (symbol_tables_named(e, &tables.dynsym, "ruby_current_vm_ptr", &s) || symbol_tables_named(e, &tables.symtab, "ruby_current_vm_ptr", &s))
		image.vm = s.value;
	image.data = section(e, ".data");
	image.bss = section(e, ".bss");
	if ((p = arena_alloc(&ms->arena, sizeof *p)))
		*p = image;
	return p;
}
