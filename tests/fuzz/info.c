/* Sections of debug information, each as its number, 16 bits of length and its bytes, behind a byte of flags: 1: of 64 bits;
 * 2: big-endian. */
#include "sym/dwarf/dwarf.c"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/dwarfwrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr",
	".debug_ranges", ".debug_rnglists", ".debug_aranges", ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str.dwo",
	".debug_str_offsets.dwo", ".debug_rnglists.dwo", ".debug_cu_index", "alt.debug_info", "alt.debug_abbrev", "alt.debug_str"
};

enum { NAMES = sizeof names / sizeof *names, MAX = 6 };

static void
look(struct modules *ms, struct module *m, uint64_t addr)
{
	struct place *place = malloc(MAX * sizeof *place);
	unsigned n = place ? dwarf_find(ms, m, addr, place, MAX) : 0;
	size_t sum = 0;

	if (n > MAX)
		abort();
	for (unsigned i = 0; i < n; i++) {
		sum += place[i].function ? strlen(place[i].function) : 0;
		sum += place[i].file ? strlen(place[i].file) : 0;
		sum += place[i].decl_file ? strlen(place[i].decl_file) : 0;
	}
	if (sum == 12345678)
		abort();
	free(place);
}

static void
look_around(struct modules *ms, struct module *m, bool told)
{
	const struct dwarf *d = m->lines;

	for (uint32_t i = 0; d && i < (told ? d->ntold : d->nspan) && i < 24; i++) {
		const struct disjoint_range *s = told ? &d->told[i] : &d->span[i];
		uint64_t lo = s->lo, hi = s->hi;

		for (unsigned k = 0; k < 6; k++)
			look(ms, m, lo + (hi - lo) / 6 * k);
		look(ms, m, hi - 1);
	}
}

/* Many at once, while no unit was looked for yet; one address is nobody's. */
static void
ask_ahead(struct modules *ms, struct module *m)
{
	struct dwarf *d = dwarf_describing(ms, m);
	uint64_t addr[24];
	uint32_t n = 0;

	if (!d)
		return;
	index_told(d, 0);
	addr[n++] = 0;
	for (uint32_t i = 0; i < d->ntold && n < 24; i++)
		addr[n++] = d->told[i].lo;
	dwarf_ahead(ms, m, addr, n);
}

static void
take_sections(struct cursor c, uint8_t **copy)
{
	for (unsigned i = 0; cur_left(&c) >= 3 && i < DWARFWRITE_SECTIONS; i++) {
		unsigned which = cur_u8(&c);
		uint64_t n = cur_u16(&c);

		n = n < cur_left(&c) ? n : cur_left(&c);
		if (!(copy[i] = malloc((size_t)n + !n)))   /* of its own, so that its end is guarded */
			return;
		memcpy(copy[i], cur_take(&c, n), (size_t)n);
		if (which < NAMES)
			dwarfwrite_section(names[which], copy[i], (size_t)n, c.big);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules ms = { 0 };
	struct module m = { .kind = MODULE_FILE, .name = "fuzz" }, split = m, alt = m;
	uint8_t *copy[DWARFWRITE_SECTIONS] = { 0 };

	if (!size)
		return 0;
	dwarfwrite_clear();
	take_sections(cur_of(data + 1, size - 1, data[0] & 2), copy);
	m.elf.is64 = data[0] & 1;
	dwarfwrite_alt = &alt;
	dwarfwrite_dwo = dwarfwrite_dwp = &split;
	ask_ahead(&ms, &m);
	look_around(&ms, &m, true);
	look(&ms, &m, 0);
	look_around(&ms, &m, false);
	modules_free(&ms);
	for (unsigned i = 0; i < DWARFWRITE_SECTIONS; i++)
		free(copy[i]);
	if (mem_used())
		abort();
	return 0;
}
