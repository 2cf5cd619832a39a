/* The frame descriptions of a module: which FDE covers an address, and what it says (LSB core, Exception Frames;
 * DWARF 5 section 6.4).  Found by .eh_frame_hdr's table, else by an index built once from .eh_frame or .debug_frame.
 * What the instructions mean is unwind/'s business. */
#ifndef SYM_MODULE_EHFRAME_H
#define SYM_MODULE_EHFRAME_H

#include "module.h"

struct fde {
	uint64_t lo, hi;           /* the code it covers, as linked */
	struct cursor cie_insns, insns;
	uint64_t code_align;
	int64_t data_align;
	uint8_t address_size;
	uint8_t pointer_encoding;  /* for DW_CFA_set_loc: DW_EH_PE_* */
	uint16_t ra;               /* the return address column */
	bool signal;               /* augmentation 'S': interrupted, not called */
	bool debug;                /* of .debug_frame: not made for unwinding at run time */
	bool told;                 /* by a process, of code that it made (registered.h) */
	bool b_key;                /* augmentation 'B' (aarch64) */
	uint64_t insns_vaddr;      /* of insns.pos, for pc-relative DW_CFA_set_loc */
};

/* The FDE that covers VADDR; false if there is none, or if it lies. */
bool ehframe_find(struct modules *, struct module *, uint64_t vaddr, struct fde *);
/* The start of the function that covers VADDR by the frame descriptions, or false: for code without a symbol. */
bool ehframe_start(struct modules *, struct module *, uint64_t vaddr, uint64_t *start, uint64_t *end);
/* The first FDE at *OFF or behind it in BYTES, a section that lies at VADDR (DEBUG: of .debug_frame); *OFF becomes the place behind it. */
bool ehframe_next(struct cursor bytes, uint64_t vaddr, bool is64, bool debug, uint64_t *off, struct fde *);
/* Reads the one FDE in BYTES, a table for the code at [LO, HI) alone.  The addresses in it do not matter. */
bool ehframe_alone(struct cursor bytes, bool is64, uint64_t lo, uint64_t hi, struct fde *);
/* Where the code of description number I begins, in the order of addresses; 0: there are no more. */
uint64_t ehframe_number(struct modules *, struct module *, uint32_t i);
/* Whether the module has any frame description at all. */
bool ehframe_any(struct modules *, struct module *);

#endif
