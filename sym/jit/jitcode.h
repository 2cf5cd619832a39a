/* Pieces of code that a program made while it ran.  A file lists them one after another.  An address means the newest piece
 * around it before a given place in the file. */
#ifndef SYM_JIT_JITCODE_H
#define SYM_JIT_JITCODE_H

#include "lib/mem.h"
#include "sym/module/symbol.h"

#define JITCODE_ALL UINT64_MAX

/* A line of source, from an address on. */
struct jit_line {
	uint64_t addr;           /* from the beginning of its code */
	uint32_t file, line;     /* FILE: see jitcode_text */
};

struct jit_range {
	uint64_t lo, hi;
	uint32_t at;             /* its place in the file, of which prof reads less than 4 GiB: later pieces have higher ones */
	uint32_t name;
	uint32_t line, lines;    /* the first of its lines and how many: in the order of addresses */
};

struct jitcode;

/* Begins to collect code.  ARENA keeps its names; jitcode_free gives back the rest. */
struct jitcode *jitcode_new(struct arena *);
/* False if there is no room for more: then the code is cut here. */
bool jitcode_add(struct jitcode *, const struct jit_range *);
bool jitcode_text(struct jitcode *, const char *, size_t n, uint32_t *number);
bool jitcode_line(struct jitcode *, const struct jit_line *);
/* Moves all lines BY bytes down. */
void jitcode_shift(struct jitcode *, uint64_t by);
uint32_t jitcode_count(const struct jitcode *);
uint32_t jitcode_lines(const struct jitcode *);
const struct jit_range *jitcode_range(const struct jitcode *, uint32_t i);
void jitcode_cut_here(struct jitcode *);
/* The finished code; NULL if it is empty, or without memory.  If there is too little memory, only its beginning is kept.  More code
 * may follow, until it is finished again. */
struct jitcode *jitcode_finish(struct jitcode *);
void jitcode_free(struct jitcode *);

/* The newest piece around ADDR that the file lists before LIMIT; if there is none, the first one after it. */
const struct jit_range *jitcode_find(struct jitcode *, uint64_t addr, uint64_t limit);
/* The symbol of a piece of code. */
void jitcode_symbol(const struct jitcode *, const struct jit_range *, struct symbol *);
/* The line of ADDR in a piece of code, and the first line of that piece; false if they are not known. */
bool jitcode_source(const struct jitcode *, const struct jit_range *, uint64_t addr, const char **file, uint32_t *line,
                    uint32_t *begins);
/* Whether it was too large, and only its beginning was kept. */
bool jitcode_cut(const struct jitcode *);

#endif
