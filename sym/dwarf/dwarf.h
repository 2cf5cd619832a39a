/* Lines and inlined functions of code, by a module's DWARF 2 to 5 (in its own file, a detached one, split or shared files:
 * see debug_file.h).  prof finds units by .debug_aranges or their first entry, and reads them when an address falls into
 * them. */
#ifndef SYM_DWARF_DWARF_H
#define SYM_DWARF_DWARF_H

#include "sym/module/module.h"
#include "place.h"

/* The functions that VADDR lies in, outermost first: each but the first is inlined into the one before.  If there are more
 * than MAX, it leaves out the innermost.  0: the DWARF knows nothing there.  Questions in the order of addresses are
 * quickest.  Strings live as long as MODULES. */
unsigned dwarf_find(struct modules *, struct module *, uint64_t vaddr, struct place *out, unsigned max);
/* Prepares the questions for these N addresses, in their order: it reads what they need in the order of the file. */
void dwarf_ahead(struct modules *, struct module *, const uint64_t *vaddr, uint32_t n);
/* Gives back what was read; a later question reads it again. */
void dwarf_rest(struct modules *);

#endif
