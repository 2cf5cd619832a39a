/* See code.h.  A code costs 12 bytes and its share of the hash table, 5 to 6.7 bytes.  A slot holds six bits of the hash beside the
 * number, so that a search past other codes' slots seldom looks at them. */
#include "code.h"

#include "lib/mem.h"

enum { TAG_SHIFT = 26, CODES_MAX = (1 << TAG_SHIFT) - 1 };

static uint32_t
hash(uint32_t module, uint64_t vaddr)
{
	return hash_u64(vaddr + module * (uint64_t)0xff51afd7ed558ccdu);
}

/* The slot where a search begins: the hash, scaled to the table. */
static uint32_t
first_slot(const struct codes *c, uint32_t h)
{
	return (uint32_t)((uint64_t)h * c->slots >> 32);
}

static uint32_t
next_slot(const struct codes *c, uint32_t at)
{
	return at + 1 == c->slots ? 0 : at + 1;
}

static void
place(struct codes *c, uint32_t h, uint32_t number)
{
	uint32_t at = first_slot(c, h);

	while (c->slot[at])
		at = next_slot(c, at);
	c->slot[at] = h << TAG_SHIFT | (number + 1);
}

/* A larger table, if this one is full.  False at the memory cap: then nothing has changed. */
static bool
room(struct codes *c)
{
	uint32_t *old = c->slot, slots = c->slots;

	if (c->n < slots - slots / 5)
		return c->n < CODES_MAX;
	c->slot = NULL;
	c->slots = 0;
	if (!vec_room(&c->slot, &c->slots, (uint64_t)c->n + c->n / 3 * 2 + 64, sizeof *c->slot)) {
		c->slot = old;
		c->slots = slots;
		return false;
	}
	for (uint32_t i = 0; i < c->n; i++)
		place(c, hash(c->code[i].module, c->code[i].vaddr), i);
	vec_free(&old, &slots, sizeof *old);
	return true;
}

bool
codes_init(struct codes *c)
{
	*c = (struct codes){ 0 };
	for (uint32_t i = 0; i < CODE_MARKS; i++)
		if (code_intern(c, 0, i) != i || c->n != i + 1)
			return false;
	return true;
}

void
codes_settle(struct codes *c)
{
	vec_free(&c->slot, &c->slots, sizeof *c->slot);
}

void
codes_free(struct codes *c)
{
	codes_settle(c);
	vec_free(&c->code, &c->cap, sizeof *c->code);
	c->n = 0;
}

uint32_t
code_intern(struct codes *c, uint32_t module, uint64_t vaddr)
{
	uint32_t h = hash(module, vaddr), at, i;

	if (!c->slots && !room(c))
		return CODE_UNKNOWN;
	for (at = first_slot(c, h); c->slot[at]; at = next_slot(c, at)) {
		i = (c->slot[at] & CODES_MAX) - 1;
		if (c->slot[at] >> TAG_SHIFT == (h & ((1 << (32 - TAG_SHIFT)) - 1)) && c->code[i].vaddr == vaddr && c->code[i].module == module)
			return i;
	}
	if (!room(c) || !vec_room(&c->code, &c->cap, (uint64_t)c->n + 1, sizeof *c->code))
		return CODE_UNKNOWN;
	c->code[c->n] = (struct code){ vaddr, module };
	place(c, h, c->n);
	return c->n++;
}
