/* The one question of the naming step: which function and line a code belongs to, and what was inlined there. */
#ifndef SYM_NAME_H
#define SYM_NAME_H

#include "sym/module/code.h"
#include "sym/module/symtab.h"

enum name_kind { NAME_USER, NAME_KERNEL, NAME_JIT, NAME_MARK, NAME_INLINED, NAME_LANGUAGE };

struct name {
	enum name_kind kind;
	const char *function;      /* never NULL: a symbol, or `[file+0xSTART]`, `[unknown]`, or a marker; without _[k] */
	const char *module;        /* the module's file name, "[kernel]", "[jit]", or "" */
	const char *file;          /* source of what ran, or NULL; */
	uint32_t line;             /* the line that ran, or of the call to the next frame inlined into it; 0: not known */
	const char *declared;      /* source of the function's declaration, or NULL; */
	uint32_t begins;           /* the line of it; 0: not known */
	uint64_t start;            /* of the function, as linked; two names of one function are equal in (module, start) */
	bool found;                /* it has a symbol */
};

struct names {
	struct modules *modules;
	struct arena *arena;       /* of the strings made here */
	int kallsyms_fd;           /* sample/ opens it; -1: the kernel hides its names; read when first needed */
	size_t (*kernel_read)(int32_t pid, uint64_t addr, void *to, size_t n);   /* see kallsyms_tables_open; or NULL */
	size_t (*kernel_says)(const char *addrs, char *text, size_t size);         /* see bpf_names; or NULL */
	const struct kernel_file *kernel_file;   /* of a kernel that ran elsewhere: see kernel_file.h */
	uint32_t kernel_files;
	bool kernel_moved;         /* KALLSYMS_FD is of another start of that kernel */
	struct kallsyms *kallsyms;
	bool mangled;              /* --no-demangle */
	bool brief;                /* --short-names */
	uint32_t looked;           /* names of files that were looked up */
	bool outermost;            /* --no-inline: inlined code belongs to the function around it */
	struct { const char *symbol, *plain; } recent[512];   /* by the symbol's address: the codes of a function come close together */
	/* The last name in a file; it holds for all of [lo, hi) there. */
	struct { const struct module *module; uint64_t lo, hi; struct name name; } last;
};

/* Prepares later questions for the names of these N addresses of MODULE, in this order. */
void name_ahead(struct names *, uint32_t module, const uint64_t *vaddr, uint32_t n);
/* Prepares a later question for the kernel's name at VADDR: reads at most MAX names for it.  False if nothing is left to
 * read. */
bool names_ahead(struct names *, uint64_t vaddr, uint32_t max);
void names_free(struct names *);
/* Gives back what can be read again. */
void names_rest(struct names *);
/* Names CODE: frames from the outermost inward (more than one with inlines), at most MAX; returns how many, at least 1. */
unsigned name_code(struct names *, const struct code *, struct name *out, unsigned max);

#endif
