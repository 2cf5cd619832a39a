/* Pages of code that prof keeps: of processes that made it themselves, and of files too large to be mapped.  Each read of a
 * process's memory takes a message to the keeper.  So prof reads neighbours too, keeps what has not changed, and has a
 * budget. */
#ifndef UNWIND_DERIVE_CODE_PAGES_H
#define UNWIND_DERIVE_CODE_PAGES_H

#include "lib/cursor.h"
#include "lib/mem.h"
#include "sym/module/space.h"

/* The pages between LO and HI as they were after so many CHANGES of pages. */
struct code_extent {
	uint64_t lo, hi, changes;
};

struct code_pages {
	struct arena *arena;
	struct code_page *page;    /* NULL until prof keeps one */
	uint8_t *run;              /* the bytes of the last read */
	uint64_t now;              /* ns, of the sample */
	uint64_t paid;             /* until when the budget has been filled */
	uint32_t credit;           /* reads that the budget still allows */
	uint32_t left;             /* reads that the budget did not allow */
	uint32_t sent;             /* reads */
	uint32_t next;             /* the place of the page that prof compares next */
	bool missed;               /* prof made rules without bytes since it forgot the code of a space */
	bool unread;               /* since code_pages_note prof could not read a page, or not all of them at one time */
	uint64_t changes;          /* how often a page got bytes, or other bytes */
	struct code_extent extent; /* what prof has read since code_pages_note */
};

/* The bytes at ADDR of a process, up to the end of its page and some more; empty if prof cannot read them. */
struct cursor code_pages_of_space(struct code_pages *, struct space *, uint64_t addr);
/* The alignment at which no function begins in that PAGE of a process, or 0; the caller notes it there.  NULL if prof does not keep the
 * page. */
uint8_t *code_pages_barren(struct code_pages *, const struct space *, uint64_t page);
/* Notes from now on which pages of a process prof reads; where these are, false if prof could not read all, or if they lie far apart;
 * and whether they still have the same bytes. */
void code_pages_note(struct code_pages *);
/* Notes the pages of an extent, from which something is known that prof uses instead; and whether ADDR is in them. */
void code_pages_rely(struct code_pages *, const struct code_extent *);
bool code_pages_covers(const struct code_extent *, uint64_t addr);
bool code_pages_noted(const struct code_pages *, struct code_extent *);
bool code_pages_same(struct code_pages *, const struct space *, const struct code_extent *);
/* The bytes at an address of a module, if prof reads its file in pieces. */
struct cursor code_pages_of_file(struct code_pages *, const struct module *, uint64_t vaddr);
/* Call it for a sample at TIME: once in a while it looks whether the space's code is still what prof has read, and forgets the rules if
 * not. */
void code_pages_compare(struct code_pages *, struct space *, uint64_t time);

#endif
