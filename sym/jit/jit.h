/* The code that a process made itself: its names in the perf map, the jitdump and its own memory (registered.h) at the time of a sample.  The address alone
 * does not tell that, since JITs use the place of old code again.  If code that has run gives way to other code, a new module
 * (a generation) begins, and the old one keeps what the files said until then. */
#ifndef SYM_JIT_JIT_H
#define SYM_JIT_JIT_H

#include "sym/module/ehframe.h"
#include "jitcode.h"
#include "lib/sort.h"
#include "registered.h"

enum { JIT_GENERATIONS = 4096 };

/* The frame description of the code at [lo, hi). */
struct jit_table {
	uint64_t lo, hi;
	struct cursor bytes;
};

/* How much of the files counts for a generation that has ended; JITCODE_ALL: for the newest, as much as was looked at. */
struct jit_limits {
	uint64_t map, dump;
	uint64_t registered;   /* see registered_find */
};

/* Of one process; all its generations share it. */
struct jit {
	struct module_owned owned;
	int map_fd, dump_fd;           /* its perf map and its jitdump, once found, or -1 */
	uint64_t map_seen, dump_seen;  /* bytes of them that were looked at */
	uint64_t dump_frame;           /* the place of a frame description that still waits for its code, or 0 */
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
	struct registered registered;
	bool opened, map_rewritten;
};

/* The module of process PID's code, the first generation; PARENT: the module of the process that forked it, or NULL.  NULL at
 * the memory cap. */
struct module *jit_module(struct modules *, int32_t pid, struct module *parent);
/* The generation after BEFORE. */
struct module *jit_next(struct modules *, const struct module *before);

/* Notes that a sample has code at VADDR, of the newest generation. */
void jit_ran(struct module *, uint64_t vaddr);
/* Whether prof knows its perf map; its jitdump; whether two modules are generations of the code of one process. */
bool jit_has_map(const struct module *);
bool jit_has_dump(const struct module *);
bool jit_same(const struct module *, const struct module *);
/* Gives the module its files (-1: not found yet); it closes them.  All that they hold now was there before the samples that
 * still come. */
void jit_found(struct module *, int map_fd, int dump_fd);
/* Says that its process has ended, or executed another program: no sample has such code any more.  Names stay. */
void jit_gone(struct module *);
/* Looks at what the process wrote since: true if code that ran has given way, at the time *SINCE (0: just now).  Then M is
 * closed, and another module must stand for later samples. */
bool jit_replaced(struct module *, uint64_t *since);

/* Looks at what the process tells debuggers of its code, in the SPACE of the process, at the time NOW (ns).  At REGISTERED_OTHER, M
 * is closed, and another module must stand for samples from NOW on. */
enum registered_news jit_registered(struct module *, struct space *, uint64_t now);
/* The same in a SPACE that does not change, before any sample of M: all of it at once. */
void jit_registered_all(struct module *, struct space *);

/* The frame description of the code at VADDR, if a jitdump has one, or else the process itself. */
bool jit_frame(struct module *, uint64_t vaddr, struct fde *);

/* The function at VADDR, and its line (0: not known): as the files had it when prof last looked at them.  What was written
 * later names only what nothing named before. */
bool jit_find(struct modules *, struct module *, uint64_t vaddr, struct symbol *, const char **file, uint32_t *line,
              uint32_t *begins);

#endif
