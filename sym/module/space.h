/* What a process maps: ranges of addresses, each of a module.  sample/ keeps it true, the unwinder reads it. */
#ifndef SYM_MODULE_SPACE_H
#define SYM_MODULE_SPACE_H

#include "module.h"

struct map {
	uint64_t lo, hi;           /* [lo, hi) in the process */
	uint64_t off;              /* of lo, in the file */
	uint64_t bias;             /* address in the process - address as linked; valid once MODULE is set */
	struct module *module;     /* NULL until space_module asks for it */
	uint32_t file;             /* sample/'s number for the file behind it */
	bool exec;
};

struct space {
	struct map *map;           /* sorted, disjoint */
	uint32_t n, cap;
	uint32_t last;             /* where the last address was found */
	uint32_t bound;            /* how often a map was bound to a module, or all were dropped */
	uint32_t language_asked;   /* languages.c's: BOUND as it was when LANGUAGE was looked for; */
	struct module_owned *language;       /* which it frees when the process runs another program or has ended; or NULL */
	uint64_t blocks[8];        /* bits for addresses that may be executed: see space_may_execute */
	uint32_t epoch;            /* two spaces never have the same one; it changes when a known address may mean something else */
	/* Called for a map without a module: sets module and bias (space_bind). */
	void (*open)(struct space *, struct map *);
	/* Called when ADDR lies in no map: may read the maps again.  True: look once more. */
	bool (*missing)(struct space *, uint64_t addr);
	/* Copies up to N bytes at ADDR from the process's memory, as it is now; returns how many, 0 if it cannot read
	 * them. */
	size_t (*read)(struct space *, uint64_t addr, void *to, size_t n);
	bool code_read;            /* for the unwinder: it keeps pages of the process's own code; */
	bool code_differs;         /* it has other bytes now than rules were made of; */
	uint64_t compared;         /* when it last looked whether the code that it has read is unchanged, ns; */
	uint64_t renewed;          /* and when it last forgot its rules */
};

void space_init(struct space *);
void space_free(struct space *);
/* Adds [lo, hi), cutting away what lay there.  False at the memory cap. */
bool space_add(struct space *, const struct map *);
/* Forgets all maps; space_clear also forgets what is known of their code. */
void space_unmap(struct space *);
void space_clear(struct space *);
/* Says that known addresses may have other code now. */
void space_renew(struct space *);
/* Makes TO a copy of FROM's maps, with its own epoch.  It drops JIT modules, so that they are bound again. */
bool space_copy(struct space *to, const struct space *from);
/* The map that holds ADDR, with its module bound, or NULL.  It calls `missing` and `open` as needed. */
struct map *space_find(struct space *, uint64_t addr);
/* The map that holds ADDR, as it is, or NULL; it asks nobody.  And whether what is mapped there may be executed. */
const struct map *space_map(const struct space *, uint64_t addr);
bool space_executes(const struct space *, uint64_t addr);

/* A bit of BLOCKS stands for some blocks of SPACE_BLOCK bytes.  It is set where an executable map was added in one of them. */
enum { SPACE_BLOCK = 1 << 21, SPACE_BLOCKS = 512 };
static inline uint32_t
space_block(uint64_t addr)
{
	return (uint32_t)(addr / SPACE_BLOCK * UINT64_C(0x9e3779b97f4a7c15) >> 55);
}
/* For words that are seldom addresses.  If it is false, space_executes is false, too. */
static inline bool
space_may_execute(const struct space *s, uint64_t addr)
{
	uint32_t block = space_block(addr);

	return s->blocks[block / 64] >> block % 64 & 1;
}
/* Binds a map to a module and computes its bias from the module's segments. */
void space_bind(struct map *, struct module *);

#endif
