/* User-level statically defined tracepoints: what <sys/sdt.h> and its kind leave in .note.stapsdt (systemtap's wiki, "User
 * Space Probe Implementation"). */
#ifndef SYM_PROBE_USDT_H
#define SYM_PROBE_USDT_H

#include "sym/elf/elf.h"

struct usdt {
	const char *provider, *name;
	const char *args;          /* "-4@%edi 8@-8(%rbp)"; "" for none */
	uint64_t pc;               /* as linked, after prelinking */
	uint64_t semaphore;        /* the same; 0: none */
};

struct usdt_notes {
	struct cursor notes;
	uint64_t base;             /* where .stapsdt.base is now; 0: not known */
	uint8_t word;              /* bytes of an address */
};

void usdt_open(struct usdt_notes *, const struct elf *);
/* The next one; false at the end, or where the notes are broken.  Its strings lie in the file. */
bool usdt_next(struct usdt_notes *, struct usdt *);

#endif
