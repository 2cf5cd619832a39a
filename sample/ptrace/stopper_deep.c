/* See stopper_deep.h.  What prof tells may be anything, and may change at any time: it says only where to read in that process,
 * and each loop has its own bound. */
#include "stopper_deep.h"

#include <string.h>

#include "sample/tasks/foreign.h"

/* Pieces that a thread waits for. */
enum { PAGES = DEEP_STOPPED / DEEP_PAGE, PIECES = 16 };

/* The end of what no walk wants, if that begins at AT; else AT. */
static uint64_t
behind_array(const struct deep_told *told, uint64_t at)
{
	struct deep_hole h;

	memcpy(&h, &told->hole[deep_hole_place(at)], sizeof h);
	return h.lo == at && h.hi > at ? h.hi & ~(uint64_t)(DEEP_PAGE - 1) : at;
}

void
deep_take(struct deep_copy *c, const struct deep_told *told, int32_t tid, uint64_t sp, uint64_t got)
{
	uint64_t top = told->top[deep_place(sp, DEEP_REGION)] & ~(uint64_t)DEEP_FLAGS, most = told->most / DEEP_PAGE;
	uint64_t at = sp & ~(uint64_t)(DEEP_PAGE - 1), end = (sp + got) & ~(uint64_t)(DEEP_PAGE - 1), n = 0, read;

	top = top ? top : UINT64_MAX;
	most = most < PAGES ? most : PAGES;
	c->pages = 0;
	if (sp + got >= top)
		return;
	while (at < end) {   /* an array may begin in the copy */
		uint64_t behind = behind_array(told, at);

		at = behind > at ? behind : at + DEEP_PAGE;
	}
	for (unsigned i = 0; i < PIECES && c->pages < most; i++) {
		at = behind_array(told, at + n * DEEP_PAGE);
		if (at >= top)
			return;
		for (n = 1; n < most - c->pages && at + n * DEEP_PAGE < top && behind_array(told, at + n * DEEP_PAGE) == at + n * DEEP_PAGE;)
			n++;
		read = foreign_read(tid, at, c->bytes + c->pages * DEEP_PAGE, (size_t)(n * DEEP_PAGE)) / DEEP_PAGE;
		for (uint64_t k = 0; k < read; k++)
			c->page[c->pages++] = at + k * DEEP_PAGE;
		if (read != n)
			return;
	}
}

void
deep_tell(const struct deep_copy *c, struct emit *e, const uint64_t *word, uint64_t before)
{
	struct deep_head head;

	for (uint64_t i = 0; i < c->pages; i += DEEP_PART_PAGES) {
		uint64_t n = c->pages - i < DEEP_PART_PAGES ? c->pages - i : DEEP_PART_PAGES;

		memset(&head, 0, sizeof head);
		memcpy(head.page, c->page + i, (size_t)n * sizeof *head.page);
		head.number = before++;
		if (!emit_part(e, word, &head, c->bytes + i * DEEP_PAGE, n))
			return;
	}
}
