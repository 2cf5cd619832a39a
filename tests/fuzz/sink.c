/* link: tests/data/pages_xz.c */
/* Profiles of names, times and stacks that nobody vouches for: every format stays well-formed.
 * Input: a mode byte, one for the format, names that end with a 0xfe byte, then samples: thread, time step, depth,
 * names. */
#include "lib/sink.c"
#include "lib/cursor.h"
#include "out/format/format.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"
#include "out/report/report_text.h"

#include <stdlib.h>
#include <string.h>

/* Frames of an input: more of them take longer, and find nothing else. */
enum { FRAMES_MOST = 120 };

/* The code that checks the output is not what this fuzzes. */
#ifdef __clang__
#define LOOKS_ON __attribute__((no_sanitize("coverage")))
#else
#define LOOKS_ON
#endif

static char name[256][512];
static unsigned names;

static unsigned
ask(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	const char *module = name[code / 2] + (*name[code / 2] == '[');   /* those are prof's own: what has no file */
	struct function f = { .name = name[code], .module = module, .kind = (enum function_kind)(code % 5) };

	(void)max;
	where->address = code * 0x123456789ull;
	f.file = code % 3 ? NULL : name[code / 3];
	f.line = code % 7;
	site->function = profile_function(ctx, &f);
	site->line = code;
	return 1;
}

static void
read_name(struct cursor *c)
{
	unsigned n = 0;

	while (c->pos < c->end && *c->pos != 0xfe && n < sizeof *name - 1)
		name[names][n++] = (char)*c->pos++;
	c->pos += c->pos < c->end;
	name[names++][n] = 0;
}

/* The length of a UTF-8 sequence, judged by what it decodes to; 0 for none. */
LOOKS_ON static unsigned
sequence(const char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)*s;
	unsigned n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
	uint32_t v = n > 1 ? c & (0x7fu >> n) : c;

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[i] & 0x3f);
	}
	return n && v >= least[n] && v <= 0x10ffff && (v < 0xd800 || v > 0xdfff) ? n : 0;
}

/* Strings closed, brackets paired, all of it UTF-8 without controls. */
LOOKS_ON static void
check_json(const char *s)
{
	char open[8];
	unsigned depth = 0;
	int string = 0;

	for (unsigned n; *s; s += n) {
		if (!(n = sequence(s)) || ((unsigned char)*s < 0x20 && (string || *s != '\n')))
			abort();
		if (string && *s == '\\')
			n = s[1] == 'u' ? 6 : 2;
		else if (*s == '"')
			string = !string;
		else if (!string && (*s == '[' || *s == '{') && depth < sizeof open)
			open[depth++] = *s == '[' ? ']' : '}';
		else if (!string && (*s == ']' || *s == '}') && (!depth || open[--depth] != *s))
			abort();
	}
	if (string || depth)
		abort();
}

/* Every line ends in a count; their sum is what it should be. */
LOOKS_ON static void
check_folded(const char *s, uint64_t weight)
{
	uint64_t sum = 0;

	for (unsigned n; *s; s += n) {
		const char *count = s;

		if (!(n = sequence(s)) || ((unsigned char)*s < 0x20 && *s != '\n') || *s == 0x7f)
			abort();
		if (*s != '\n')
			continue;
		while (count[-1] >= '0' && count[-1] <= '9')
			count--;
		if (count == s || count[-1] != ' ')
			abort();
		sum += strtoull(count, NULL, 10);
	}
	if (sum != weight)
		abort();
}

LOOKS_ON static void
check_table(const char *s)
{
	for (unsigned n; *s; s += n)
		if (!(n = sequence(s)) || ((unsigned char)*s < 0x20 && *s != '\n') || *s == 0x7f)
			abort();
}

/* Text whose lines hold no controls but the tab at their front; it is read back. */
LOOKS_ON static void
check_script(const char *s, const struct profile *p)
{
	struct cursor in = cur_of(s, strlen(s), false);
	struct profile q;
	char last = '\n';

	profile_init(&q);
	if (format_script.read(&q, &in) || q.samples != p->samples)
		abort();
	profile_free(&q);
	for (unsigned n; *s; last = *s, s += n)
		if (!(n = sequence(s)) || ((unsigned char)*s < 0x20 && *s != '\n' && (*s != '\t' || last != '\n')) || *s == 0x7f)
			abort();
}

/* prof reads the written profile back, and folds it into the same text. */
static void
check_read(const struct format *format, const struct sink *written, const struct profile *p)
{
	struct cursor c = cur_of(written->buf, written->len - 1, false);
	struct profile again;
	struct sink a, b;

	profile_init(&again);
	if (cur_left(&c) && (!format->is(c) || format->read(&again, &c)))
		abort();
	profile_name(&again, NULL, NULL);
	again.timeless = false;   /* there 0 is no thread's number */
	again.by_thread = p->by_thread;
	again.by_process = p->by_process;
	sink_open(&a, -1);
	sink_open(&b, -1);
	format_folded.write(&a, p);
	format_folded.write(&b, &again);
	if (a.len != b.len || memcmp(a.buf, b.buf, a.len) != 0)
		abort();
	sink_close(&a);
	sink_close(&b);
	profile_free(&again);
}

/* Elements closed in their order, attributes quoted, entities whole, and nothing that XML has no room for. */
LOOKS_ON static void
check_svg(const char *s)
{
	char open[32][16] = { "" };
	unsigned depth = 0;

	for (unsigned n; *s; s += n) {
		if (!(n = sequence(s)) || ((unsigned char)*s < 0x20 && *s != '\n') || *s == 0x7f ||
		    ((unsigned char)*s == 0xef && (strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0)))
			abort();
		if (*s == '&' && strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&quot;", 6) &&
		    strncmp(s, "&#10;", 5))
			abort();
		if (*s != '<' || s[1] == '?')
			continue;
		if (strncmp(s, "<![CDATA[", 9) == 0) {
			n = (unsigned)(strstr(s, "]]>") - s) + 3;
			continue;
		}
		n = (unsigned)strcspn(s, ">");
		if (!s[n] || memchr(s + 1, '<', n - 1))
			abort();
		if (s[1] == '/') {
			if (!depth || strlen(open[--depth]) != n - 2 || strncmp(open[depth], s + 2, n - 2))
				abort();
		} else if (s[n - 1] != '/') {
			size_t len = strcspn(s + 1, " >");

			if (depth == 32 || len > 15)
				abort();
			memcpy(open[depth], s + 1, len);
			open[depth++][len] = 0;
		}
	}
	if (depth)
		abort();
}

/* The data for the script, which stands in its own element. */
LOOKS_ON static void
check_data(const char *s)
{
	const char *begin = strstr(s, "json\">"), *end = begin ? strstr(begin, "</script>") : NULL;
	char *json = begin && end ? strndup(begin + 6, (size_t)(end - begin - 6)) : NULL;

	if (!json)
		abort();
	check_json(json);
	free(json);
}

static void
check(const struct format *format, const struct profile *p, unsigned width, uint64_t weight)
{
	struct sink s;

	sink_open(&s, -1);
	if (width)
		report_summary(&s, p, 5, width, false);
	else
		format->write(&s, p);
	sink_char(&s, 0);
	if (s.err)
		abort();
	if (format == &format_folded)
		check_folded(s.buf, weight);
	else if (format == &format_speedscope)
		check_json(s.buf);
	else if (format == &format_pprof)
		check_read(format, &s, p);
	else if (format == &format_svg) {
		check_svg(s.buf);
		check_data(s.buf);
	} else if (format == &format_script)
		check_script(s.buf, p);
	else
		check_table(s.buf);
	sink_close(&s);
}

/* One of the formats, or of two tables as a terminal shows them. */
static void
check_one(const struct profile *p, uint8_t which, uint64_t weight)
{
	static const unsigned width[] = { 20, 77 };
	unsigned n = 0;

	while (formats[n])
		n++;
	which %= n + 2;
	check(which < n ? formats[which] : &format_table, p, which < n ? 0 : width[which - n], weight);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cur_of(data, size, false);
	uint8_t mode = cur_u8(&c), which = cur_u8(&c);
	unsigned frames = 0;
	struct profile p;
	uint64_t time = 0, weight = 0;

	names = 0;
	for (unsigned n = cur_u8(&c); n-- && cur_left(&c);)
		read_name(&c);
	profile_init(&p);
	p.nevent = mode & 1 ? 2 : 1;
	p.event[0] = (struct event_info){ names ? name[0] : "", mode & 2 ? 0 : 1000000 };
	p.event[1] = (struct event_info){ names ? name[names - 1] : "", 2000 };   /* 1000 would be weights in microseconds */
	p.by_thread = mode & 4;
	p.by_process = mode & 8;
	p.picture.reverse = mode & 32;
	p.picture.inverted = mode & 64;
	p.picture.min_width = mode & 128 ? 1 : 0;
	p.end = mode & 16 ? 1000000000 : 0;
	p.command = names ? name[0] : "";
	while (names && cur_left(&c) && frames < FRAMES_MOST) {
		uint32_t code[256], n, thread = cur_u8(&c);

		time += (uint64_t)cur_u8(&c) << (thread & 31);
		n = cur_u8(&c);
		frames += n;
		for (uint32_t i = 0; i < n; i++)
			code[i] = cur_u8(&c) % names;
		thread = profile_thread(&p, thread & 3, thread & 7, name[thread % names], thread & 1 && mode & 1);
		profile_add(&p, thread, time, n % 5 + 1, code, n);
		weight += n % 5 + 1;
	}
	profile_name(&p, ask, &p);
	check_one(&p, which, weight);
	profile_free(&p);
	return 0;
}
