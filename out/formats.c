/* See formats.h: a new format needs its file, its name there, and its row here. */
#include "formats.h"

/* prof takes a file for the first of them that it looks like.  Nearly any text looks like folded, so that one comes last. */
const struct format *const formats[] = {
	&format_html,
	&format_svg,
	&format_speedscope,
	&format_pprof,
	&format_script,
	&format_folded,
	&format_table,
	NULL,
};

const struct format *
format_named(const char *name)
{
	for (const struct format *const *f = formats; *f; f++)
		if (strcmp((*f)->name, name) == 0)
			return *f;
	return NULL;
}

const struct format *
format_of_file(const char *file)
{
	size_t n = strlen(file) - (format_packed(file) ? 3 : 0), best = 0;
	const struct format *found = NULL;

	for (const struct format *const *f = formats; *f; f++)
		for (const char *s = (*f)->suffixes; *s;) {
			size_t len = strcspn(s, " ");

			if (len > best && len <= n && memcmp(file + n - len, s, len) == 0) {
				best = len;
				found = *f;
			}
			s += len + (s[len] == ' ');
		}
	return found;
}
