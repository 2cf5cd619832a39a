/* The table of all formats, and the format that a file's name means. */
#ifndef OUT_FORMATS_H
#define OUT_FORMATS_H

#include <string.h>

#include "out/format/format.h"

extern const struct format format_html, format_svg, format_speedscope, format_pprof, format_script, format_folded, format_table;
extern const struct format *const formats[];   /* ends with NULL */

const struct format *format_named(const char *name);
/* By FILE's suffix, or NULL; a .gz behind it makes no difference. */
const struct format *format_of_file(const char *file);
/* Whether FILE's suffix says that gzip compresses it. */
static inline bool
format_packed(const char *file)
{
	size_t n = strlen(file);

	return n > 3 && strcmp(file + n - 3, ".gz") == 0;
}

#endif
