/* One function of a profile, by its lines and by its instructions: itself, and with all that it calls.
 *
 * A line (an instruction) is in a stack once, however often the function recurses: the outermost call has what it calls.  A
 * line's own weight is only what ran in FUNCTION itself; an instruction's own weight is also what was inlined into FUNCTION
 * there. */
#ifndef OUT_REPORT_ANNOTATE_H
#define OUT_REPORT_ANNOTATE_H

#include "stack_weights.h"

/* All functions with one name; kernel functions are apart. */
struct called {
	const char *name;
	bool kernel;
	struct weight weight;
};

struct source_line {
	const char *file;          /* NULL: not known, and no line either */
	uint32_t line;
	struct weight weight;
};

/* A place where the function has code, or what is inlined into it. */
struct code_place {
	uint32_t mapping;          /* MAPPING_NONE: the kernel, JIT code */
	uint64_t address;
	uint32_t site;             /* the innermost */
	bool calls;                /* the last byte of a call, as far as it is in any stack */
};

struct instruction {
	uint32_t mapping;
	uint64_t address;
	const char *text;          /* disassembled, or bytes; or NULL */
	uint32_t site;             /* the site of what was sampled there, else UINT32_MAX */
	struct weight weight;
};

struct annotation {
	const struct profile *p;
	struct called *called;
	uint32_t ncalled, called_cap;
	uint32_t *which;           /* number in CALLED, of each function of the profile */
	uint32_t which_cap;
	struct source_line *line;  /* by file and line */
	uint32_t nline, line_cap;
	struct code_place *place;  /* by mapping and address */
	uint32_t nplace, place_cap;
	struct instruction *instruction;   /* the caller's: by mapping and address; each place lies in one */
	uint32_t ninstruction, instruction_cap;
	uint32_t *line_of, *place_of;      /* by site: UINT32_MAX if the site is not of the function */
	uint32_t line_of_cap, place_of_cap;
	uint32_t chosen;           /* in CALLED */
	uint64_t sum;              /* of all samples of the event */
};

/* Finds which functions there are, and what they weigh (in all events).  P has names, and must outlive it.  False at the
 * memory cap. */
bool annotation_open(struct annotation *, const struct profile *);
void annotation_close(struct annotation *);
/* Puts the functions that WORD may mean into MATCH, which has room for all: the heaviest first, as numbers in CALLED.
 * Returns how many.  WORD is a whole name, else a name without its parameters and its clone's suffix (.part.0), else a part
 * of names, else a regular expression. */
uint32_t annotation_match(const struct annotation *, const char *word, struct arena *, uint32_t *match);
/* Gathers the function's lines and places.  False at the memory cap. */
bool annotation_choose(struct annotation *, uint32_t called);
/* Adds an instruction, without a copy of its text.  False at the memory cap. */
bool annotation_instruction(struct annotation *, uint32_t mapping, uint64_t address, const char *text);
/* Computes what lines, instructions and functions weigh in one event (UINT32_MAX: in all).  False at the memory cap. */
bool annotation_weigh(struct annotation *, uint32_t event);
/* Whether an interpreter runs the chosen function: it has lines, but no instructions of the processor. */
bool annotation_interpreted(const struct annotation *);

/* How to show it. */
struct annotation_view {
	bool ascii;                /* the terminal shows only ASCII */
	unsigned width, context;   /* columns, 0: all; lines around those that weigh something */
	unsigned min;              /* lines with less have no row for their own sake: hundredths of a percent */
	bool colour, lines, instructions;
	/* The text of a line, *N bytes without its newline; NULL if it is not found. */
	const char *(*source)(void *ctx, const char *file, uint32_t line, size_t *n);
	void *ctx;
	const char *aside;         /* a remark about the instructions, or NULL */
};

#endif
