/* Finding files by their build-ids or paths, below a directory that holds those of another machine, or on this one. */
#ifndef CMD_BUILDS_H
#define CMD_BUILDS_H

#include "search_dirs.h"

struct builds {
	struct arena arena;
	struct build *build;
	uint32_t n, cap, missing;
	struct index index;
};

/* Takes note of a file: the LEN characters of its build-id, in hexadecimal, or of its path.  False at the memory cap. */
bool builds_want(struct builds *, const char *file, size_t len, bool by_id);
/* Looks for all of them. */
void builds_find(struct builds *, struct modules *, const struct places *);
/* The module of a file that was wanted, or NULL where it was not found. */
struct module *builds_module(const struct builds *, const char *file, size_t len);
/* Warns of those that were not found. */
void builds_tell_missing(const struct builds *);

#endif
