/* The text of source lines that a profile carries (--embed-source), by file and line. */
#ifndef OUT_PROFILE_SOURCE_TEXT_H
#define OUT_PROFILE_SOURCE_TEXT_H

#include "lib/index.h"
#include "lib/mem.h"

/* The most bytes of a line, of a file's lines, of all lines. */
enum { SOURCE_LINE_MOST = 400, SOURCE_FILE_MOST = 64 << 10, SOURCE_ALL_MOST = 4 << 20 };

struct source_text_line {
	uint32_t file;             /* number among the files */
	uint32_t line;             /* from 1 on */
	const char *text;          /* LEN bytes of any kind, without the newline */
	uint32_t len;
};

struct source_text_file {
	const char *name;          /* as the debug information calls it */
	uint32_t bytes;            /* of its lines, and some for each */
};

struct source_texts {
	struct source_text_line *line;
	uint32_t n, cap;
	struct source_text_file *file;
	uint32_t nfile, file_cap;
	struct index lines, files;
	uint64_t bytes;
	bool full;                 /* a line was left out, because there was no more room */
};

/* Adds copies of a line's first bytes and of its file's name, unless it has the line.  False if it has no room. */
bool source_texts_add(struct source_texts *, struct arena *, const char *file, uint32_t line, const char *text, size_t len);
/* A line's text and its length, or NULL. */
const char *source_texts_find(const struct source_texts *, const char *file, uint32_t line, size_t *len);
/* Adds copies of all that FROM has. */
void source_texts_copy(struct source_texts *, struct arena *, const struct source_texts *from);
void source_texts_free(struct source_texts *);

#endif
