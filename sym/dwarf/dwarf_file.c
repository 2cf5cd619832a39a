/* See dwarf_file.h.  DWARF 5 section 7.3.2 for the sections of split files. */
#include "dwarf_file.h"

#include "sym/module/debug_file.h"

/* The memory for units that were read: an eighth of the entries' size, within these bounds. */
enum { CACHE_LEAST = 1 << 20, CACHE_MOST = 64 << 20 };

struct dwarf *
dwarf_new(struct modules *ms, struct module *file, bool split)
{
	struct dwarf *d = file->dwarf;
	struct dwarf_cache *cache = cache_of(ms);

	if (d || !cache || !(d = arena_alloc(&ms->arena, sizeof *d)))
		return d;
	file->dwarf = d;
	d->modules = ms;
	d->cache = cache;
	d->module = file;
	d->split = split;
	return d;
}

struct cursor
dwarf_section(struct dwarf *d, enum dwarf_section which)
{
	static const char *const names[SECTIONS][2] = {
		[INFO] = { ".debug_info", ".debug_info.dwo" },
		[ABBREV] = { ".debug_abbrev", ".debug_abbrev.dwo" },
		[LINE] = { ".debug_line", ".debug_line.dwo" },
		[STR] = { ".debug_str", ".debug_str.dwo" },
		[LINE_STR] = { ".debug_line_str", ".debug_line_str.dwo" },
		[STR_OFFSETS] = { ".debug_str_offsets", ".debug_str_offsets.dwo" },
		[ADDR] = { ".debug_addr", ".debug_addr" },
		[RANGES] = { ".debug_ranges", ".debug_ranges" },
		[RNGLISTS] = { ".debug_rnglists", ".debug_rnglists.dwo" },
		[ARANGES] = { ".debug_aranges", ".debug_aranges" },
		[LOC] = { ".debug_loc", ".debug_loc.dwo" },
		[LOCLISTS] = { ".debug_loclists", ".debug_loclists.dwo" },
		[CU_INDEX] = { ".debug_cu_index", ".debug_cu_index" },
	};

	if (!d->fetched[which]) {
		d->fetched[which] = true;
		d->section[which] = debug_file_section_of(d->modules, d->module, names[which][d->split]);
	}
	return d->section[which];
}

bool
dwarf_is_code(const struct dwarf *d, uint64_t addr)
{
	const struct elf *e = d->code;

	return !e || !e->nload || elf_is_code(e, addr);
}

const char *
section_string(struct dwarf *d, enum dwarf_section which, uint64_t off)
{
	struct cursor c = dwarf_section(d, which);
	const char *s;

	cur_take(&c, off);
	s = cur_str(&c);
	return c.bad ? NULL : s;
}

struct dwarf *
dwarf_alt(struct dwarf *d)
{
	struct module *m;

	if (!d->alt_asked) {
		d->alt_asked = true;
		m = debug_file_alt(d->modules, d->module);
		d->alt = m ? dwarf_new(d->modules, m, false) : NULL;
	}
	return d->alt;
}

static size_t
cache_size(struct dwarf *d)
{
	struct cursor info = dwarf_section(d, INFO);
	size_t n = cur_left(&info) / 8;

	return n < CACHE_LEAST ? CACHE_LEAST : n > CACHE_MOST ? CACHE_MOST : n;
}

void
dwarf_tidy(struct dwarf *d)
{
	cache_tidy(d->cache, cache_size(d));
}

void *
unit_alloc(struct unit *u, size_t n)
{
	return cache_alloc(u->dwarf->cache, n);
}
