/* See exidx.h.  The table has two words for a function: where it begins, and its instructions or their place.  Both places
 * are 31 bits, relative to the word itself.  For a language's personality routine all compilers write the data in the same
 * form as for the ABI's own second routine. */
#include "exidx.h"

enum { FINISH = 0xb0, ROW = 8, CANTUNWIND = 1 };

#define INLINE 0x80000000u   /* the word holds instructions, not a place */

static uint32_t
word_at(const struct cursor *table, uint64_t off)
{
	struct cursor c = cur_slice(table, off, 4);

	return cur_u32(&c);
}

/* Where a word at PLACE points to. */
static uint64_t
prel31(uint32_t word, uint64_t place)
{
	return (uint32_t)(place + ((word & 0x7fffffff) | (word << 1 & INLINE)));
}

static uint64_t
row_lo(const struct elf *e, const struct cursor *table, uint64_t i)
{
	return prel31(word_at(table, i * ROW), e->exidx + i * ROW) & ~(uint64_t)1;
}

/* The instructions of an entry in .ARM.extab. */
static bool
open_entry(const struct elf *e, uint64_t at, struct exidx *x)
{
	struct cursor c = elf_from(e, at);
	uint32_t word = cur_u32(&c), kind = word >> 24 & 15, more = 0;

	if (!(word & INLINE)) {   /* a personality routine's address */
		word = cur_u32(&c);
		kind = 3;
	} else if (kind > 2)
		return false;
	x->left = kind == 1 || kind == 2 ? 2 : 3;
	if (kind)
		more = kind == 3 ? word >> 24 : word >> 16 & 0xff;
	x->word = word << (32 - 8 * x->left);
	x->words = cur_sub(&c, 4 * (uint64_t)more);
	return !c.bad;
}

bool
exidx_find(const struct elf *e, uint64_t vaddr, struct exidx *x)
{
	struct cursor table = elf_at(e, e->exidx, e->exidx_size);
	uint64_t i = 0, n = cur_left(&table) / ROW, half;
	uint32_t what;

	if (!n)
		return false;
	for (; n > 1; n -= half) {
		half = n / 2;
		i += row_lo(e, &table, i + half) <= vaddr ? half : 0;
	}
	*x = (struct exidx){ .lo = row_lo(e, &table, i) };
	if (x->lo > vaddr)
		return false;
	what = word_at(&table, i * ROW + 4);
	x->cant = what == CANTUNWIND;
	if (x->cant)
		return true;
	if (!(what & INLINE))
		return open_entry(e, prel31(what, e->exidx + i * ROW + 4), x);
	x->word = what << 8;
	x->left = 3;
	return what >> 24 == 0x80;
}

uint8_t
exidx_next(struct exidx *x)
{
	uint8_t op;

	if (!x->left) {
		if (cur_left(&x->words) < 4)
			return FINISH;
		x->word = cur_u32(&x->words);
		x->left = 4;
	}
	op = (uint8_t)(x->word >> 24);
	x->word <<= 8;
	x->left--;
	return op;
}
