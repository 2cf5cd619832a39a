/* Languages whose code an interpreter runs: the frames of the language that a thread has at a moment, and their places in the native
 * stack.  A language is a file here and a row of languages.c.  A frame of a language is a code like any other: a module that stands
 * for the language, and there a function and a place in it.
 *
 * All memory of a process may be hostile, and may change while prof reads it.  Languages read it only through struct look, within a
 * budget. */
#ifndef SYM_LANGUAGE_LANGUAGE_H
#define SYM_LANGUAGE_LANGUAGE_H

#include "lib/mem.h"
#include "lib/pieces.h"
#include "sym/module/code.h"
#include "sym/module/space.h"

/* A thread at a moment.  Its native frames are those of a walk, innermost first: frame I has the stack at [sp[i], sp[i + 1]); sp 0:
 * not known. */
struct moment {
	struct space *space;
	int32_t tid;
	uint64_t time;             /* ns; tells when to look again for what was not found */
	const uint64_t *reg;       /* registers in any order, */
	const uint8_t *number;     /* and DWARF's number of each */
	uint32_t nreg;
	struct piece stack;        /* the copy of the stack from the moment itself */
	struct pieces rest;        /* other copies from the moment */
	uint64_t pointer, at;      /* the thread pointer, and the word to which the sampler went for AT of the stack; 0: not known */
	const uint32_t *code;
	const uint64_t *sp;        /* N + 1 of them */
	uint32_t n;
	bool whole;                /* the walk reached the thread's first function, and left nothing out */
	bool waits;                /* the thread is off the CPU, */
	uint64_t arg;              /* in a system call with this first argument; 0: not known */
	bool kernel;               /* it was interrupted in the kernel */
	bool still;                /* it has not run since, so its frames are as they were */
};

/* A frame of a language, of code CODE; the native frame that holds address ENTRY runs it. */
struct language_frame {
	uint64_t entry;
	uint32_t code;
};

/* Where a sampler finds the frames of another thread of the process: see AT below; of THEN and BACK they have the same. */
struct language_other {
	uint64_t at;
	int32_t tid;
};

enum { LANGUAGE_FRAMES = 2048 };
#define LANGUAGE_NO_THEN UINT64_MAX

/* What a thread has to do with the lock that lets one thread at a time interpret. */
enum language_lock { LOCK_NOT_KNOWN, LOCK_HELD, LOCK_NOT_HELD, LOCK_WANTED };

/* What a thread runs, innermost first, ENTRY never falling. */
struct language_stack {
	struct language_frame frame[LANGUAGE_FRAMES];
	uint32_t n;
	uint32_t doubtful;         /* pieces that could not be verified: each is one frame [NAME?] */
	uint64_t at, then, back;   /* for a sampler that can copy memory at the moment itself: see struct deep_chain; AT 0: not known */
	uint64_t tls;              /* how far from a thread's pointer the sampler finds this for each thread: see struct deep_chain; 0: not known */
	const struct language_other *other;   /* threads that prof has met besides, NOTHERS of them: a process may lie about their numbers */
	uint32_t nothers;
	bool late;                 /* the frames were not copied at the moment */
	bool handlers;             /* the interpreter has two native frames: also the one that the frame with the entry calls */
	enum language_lock lock;
	const struct language *of;
	const char *thread;        /* what the program calls the thread, or NULL; lives as long as the capture */
};

/* A function of a language.  Equal functions are one, also of different processes. */
struct language_function {
	const char *name;          /* as it stands in stacks */
	const char *file;          /* or NULL */
	const char *lines;         /* bytes of a table for line_of, NLINES of them */
	uint32_t nlines;
	uint32_t line;             /* where it begins, or 0 */
	uint8_t form;              /* of LINES */
};

struct languages;

struct language {
	const char *name, *title;  /* "[python]", "Python" */
	const char *doubt;         /* the word for what could not be verified: "[python?]" */
	/* Whether the interpreter's function of that name only leads from one function of the language to the next, and whether a
	 * function without a name does (of an interpreter without symbols). */
	bool (*leads_on)(const char *symbol);
	bool (*nameless)(const struct module *);
	bool calls;                /* functions in C have frames of the language, too, so without a name they always only lead on */
	/* What MODULE has of the language: lives in the modules' arena; NULL if it has nothing. */
	void *(*find)(struct modules *, struct module *);
	/* The state of a process that maps the module, with BIAS: SIZE bytes, zeroed; DONE gives back what is not in an arena. */
	size_t size;
	void (*begin)(void *process, const void *found, struct module *, uint64_t bias);
	void (*done)(void *process);
	/* The frames at a moment. */
	void (*frames)(void *process, struct languages *, const struct moment *, struct language_stack *);
	/* The line at place AT of a function; 0: not known. */
	uint32_t (*line_of)(const struct language_function *, uint32_t at);
};

/* The languages of a capture. */
struct languages *languages_new(struct modules *, struct codes *);
/* The frames that the thread has by any language, or NULL if its process has none. */
const struct language_stack *languages_frames(struct languages *, const struct moment *);
/* The code of place AT in a function, for languages' own use; CODE_UNKNOWN at the memory cap. */
uint32_t languages_code(struct languages *, const struct language *, const struct language_function *, uint32_t at);
uint32_t languages_doubt(struct languages *, const struct language *);
const struct code *languages_native(const struct languages *, uint32_t code);
/* Whether CODE, a native frame of the moment's process, only leads from one function of the language to the next.  OUTER: the thread has
 * begun a function of the language since. */
bool languages_leads_on(struct languages *, const struct moment *, uint32_t code, bool outer);
/* Puts the frames of STACK in place of the native frames that run them, and leaves out those that only lead to such a frame;
 * INTERPRETER: keeps all native frames.  Returns how many codes there are in TO. */
uint32_t language_merge(struct languages *, const struct moment *, const struct language_stack *, bool interpreter, uint32_t *to, uint32_t max);

/* The function of a language's code, and the line there. */
const struct language_function *language_function(const struct module *, uint64_t vaddr, uint32_t *line);

#endif
