/* The formats, one file each in this folder, in one table. */
#ifndef OUT_FORMAT_H
#define OUT_FORMAT_H

#include <string.h>

#include "lib/cursor.h"
#include "lib/sink.h"
#include "out/profile/profile.h"

struct format {
	const char *name;          /* -f NAME */
	const char *suffixes;      /* of -o FILE, each with its dot, spaces between: ".json .speedscope" */
	/* Sees a finished, named profile; never checks errors. */
	void (*write)(struct sink *, const struct profile *);
	/* For formats that are read back, else NULL: whether the first bytes of a file (already unpacked) look like it, and
	 * reading it, into a profile that may hold others already.  NULL if all is well, else what is wrong, in words, and the
	 * cursor stands where it is.  The caller calls profile_name afterwards. */
	bool (*is)(struct cursor);
	const char *(*read)(struct profile *, struct cursor *);
	bool text;                 /* what is wrong is told by line, not by offset */
	bool lineless;             /* of functions it writes names alone, and what is called alike is one */
};

extern const struct format format_folded, format_speedscope, format_html, format_pprof, format_svg, format_script, format_table;
/* What --colors knows; ends with NULL. */
extern const char *const picture_colors[];
extern const struct format *const formats[];   /* ends with NULL */

const struct format *format_named(const char *name);
/* By FILE's suffix, or NULL; a .gz behind it makes no difference. */
const struct format *format_of_file(const char *file);
/* Is FILE to be packed by gzip, by its suffix? */
static inline bool
format_packed(const char *file)
{
	size_t n = strlen(file);

	return n > 3 && strcmp(file + n - 3, ".gz") == 0;
}

/* The profile's events as a member of a JSON object: "events":[{"name":…,"period":ns,"waiting":true}]. */
void format_events(struct sink *, const struct profile *);

/* The terminal's short summary: self and total of the TOP functions, WIDTH columns, colour or not. */
void table_summary(struct sink *, const struct profile *, unsigned top, unsigned width, bool colour);

#endif
