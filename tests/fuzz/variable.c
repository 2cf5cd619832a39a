/* The words of a variable up to the first newline; then sections of debug information, each as its number, 16 bits of length and its
 * bytes, behind a byte of flags: 1: of 64 bits; 2: big-endian. */
#include "sym/probe/variable.c"

#include <stdlib.h>

#include "sample/events/probe_arg.h"
#include "tests/unit/dwarfwrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr",
	".debug_ranges", ".debug_rnglists", ".debug_aranges", ".debug_loc", ".debug_loclists", "alt.debug_info", "alt.debug_abbrev",
	"alt.debug_str"
};

enum { NAMES = sizeof names / sizeof *names };

static bool
frame(struct modules *ms, struct module *m, uint64_t pc, uint64_t *reg, int64_t *off)
{
	(void)ms;
	(void)m;
	*reg = 7;
	*off = (int64_t)(pc & 0xff);
	return pc & 0xff;
}

static void
ask(struct modules *ms, struct module *m, const char *variable, uint64_t pc, bool begins)
{
	const struct call_frame f = { frame, ms, m };
	char words[96] = "", why[160] = "";
	uint64_t at = pc;
	struct probe_arg a;

	if (!variable_find(&f, variable, begins, &at, words, sizeof words, why, sizeof why)) {
		if (!*why || strlen(why) >= sizeof why)
			abort();
		return;
	}
	if (!*words || strlen(words) >= sizeof words || at < pc || (at != pc && !begins))
		abort();
	if (!probe_arg_parse(&a, variable, NULL, words) && a.depth > PROBE_ARG_DEPTH)
		abort();
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
	const uint8_t *end = size ? memchr(data, '\n', size < 100 ? size : 100) : NULL;
	struct modules ms = { 0 };
	struct module m = { .kind = MODULE_FILE, .name = "fuzz", .elf.machine = EM_X86_64 }, alt = m;
	uint8_t *copy[DWARFWRITE_SECTIONS] = { 0 };
	char variable[100] = "";

	if (!end || end + 1 == data + size)
		return 0;
	memcpy(variable, data, (size_t)(end - data));
	dwarfwrite_clear();
	take_sections(cur_of(end + 2, size - (size_t)(end + 2 - data), end[1] & 2), copy);
	m.elf.is64 = end[1] & 1;
	dwarfwrite_alt = &alt;
	ask(&ms, &m, variable, 0, false);
	for (uint32_t i = 0; m.lines && i < m.lines->nspan && i < 8; i++) {
		const struct disjoint_range *s = &m.lines->span[i];
		uint64_t lo = s->lo, hi = s->hi;

		ask(&ms, &m, variable, lo, true);
		for (unsigned k = 0; k < 6; k++)
			ask(&ms, &m, variable, lo + (hi - lo) / 6 * k, false);
	}
	modules_free(&ms);
	for (unsigned i = 0; i < DWARFWRITE_SECTIONS; i++)
		free(copy[i]);
	if (mem_used())
		abort();
	return 0;
}
