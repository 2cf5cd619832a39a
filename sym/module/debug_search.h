/* The search for a file of debug information, by the places where distributions, debuggers and debuginfod put it. */
#ifndef SYM_MODULE_DEBUG_SEARCH_H
#define SYM_MODULE_DEBUG_SEARCH_H

#include "module.h"

enum debug_kind {
	DEBUG_DETACHED,            /* of a stripped file */
	DEBUG_CACHED,              /* the same as debuginfod fetched it */
	DEBUG_ALT,                 /* shared by several (dwz) */
	DEBUG_DWO, DEBUG_DWP,      /* split off when it was compiled */
};

/* What is known of the file that is looked for; what is not is NULL or 0. */
struct debug_wanted {
	enum debug_kind kind;
	const struct module *of;   /* whose it is */
	const char *section;       /* what it must have */
	const uint8_t *build_id;
	unsigned build_id_len;
	const char *link;          /* its name: of DETACHED one without directories */
	uint32_t crc;              /* of a DETACHED one's bytes, if it has a link */
	const char *comp_dir;      /* of a DWO's link */
};

/* The first that there is and whose identity was checked, or NULL. */
struct module *debug_search(struct modules *, const struct debug_wanted *);
/* Whether FILE has that section, compressed or not. */
bool debug_search_has(const struct module *file, const char *section, struct section *);

#endif
