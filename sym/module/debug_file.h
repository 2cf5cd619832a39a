/* Where the debug information of a module lies: in its own file, in a detached one, in a file that several share (dwz), in
 * split files (.dwo, .dwp).  Each such file is a module itself, opened once, and only after its identity was checked. */
#ifndef SYM_MODULE_DEBUG_FILE_H
#define SYM_MODULE_DEBUG_FILE_H

#include "module.h"

/* The section NAME (".debug_info") of FILE itself, decompressed once and kept.  Empty if FILE has no such section, or if it
 * is broken or too large. */
struct cursor debug_file_section_of(struct modules *, struct module *file, const char *name);

/* The module that holds M's DWARF: M, or its detached debug file; NULL if there is none. */
struct module *debug_file(struct modules *, struct module *m);
/* The section NAME of debug_file(M); empty if that is NULL. */
struct cursor debug_file_section(struct modules *, struct module *m, const char *name);

/* The module with M's .symtab: M, its detached debug file, or what M has in .gnu_debugdata; NULL: none. */
struct module *debug_file_symbols(struct modules *, struct module *m);

/* The file that DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt, DW_FORM_ref_sup4 and DW_FORM_strp_sup of FILE refer to, or
 * NULL. */
struct module *debug_file_alt(struct modules *, struct module *file);
/* The .dwo file that DW_AT_dwo_name and DW_AT_comp_dir of a unit in M's DWARF name (COMP_DIR may be NULL), or NULL.  Its identity
 * is the unit's dwo_id, which the caller checks. */
struct module *debug_file_dwo(struct modules *, struct module *m, const char *comp_dir, const char *name);
/* M's .dwp file, or NULL.  The caller checks its identity, too. */
struct module *debug_file_dwp(struct modules *, struct module *m);

#endif
