/* The search for a file of debug information, by the places where distributions, debuggers and debuginfod put it. */
#ifndef SYM_MODULE_DEBUG_SEARCH_H
#define SYM_MODULE_DEBUG_SEARCH_H

#include "module.h"

enum debug_kind {
	DEBUG_DETACHED,            /* of a stripped file */
	DEBUG_CACHED,              /* of a stripped file, in debuginfod's cache */
	DEBUG_ALT,                 /* shared by several (dwz) */
	DEBUG_DWO, DEBUG_DWP,      /* split off when it was compiled */
};

/* What prof knows about the wanted file; NULL or 0: not known. */
struct debug_wanted {
	enum debug_kind kind;
	const struct module *of;   /* the module that it belongs to */
	const char *section;       /* what it must have */
	const uint8_t *build_id;
	unsigned build_id_len;
	const char *link;          /* its name; for DETACHED without directories */
	uint32_t crc;              /* of the bytes of a DETACHED file, if the code has a link */
	const char *comp_dir;      /* of a DWO's link */
};

/* The first file that exists and has the right identity, or NULL. */
struct module *debug_search(struct modules *, const struct debug_wanted *);
/* Whether FILE has that section, compressed or not. */
bool debug_search_has(const struct module *file, const char *section, struct section *);

#endif
