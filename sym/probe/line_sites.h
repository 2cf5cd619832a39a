/* The code of a source line, by a module's line tables. */
#ifndef SYM_PROBE_LINE_SITES_H
#define SYM_PROBE_LINE_SITES_H

#include "sym/module/module.h"

/* Calls FOUND for the lowest address of the line in each function; FILE is the end of a path.  *NEAR: the next line that has
 * code; 0: none.  NULL, or what is wrong in words.  It ends when FOUND returns false. */
const char *line_sites(struct modules *, struct module *, const char *file, uint32_t line, uint32_t *near,
                       bool (*found)(void *ctx, uint64_t vaddr, const char *file, uint32_t line), void *ctx);

#endif
