/* The text of source lines, from wherever the file is found. */
#ifndef CMD_ANNOTATE_SOURCE_H
#define CMD_ANNOTATE_SOURCE_H

#include "sym/module/module.h"

enum { SOURCE_DIRS = 16 };

struct sources {
	struct arena arena;
	struct source_file **file;
	uint32_t n, cap;
	int dir[SOURCE_DIRS];      /* --source-dir */
	unsigned dirs;
	int sysroot;               /* -1: none */
	const struct modules *modules;   /* whose roots are looked at, too; or NULL */
};

/* Takes one more --source-dir; false once it has said what is wrong with it. */
bool sources_add_dir(struct sources *, const char *dir);
/* For annotation_view: CTX is the sources. */
const char *source_text(void *ctx, const char *file, uint32_t line, size_t *n);

#endif
