/* What the parts of the DWARF reader share: a file's sections and units, forms and attributes, entries (DWARF 5, chapters 2, 3
 * and 7).  Nothing outside sym/dwarf*.c includes it. */
#ifndef SYM_DWARF_UNIT_H
#define SYM_DWARF_UNIT_H

#include "lib/index.h"
#include "dwarf.h"
#include "disjoint_ranges.h"

enum dwarf_section {
	INFO, ABBREV, LINE, STR, LINE_STR, STR_OFFSETS, ADDR, RANGES, RNGLISTS, ARANGES, CU_INDEX, SECTIONS
};

/* A unit's header is known by its place; the unit is opened when it is needed, and forgotten with the cache. */
struct slot {
	uint64_t off;              /* of its header in .debug_info */
	uint32_t generation;       /* of UNIT; not the cache's: it is forgotten */
	bool code;                 /* it may describe code: neither partial nor of types; */
	bool told;                 /* and which, by .debug_aranges or its first entry; or it has no functions */
	struct unit *unit;
};

/* The DWARF of one file: a module's debug file, one shared by several, a .dwo, a .dwp. */
struct dwarf {
	struct modules *modules;
	struct module *module;     /* the file */
	bool split;                /* a .dwo or .dwp: its sections' names end in .dwo */
	struct cursor section[SECTIONS];
	bool fetched[SECTIONS];
	struct slot *slot;         /* by offset, of those up to WALKED, a place in .debug_info; in the modules' arena */
	uint32_t nslot, slot_cap;
	uint64_t walked;
	struct dwarf *alt, *dwp;
	bool alt_asked, dwp_asked;
	uint64_t work;             /* bytes read of abbreviations for units' first entries */
	/* Of a module's debug file only. */
	struct making *making;     /* its index, once one was asked for */
	struct span *told;         /* by .debug_aranges; settled; WHAT: the offset of the unit's header, which may be wrong */
	struct span *span;         /* by the units themselves; settled; WHAT: the slot */
	uint32_t ntold, nspan;
	bool indexed, indexed_all;
	const struct elf *code;    /* of the module whose code it describes */
};

/* Attributes that anyone asks for. */
enum attr {
	AT_NONE, AT_SIBLING, AT_NAME, AT_STMT_LIST, AT_LOW_PC, AT_HIGH_PC, AT_COMP_DIR, AT_ORIGIN, AT_DECL_FILE, AT_DECL_LINE,
	AT_SPECIFICATION, AT_RANGES, AT_CALL_FILE, AT_CALL_LINE, AT_LINKAGE_NAME, AT_STR_OFFSETS_BASE, AT_ADDR_BASE,
	AT_RNGLISTS_BASE, AT_DWO_NAME, AT_DWO_ID, AT_GNU_RANGES_BASE, ATTRS
};

struct spec {
	uint16_t form;
	uint8_t attr;              /* enum attr */
	uint8_t size;              /* of its value, or FORM_VARIES */
	int32_t implicit;          /* DW_FORM_implicit_const */
};

enum { FORM_VARIES = 0xff };

struct abbrev {
	uint64_t code;
	uint32_t spec, nspec;
	uint16_t tag;
	uint16_t size;             /* of the attributes, or SIZE_VARIES */
	uint16_t sibling;          /* where DW_AT_sibling stands in them, of form ref4, or SIZE_VARIES */
	bool children, pc;         /* pc: it has ranges of code */
};

enum { SIZE_VARIES = 0xffff };

struct abbrevs {
	struct abbrev *abbrev;
	struct spec *spec;
	uint32_t n;
	struct item *by_code;      /* NULL where codes are 1, 2, 3, ... */
};

struct value {
	uint16_t form;             /* 0: there is none */
	uint64_t u;
	const char *str;           /* DW_FORM_string */
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
	struct unit *skeleton;     /* of a split unit: where its addresses and lines are */
	/* Made when asked for; in the cache. */
	struct unit *split;        /* of a skeleton: the rest of it */
	bool split_asked;
	struct abbrevs *abbrevs;
	struct functions *functions;
	struct line_table *lines;
};

/* An entry. */
struct die {
	uint64_t off;
	uint32_t has;              /* a bit for each of AT that it has */
	uint16_t tag;
	bool children;
	struct value at[ATTRS];
};

static inline bool
die_has(const struct die *d, enum attr at)
{
	return d->has >> at & 1;
}

/* Never NULL. */
static inline const struct value *
die_value(const struct die *d, enum attr at)
{
	static const struct value none;

	return die_has(d, at) ? &d->at[at] : &none;
}

/* An entry somewhere, perhaps in another unit or file. */
struct die_at {
	struct dwarf *dwarf;
	struct unit *unit;         /* NULL: to be opened, which reads it */
	uint64_t off;              /* in .debug_info */
};

/* dwarf_unit.c */
struct cursor dwarf_section(struct dwarf *, enum dwarf_section);
/* That of FILE, made at the first question; NULL at the memory cap.  It has no units yet. */
struct dwarf *dwarf_new(struct modules *, struct module *file, bool split);
/* Finds its units up to the one that OFF lies in, in their order, and tells the index of each while its entry is there.  TIDY: the
 * caller has no unit, and what was read may be forgotten in between. */
void units_find(struct dwarf *, uint64_t off, bool tidy);
struct unit *unit_open(struct dwarf *, uint32_t slot);
/* The slot of the unit whose header is at OFF, or UINT32_MAX. */
uint32_t slot_of(struct dwarf *, uint64_t off);
/* The unit that OFF in .debug_info lies in. */
struct unit *unit_at(struct dwarf *, uint64_t off);
/* The entries of U are those of its split part, where it has one that is to be had. */
struct unit *unit_whole(struct unit *);
struct dwarf *dwarf_alt(struct dwarf *);
/* Memory that is given back with the cache; NULL at the cap. */
void *unit_alloc(struct unit *, size_t);
/* Whether the module has code at ADDR: of functions that the linker dropped DWARF keeps ranges near 0. */
bool dwarf_is_code(const struct dwarf *, uint64_t addr);

/* dwarf_abbrev.c */
/* All of a unit's, or NULL. */
const struct abbrevs *unit_abbrevs(struct unit *);
const struct abbrev *abbrev_find(const struct abbrevs *, uint64_t code);
/* The first entry of a unit, without reading all of its abbreviations. */
bool unit_root(struct unit *, struct die *);
/* Whether it has functions with code, by what its abbreviations say. */
bool unit_has_functions(const struct unit *);
/* Reads the attributes of an entry whose code was read. */
void die_read(const struct unit *, struct cursor *, const struct abbrev *, const struct spec *, struct die *);
/* The entry at OFF of U. */
bool die_open(struct unit *, uint64_t off, struct die *);
/* The entries of U from OFF on, and where in .debug_info such a cursor stands. */
struct cursor entries_from(const struct unit *, uint64_t off);
uint64_t entries_offset(const struct unit *, const struct cursor *);
/* Jumps to what follows an entry and those below it, REF being its DW_AT_sibling; false where that cannot be. */
bool entries_jump(const struct unit *, struct cursor *, uint64_t ref);
/* The same where the attributes, which begin at ATTRS, are of sizes that tell where it stands. */
bool entries_jump_sibling(const struct unit *, struct cursor *, const struct abbrev *, struct cursor attrs);
/* Passes over the attributes of an entry. */
void die_skip(const struct unit *, struct cursor *, const struct abbrev *, const struct spec *);

/* dwarf_form.c */
/* The size of a value of FORM in U, or FORM_VARIES. */
uint8_t form_size(const struct unit *, uint16_t form);
void form_skip(const struct unit *, struct cursor *, uint16_t form);
struct value form_read(const struct unit *, struct cursor *, const struct spec *);
/* NULL where it is none. */
const char *value_string(const struct unit *, const struct value *);
bool value_address(const struct unit *, const struct value *, uint64_t *addr);
bool value_die(struct unit *, const struct value *, struct die_at *);
/* The string at OFF of a section, or NULL. */
const char *section_string(struct dwarf *, enum dwarf_section, uint64_t off);

/* dwarf_range.c: the code of an entry, range by range. */
struct range_reader {
	const struct unit *unit;
	struct cursor c;
	uint64_t base, lo, hi;
	enum { RANGES_END, RANGES_ONE, RANGES_PAIRS, RANGES_LIST } kind;
};
void ranges_open(struct range_reader *, const struct unit *, const struct die *);
bool ranges_next(struct range_reader *, uint64_t *lo, uint64_t *hi);

/* dwarf_index.c: the unit that has code at ADDR, or NULL; its slot, or UINT32_MAX. */
struct unit *index_find(struct dwarf *, uint64_t addr);
uint32_t index_slot(struct dwarf *, uint64_t addr);
/* Where its header is by .debug_aranges, which may be wrong, or UINT64_MAX; .debug_info is not read for that. */
uint64_t index_told(struct dwarf *, uint64_t addr);
/* The next unit was found. */
void index_unit(struct dwarf *, uint32_t slot);

/* dwarf_function.c */
/* Adds the functions of U to SPANS, WHAT: the entry.  DEEP: also those in types and in other functions. */
bool functions_scan(struct unit *, bool deep, struct spans *);
/* The functions of U (whole) that ADDR lies in, outermost first, at most MAX, as entries.  START: lowest address of the first. */
struct frame {
	uint64_t die;
	uint32_t call_file, call_line;   /* where it was inlined */
};
unsigned functions_find(struct unit *, uint64_t addr, struct frame *, unsigned max, uint64_t *start);
/* What the function of an entry is called, and where it is declared; and what is the same for all of its entries. */
struct declared {
	const char *name, *file;
	const char *plain;         /* without its scope: where there is no NAME */
	uint32_t line, hops;
	uint64_t id;
};
void function_declared(struct unit *, uint64_t die, struct declared *);
/* Takes what the entry at AT says, which then is the next one that does; false where there is none.  OWN: of the first. */
bool function_step(struct die_at *at, const struct dwarf *own, struct declared *);
/* Where what is declared of the function of that entry of U begins to be told: where it was made from, if the entry says nothing
 * itself. */
uint64_t function_entry(struct unit *, const struct die *);

/* dwarf_inline.c: what is inlined into the function whose entry is at OFF, in the cache; NULL at the memory cap. */
struct inlines *inlines_read(struct unit *, uint64_t off);
/* As functions_find, in that function. */
unsigned inlines_find(const struct inlines *, uint64_t addr, struct frame *, unsigned max, uint64_t *start);

/* dwarf.c */
/* What describes M's code, or NULL. */
struct dwarf *dwarf_describing(struct modules *, struct module *m);
/* Forgets what was read where it has become much: no unit of the caller's is there any more. */
void dwarf_tidy(struct dwarf *);
/* The places of VADDR, in U, as dwarf_find, but for what their entries declare: which these are (0: there is none). */
enum { FRAMES_MAX = 64 };
unsigned places_find(struct unit *u, uint64_t vaddr, struct place *, unsigned max, uint64_t *die);
void place_declare(struct place *, const struct declared *, bool outermost);

/* dwarf_ahead.c: the places of an address that was asked for ahead, as dwarf_find, and how many; false: it was not. */
bool ahead_find(const struct dwarf *, uint64_t addr, struct place *, unsigned max, unsigned *n);

/* dwarf_path.c: the path of file NAME in DIR of COMP_DIR, each but the name may be NULL; NULL at the memory cap, or where it is
 * too long. */
const char *path_keep(struct modules *, const char *comp_dir, const char *dir, const char *name);

/* dwarf_line.c */
/* The line that ADDR belongs to: false where the unit's program does not cover it. */
bool lines_find(struct unit *, uint64_t addr, const char **file, uint32_t *line);
/* The name of file I of the unit's table, or NULL. */
const char *lines_file(struct unit *, uint64_t i);

#endif
