/* The text of source lines, from the first place that has the file. */
#ifndef CMD_ANNOTATE_ANNOTATE_SOURCE_H
#define CMD_ANNOTATE_ANNOTATE_SOURCE_H

#include "out/profile/source_text.h"
#include "sym/module/module.h"

enum { SOURCE_DIRS = 16 };

struct sources {
	struct arena arena;
	struct source_file **file;
	uint32_t n, cap;
	struct index index;        /* of files, by name */
	int dir[SOURCE_DIRS];      /* --source-dir */
	unsigned dirs;
	int sysroot;               /* -1: none */
	uint32_t uid, gid;         /* if prof is root: the user as whom it reads files that nobody named */
	const struct modules *modules;   /* their processes' roots are searched, too; or NULL */
	const struct source_texts *carried;   /* prof asks it if it finds no file; or NULL */
	bool handed_on;            /* people may pass on the file that gets the text: it holds nothing that only root may read */
	uint64_t bytes;            /* of the files that prof read */
};

/* Opens nothing yet; if prof is root, it reads files that nobody named as its caller, or as anybody, could. */
void sources_init(struct sources *);
void sources_close(struct sources *);

/* Takes one more --source-dir; false after an error message. */
bool sources_add_dir(struct sources *, const char *dir);
/* The directories become the modules' roots: places that the command line names. */
void sources_add_roots(const struct sources *, struct modules *);
/* Searches below the modules' --sysroot and roots, too. */
void sources_use(struct sources *, const struct modules *);
/* How many files prof looked for, but did not find or read. */
uint32_t sources_missing(const struct sources *);
/* For annotation_view: CTX is the sources. */
const char *source_text(void *ctx, const char *file, uint32_t line, size_t *n);

#endif
