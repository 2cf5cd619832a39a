/* The rows of a table: functions, modules or lines, and the tree of stacks made of them.  Inside out/ only. */
#ifndef OUT_REPORT_REPORT_ROWS_H
#define OUT_REPORT_REPORT_ROWS_H

#include "lib/index.h"
#include "out/profile/profile.h"
#include "report.h"

struct row {
	const char *name;          /* as prof writes it, with row_suffix behind */
	const char *beside;        /* the module; of a line, its function */
	uint64_t self, total;      /* in TOTAL a stack counts once, however often the row is in it */
	enum function_kind kind;
	bool bare;                 /* no suffix tells the kind */
};

const char *row_suffix(const struct row *);

struct rows {
	const struct profile *p;
	struct arena arena;
	struct row *row;
	uint32_t n, cap;
	struct index index;
	struct tree tree;          /* its frames are rows */
	uint32_t *node;            /* of `tree`, for each node of the profile's tree, or (by lines) of its raw tree */
	uint32_t node_cap, nnode;
	bool raw, full;
	bool lent;                 /* `tree` is the profile's own, and `node` is not needed */
	bool *again;               /* of each node: it recurs; its row stands further out in the stack, too */
	uint32_t again_cap;
	uint64_t *self, *total;    /* of each node */
	uint32_t self_cap, total_cap;
	uint64_t sum, samples;
};

/* False at the memory cap; call rows_free then, too. */
bool rows_open(struct rows *, const struct profile *, enum report_by);
/* Replaces the weights by the weights of N threads. */
void rows_add(struct rows *, const uint32_t *thread, uint32_t n);
void rows_free(struct rows *);
/* The row that equals the given one, or INDEX_NONE. */
uint32_t rows_find(struct rows *, const struct row *);

/* Adds the weight of each node to that of its caller: TOTAL begins with the own weights of the N nodes. */
void rows_sum(const struct tree *, uint64_t *total, uint32_t n);

#endif
