/* --debug-dir and --sysroot, and debuginfod's cache: where prof looks for files and their debug information. */
#ifndef CMD_OPTIONS_SEARCH_DIRS_H
#define CMD_OPTIONS_SEARCH_DIRS_H

#include "sym/module/module.h"

struct search_dirs {
	const char *sysroot;       /* NULL: none */
	const char *dir[DEBUG_DIRS];
	unsigned ndir;
};

/* Takes one more --debug-dir, or the --sysroot; false after an error message. */
bool search_dirs_add(struct search_dirs *, const char *dir);
bool search_dirs_sysroot(struct search_dirs *, const char *dir);
/* Makes MODULES look there, and in the places that debuginfod's variables name. */
void search_dirs_use(const struct search_dirs *, struct modules *);

#endif
