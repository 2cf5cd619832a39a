/* See formats.h: adding a format is its file, its name there, and its row here. */
#include "formats.h"

/* A file is what the first of them takes it for: folded, which is nearly any text, comes last of those that are read. */
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
