/* The one question of the naming step: what is this code called, which line is it, and what was inlined there? */
#ifndef SYM_NAME_H
#define SYM_NAME_H

#include "code.h"
#include "symtab.h"

struct names {
	struct modules *modules;
	struct arena *arena;       /* of the strings made here */
	int kallsyms_fd;           /* opened by sample/, or -1 where the kernel's names are not to be had; read when first needed */
	struct kallsyms *kallsyms;
	bool kallsyms_read;
	bool mangled;              /* --no-demangle */
	bool brief;                /* --short-names */
	bool outermost;            /* --no-inline: what is inlined belongs to the function it is in */
	struct { const char *symbol, *plain; } recent[512];   /* by the symbol's address: the codes of a function come in crowds */
};

enum name_kind { NAME_USER, NAME_KERNEL, NAME_JIT, NAME_MARK, NAME_INLINED };

struct name {
	enum name_kind kind;
	const char *function;      /* never NULL: a symbol, or `[file+0xSTART]`, `[unknown]`, or a marker; without _[k] */
	const char *module;        /* the module's file name, "[kernel]", "[jit]", or "" */
	const char *file;          /* source of what ran, or NULL; */
	uint32_t line;             /* the line of it, or of its call to the next frame inlined into it; 0: not known */
	const char *declared;      /* source of the function's declaration, or NULL; */
	uint32_t begins;           /* the line of it; 0: not known */
	uint64_t start;            /* of the function, as linked; two names of one function are equal in (module, start) */
	bool found;                /* a symbol was found for it */
};

/* Kernel names will be asked for: reads some LINES of them.  False once there are no more to read. */
bool names_ahead(struct names *, uint32_t lines);
/* Names CODE: frames from the outermost inward (more than one with inlines), at most MAX; returns how many, at least 1. */
unsigned name_code(struct names *, const struct code *, struct name *out, unsigned max);

#endif
