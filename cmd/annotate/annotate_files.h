/* The files of a profile that was read: where they were, if they are still the same builds, else as prof symbolize finds them. */
#ifndef CMD_ANNOTATE_FILES_H
#define CMD_ANNOTATE_FILES_H

#include "out/report/annotate.h"
#include "cmd/options/file_search.h"

struct file_search {
	const struct annotation *a;
	struct modules *modules;
	const struct places *places;
	struct builds builds;
	struct module **module;    /* by the profile's mappings; all of them NULL */
};

/* Fills MODULE for the mappings in which the function has code, and tells of those that are not there.  False at the memory
 * cap. */
bool files_find(struct file_search *);

#endif
