/* --debug-dir and --sysroot, and debuginfod's cache: where files and their debug information are looked for. */
#ifndef CMD_PLACES_H
#define CMD_PLACES_H

#include "sym/module/module.h"

struct places {
	const char *sysroot;       /* NULL: none */
	const char *dir[DEBUG_DIRS];
	unsigned dirs;
};

/* Takes one more --debug-dir, or the --sysroot; false once it has said what is wrong with it. */
bool places_add_dir(struct places *, const char *dir);
bool places_set_sysroot(struct places *, const char *dir);
/* Lets MODULES look there, and where debuginfod's variables say. */
void places_use(const struct places *, struct modules *);

#endif
