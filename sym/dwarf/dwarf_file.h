/* The DWARF of a file: its sections, and what all parts of the reader need of its units (DWARF 5, chapters 2, 3 and 7). */
#ifndef SYM_DWARF_DWARF_FILE_H
#define SYM_DWARF_DWARF_FILE_H

#include "lib/cursor.h"
#include "disjoint_ranges.h"
#include "dwarf_cache.h"

enum dwarf_section {
	INFO, ABBREV, LINE, STR, LINE_STR, STR_OFFSETS, ADDR, RANGES, RNGLISTS, ARANGES, CU_INDEX, LOC, LOCLISTS, SECTIONS
};

/* The place of a unit's header is known from the start.  The unit is opened when somebody needs it, and forgotten with the
 * cache. */
struct slot {
	uint64_t off;              /* of its header in .debug_info */
	uint32_t generation;       /* of UNIT; if it is not the cache's, UNIT is forgotten */
	bool code;                 /* it may describe code: neither partial nor of types; */
	bool told;                 /* .debug_aranges or its first entry says which code; or it has no functions */
	struct unit *unit;
};

/* The DWARF of one file: a module's debug file, one shared by several, a .dwo, a .dwp. */
struct dwarf {
	struct modules *modules;
	struct dwarf_cache *cache;
	struct module *module;     /* the file */
	bool split;                /* a .dwo or .dwp: its sections' names end in .dwo */
	struct cursor section[SECTIONS];
	bool fetched[SECTIONS];
	struct slot *slot;         /* by offset: of the units up to WALKED, a place in .debug_info; in the modules' arena */
	uint32_t nslot, slot_cap;
	uint64_t walked;
	struct dwarf *alt, *dwp;
	bool alt_asked, dwp_asked;
	uint64_t work;             /* bytes read of abbreviations for units' first entries */
	/* Of a module's debug file only. */
	struct making *making;     /* its index, once one was asked for; */
	void (*found)(struct dwarf *, uint32_t slot);   /* called for each unit that is found, while its entry is in memory */
	struct disjoint_range *told;         /* by .debug_aranges; settled; WHAT: the offset of the unit's header, which may be wrong */
	struct disjoint_range *span;         /* by the units themselves; settled; WHAT: the slot */
	uint32_t ntold, nspan;
	bool indexed, indexed_all;
	const struct elf *code;    /* of the module that it describes */
};

struct unit {
	struct dwarf *dwarf;
	uint64_t off, end, root;   /* of the header, behind the unit, of the first entry: in .debug_info */
	uint64_t abbrev_off, dwo_id;
	uint16_t version;
	uint8_t type, address_size, offset_size;
	/* From the first entry. */
	const char *comp_dir, *dwo_name;
	uint64_t str_offsets, addr, rnglists, ranges, low, line;
	bool has_line;
	struct unit *skeleton;     /* of a split unit: the unit with its addresses and lines */
	/* Made when asked for; in the cache. */
	struct unit *split;        /* of a skeleton: the rest of it */
	bool split_asked;
	struct abbrevs *abbrevs;
	struct functions *functions;
	struct line_table *lines;
};

/* Makes the DWARF of FILE, without units yet; NULL at the memory cap. */
struct dwarf *dwarf_new(struct modules *, struct module *file, bool split);
struct cursor dwarf_section(struct dwarf *, enum dwarf_section);
/* The string at OFF of a section, or NULL. */
const char *section_string(struct dwarf *, enum dwarf_section, uint64_t off);
/* The DWARF file that this one shares with others, or NULL. */
struct dwarf *dwarf_alt(struct dwarf *);
/* Whether the module has code at ADDR: DWARF also has ranges near 0, for functions that the linker dropped. */
bool dwarf_is_code(const struct dwarf *, uint64_t addr);
/* Forgets what was read if it has become too much.  After that the caller's units do not exist any more. */
void dwarf_tidy(struct dwarf *);
/* Memory that is given back with the cache; NULL at the cap. */
void *unit_alloc(struct unit *, size_t);

#endif
