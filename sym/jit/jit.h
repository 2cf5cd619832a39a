/* The code that a process made itself: what its perf map and its jitdump call it, as of a sample's time.  The address alone
 * does not tell that, since JITs use the place of old code again.  So where code that has run gives way to other code, a
 * new module takes over (a generation), and the old one keeps to what the files told until then. */
#ifndef SYM_JIT_H
#define SYM_JIT_H

#include "sym/module/ehframe.h"
#include "jitcode.h"
#include "lib/sort.h"

enum { JIT_GENERATIONS = 4096 };

/* The frame description of the code at [lo, hi). */
struct jit_table {
	uint64_t lo, hi;
	struct cursor bytes;
};

/* Of one process; all its generations share it. */
struct jit {
	struct jit *next;              /* of all; see module.h */
	int map_fd, dump_fd;           /* its perf map and its jitdump, once found, or -1 */
	uint64_t map_seen, dump_seen;  /* bytes of them that were looked at */
	uint32_t generations;
	/* Frame descriptions of a jitdump: copies, found by the lowest address of their code (item.a: which). */
	struct arena arena;
	struct jit_table *table;
	struct item *by_lo;
	uint32_t tables, sorted, cap_tables, cap_by_lo;
	size_t table_bytes;
	struct item *ran;              /* addresses that have been in samples of the newest generation */
	uint32_t nran, cap_ran;
	struct jitcode *map, *dump;    /* once names were asked for */
	bool opened, map_rewritten;
};

/* Code at VADDR, of the newest generation, is in a sample. */
void jit_ran(struct module *, uint64_t vaddr);
/* Its files, found now or before: what they hold by now was there before any sample still to come. */
void jit_found(struct module *);
/* Looks at what was written since: true where code that ran has given way, at the time *SINCE (0: just now).  Then M is
 * closed, and another module is to stand for what comes. */
bool jit_replaced(struct module *, uint64_t *since);

/* The frame description of the code at VADDR, where a jitdump has one. */
bool jit_frame(struct module *, uint64_t vaddr, struct fde *);

/* What is at VADDR, and its line where that is known (else 0). */
bool jit_find(struct modules *, struct module *, uint64_t vaddr, struct symbol *, const char **file, uint32_t *line,
              uint32_t *begins);

#endif
