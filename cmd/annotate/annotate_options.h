/* What the user wants of `prof annotate`: a function, of a profile in a file or of one that prof records first. */
#ifndef CMD_ANNOTATE_ANNOTATE_OPTIONS_H
#define CMD_ANNOTATE_ANNOTATE_OPTIONS_H

#include "annotate_source.h"
#include "cmd/options/options.h"
#include "cmd/options/search_dirs.h"
#include "out/report/annotate.h"

enum { ANNOTATE_OPTIONS_MAX = 96, ANNOTATE_WORDS_MAX = 256 };

struct annotate_options {
	struct options o;
	struct option table[ANNOTATE_OPTIONS_MAX];     /* its own options, and those of record that say what to record, and how */
	const char *function, *input;         /* INPUT is NULL if prof records */
	char **command;
	char *word[ANNOTATE_WORDS_MAX];                /* for record */
	int words;
	unsigned recorded;                    /* options that only recording has */
	const char *path;                     /* -o */
	const char *objdump;
	struct search_dirs dirs;
	struct sources sources;
	struct arena arena;
	struct annotation_view view;
};

/* The options of annotate itself; ends with id 0. */
extern const struct option annotate_own_options[];
/* Reads the words; those for recording are options of the table RECORD. False after an error message. */
bool annotate_options_read(struct annotate_options *, const struct option *record, int argc, char **argv);
/* Adds a word for record; false after an error message, if there are too many. */
bool annotate_options_add(struct annotate_options *, const char *word);

#endif
