/* See usdt.h.  A note of owner "stapsdt" and type 3 holds three addresses (the place, .stapsdt.base as linked, the semaphore)
 * and three strings.  Prelinking moves a file without changing its notes: the section .stapsdt.base moves along, and tells by
 * how much. */
#include "usdt.h"

#include <string.h>

enum { NOTE_TYPE = 3 };

void
usdt_open(struct usdt_notes *u, const struct elf *e)
{
	struct section s;

	*u = (struct usdt_notes){ .word = e->is64 ? 8 : 4 };
	if (elf_section_named(e, ".note.stapsdt", &s))
		u->notes = s.data;
	if (elf_section_named(e, ".stapsdt.base", &s))
		u->base = s.addr;
}

static uint64_t
padded(uint32_t n)
{
	return ((uint64_t)n + 3) & ~(uint64_t)3;
}

static bool
read_note(const struct usdt_notes *u, struct cursor c, struct usdt *out)
{
	uint64_t base;

	out->pc = cur_uint(&c, u->word);
	base = cur_uint(&c, u->word);
	out->semaphore = cur_uint(&c, u->word);
	out->provider = cur_str(&c);
	out->name = cur_str(&c);
	out->args = cur_str(&c);
	if (c.bad || !*out->provider || !*out->name)
		return false;
	if (u->base && base) {
		out->pc += u->base - base;
		out->semaphore += out->semaphore ? u->base - base : 0;
	}
	return true;
}

bool
usdt_next(struct usdt_notes *u, struct usdt *out)
{
	while (cur_left(&u->notes) >= 12) {
		uint32_t name = cur_u32(&u->notes), desc = cur_u32(&u->notes), type = cur_u32(&u->notes);
		struct cursor owner = cur_sub(&u->notes, padded(name)), body;
		const char *who = cur_str(&owner);

		body = cur_sub(&u->notes, desc);
		cur_take(&u->notes, cur_left(&u->notes) < padded(desc) - desc ? 0 : padded(desc) - desc);
		if (u->notes.bad)
			return false;
		if (type == NOTE_TYPE && !strcmp(who, "stapsdt") && read_note(u, body, out))
			return true;
	}
	return false;
}
