/* See code.h.  A code costs 12 bytes and its share of the hash table, 5 to 6.7 bytes. */
#include "code.h"

static uint64_t
hash(uint32_t module, uint64_t vaddr)
{
	return hash_u64(vaddr + module * (uint64_t)0xff51afd7ed558ccdu) * UINT64_C(0x100000001);
}

/* A larger table, if this one is full.  False at the memory cap: then nothing has changed. */
static bool
room(struct codes *c)
{
	struct tags more;

	if (!tags_full(&c->tags, c->n))
		return c->n < TAGS_MAX;
	if (!tags_new(&more, c->n))
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		tags_place(&more, hash(c->code[i].module, c->code[i].vaddr), i);
	tags_free(&c->tags);
	c->tags = more;
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
	tags_free(&c->tags);
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
	uint64_t h = hash(module, vaddr);
	uint32_t at, i;

	if (!c->tags.slots && !room(c))
		return CODE_UNKNOWN;
	for (at = tags_first(&c->tags, h); tags_taken(&c->tags, at); at = tags_next(&c->tags, at)) {
		i = tags_number(&c->tags, at);
		if (tags_like(&c->tags, at, h) && c->code[i].vaddr == vaddr && c->code[i].module == module)
			return i;
	}
	if (!room(c) || !vec_room(&c->code, &c->cap, (uint64_t)c->n + 1, sizeof *c->code))
		return CODE_UNKNOWN;
	c->code[c->n] = (struct code){ vaddr, module };
	tags_place(&c->tags, h, c->n);
	return c->n++;
}
