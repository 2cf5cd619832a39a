/* See stopper_chain.h.  What prof tells may be anything, and so may the process's memory: they say only where to read in that
 * process. */
#include "stopper_chain.h"

#include <string.h>

#include "sample/tasks/foreign.h"

enum { FRAME = 128, FRAMES = 512 };   /* bytes of a frame that the stopper looks at; how many frames */

static const uint8_t *
in_stack(const struct piece *stack, uint64_t addr, uint64_t n)
{
	return addr - stack->lo < stack->size && stack->size - (addr - stack->lo) >= n ? stack->bytes + (addr - stack->lo) : NULL;
}

/* The page around ADDR, copied once. */
static const uint8_t *
page_of(struct chain_copy *c, int32_t tid, uint64_t addr)
{
	uint64_t page = addr & ~(uint64_t)(DEEP_PAGE - 1), i = 0;

	while (i < c->pages && c->head.page[i] != page)
		i++;
	if (i == c->pages) {
		if (i == DEEP_PART_PAGES || foreign_read(tid, page, c->bytes + i * DEEP_PAGE, DEEP_PAGE) != DEEP_PAGE)
			return NULL;
		c->head.page[c->pages++] = page;
	}
	return c->bytes + i * DEEP_PAGE;
}

static bool
word_at(struct chain_copy *c, int32_t tid, const struct piece *stack, uint64_t addr, uint64_t *v)
{
	const uint8_t *p = in_stack(stack, addr, sizeof *v);

	if (!p && addr % sizeof *v == 0 && (p = page_of(c, tid, addr)))
		p += addr % DEEP_PAGE;
	if (p)
		memcpy(v, p, sizeof *v);
	return p;
}

/* The pages of [FROM, UPTO): where there is no room for all, the first ones. */
static void
take_pages(struct chain_copy *c, int32_t tid, const struct piece *stack, uint64_t from, uint64_t upto)
{
	for (uint64_t at = from; at < upto; at = (at & ~(uint64_t)(DEEP_PAGE - 1)) + DEEP_PAGE)
		if (!in_stack(stack, at, 1) && !page_of(c, tid, at))
			break;
}

/* The same, but the last ones. */
static void
take_pages_down(struct chain_copy *c, int32_t tid, const struct piece *stack, uint64_t from, uint64_t upto)
{
	for (uint64_t at = upto - 1; at < upto && at >= from; at = (at & ~(uint64_t)(DEEP_PAGE - 1)) - 1)
		if ((!in_stack(stack, at, 1) && !page_of(c, tid, at)) || at < DEEP_PAGE)
			break;
}

static void
take_array(struct chain_copy *c, const struct deep_chain *of, int32_t tid, const struct piece *stack, uint64_t frame)
{
	uint64_t values;

	if (!word_at(c, tid, stack, frame + 8, &values))
		return;
	take_pages(c, tid, stack, frame, of->back);
	take_pages_down(c, tid, stack, of->then, values);
}

/* The chain of a thread for which there is only the process's word.  ALL is that, if its TID is a number below 0. */
static bool
find_own(struct deep_chain *of, const struct deep_chain *all, int32_t tid, uint64_t pointer)
{
	uint64_t state, word[3];

	memcpy(of, all, sizeof *of);
	if (!pointer || (int64_t)of->tid >= 0 || foreign_read(tid, pointer + of->at, &state, sizeof state) != sizeof state ||
	    foreign_read(tid, state, word, sizeof word) != sizeof word)
		return false;
	*of = (struct deep_chain){ (uint64_t)tid, state + 16, word[0], word[0] + 8 * word[1] };
	return of->back >= DEEP_ARRAY;
}

void
chain_take(struct chain_copy *c, const struct deep_chain *own, const struct deep_chain *all, int32_t tid, uint64_t pointer, const struct piece *stack)
{
	struct deep_chain of;
	uint64_t frame;

	memcpy(&of, own, sizeof of);
	c->pages = 0;
	c->head.number = 0;
	c->head.thread = pointer;
	if (of.tid != (uint64_t)tid && all && !find_own(&of, all, tid, pointer))
		return;
	if (of.tid != (uint64_t)tid || !word_at(c, tid, stack, of.at, &frame))
		return;
	if (of.back >= DEEP_ARRAY) {
		take_array(c, &of, tid, stack, frame);
		if (c->pages && c->head.page[0] == (of.at & ~(uint64_t)(DEEP_PAGE - 1)))
			c->head.page[0] = of.at | 1;
		return;
	}
	if (of.then != DEEP_NO_THEN && !word_at(c, tid, stack, frame + of.then, &frame))
		return;
	for (unsigned i = 0; frame && i < FRAMES; i++) {
		if (!in_stack(stack, frame, FRAME) && (!page_of(c, tid, frame) || !page_of(c, tid, frame + FRAME - 1)))
			break;
		if (!word_at(c, tid, stack, frame + of.back, &frame))
			break;
	}
}
