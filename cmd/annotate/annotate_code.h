/* A function's instructions: disassembled by objdump where there is one, else as bytes. */
#ifndef CMD_ANNOTATE_CODE_H
#define CMD_ANNOTATE_CODE_H

#include "out/report/annotate.h"
#include "sym/module/module.h"

struct code_reading {
	struct annotation *a;
	struct modules *modules;
	struct module *const *module;   /* of each of the profile's mappings, or NULL */
	struct arena *arena;
	const char *objdump;       /* the program to ask; NULL: those on PATH */
	const struct module *copied;   /* what COPY is a copy of, or NULL */
	int copy;
};

/* Fills A's instructions, for all its places.  *ASIDE becomes what is to be said of them, or NULL.  False at the memory
 * cap. */
bool code_read(struct code_reading *, const char **aside);

/* A line of objdump: is it an instruction?  Then its address and, in LINE, its text. */
bool objdump_line(char *line, uint64_t *address, const char **text);
/* Disassembles [LO, HI) of a module into A's instructions.  How many there are; *WHY becomes why there are none. */
uint32_t objdump_range(struct code_reading *, struct module *, uint32_t mapping, uint64_t lo, uint64_t hi,
                       const char **why);
void objdump_close(struct code_reading *);
/* Adds an instruction; false at the memory cap. */
bool code_add(struct annotation *, uint32_t mapping, uint64_t address, const char *text);

#endif
