#include "test.h"

#include "out/format/svg/svg.c"
#include "out/format/svg/svg_color.h"
#include "out/formats.h"

#include "profiles.h"

/* The written picture without its script, which does not matter here. */
static char *
svg_text(const struct profile *p)
{
	char *text = made_text(&format_svg, p), *begin = text ? strstr(text, "<script><![CDATA[") : NULL;
	char *end = begin ? strstr(begin, "</script>\n") : NULL;

	CHECK(end);
	if (end)
		memmove(begin, end + 10, strlen(end + 10) + 1);
	return text;
}

static unsigned
count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* The fill of the first frame called NAME, in BUF. */
static const char *
fill_of(const char *text, const char *name, char *buf)
{
	char title[64];
	const char *at;

	snprintf(title, sizeof title, "<title>%s (", name);
	at = strstr(text, title);
	at = at ? strstr(at, "fill=\"") : NULL;
	CHECK(at);
	snprintf(buf, 8, "%s", at ? at + 6 : "");
	return buf;
}

static void
check_golden(void (*make)(struct profile *), struct picture picture, const char *file)
{
	struct profile p;
	char *text;

	make(&p);
	p.picture = picture;
	text = svg_text(&p);
	CHECK(golden(text, file));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void a_plain_profile(void) { check_golden(made_plain, (struct picture){ 0 }, "plain.svg"); }
static void several_events(void) { check_golden(made_events, (struct picture){ 0 }, "events.svg"); }
static void no_samples(void) { check_golden(made_empty, (struct picture){ 0 }, "empty.svg"); }

static void
reversed_and_inverted(void)
{
	check_golden(made_plain, (struct picture){ .reverse = true, .inverted = true, .title = "callers <&>", .width = 600 },
	             "callers.svg");
}

/* A profile of one function of 1,000 samples, which calls N others of one sample each. */
static void
made_comb(struct profile *p, int n)
{
	char stack[64];

	made_init(p);
	made_add(p, "app", 1, 1, 1, 1000, "main");
	for (int i = 0; i < n; i++) {
		snprintf(stack, sizeof stack, "main|f%03d", i);
		made_add(p, "app", 1, 1, 2 + i, 1, stack);
	}
	made_done(p, n + 2);
}

static void
narrow_frames_are_left_out_and_told(void)
{
	struct profile p;
	char *text;

	made_comb(&p, 500);   /* 1180 px for 1,500 samples: each callee has 0.79 px */
	text = svg_text(&p);
	CHECK_U64(count(text, "<rect"), 1 + 3 + 500 + 1);   /* the ground, all, app, main, the callees, and one in the legend */
	CHECK(!strstr(text, "too narrow"));
	free(text);
	p.picture.min_width = 20;
	text = svg_text(&p);
	CHECK_U64(count(text, "<rect"), 1 + 3 + 1 + 1);   /* one grey piece for them all */
	CHECK_U64(count(text, "#dddddd"), 1);
	CHECK(strstr(text, "the innermost frames of 33.33% are too narrow to draw (2 px)"));
	CHECK(strstr(text, "\"f499\""));   /* the script has them */
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
colours_stay_with_names(void)
{
	char a[8], b[8];
	struct profile p;
	char *text;

	made_plain(&p);
	text = svg_text(&p);
	fill_of(text, "hash_round", a);
	free(text);
	profile_free(&p);
	made_init(&p);
	made_add(&p, "other", 1, 1, 1, 1, "hash_round|x");
	made_done(&p, 2);
	text = svg_text(&p);
	CHECK_STR(fill_of(text, "hash_round", b), a);
	free(text);
	for (unsigned i = 1; picture_colors[i]; i++) {
		p.picture.colors = picture_colors[i];
		text = svg_text(&p);
		CHECK(strcmp(fill_of(text, "hash_round", b), a) != 0);
		free(text);
	}
	profile_free(&p);
}

/* Shades of kinds never meet: a hash of any value stays within its kind's channel. */
static void
tints_stay_in_range(void)
{
	for (unsigned t = 0; t < TINTS; t++)
		for (uint32_t h = 0; h < 1u << 16; h++) {
			uint32_t c = svg_shade(&svg_tints[t], h * 65537u);

			for (unsigned i = 0; i < 3; i++) {
				unsigned v = c >> (16 - 8 * i) & 0xff;

				CHECK(v >= svg_tints[t].lo[i] && v <= (unsigned)svg_tints[t].lo[i] + svg_tints[t].span[i]);
			}
		}
}

static void
changes_are_red_and_blue(void)
{
	struct profile p;
	char *text, red[8], blue[8];

	made_init(&p);
	made_add(&p, "app", 1, 1, 1, 10, "main|more");
	made_add(&p, "app", 1, 1, 2, 10, "main|less");
	made_add(&p, "app", 1, 1, 3, 10, "main|same");
	made_done(&p, 4);
	vec_room(&p.delta, &p.delta_cap, p.tree.n, sizeof *p.delta);
	for (uint32_t i = 0; i < p.tree.n; i++) {
		const char *name = p.function[p.tree.node[i].frame].name;

		p.delta[i] = strcmp(name, "more") == 0 ? 12500 : strcmp(name, "less") == 0 ? -12500 : 0;
	}
	for (int reverse = 0; reverse < 2; reverse++) {
		p.picture.reverse = reverse;
		text = svg_text(&p);
		fill_of(text, "more", red);
		fill_of(text, "less", blue);
		CHECK(strtoul(red + 1, NULL, 16) >> 16 > 230 && (strtoul(red + 1, NULL, 16) & 0xff) < 120);
		CHECK(strtoul(blue + 1, NULL, 16) >> 16 < 120 && (strtoul(blue + 1, NULL, 16) & 0xff) > 230);
		CHECK_STR(fill_of(text, "same", red), "#eeeeee");
		CHECK(strstr(text, "33.33%, +12.5% of all"));
		CHECK(strstr(text, "33.33%, \u221212.5% of all"));
		free(text);
	}
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
spikes_do_not_make_it_tall(void)
{
	struct profile p;
	char *text, *height;
	char stack[1024] = "main";

	made_init(&p);
	made_add(&p, "app", 1, 1, 1, 10000, "main|work");
	for (int i = 0; i < 60; i++)
		sprintf(stack + strlen(stack), "|deep%02d", i);
	made_add(&p, "app", 1, 1, 2, 20, stack);
	made_done(&p, 3);
	text = svg_text(&p);
	height = strstr(text, " height=\"");
	CHECK(height && strtoul(height + 9, NULL, 10) < 220);
	CHECK(strstr(text, "\"deep59\""));
	CHECK(strstr(text, "the innermost frames of 0.2% are too narrow"));
	free(text);
	profile_free(&p);
}

static void
hostile_names(void)
{
	struct profile p;
	char *text;

	made_hostile(&p);
	p.picture.title = "</title><script>alert(1)</script>\xe2\x80\xae";
	text = svg_text(&p);
	CHECK_U64(count(text, "<script"), 1);
	CHECK_U64(count(text, "</script>"), 1);
	CHECK(strstr(text, "&lt;/script&gt;"));
	CHECK(strstr(text, "\\u003c/script\\u003e"));
	CHECK(!strstr(text, "\xe2\x80\xae"));
	CHECK(!strstr(text, "\x1b"));
	for (const char *s = text; *s; s += utf8_len(s)) {
		CHECK(utf8_len(s) && (*s == '\n' || (unsigned char)*s >= 0x20));
		if (!utf8_len(s))
			break;
	}
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
no_more_frames_than_a_page_bears(void)
{
	struct profile p;
	struct flame f;
	char stack[64];

	made_init(&p);
	for (int i = 0; i < 4000; i++) {
		snprintf(stack, sizeof stack, "main|a%d|b%d", i / 50, i);
		made_add(&p, "app", 1, 1, i, (uint64_t)(i % 7 + 1), stack);
	}
	made_done(&p, 4001);
	CHECK(flame_make(&f, &p, 0, 1, 100000));
	CHECK_U64(f.n, 3 + 80 + 4000);
	flame_free(&f);
	CHECK(flame_make(&f, &p, 0, 1, 500));
	CHECK(f.n <= 500 && f.n > 80);
	CHECK_U64(f.frame[0].weight, f.total);
	flame_free(&f);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* Many functions are nowhere wide enough: only the others are sorted.  Two that look alike are wide together. */
static void
narrow_functions_stand_between_wide_ones(void)
{
	static const struct { const char *name; uint64_t weight; } row[] = { { NULL, 300 }, { "h", 1000 }, { NULL, 300 }, { "p", 1000 }, { "t", 60 }, { NULL, 300 } };
	struct profile p;
	struct flame f;
	char stack[64];

	made_init(&p);
	for (int i = 0; i < 900; i++) {
		snprintf(stack, sizeof stack, "main|%c%03d", "kza"[i % 3], 900 - i);
		made_add(&p, "app", 1, 1, i, 1, stack);
	}
	made_add(&p, "app", 1, 1, 900, 1000, "main|p");
	made_add(&p, "app", 1, 1, 901, 1000, "main|h");
	made_add(&p, "app", 1, 1, 902, 30, "main|t1");
	made_add(&p, "app", 1, 1, 903, 30, "main|t2");
	made_done(&p, 904);
	for (uint32_t i = 0; i < p.nfunction; i++)
		if (p.function[i].name[0] == 't')
			p.function[i].name = "t";
	for (unsigned reverse = 0; reverse < 2; reverse++) {
		uint32_t at = 0;

		p.picture.reverse = reverse;
		CHECK(flame_make(&f, &p, 0, 50, 100000));
		CHECK(f.wides >= 4 && f.wides < 40);
		for (uint32_t i = 0; i < f.n && at < 6; i++)
			if (f.frame[i].depth == (reverse ? 1 : 3)) {
				CHECK_STR(f.frame[i].name ? f.frame[i].name : "", row[at].name ? row[at].name : "");
				CHECK_U64(f.frame[i].weight, row[at].weight);
				at++;
			}
		CHECK_U64(at, 6);
		flame_free(&f);
	}
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
the_memory_cap_is_told(void)
{
	struct profile p;

	made_plain(&p);
	mem_cap(mem_used() + (130 << 10));   /* the two buffers and little more */
	CHECK(!made_text(&format_svg, &p));
	mem_cap(SIZE_MAX);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("svg", a_plain_profile);
	RUN("svg", several_events);
	RUN("svg", no_samples);
	RUN("svg", reversed_and_inverted);
	RUN("svg", narrow_frames_are_left_out_and_told);
	RUN("svg", colours_stay_with_names);
	RUN("svg", tints_stay_in_range);
	RUN("svg", changes_are_red_and_blue);
	RUN("svg", spikes_do_not_make_it_tall);
	RUN("svg", hostile_names);
	RUN("svg", no_more_frames_than_a_page_bears);
	RUN("svg", narrow_functions_stand_between_wide_ones);
	RUN("svg", the_memory_cap_is_told);
	return TEST_STATUS;
}
