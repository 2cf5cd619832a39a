/* Paths of source files, each kept once. */
#ifndef SYM_DWARF_PATH_H
#define SYM_DWARF_PATH_H

#include "sym/module/module.h"

/* The path of file NAME in DIR of COMP_DIR; DIR and COMP_DIR may be NULL.  NULL at the memory cap, or if the path is too
 * long. */
const char *path_keep(struct modules *, const char *comp_dir, const char *dir, const char *name);

#endif
