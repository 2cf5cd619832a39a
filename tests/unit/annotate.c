#include "test.h"

#include "out/profile/profile_names.h"
#include "out/report/annotate.c"
#include "out/report/annotate_text.h"

#include <errno.h>

/* A profile by hand: functions f, g, inl (inlined) of app.c, k of the kernel; codes are what tests add. */
enum { F, G, INL, K, F2, PYTHON, FUNCTIONS };
static uint32_t fn[FUNCTIONS], map;

static void
begin(struct profile *p)
{
	static const struct function f[FUNCTIONS] = {
		[F] = { "f(int)", "app", "/src/app.c", 10, FUNCTION_USER },
		[G] = { "g", "app", "/src/app.c", 20, FUNCTION_USER },
		[INL] = { "inl", "app", "/src/app.h", 5, FUNCTION_INLINED },
		[K] = { "g", "[kernel]", NULL, 0, FUNCTION_KERNEL },
		[F2] = { "f(int).cold", "app", "/src/app.c", 10, FUNCTION_USER },
		[PYTHON] = { "shop.py:in", "[python]", "/src/shop.py", 10, FUNCTION_USER },
	};

	profile_init(p);
	p->nevent = 2;
	p->event[0] = (struct event_info){ "cpu-clock", 1000000, false };
	p->event[1] = (struct event_info){ "page-faults", 0, false };
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fn[i] = profile_function(p, &f[i]);
	map = profile_mapping(p, "/bin/app", "abcd");
}

static uint32_t
at(struct profile *p, uint64_t address, unsigned n, unsigned f1, uint32_t line1, unsigned f2, uint32_t line2)
{
	struct site site[2] = { { fn[f1], line1 }, { fn[f2], line2 } };
	struct location where = { .address = address, .mapping = f1 == K ? MAPPING_NONE : map };

	return profile_location(p, &where, site, n);
}

/* STACK: innermost first. */
static void
add(struct profile *p, uint32_t event, uint64_t weight, unsigned n, const uint32_t *stack)
{
	profile_add(p, profile_thread(p, 1, 1, "app", event), 0, weight, stack, n);
}

static uint32_t
only(const struct annotation *a, const char *word)
{
	struct arena arena = { 0 };
	uint32_t match[16] = { UINT32_MAX }, n = annotation_match(a, word, &arena, match);

	arena_free(&arena);
	return n == 1 ? match[0] : UINT32_MAX;
}

static const struct source_line *
line(const struct annotation *a, const char *file, uint32_t n)
{
	for (uint32_t i = 0; i < a->nline; i++)
		if (a->line[i].line == n && (!file || strcmp(a->line[i].file, file) == 0))
			return &a->line[i];
	return NULL;
}

#define WEIGHS(x, s, t) do { CHECK((x) != NULL); if (x) { CHECK_U64((x)->weight.self, s); CHECK_U64((x)->weight.total, t); } } while (0)

static void
add_instructions(struct annotation *a)
{
	CHECK(vec_room(&a->instruction, &a->instruction_cap, a->nplace, sizeof *a->instruction));
	for (uint32_t i = 0; i < a->nplace; i++)
		a->instruction[a->ninstruction++] =
			(struct instruction){ a->place[i].mapping, a->place[i].address & ~(uint64_t)7, "insn", UINT32_MAX, { 0, 0 } };
}

/* f at 12 calls itself, then g at 13; g has inl inlined at 22. */
static void
make(struct profile *p)
{
	begin(p);
	uint32_t deeper = at(p, 0x100f, 1, F, 12, 0, 0), calls = at(p, 0x101f, 1, F, 13, 0, 0), own = at(p, 0x1020, 1, F, 14, 0, 0);
	uint32_t in_g = at(p, 0x2000, 1, G, 21, 0, 0), inlined = at(p, 0x2008, 2, G, 22, INL, 6), kernel = at(p, 0xf000, 1, K, 0, 0, 0);

	add(p, 0, 10, 3, (uint32_t[]){ own, deeper, deeper });
	add(p, 0, 20, 4, (uint32_t[]){ in_g, calls, deeper, deeper });
	add(p, 0, 30, 3, (uint32_t[]){ inlined, calls, deeper });
	add(p, 0, 5, 2, (uint32_t[]){ kernel, in_g });
	add(p, 1, 7, 1, (uint32_t[]){ own });
	profile_name(p, NULL, NULL);
}

static void
lines_weigh_once_a_stack(void)
{
	struct profile p;
	struct annotation a;

	make(&p);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, only(&a, "f(int)")));
	CHECK(annotation_weigh(&a, 0));
	CHECK_U64(a.sum, 65);
	CHECK_U64(a.called[a.chosen].weight.self, 10);
	CHECK_U64(a.called[a.chosen].weight.total, 60);
	CHECK_U64(a.nline, 3);
	WEIGHS(line(&a, NULL, 12), 0, 60);   /* twice in two of them */
	WEIGHS(line(&a, NULL, 13), 0, 50);
	WEIGHS(line(&a, NULL, 14), 10, 10);
	CHECK(annotation_weigh(&a, 1));
	WEIGHS(line(&a, NULL, 12), 0, 0);
	WEIGHS(line(&a, NULL, 14), 7, 7);
	annotation_close(&a);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
instructions_weigh_with_what_is_inlined_there(void)
{
	struct profile p;
	struct annotation a;

	make(&p);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, a.which[fn[G]]));
	CHECK_U64(a.nplace, 2);
	CHECK(a.place[0].calls && !a.place[1].calls);
	add_instructions(&a);
	CHECK(annotation_weigh(&a, 0));
	WEIGHS(line(&a, "/src/app.c", 22), 0, 30);
	WEIGHS(line(&a, "/src/app.c", 21), 20, 25);
	WEIGHS(&a.instruction[0], 20, 25);
	WEIGHS(&a.instruction[1], 30, 30);
	CHECK(annotation_choose(&a, only(&a, "inl")));
	CHECK(annotation_weigh(&a, 0));
	WEIGHS(line(&a, "/src/app.h", 6), 30, 30);   /* where it was inlined */
	annotation_close(&a);
	profile_free(&p);
}

/* A call's end and an interrupt are at one instruction: it still counts once for each stack. */
static void
places_of_one_instruction_are_one(void)
{
	struct profile p;
	struct annotation a;

	begin(&p);
	add(&p, 0, 3, 3, (uint32_t[]){ at(&p, 0x1008, 1, F, 1, 0, 0), at(&p, 0x100c, 1, F, 1, 0, 0), at(&p, 0x1010, 1, F, 2, 0, 0) });
	profile_name(&p, NULL, NULL);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, a.which[fn[F]]));
	CHECK_U64(a.nplace, 3);
	CHECK(vec_room(&a.instruction, &a.instruction_cap, 2, sizeof *a.instruction));
	a.instruction[a.ninstruction++] = (struct instruction){ .mapping = map, .address = 0x1008 };
	a.instruction[a.ninstruction++] = (struct instruction){ .mapping = map, .address = 0x1010 };
	CHECK(annotation_weigh(&a, 0));
	WEIGHS(&a.instruction[0], 3, 3);
	WEIGHS(&a.instruction[1], 0, 3);
	annotation_close(&a);
	profile_free(&p);
}

static void
names_are_matched_strictly_first(void)
{
	struct profile p;
	struct annotation a;
	struct arena arena = { 0 };
	uint32_t match[16];

	make(&p);
	add(&p, 0, 1, 1, (uint32_t[]){ at(&p, 0x9000, 1, F2, 10, 0, 0) });
	add(&p, 0, 1, 1, (uint32_t[]){ at(&p, 0xa000, 1, PYTHON, 10, 0, 0) });
	profile_name(&p, NULL, NULL);
	CHECK(annotation_open(&a, &p));
	CHECK_STR(a.called[only(&a, "in")].name, "shop.py:in");   /* not "inl", which only begins like this */
	CHECK_STR(a.called[only(&a, "f(int)")].name, "f(int)");
	CHECK_STR(a.called[only(&a, "f(int).cold")].name, "f(int).cold");
	CHECK_U64(annotation_match(&a, "f", &arena, match), 2);   /* both names begin like this */
	CHECK_STR(a.called[match[0]].name, "f(int)");
	CHECK_U64(annotation_match(&a, "g", &arena, match), 2);   /* the user's, the kernel's */
	CHECK(!a.called[match[0]].kernel && a.called[match[1]].kernel);
	CHECK(a.called[only(&a, "g_[k]")].kernel);
	CHECK_STR(a.called[only(&a, "inl_[i]")].name, "inl");
	CHECK_STR(a.called[only(&a, "nl")].name, "inl");
	CHECK_STR(a.called[only(&a, "^in.$")].name, "inl");
	CHECK_U64(annotation_match(&a, "nothing", &arena, match), 0);
	CHECK_U64(annotation_match(&a, "(", &arena, match), 2);   /* a part of a name, not an expression */
	arena_free(&arena);
	annotation_close(&a);
	profile_free(&p);
}

static const char *
source_of(void *ctx, const char *file, uint32_t n, size_t *len)
{
	static const char *const text[] = { "int f(int)", "{\t\033[2J", "\tf(1);", "", "\tx++;  \r", "}" };

	(void)ctx;
	if (strcmp(file, "/src/app.c") != 0 || n < 10 || n > 15)
		return NULL;
	*len = strlen(text[n - 10]);
	return text[n - 10];
}

static char *
shown(const struct annotation *a, const struct annotation_view *view, uint32_t event)
{
	static char text[8192];
	struct sink s;

	sink_open(&s, -1);
	annotation_write(&s, a, view, event);
	CHECK(s.len < sizeof text);
	memcpy(text, s.buf, s.len);
	text[s.len] = 0;
	CHECK_U64(sink_close(&s), 0);
	return text;
}

static void
text_of_lines_and_instructions(void)
{
	struct annotation_view view = { .context = 1, .min = 50, .lines = true, .instructions = true, .source = source_of };
	struct profile p;
	struct annotation a;

	make(&p);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, only(&a, "f(int)")));
	add_instructions(&a);
	CHECK(annotation_weigh(&a, 0));
	CHECK_STR(shown(&a, &view, 0),
	          "f(int) (app)\nof all cpu-clock: itself 15.4% (10.00 ms), with what it calls 92.3% (60.00 ms)\n"
	          "cpu-clock skids: the time of an instruction is shown at the one that comes after it.\n"
	          "\n   self  total    line  /src/app.c\n"
	          "                    11  {       \357\277\275[2J\n"
	          "   0.0% 100.0%      12          f(1);\n"
	          "   0.0%  83.3%      13\n"
	          "  16.7%  16.7%      14          x++;\n"
	          "                    15  }\n"
	          "\n   self  total     address  /bin/app\n"
	          "   0.0% 100.0%        1008:  insn                                      app.c:12\n"
	          "   0.0%  83.3%        1018:  insn                                      app.c:13\n"
	          "  16.7%  16.7%        1020:  insn                                      app.c:14\n");
	view.min = 5000;
	view.context = 0;
	view.instructions = false;
	CHECK_STR(shown(&a, &view, 0),
	          "f(int) (app)\nof all cpu-clock: itself 15.4% (10.00 ms), with what it calls 92.3% (60.00 ms)\n"
	          "\n   self  total    line  /src/app.c\n"
	          "   0.0% 100.0%      12          f(1);\n"
	          "   0.0%  83.3%      13\n");
	annotation_close(&a);
	profile_free(&p);
}

static void
text_without_sources(void)
{
	struct annotation_view view = { .context = 1, .lines = true, .instructions = true, .width = 60, .aside = "Aside." };
	struct profile p;
	struct annotation a;

	make(&p);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, a.which[fn[G]]));
	add_instructions(&a);
	CHECK(annotation_weigh(&a, 0));
	CHECK_STR(shown(&a, &view, 0),
	          "g (app)\nof all cpu-clock: itself 30.8% (20.00 ms),\nwith what it calls 84.6% (55.00 ms)\n"
	          "cpu-clock skids:\nthe time of an instruction is shown\nat the one that comes after it.\nAside.\n"
	          "\n   self  total    line  /src/app.c  (source not found: --source-dir DIR)\n"
	          "  36.4%  45.5%      21\n"
	          "   0.0%  54.5%      22\n"
	          "\n   self  total     address  /bin/app\n"
	          "  36.4%  45.5%        2000:  insn       app.c:21\n"
	          "  54.5%  54.5%        2008:  insn       inl_[i] app.h:6\n");
	CHECK(annotation_choose(&a, only(&a, "g_[k]")));
	a.ninstruction = 0;
	CHECK(annotation_weigh(&a, 0));
	CHECK(strstr(shown(&a, &view, 0), "prof knows none of its lines") != NULL);
	annotation_close(&a);
	profile_free(&p);
}

/* Pieces of source join where they touch, and stay apart otherwise; no line is shown twice. */
static const char *
numbered(void *ctx, const char *file, uint32_t n, size_t *len)
{
	(void)ctx;
	(void)file;
	*len = n <= 100;
	return n <= 100 ? "x" : NULL;
}

static void
context_joins_and_parts(void)
{
	static const uint32_t hot[] = { 1, 4, 9, 10, 30, 31, 36, 99, 100 };
	struct annotation_view view = { .context = 2, .min = 50, .lines = true, .source = numbered };
	struct profile p;
	struct annotation a;
	unsigned seen[102] = { 0 }, gaps = 0;

	begin(&p);
	for (unsigned i = 0; i < sizeof hot / sizeof *hot; i++)
		add(&p, 0, 100, 1, (uint32_t[]){ at(&p, 0x1000 + i, 1, F, hot[i], 0, 0) });
	add(&p, 0, 1, 1, (uint32_t[]){ at(&p, 0x2000, 1, F, 8, 0, 0) });    /* less than it takes, but near */
	add(&p, 0, 1, 1, (uint32_t[]){ at(&p, 0x2001, 1, F, 60, 0, 0) });   /* and far */
	profile_name(&p, NULL, NULL);
	CHECK(annotation_open(&a, &p));
	CHECK(annotation_choose(&a, a.which[fn[F]]));
	CHECK(annotation_weigh(&a, 0));
	for (char *s = strchr(strstr(shown(&a, &view, 0), "/src/app.c"), '\n') + 1; *s; s = strchr(s, '\n') + 1) {
		unsigned n = 0;

		gaps += strncmp(s + 14, "     ...", 8) == 0;
		if (sscanf(s + 14, "%u", &n) == 1 && n < 102)
			seen[n]++;
		if (n == 8)
			CHECK(strncmp(s, "   0.1%   0.1%", 14) == 0);
	}
	for (unsigned n = 1; n <= 101; n++) {
		bool near = false;

		for (unsigned i = 0; i < sizeof hot / sizeof *hot; i++)
			near |= n + 2 >= hot[i] && n <= hot[i] + 2 && n <= 100;
		CHECK_U64(seen[n], near);
	}
	CHECK_U64(gaps, 2);   /* 12 | 28, 38 | 97 */
	annotation_close(&a);
	profile_free(&p);
}

static void
events_that_skid(void)
{
	static const char *const yes[] = { "cpu-clock", "cpu", "cycles", "cycles:u", "cpu-clock:k", "instructions", "r01c4", "L1-dcache-load-misses",
		                           "cpu/event=0x3c/", "cpu/event=0x3c/u" };
	static const char *const no[] = { "cycles:p", "cycles:upp", "cpu/event=0x3c/pp", "page-faults", "page-faults:u", "sched:sched_switch",
		                          "uprobe:/bin/x:main", "alloc_space", "samples", "context-switches" };

	for (unsigned i = 0; i < sizeof yes / sizeof *yes; i++)
		CHECK_STR(event_skids(yes[i]) ? yes[i] : "exact", yes[i]);
	for (unsigned i = 0; i < sizeof no / sizeof *no; i++)
		CHECK_STR(event_skids(no[i]) ? "skids" : no[i], no[i]);
}

int
main(void)
{
	RUN("annotate", lines_weigh_once_a_stack);
	RUN("annotate", instructions_weigh_with_what_is_inlined_there);
	RUN("annotate", places_of_one_instruction_are_one);
	RUN("annotate", names_are_matched_strictly_first);
	RUN("annotate", text_of_lines_and_instructions);
	RUN("annotate", text_without_sources);
	RUN("annotate", context_joins_and_parts);
	RUN("annotate", events_that_skid);
	return TEST_STATUS;
}
