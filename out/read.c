/* See read.h. */
#include "read.h"

#include <string.h>

#include "lib/codec/inflate.h"
#include "formats.h"

/* Bytes of an unpacked file: a larger one is no profile. */
enum { UNPACKED_MAX = 1 << 30 };

static uint64_t
lines_before(const uint8_t *from, const uint8_t *to)
{
	uint64_t n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* If BYTES may be of several formats, the file's name decides; else the first one. */
static const struct format *
looks_like(const char *name, struct cursor bytes)
{
	const struct format *named = format_of_file(name);

	if (named && named->is && named->read && named->is(bytes))
		return named;
	for (const struct format *const *f = formats; *f; f++)
		if ((*f)->is && (*f)->read && (*f)->is(bytes))
			return *f;
	return NULL;
}

static bool
begins(const struct cursor *c, const char *s)
{
	size_t n = strlen(s);

	return cur_left(c) >= n && memcmp(c->pos, s, n) == 0;
}

/* Whether it is a table of prof report: one line, an empty one, and the names of columns.  Samples might begin like that, but they end with
 * a number. */
static bool
is_table(struct cursor c)
{
	const uint8_t *end = memchr(c.pos, '\n', cur_left(&c));

	if (!end)
		return false;
	c.pos = end + 1;
	if (!begins(&c, "\n"))
		return false;
	do
		c.pos++;
	while (begins(&c, " "));
	end = memchr(c.pos, '\n', cur_left(&c));
	return (begins(&c, "self ") || begins(&c, "total ")) && end && (end[-1] < '0' || end[-1] > '9');
}

/* What the bytes are, if no format has them. */
static const char *
unreadable(const struct cursor *bytes)
{
	return !cur_left(bytes) ? "empty"
	       : begins(bytes, "\xfd" "7zXZ") ? "is compressed: xz -dc FILE | prof report -"
	       : begins(bytes, "\x28\xb5\x2f\xfd") ? "is compressed: zstd -dc FILE | prof report -"
	       : is_table(*bytes) ? "is a table, which has no stacks; prof cannot read it back" : NULL;
}

static const char *
read_plain(struct profile *p, const char *name, struct cursor bytes, const struct format **format, uint64_t *where)
{
	const uint8_t *begin = bytes.pos;
	const char *why;

	*format = NULL;
	if ((why = unreadable(&bytes)))
		return why;
	if (!(*format = looks_like(name, bytes)))
		return "prof cannot read this; it reads its own pages and flame graphs, folded stacks, pprof, speedscope's JSON, perf script's text, "
		       "and perf.data";
	why = (*format)->read(p, &bytes);
	if (!why)
		return NULL;
	*where = (*format)->text ? lines_before(begin, bytes.pos) + 1 : (uint64_t)(bytes.pos - begin);
	return why;
}

static bool
is_gzip(const struct cursor *c)
{
	return cur_left(c) >= 2 && c->pos[0] == 0x1f && c->pos[1] == 0x8b;
}

static const char *
read_packed(struct profile *p, const char *name, struct cursor bytes, const struct format **format, uint64_t *where)
{
	const uint8_t *begin = bytes.pos;
	struct sink plain;
	const char *why;

	sink_open(&plain, -1);
	why = inflate_sink(&bytes, INFLATE_GZIP, &plain, UNPACKED_MAX);
	*where = (uint64_t)(bytes.pos - begin);
	if (!why)
		why = read_plain(p, name, cur_of(plain.buf, plain.len, false), format, where);
	sink_close(&plain);
	return why;
}

const char *
profile_read(struct profile *p, const char *name, struct cursor bytes, const struct format **format, uint64_t *where)
{
	*format = NULL;
	*where = 0;
	return (is_gzip(&bytes) ? read_packed : read_plain)(p, name, bytes, format, where);
}
