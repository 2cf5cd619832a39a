/* A line table as .debug_line, behind a byte of flags: 1: addresses of 64 bits; 2: big-endian.  The strings that version 5
 * keeps elsewhere lie in the table itself. */
#include "sym/dwarf/line.c"

#include <stdlib.h>

#include "tests/unit/dwarfwrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look(struct unit *u, uint64_t addr)
{
	const char *file = NULL;
	uint32_t line;

	if (lines_find(u, addr, &file, &line) && file && strlen(file) >= 4096)
		abort();
}

/* Rows lie within their sequence, in whatever order the line program made them. */
static void
check(const struct line_table *l, uint32_t nrow)
{
	for (uint32_t i = 0; i < l->nsequence; i++) {
		uint32_t first = (uint32_t)l->sequence[i].what, n = (uint32_t)(l->sequence[i].what >> 32);

		if (!n || first > nrow || n > nrow - first || l->sequence[i].lo >= l->sequence[i].hi)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules ms = { 0 };
	struct module m = { .kind = MODULE_FILE, .name = "fuzz" };
	struct dwarf d = { .modules = &ms, .module = &m };
	struct unit u = { .dwarf = &d, .version = 5, .offset_size = 4, .comp_dir = "/src", .has_line = true };
	uint8_t *copy;

	if (!size || !(copy = malloc(size)))
		return 0;
	memcpy(copy, data + 1, size - 1);
	dwarfwrite_clear();
	d.cache = cache_of(&ms);
	u.address_size = data[0] & 1 ? 8 : 4;
	dwarfwrite_section(".debug_line", copy, size - 1, data[0] & 2);
	dwarfwrite_section(".debug_line_str", copy, size - 1, data[0] & 2);
	dwarfwrite_section(".debug_str", copy, size - 1, data[0] & 2);
	look(&u, 0x1000);
	if (u.lines) {
		check(u.lines, (uint32_t)size);
		for (uint32_t i = 0; i < u.lines->nsequence && i < 20; i++) {
			look(&u, u.lines->sequence[i].lo);
			look(&u, u.lines->sequence[i].hi - 1);
			look(&u, u.lines->sequence[i].lo / 2 + u.lines->sequence[i].hi / 2);
		}
		for (unsigned i = 0; i < 8; i++)
			lines_file(&u, i);
	}
	modules_free(&ms);
	free(copy);
	if (mem_used())
		abort();
	return 0;
}
