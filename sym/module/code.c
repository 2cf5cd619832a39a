/* See code.h. */
#include "code.h"

#include "lib/mem.h"

static uint32_t
hash(uint32_t module, uint64_t vaddr)
{
	return hash_u64(vaddr + module * (uint64_t)0xff51afd7ed558ccdu);
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
	index_free(&c->index);
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
	uint32_t h = hash(module, vaddr), i, slot;

	for (slot = index_first(&c->index, h); (i = index_at(&c->index, slot)) != INDEX_NONE;
	     slot = index_next(&c->index, slot))
		if (c->code[i].vaddr == vaddr && c->code[i].module == module)
			return i;
	if (!vec_room(&c->code, &c->cap, (uint64_t)c->n + 1, sizeof *c->code))
		return CODE_UNKNOWN;
	c->code[c->n] = (struct code){ vaddr, module };
	if (!index_add(&c->index, h, c->n))
		return CODE_UNKNOWN;
	return c->n++;
}
