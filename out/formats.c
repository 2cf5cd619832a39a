/* See format.h: adding a format is one file and one line here. */
#include "out/format/format.h"

/* A file is what the first of them takes it for: folded, which is nearly any text, comes last of those that are read. */
const struct format *const formats[] = {
	&format_speedscope,
	&format_pprof,
	&format_html,
	&format_svg,
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

void
format_events(struct sink *s, const struct profile *p)
{
	sink_str(s, "\"events\":[");
	for (uint32_t i = 0; i < p->nevent; i++) {
		sink_str(s, i ? ",{\"name\":" : "{\"name\":");
		sink_json(s, p->event[i].name);
		sink_str(s, ",\"period\":");
		sink_u64(s, p->event[i].period_ns);
		sink_str(s, p->event[i].waiting ? ",\"waiting\":true}" : "}");
	}
	sink_char(s, ']');
}
