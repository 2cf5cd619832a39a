/* The rows of a table: functions, modules or lines, and the tree of stacks made of them.  Inside out/ only. */
#ifndef OUT_REPORT_REPORT_ROWS_H
#define OUT_REPORT_REPORT_ROWS_H

#include "lib/index.h"
#include "out/profile/profile.h"
#include "report.h"

struct words {
	const char *name;          /* as prof writes it, with row_suffix behind */
	const char *beside;        /* the module; of a line, its function */
	enum function_kind kind;
	bool bare;                 /* no suffix tells the kind */
};

struct row_weight {
	uint64_t self, total;      /* in TOTAL a stack counts once, however often the row is in it */
};

struct row {
	struct words words;
	struct row_weight weight;
};

const char *row_suffix(const struct words *);

struct rows {
	const struct profile *p;
	struct arena arena;
	struct words *words;       /* of each row, unless LENT */
	struct row_weight *weight;
	uint32_t n, words_cap, weight_cap;
	struct index index;
	struct tree tree;          /* its frames are rows */
	uint32_t *node;            /* of `tree`, for each node of the profile's tree, or (by lines) of its raw tree */
	uint32_t node_cap, nnode;
	bool raw, full;
	bool lent;                 /* rows are the profile's functions, `tree` is its own, and `node` is not needed */
	bool *again;               /* of each node: it recurs; its row stands further out in the stack, too */
	uint32_t again_cap;
	uint64_t *self, *total;    /* of each node; SELF: after rows_own */
	uint32_t self_cap, total_cap;
	uint64_t sum, samples;
};

/* False at the memory cap; call rows_free then, too. */
bool rows_open(struct rows *, const struct profile *, enum report_by);
/* Replaces the weights by the weights of N threads. */
void rows_add(struct rows *, const uint32_t *thread, uint32_t n);
/* Finds each node's own weight; false at the memory cap. */
bool rows_own(struct rows *);
void rows_free(struct rows *);
/* The row that has these words, or INDEX_NONE. */
uint32_t rows_find(struct rows *, const struct words *);
struct row rows_at(const struct rows *, uint32_t row);

static inline const char *
rows_name(const struct rows *rows, uint32_t row)
{
	return rows->lent ? rows->p->function[row].name : rows->words[row].name;
}

/* Adds the weight of each node to that of its caller: TOTAL begins with the own weights of the N nodes. */
void rows_sum(const struct tree *, uint64_t *total, uint32_t n);

#endif
