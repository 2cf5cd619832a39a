/* Code that a process describes to debuggers, by GDB's JIT interface (GDB's manual, chapter JIT Compilation Interface): a list in its memory,
 * of ELF files in its memory, with symbols and frame descriptions.  qemu and LLVM keep such a list, whether a debugger is there or not. */
#ifndef SYM_JIT_REGISTERED_H
#define SYM_JIT_REGISTERED_H

#include "jitcode.h"
#include "sym/module/ehframe.h"
#include "sym/module/space.h"

enum { REGISTERED_DESCRIPTORS = 4 };

/* Of one process. */
struct registered {
	struct arena arena;                /* frame descriptions; the beginnings of names */
	struct registered_list {
		uint64_t addr;             /* of the descriptor */
		uint32_t seen;             /* what it said, hashed; 0: not known, or prof has not read all of it */
		uint8_t word, size_at;     /* bytes of a pointer; where an entry has its size */
	} list[REGISTERED_DESCRIPTORS];
	uint32_t lists, bound, maps;       /* the space's, when prof last searched it */
	struct registered_piece *piece;    /* newer ones behind older ones */
	uint32_t pieces, cap;
	uint64_t bytes;                    /* of frame descriptions that prof keeps */
	struct jitcode *code;              /* its names: the place of a piece is its number in the order of time */
	uint32_t changes;                  /* how many pieces came and went */
	uint64_t sure;                     /* CODE lacks nothing that was there before this change */
	uint32_t looks;
	bool said;                         /* that prof cannot keep all of it */
	uint64_t next;                     /* ns: prof looks no sooner */
	uint32_t finished;                 /* CODE can be asked about so many changes */
};

/* What a look found.  OTHER: code that has run gave way to other code; MORE: known addresses have frame descriptions now. */
enum registered_news { REGISTERED_SAME, REGISTERED_MORE, REGISTERED_OTHER };

/* Looks again at the lists in SPACE, at the time NOW (ns), if it is time for that; the work counts for WORK.  RAN tells whether code in a range has run. */
enum registered_news registered_look(struct registered *, struct space *, uint64_t now, struct work *,
                                     bool (*ran)(const void *ctx, uint64_t lo, uint64_t hi), const void *ctx);
/* Looks as often as it takes to see all in a SPACE that does not change, up to a bound. */
void registered_all(struct registered *, struct space *, struct work *, bool (*ran)(const void *ctx, uint64_t lo, uint64_t hi), const void *ctx);
/* The function at ADDR as of the time before change number CHANGE (JITCODE_ALL: now). */
bool registered_find(struct registered *, uint64_t addr, uint64_t change, struct symbol *);
/* The frame description of the code at ADDR. */
bool registered_frame(const struct registered *, uint64_t addr, struct fde *);
void registered_free(struct registered *);

#endif
