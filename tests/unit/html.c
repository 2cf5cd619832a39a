/* link: tests/data/pages_xz.c */
#include "test.h"

#include "lib/codec/inflate.h"
#include "out/format/html/html.c"
#include "out/format/html/html_shown.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

static struct bounds within = { UINT32_MAX, UINT32_MAX };

static void
bounded_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, within);
}

static const struct format bounded = { .name = "", .suffixes = "", .write = bounded_write };

static int
digit_of(char c)
{
	const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", *at = c ? strchr(all, c) : NULL;

	return at ? (int)(at - all) : -1;
}

/* The bytes of the base64 behind KEY; SIZE: how many. */
static uint8_t *
decoded(const char *text, const char *key, size_t *size)
{
	const char *s = strstr(text, key) + strlen(key);
	uint8_t *bytes = calloc(1, strlen(s) + 4);
	uint32_t v = 0;
	unsigned bits = 0;

	for (*size = 0; digit_of(*s) >= 0; s++) {
		v = v << 6 | (uint32_t)digit_of(*s);
		if ((bits += 6) >= 8)
			bytes[(*size)++] = (uint8_t)(v >> (bits -= 8));
	}
	return bytes;
}

/* The program is gzip'd and whole, and the page goes on behind it. */
static void
check_program(const char *page)
{
	static const char want[] = "style\0skeleton\0script";
	size_t size;
	uint8_t *bytes = decoded(page, "\nprogram:", &size);
	struct cursor c = cur_of(bytes, size, false);
	char got[sizeof want - 1];

	CHECK(!inflate(&c, INFLATE_GZIP, got, sizeof got));
	CHECK_U64(cur_left(&c), 0);
	CHECK(memcmp(got, want, sizeof got) == 0);
	CHECK(strstr(page, "\nend\n"));
	free(bytes);
}

static int64_t
signed_number(struct cursor *c)
{
	uint64_t v = cur_uleb(c);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* A thread's runs as "node@from+span samples×weight"; returns their weight. */
static uint64_t
tell_runs(struct sink *out, struct cursor *c)
{
	uint64_t n, at = 0, sum = 0;
	int64_t node = 0;

	while ((n = cur_uleb(c)) && !c->bad) {
		struct cursor nodes = *c, gaps;

		for (uint64_t i = 0; i < n && !c->bad; i++)
			signed_number(c);
		gaps = *c;
		for (uint64_t i = 0; i < n && !c->bad; i++)
			signed_number(c);
		for (uint64_t i = 0; i < n && !c->bad; i++) {
			uint64_t v = cur_uleb(c), weight = v & 1 ? cur_uleb(c) : v >> 1, span = v >> 1 > 1 ? cur_uleb(c) : 0;

			node += signed_number(&nodes);
			at += (uint64_t)signed_number(&gaps);
			sink_fmt(out, " %d@%llu+%llu %llux%llu;", (int)node, (unsigned long long)at, (unsigned long long)span,
			         (unsigned long long)(v >> 1), (unsigned long long)weight);
			at += span;
			sum += weight;
		}
	}
	return sum;
}

/* Source files with their lines as "NUMBER:TEXT|". */
static void
tell_sources(struct sink *out, struct cursor *c)
{
	uint64_t files = cur_uleb(c);

	for (uint64_t f = 0; f < files && !c->bad; f++) {
		uint64_t size = cur_uleb(c), n, line = 0;
		struct cursor rows;

		sink_put(out, cur_take(c, size), size);
		sink_char(out, ' ');
		n = cur_uleb(c);
		rows = *c;
		for (uint64_t i = 0; i < 2 * n && !c->bad; i++)
			cur_uleb(c);
		for (uint64_t i = 0; i < n && !c->bad; i++) {
			line += cur_uleb(&rows);
			size = cur_uleb(&rows);
			sink_fmt(out, "%u:", (unsigned)line);
			sink_put(out, cur_take(c, size), size);
			sink_char(out, '|');
		}
		sink_char(out, '\n');
	}
}

/* What a page's data holds, in words; *SUM: all weight. */
static char *
told(const char *page, uint32_t nthread, bool diff, bool sources, uint64_t *sum)
{
	struct sink bytes, out;
	struct cursor packed, c;
	size_t size;
	uint8_t *raw = decoded(page, "data:", &size);
	uint64_t n;
	char *text;

	sink_open(&bytes, -1);
	packed = cur_of(raw, size, false);
	CHECK(!inflate_sink(&packed, INFLATE_RAW, &bytes, 1 << 30));
	c = cur_of(bytes.buf, bytes.len, false);
	sink_open(&out, -1);
	n = cur_uleb(&c);
	sink_put(&out, cur_take(&c, n), n);
	n = cur_uleb(&c);
	sink_fmt(&out, "%u functions\n", (unsigned)n);
	{
		uint64_t length = cur_uleb(&c);
		struct cursor strings = cur_sub(&c, length), lines = c;

		for (uint64_t i = 0; i < n; i++)
			cur_uleb(&lines);
		for (uint64_t i = 0; i < n; i++) {
			sink_str(&out, cur_str(&strings));
			sink_fmt(&out, " of %s", cur_str(&strings));
			sink_fmt(&out, " in %s", cur_str(&strings));
			sink_fmt(&out, ":%u", (unsigned)cur_uleb(&lines));
			sink_fmt(&out, " kind %u\n", (unsigned)cur_uleb(&c));
		}
		CHECK_U64(cur_left(&strings), 0);
		c = lines;
	}
	n = cur_uleb(&c);
	sink_fmt(&out, "%u sites:", (unsigned)n);
	{
		struct cursor lines = c;
		int64_t f = 0;

		for (uint64_t i = 0; i < n; i++)
			signed_number(&lines);
		for (uint64_t i = 0; i < n; i++) {
			f += signed_number(&c);
			sink_fmt(&out, " %d:%u", (int)f, (unsigned)cur_uleb(&lines));
		}
		c = lines;
	}
	n = cur_uleb(&c);
	sink_fmt(&out, "\n%u nodes:", (unsigned)n);
	{
		struct cursor sites = c;

		for (uint64_t i = 0; i < n; i++)
			cur_uleb(&sites);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t up = cur_uleb(&c);

			CHECK(up >= 1 && up <= i + 1);
			sink_fmt(&out, " %d/%u", (int)i - (int)up, (unsigned)cur_uleb(&sites));
		}
		c = sites;
	}
	if (diff) {
		sink_str(&out, "\nshares:");
		for (uint64_t i = 0; i < n; i++)
			sink_fmt(&out, " %d", (int)signed_number(&c));
	}
	*sum = 0;
	for (uint32_t t = 0; t < nthread; t++) {
		sink_fmt(&out, "\nthread %u:", t);
		*sum += tell_runs(&out, &c);
	}
	sink_char(&out, '\n');
	if (sources)
		tell_sources(&out, &c);
	CHECK(!c.bad);
	CHECK_U64(cur_left(&c), 0);
	text = calloc(1, out.len + 1);
	memcpy(text, out.buf, out.len);
	sink_close(&out);
	sink_close(&bytes);
	free(raw);
	return text;
}

/* The page's title, and what its data holds. */
static char *
page_told(const struct profile *p, uint64_t *sum)
{
	char *page = made_text(&bounded, p), *data = told(page, p->nthread, p->delta != NULL, p->sources.n, sum), *all;
	size_t before = (size_t)(strstr(page, "table:") - page);

	CHECK(strstr(page, p->samples ? "  total " : "is empty"));
	check_program(page);
	all = calloc(1, before + strlen(data) + 1);
	memcpy(all, page, before);
	strcpy(all + before, data);
	free(page);
	free(data);
	return all;
}

static void
check_golden(void (*make)(struct profile *), const char *name)
{
	struct profile p;
	uint64_t sum;
	char *text;

	make(&p);
	text = page_told(&p, &sum);
	CHECK(golden(text, name));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void a_plain_profile(void) { check_golden(made_plain, "plain.html.txt"); }
static void hostile_names(void) { check_golden(made_hostile, "hostile.html.txt"); }
static void an_empty_profile_is_whole(void) { check_golden(made_empty, "empty.html.txt"); }
static void events_and_counts(void) { check_golden(made_events, "events.html.txt"); }

/* Text that looks like a tag or an entity stays text in the page. */
static void
nothing_hostile_is_html(void)
{
	struct profile p;
	char *page;

	made_hostile(&p);
	p.command = "</title><script>alert(1)</script>\" onload='x' & \xe2\x80\xae \xff";
	page = made_text(&bounded, &p);
	CHECK(!strchr(page, '<'));
	CHECK(strstr(page, "title:&#60;/title&#62;&#60;script&#62;"));
	CHECK(strstr(page, "&#34; onload=&#39;x&#39; &#38; "));
	CHECK(!strchr(page, '\xff'));
	free(page);
	profile_free(&p);
}

static unsigned
ask_lined(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	struct function outer = { .name = "outer", .module = "m", .file = "o.c", .line = 1 };
	struct function inner = { .name = "inner", .module = "m", .file = "o.c", .line = 9, .kind = FUNCTION_INLINED };

	(void)max;
	where->address = code;
	site[0] = (struct site){ profile_function(ctx, &outer), 2 + code };
	site[1] = (struct site){ profile_function(ctx, &inner), 10 };
	return code < 2 ? 1 : 2;
}

/* Two lines of a function, the second with an inlined one: one node of the function, three of its lines. */
static void
lines_are_kept_apart(void)
{
	struct profile p;
	uint64_t sum;
	char *text;

	made_init(&p);
	for (uint32_t code = 0; code < 3; code++)
		for (unsigned i = 0; i <= code; i++)
			profile_add(&p, profile_thread(&p, 1, 1, "app", 0), p.start + (code * 10 + i + 1) * 1000000ull, 1, &code, 1);
	p.end = p.start + 40000000;
	profile_name(&p, ask_lined, &p);
	CHECK_U64(p.tree.n, 2);
	text = page_told(&p, &sum);
	CHECK_U64(sum, 6);
	CHECK(strstr(text, "4 sites: 0:2 0:3 0:4 1:10\n4 nodes: -1/0 -1/1 -1/2 2/3\n"));
	CHECK(strstr(text, "thread 0: 0@1000+0 1x1; 1@11000+1000 2x2; 3@21000+2000 3x3;\n"));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* Source text stands after the runs, whatever it is, and prof reads it back. */
static void
source_text_is_data(void)
{
	static const char nul[] = "nul \0 and \xff";
	const char *data;
	struct profile p, again;
	struct sink s;
	struct cursor c;
	uint64_t sum;
	size_t n;
	char *text;

	made_plain(&p);
	source_texts_add(&p.sources, &p.arena, "src/b.c", 9, "</script><b>", 12);
	source_texts_add(&p.sources, &p.arena, "src/a.c", 300, "", 0);
	source_texts_add(&p.sources, &p.arena, "src/b.c", 7, nul, sizeof nul - 1);
	text = page_told(&p, &sum);
	CHECK(strstr(text, "\"sources\":true"));
	CHECK(strstr(text, "\nsrc/b.c 7:nul "));   /* behind the NUL */
	free(text);
	text = made_text(&bounded, &p);
	CHECK(!strchr(text, '<'));
	data = strstr(text, "data:") + 5;
	sink_open(&s, -1);
	sink_fmt(&s, "<script type=\"text/plain\" id=\"data\">%.*s</script>", (int)strcspn(data, "\n"), data);
	c = cur_of(s.buf, s.len, false);
	profile_init(&again);
	CHECK(!html_read(&again, &c));
	CHECK_U64(again.sources.n, 3);
	data = source_texts_find(&again.sources, "src/b.c", 7, &n);
	CHECK(data && n == sizeof nul - 1 && memcmp(data, nul, n) == 0);
	data = source_texts_find(&again.sources, "src/b.c", 9, &n);
	CHECK(data && n == 12 && memcmp(data, "</script><b>", n) == 0);
	CHECK(source_texts_find(&again.sources, "src/a.c", 300, &n) && !n);
	sink_close(&s);
	free(text);
	profile_free(&p);
	profile_free(&again);
	CHECK_U64(mem_used(), 0);
}

/* Shares that were compared stand at the nodes of the functions' tree, whatever their lines. */
static void
compared_shares(void)
{
	struct profile p;
	uint64_t sum;
	char *text;

	made_plain(&p);
	CHECK(vec_room(&p.delta, &p.delta_cap, p.tree.n, sizeof *p.delta));
	for (uint32_t i = 0; i < p.tree.n; i++)
		p.delta[i] = (int32_t)i * 10 - 50;
	text = page_told(&p, &sum);
	CHECK(strstr(text, "\"diff\":true"));
	CHECK(strstr(text, "shares: -50 -40 -30 -20 -10 0 10 20"));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* Many distinct stacks of little weight, and a heavy one. */
static void
made_wide(struct profile *p)
{
	char stack[128];

	made_init(p);
	for (int i = 0; i < 3000; i++) {
		snprintf(stack, sizeof stack, i % 2 ? "main|heavy|work" : "main|a%d|b%d|c%d|leaf", i % 30, i % 90, i % 700);
		made_add(p, "app", 1, 1 + i % 3, i, 1, stack);
	}
	made_done(p, 3001);
}

static void
too_many_stacks_lose_their_middle(void)
{
	struct profile p;
	uint64_t sum;
	char *text;
	int n;

	made_wide(&p);
	CHECK(p.tree.n > 400);
	within = (struct bounds){ 300, UINT32_MAX };
	text = page_told(&p, &sum);
	within = (struct bounds){ UINT32_MAX, UINT32_MAX };
	CHECK_U64(sum, 3000);
	CHECK(strstr(text, "[elided] of "));
	CHECK(!strstr(text, "\"least\":0"));
	n = atoi(strstr(text, " nodes:") - 3);
	CHECK(n <= 300 && n >= 20);
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* If even stacks that ran are too many, the rare ones lose their middle, too. */
static void
too_many_functions_are_left_out(void)
{
	struct profile p;
	char stack[64], *text;
	uint64_t sum;

	made_init(&p);
	for (int i = 0; i < 3000; i++) {
		snprintf(stack, sizeof stack, i % 2 ? "main|heavy" : "main|f%d", i);
		made_add(&p, "app", 1, 1, i, 1, stack);
	}
	made_done(&p, 3001);
	within = (struct bounds){ 300, UINT32_MAX };
	text = page_told(&p, &sum);
	within = (struct bounds){ UINT32_MAX, UINT32_MAX };
	CHECK_U64(sum, 3000);
	CHECK(strstr(text, "[elided] of "));
	CHECK(!strstr(text, "\"least\":0"));
	CHECK(strstr(text, "\n3 nodes:"));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
too_many_runs_are_joined_in_steps(void)
{
	struct profile p;
	uint64_t sum, runs = 0;
	char *text;

	made_wide(&p);
	within = (struct bounds){ UINT32_MAX, 1600 };
	text = page_told(&p, &sum);
	within = (struct bounds){ UINT32_MAX, UINT32_MAX };
	CHECK_U64(sum, 3000);
	CHECK(!strstr(text, "\"step\":0"));
	for (const char *s = strstr(text, "\nthread 0:"); *s; s++)
		runs += *s == ';';
	CHECK(runs <= 1600 && runs > 3);
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
the_memory_cap_is_told(void)
{
	struct profile p;
	struct sink s;

	made_wide(&p);
	sink_open(&s, -1);
	mem_cap(mem_used() + (80 << 10));
	html_write(&s, &p);
	mem_cap(SIZE_MAX);
	CHECK_U64(sink_close(&s), ENOMEM);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
the_same_profile_gives_the_same_page(void)
{
	struct profile p;
	char *a, *b;

	made_plain(&p);
	a = made_text(&format_html, &p);
	b = made_text(&format_html, &p);
	CHECK_STR(a, b);
	free(a);
	free(b);
	profile_free(&p);
}

int
main(void)
{
	RUN("html", a_plain_profile);
	RUN("html", hostile_names);
	RUN("html", an_empty_profile_is_whole);
	RUN("html", events_and_counts);
	RUN("html", nothing_hostile_is_html);
	RUN("html", lines_are_kept_apart);
	RUN("html", source_text_is_data);
	RUN("html", compared_shares);
	RUN("html", too_many_stacks_lose_their_middle);
	RUN("html", too_many_functions_are_left_out);
	RUN("html", too_many_runs_are_joined_in_steps);
	RUN("html", the_memory_cap_is_told);
	RUN("html", the_same_profile_gives_the_same_page);
	return TEST_STATUS;
}
