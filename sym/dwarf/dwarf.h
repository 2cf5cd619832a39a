/* Lines and inlined functions of code, by a module's DWARF 2 to 5 (in its own file, a detached one, split or shared files:
 * see debug_file.h).  Units are found by .debug_aranges or their first entry, and read when an address falls into them. */
#ifndef SYM_DWARF_DWARF_H
#define SYM_DWARF_DWARF_H

#include "sym/module/module.h"
#include "place.h"

/* The functions that VADDR lies in, outermost first: each but the first is inlined into the one before.  Of more than MAX the
 * innermost are left out.  0: the DWARF knows nothing there.  Asking in the order of addresses is quickest.
 * Strings live as long as MODULES. */
unsigned dwarf_find(struct modules *, struct module *, uint64_t vaddr, struct place *out, unsigned max);
/* These N addresses, in their order, will be asked for: what is read for them is read in the order of the file. */
void dwarf_ahead(struct modules *, struct module *, const uint64_t *vaddr, uint32_t n);
/* Gives back what was read; it is read again where it is asked for. */
void dwarf_rest(struct modules *);

#endif
