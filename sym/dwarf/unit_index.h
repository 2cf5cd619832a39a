/* The unit that an address belongs to. */
#ifndef SYM_DWARF_UNIT_INDEX_H
#define SYM_DWARF_UNIT_INDEX_H

#include "dwarf_file.h"

/* The unit that has code at ADDR, or NULL; its slot, or UINT32_MAX. */
struct unit *index_find(struct dwarf *, uint64_t addr);
uint32_t index_slot(struct dwarf *, uint64_t addr);
/* The place of its header by .debug_aranges, which may be wrong; UINT64_MAX if it does not say.  This does not read
 * .debug_info. */
uint64_t index_told(struct dwarf *, uint64_t addr);

#endif
