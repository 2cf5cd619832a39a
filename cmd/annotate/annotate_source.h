/* The text of source lines, from the first place that has the file. */
#ifndef CMD_ANNOTATE_ANNOTATE_SOURCE_H
#define CMD_ANNOTATE_ANNOTATE_SOURCE_H

#include "sym/module/module.h"

enum { SOURCE_DIRS = 16 };

struct sources {
	struct arena arena;
	struct source_file **file;
	uint32_t n, cap;
	int dir[SOURCE_DIRS];      /* --source-dir */
	unsigned dirs;
	int sysroot;               /* -1: none */
	uint32_t uid, gid;         /* who the files that nobody named may be read as, where prof is root */
	const struct modules *modules;   /* their processes' roots are searched, too; or NULL */
};

/* Takes one more --source-dir; false after an error message. */
bool sources_add_dir(struct sources *, const char *dir);
/* The directories become the modules' roots: places that the command line names. */
void sources_add_roots(const struct sources *, struct modules *);
/* For annotation_view: CTX is the sources. */
const char *source_text(void *ctx, const char *file, uint32_t line, size_t *n);

#endif
