/* The files of a profile that prof has read: at their old places if they are still the same builds, else where prof symbolize
 * finds them. */
#ifndef CMD_ANNOTATE_ANNOTATE_FILES_H
#define CMD_ANNOTATE_ANNOTATE_FILES_H

#include "out/report/annotate.h"
#include "cmd/options/file_search.h"

struct annotation_files {
	const struct annotation *a;
	struct modules *modules;
	const struct search_dirs *dirs;
	struct file_search search;
	struct module **module;    /* by the profile's mappings; all of them NULL */
};

/* Fills MODULE for the mappings in which the function has code, and warns of files that are gone.  False at the memory cap. */
bool annotation_files_find(struct annotation_files *);

#endif
