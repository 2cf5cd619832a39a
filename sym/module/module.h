/* A module: one file (or memory image, or the kernel, or a process's JIT code) that code comes from.  Interned by
 * identity, so that a file mapped by a thousand processes is opened and indexed once.  Indexes are built at first use
 * and belong to the module. */
#ifndef SYM_MODULE_MODULE_H
#define SYM_MODULE_MODULE_H

#include "lib/filemap.h"
#include "lib/work.h"
#include "lib/index.h"
#include "sym/elf/elf.h"

enum module_kind {
	MODULE_MARK,      /* prof's own markers: module 0; or a word that stands in stacks as it is: PATH */
	MODULE_KERNEL,    /* always module 1 */
	MODULE_LANGUAGE,  /* what an interpreter runs: functions of a language, see language.h */
	MODULE_FILE,
	MODULE_IMAGE,     /* vdso, or a file's image read from a process's memory */
	MODULE_JIT,       /* code without a file in process PID: perf maps name it */
	MODULE_LOST,      /* a file that could not be opened: PATH and file offset are all that is known */
};

struct module {
	enum module_kind kind;
	uint32_t id;
	const char *path;          /* as its process calls it */
	const char *name;          /* the last part of PATH */
	const char *bad;           /* why there is nothing to read in it, or NULL */
	bool met;                  /* a stack has an address in it */
	struct work work;          /* the work that reading it may still take; OVER: prof has given up */
	struct filemap file;
	struct elf elf;
	int32_t pid;               /* MODULE_JIT: in prof's pid namespace */
	struct jit *jit;           /* MODULE_JIT: see jit.h */
	struct jit_limits *limits; /* MODULE_JIT: see jit.h */
	struct module *parent;     /* MODULE_JIT: of the process it was forked off, or NULL */
	const struct module_language *language;   /* what it has of a language, see languages.c; NULL until asked for */
	struct language_functions *functions;     /* MODULE_LANGUAGE: see languages.c */
	struct ehframe *ehframe;   /* see ehframe.h; NULL until asked for */
	struct symtab *symtab;     /* see symtab.h; NULL until asked for */
	struct go_table *go;       /* Go's table of functions; the same */
	struct beginnings *beginnings;   /* see beginning.h; the same */
	struct dwarf *dwarf;       /* see dwarf.h: what it holds itself; NULL until asked for */
	struct dwarf *lines;       /* the DWARF of its code, there or in another file; once LINES_ASKED */
	bool lines_asked;
	bool no_elf;               /* MODULE_FILE: it is of another format, so what lies at an address of its code is known only in a process */
	bool loopless, reserveless;   /* convention.c and hosted_frame.c: it has no function that enters such code; none that makes room for others; */
	bool runtimeless;             /* it is not the runtime of code that does so */
	bool descriptor_asked;     /* see registered.c: whether prof has looked for a list of code that a process made; */
	uint64_t descriptor;       /* where it begins, or 0 */
	struct debug_files *debug;       /* see debug_file.h; NULL until asked for */
	uint64_t dev, ino, size, mtime;
	uint8_t root;              /* the root directory of PATH: 0 is prof's own, else the number of modules' root + 1 */
};

/* Whether its code is read from the process that runs it, where it may become other code. */
static inline bool
module_is_live(const struct module *m)
{
	return m->kind == MODULE_JIT || m->no_elf;
}

/* Whether VADDR is in a part of the file that is data there.  Such code was in memory when a process wrote the file (dumped heaps of Lisp
 * systems), and may be other code by now. */
static inline bool
module_may_differ(const struct module *m, uint64_t vaddr)
{
	return m->kind == MODULE_FILE && !m->bad && !elf_is_code(&m->elf, vaddr);
}

enum { MODULE_ROOTS = 64, DEBUG_DIRS = 8, DEBUG_CACHES = 3 };

/* Another root directory than prof's own, kept open. */
struct module_root {
	uint64_t dev, ino;
	int fd;
};

/* More places of debug files; NULL or 0: not given. */
struct debug_places {
	uint8_t sysroot;           /* as in struct module */
	const char *dir[DEBUG_DIRS], *cache[DEBUG_CACHES];   /* --debug-dir; debuginfod's two, and perf's where its files are read */
};

/* The beginning of a struct that must give back more than memory of the modules' arena. */
struct module_owned {
	struct module_owned *next;
	void (*free)(struct module_owned *);
};

struct modules {
	struct arena arena;        /* of the modules and all their indexes */
	struct module **module;    /* by id */
	uint32_t n, cap;
	struct index index;        /* of files, images and lost ones */
	struct module *mark, *kernel;
	struct module_owned *owned;
	struct jit *jits;          /* see jit.h: the newest of them; NULL while no process has one */
	struct made_codes *made;   /* see made_code.h; NULL while there is none */
	struct debug_searched *searched;   /* see debug_search.c; NULL until one is looked for */
	uint64_t beginnings;       /* bytes of code of which beginning.c keeps them */
	struct dwarf_cache *cache; /* see dwarf_cache.h; NULL until something is read */
	struct paths *paths;       /* see path.h; NULL until something is read */
	int (*open)(int root, const char *path);   /* sample/'s: a regular file below ROOT (-1: prof's own), or -1; NULL: none */
	struct module_root root[MODULE_ROOTS];
	uint32_t nroot;
	struct debug_places places;
	bool lineless;             /* the user wants no files and lines: dwarf.h gives only functions */
};

bool modules_init(struct modules *);
void modules_free(struct modules *);

/* The module of the file behind FD, the same one for the same file.  The caller keeps FD.  If the file is not a valid ELF
 * file, BAD says why.  NULL at the memory cap. */
struct module *module_file(struct modules *, int fd, const char *path);
/* The module of a file that prof could not open, WHY in words. */
struct module *module_lost(struct modules *, const char *path, const char *why);
/* The N bytes of a memory image, copied. */
struct module *module_image(struct modules *, const char *path, const void *bytes, size_t n);
/* N bytes in memory, which live as long as the modules do, laid out as in a file. */
struct module *module_bytes(struct modules *, const char *path, const void *bytes, size_t n);
/* A word, for a frame that is not code; its address is 0. */
struct module *module_word(struct modules *, const char *word);
/* Adds a module like LIKE, which no search for an equal one finds; NULL at the memory cap. */
struct module *module_add(struct modules *, const struct module *like, const char *path);

/* Registers what modules_free must free before the arena; it lies in the arena itself. */
void modules_own(struct modules *, struct module_owned *, void (*free)(struct module_owned *));

/* The number of the root directory FD, new or known; 0 if there are too many.  The caller keeps FD. */
uint8_t modules_root(struct modules *, int fd);

#endif
