/* See outputs.h. */
#include "outputs.h"

#include <string.h>
#include <sys/stat.h>

#include "lib/msg.h"
#include "out/formats.h"
#include "options.h"

bool
outputs_format(const char *name, const struct format **format)
{
	const char *names[32];
	unsigned n = 0, which;

	*format = NULL;
	if (!name)
		return true;
	for (const struct format *const *f = formats; *f && n < 31; f++)
		names[n++] = (*f)->name;
	names[n] = NULL;
	if (!option_word("-f", name, names, &which))
		return false;
	*format = formats[which];
	return true;
}

/* Says that no format has FILE's suffix, and which suffixes there are. */
static void
no_format(const char *file)
{
	struct sink s;

	sink_open(&s, -1);
	for (const struct format *const *f = formats; *f; f++) {
		int n = (int)strcspn((*f)->suffixes, " ");

		sink_fmt(&s, "%.*s", n, (*f)->suffixes);
		if (strncmp((*f)->suffixes + 1, (*f)->name, (size_t)n - 1))
			sink_fmt(&s, " (%s)", (*f)->name);
		sink_str(&s, ", ");
	}
	error("-o %s: no format has that suffix; use one of %.*sor -f NAME", file, (int)s.len, s.buf ? s.buf : "");
	sink_close(&s);
}

bool
outputs_add(struct output *out, const char *file, const struct format *given, const struct format *bare)
{
	struct place_words words;
	const char *why;
	struct stat st;

	*out = (struct output){ .path = file, .format = given };
	if (!given)
		out->format = strcmp(file, "-") == 0 ? bare : format_of_file(file);
	if (!*file)
		error("-o: the file name is empty");
	else if (!out->format && !stat(file, &st) && S_ISDIR(st.st_mode))
		error("-o %s: this is a directory; name a file in it", file);
	else if (!out->format)
		no_format(file);
	else if ((why = output_check(out, &words)))
		error("-o %s: %s", file, why);
	else
		return true;
	return false;
}

bool
outputs_lineless(const struct output *out, unsigned n)
{
	unsigned i = 0;

	while (i < n && out[i].format->lineless)
		i++;
	return n && i == n;
}

bool
outputs_threadless(const struct output *out, unsigned n)
{
	unsigned i = 0;

	while (i < n && out[i].format->threadless)
		i++;
	return n && i == n;
}

bool
outputs_embed(struct output *out, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any |= out[i].sources = out[i].format == &format_html;
	if (!any)
		error("--embed-source: only .html files hold source text; add -o FILE.html");
	return any;
}

static const char *
shown(const struct output *out)
{
	return strcmp(out->path, "-") ? out->path : "stdout";
}

bool
outputs_all(struct output *out, unsigned n, const struct profile *p)
{
	bool all = true;

	for (unsigned i = 0; i < n; i++) {
		struct place_words words;
		const char *why = output_write(&out[i], p, &words);

		if (why)
			error("%s: %s", shown(&out[i]), why);
		all &= !why;
	}
	return all;
}

static void
size_words(struct sink *s, uint64_t bytes)
{
	if (bytes < 1024)
		sink_fmt(s, "%u B", (unsigned)bytes);
	else if (bytes < 10 << 20)
		sink_fmt(s, "%u KiB", (unsigned)((bytes + 512) >> 10));
	else
		sink_fmt(s, "%llu MiB", (unsigned long long)((bytes + (1 << 19)) >> 20));
}

void
outputs_words(struct sink *s, const char *words, const struct output *out, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (out[i].size) {
			sink_fmt(s, "%s%s (", words, shown(&out[i]));
			size_words(s, out[i].size);
			sink_char(s, ')');
			words = ", ";
		}
}

void
outputs_tell(const struct output *out, unsigned n)
{
	struct sink s;

	sink_open(&s, -1);
	outputs_words(&s, "wrote ", out, n);
	sink_char(&s, 0);
	if (s.len > 1 && !s.err && strcmp(out->path, "-"))
		warn("%s", s.buf);
	sink_close(&s);
}
