/* The instructions of a function, from objdump. */
#ifndef CMD_ANNOTATE_ANNOTATE_OBJDUMP_H
#define CMD_ANNOTATE_ANNOTATE_OBJDUMP_H

#include "out/report/annotate.h"
#include "sym/module/module.h"

struct objdump {
	struct annotation *a;      /* takes the instructions */
	struct arena *arena;       /* of their texts */
	const char *program;       /* the one to ask; NULL: those on PATH, from the number FIRST on */
	unsigned first;
	const struct module *copied;   /* what COPY is a copy of, or NULL */
	int copy;
};

/* Whether a line of objdump is an instruction; then its address, and in LINE its text. */
bool objdump_line(char *line, uint64_t *address, const char **text);
/* Disassembles [LO, HI) of a module.  Returns the number of instructions; if it is 0, *WHY says why. */
uint32_t objdump_range(struct objdump *, struct module *, uint32_t mapping, uint64_t lo, uint64_t hi, const char **why);
void objdump_close(struct objdump *);
/* In the keeper: does what objdump_range asks; PROGRAM is as in struct objdump.  0 and the descriptor, or -1. */
long objdump_serve(const char *program, const char *words, int with, int *fd);

#endif
