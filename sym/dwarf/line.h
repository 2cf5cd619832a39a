/* Lines of code, by a unit's line table. */
#ifndef SYM_DWARF_LINE_H
#define SYM_DWARF_LINE_H

#include "dwarf_file.h"

/* The line that ADDR belongs to: false where the unit's program does not cover it. */
bool lines_find(struct unit *, uint64_t addr, const char **file, uint32_t *line);
/* The name of file I of the unit's table, or NULL. */
const char *lines_file(struct unit *, uint64_t i);
/* Row I of the unit's table: from ADDR on, code belongs to that line of file FILE.  False if there are no more rows. */
bool lines_row(struct unit *, uint32_t i, uint64_t *addr, uint32_t *file, uint32_t *line);
/* The lowest address above LO, and below HI, that has a row: also where that repeats the file and line of the row before. */
bool lines_row_after(struct unit *u, uint64_t lo, uint64_t hi, uint64_t *addr);

#endif
