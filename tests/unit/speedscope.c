#include "test.h"

#include "out/profile/merge.c"
#include "out/format/speedscope/speedscope.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

static struct cost within = { UINT64_MAX, UINT64_MAX };

static void
small_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, within);
}

static const struct format small = { .name = "", .suffixes = "", .write = small_write };

/* How often WORD stands in TEXT. */
static unsigned
count(const char *text, const char *word)
{
	unsigned n = 0;

	for (const char *s = text; (s = strstr(s, word)); s++)
		n++;
	return n;
}

static void
check_golden(void (*make)(struct profile *), const char *name)
{
	struct profile p;
	char *text;

	make(&p);
	text = made_text(&format_speedscope, &p);
	CHECK(golden(text, name));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void a_plain_profile(void) { check_golden(made_plain, "plain.json"); }
static void hostile_names(void) { check_golden(made_hostile, "hostile.json"); }
static void an_empty_profile_is_whole(void) { check_golden(made_empty, "empty.json"); }
static void events_have_profiles_of_their_own(void) { check_golden(made_events, "events.json"); }

static void
the_busiest_threads_have_their_own(void)
{
	struct profile p;
	char *text;

	made_threads(&p);
	text = made_text(&format_speedscope, &p);
	CHECK_U64(count(text, "\"type\":\"sampled\""), 1 + 256 + 1);
	CHECK(strstr(text, "{\"name\":\"all threads\"") < strstr(text, "{\"name\":\"worker 1000/1299\""));
	CHECK(strstr(text, "{\"name\":\"worker 1000/1299\"") < strstr(text, "{\"name\":\"worker 1000/1298\""));
	CHECK(strstr(text, "{\"name\":\"worker 1000/1044\"") < strstr(text, "{\"name\":\"44 other threads\""));
	CHECK(!strstr(text, "worker 1000/1043"));
	free(text);
	profile_free(&p);
}

/* The text between KEY and END behind it, of the first profile behind AFTER. */
static const char *
part(const char *text, const char *after, const char *key, const char *end)
{
	static char found[1 << 16];
	const char *s = strstr(text, after);
	size_t n;

	s = s ? strstr(s, key) : NULL;
	if (!s)
		return "(missing)";
	s += strlen(key);
	n = (size_t)(strstr(s, end) - s);
	n = n < sizeof found ? n : sizeof found - 1;
	memcpy(found, s, n);
	found[n] = 0;
	return found;
}

static void
threads_line_up_by_their_lead(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	made_add(&p, "a", 1, 1, 1, 1, "f");
	made_add(&p, "b", 2, 2, 11, 1, "g");
	made_add(&p, "b", 2, 2, 12.4, 1, "h");   /* late by less than half a period */
	made_add(&p, "b", 2, 2, 14.6, 1, "g");   /* a gap, from where the sum stands */
	made_done(&p, 20);
	text = made_text(&format_speedscope, &p);
	CHECK_STR(part(text, "\"a 1/1\"", "\"samples\":[", "],\n"), "[0]");
	CHECK_STR(part(text, "\"b 2/2\"", "\"samples\":[", "],\n"), "[],[1],[2],[],[1]");
	CHECK_STR(part(text, "\"b 2/2\"", "\"weights\":[", "]"), "0.01,0.001,0.001,0.0016,0.001");
	CHECK_STR(part(text, "\"b 2/2\"", "\"endValue\":", "}"), "0.0146");
	/* within a step of ten periods, gaps come last */
	CHECK_STR(part(text, "\"all threads\"", "\"samples\":[", "],\n"), "[0],[],[1],[2],[1],[]");
	CHECK_STR(part(text, "\"all threads\"", "\"weights\":[", "]"), "0.001,0.009,0.001,0.001,0.001,0.0012");
	free(text);
	profile_free(&p);
}

static void
all_threads_stand_one_after_another_within_a_step(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	for (int i = 1; i <= 20; i++) {
		made_add(&p, "a", 1, 1, i, 1, "f");
		made_add(&p, "b", 1, 2, i + 0.1, 1, i % 2 ? "g" : "h");
	}
	made_done(&p, 20);
	text = made_text(&format_speedscope, &p);
	/* a is one run; of b, a step holds what begins within 10 ms */
	CHECK_STR(part(text, "\"all threads\"", "\"samples\":[", "],\n"),
	          "[0],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2],[1],[2]");
	CHECK_STR(part(text, "\"all threads\"", "\"endValue\":", "}"), "0.04");
	free(text);
	profile_free(&p);
}

static void
weights_that_are_times_keep_their_length(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	p.unit = UNIT_MICROSECONDS;
	p.event[0] = (struct event_info){ "off-cpu", 1000 };
	made_add(&p, "a", 1, 1, 10, 4000, "wait");    /* from 6 ms on */
	made_add(&p, "a", 1, 1, 30, 20000, "wait");   /* at once again */
	made_add(&p, "a", 1, 1, 60, 10000, "lock");
	made_done(&p, 60);
	text = made_text(&format_speedscope, &p);
	CHECK_STR(part(text, "\"a 1/1\"", "\"samples\":[", "],\n"), "[],[0],[],[1]");
	CHECK_STR(part(text, "\"a 1/1\"", "\"weights\":[", "]"), "0.006,0.024,0.02,0.01");
	free(text);
	profile_free(&p);
}

static void
deep_stacks_keep_both_ends(void)
{
	struct profile p;
	char *text;
	const char *samples;

	made_deep(&p);
	text = made_text(&format_speedscope, &p);
	CHECK_U64(count(text, "\"[elided]\""), 1);
	samples = part(text, "\"all threads\"", "\"samples\":[", "],\n");
	CHECK(strncmp(samples, "[0,1,2,", 7) == 0);
	CHECK(strstr(samples, ",998,999,3001,2001,2002,") != NULL);
	CHECK(strstr(samples, ",2999],[0,3000]") != NULL);
	CHECK_U64(count(samples, ","), 1999 + 2);
	free(text);
	profile_free(&p);
}

/* Every stack there is once, and all weights; only order is lost, and the middle of rare stacks. */
static void
too_much_detail_is_left_out(void)
{
	for (unsigned level = 0; level < 2; level++) {
		struct profile p;
		char *text;
		const char *samples;

		made_init(&p);
		for (unsigned i = 0; i < 4000; i++) {
			char stack[64];

			snprintf(stack, sizeof stack, "root|a%u|b%u|leaf%u", i % 2, i % 50, i % 3);
			made_add(&p, "a", 1, 1, i + 1, 1, stack);
		}
		made_done(&p, 4000);
		within = level == 0 ? (struct cost){ 1000000, 1000000 } : (struct cost){ 3000, 1000000 };
		text = made_text(&small, &p);
		samples = part(text, "\"all threads", "\"samples\":[", "],\n");
		CHECK_U64(count(text, "(in steps of"), level ? 2 : 0);
		if (level == 0)
			CHECK_U64(count(samples, "["), 4000);
		else
			CHECK(count(samples, "[") < 1300);
		CHECK_STR(part(text, "\"all threads", "\"endValue\":", "}"), "4");
		free(text);
		profile_free(&p);
	}
}

static void
rare_stacks_keep_their_function(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	for (unsigned i = 0; i < 3000; i++) {
		char stack[64];

		snprintf(stack, sizeof stack, "root|often|x%u|y%u|leaf", i, i);
		made_add(&p, "a", 1, 1, i + 1, 1, stack);
	}
	made_add(&p, "a", 1, 1, 3001, 1, "root|once");
	made_done(&p, 3001);
	within = (struct cost){ 2000, 1000000 };
	text = made_text(&small, &p);
	CHECK(strstr(text, "rare stacks without their middle)") != NULL);
	CHECK_STR(part(text, "\"all threads", "\"samples\":[", "]"), "[0,1,6004,4");
	CHECK_STR(part(text, "\"all threads", "\"weights\":[", "]"), "3,0.001");
	free(text);
	profile_free(&p);
}

static void
without_memory_it_fails_and_says_so(void)
{
	struct profile p;
	unsigned failed = 0;

	made_plain(&p);
	for (size_t room = 64 << 10; room < (66 << 10); room += 20) {
		struct sink s;

		mem_cap(mem_used() + room);
		sink_open(&s, -1);
		format_speedscope.write(&s, &p);
		failed += sink_close(&s) != 0;
		mem_cap(SIZE_MAX);
	}
	CHECK(failed > 0);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* Sorting by merging, against what it should be. */
static void
pieces_are_sorted_stably(void)
{
	static struct piece piece[2 * 1000];

	for (uint32_t n = 0; n < 1000; n += n < 20 ? 1 : 97) {
		const struct piece *sorted;

		for (uint32_t i = 0; i < n; i++)
			piece[i] = (struct piece){ .key = i * 7919u % 13, .node = i };
		sorted = merge_sort(piece, piece + n, n);
		for (uint32_t i = 1; i < n; i++)
			CHECK(sorted[i - 1].key < sorted[i].key ||
			      (sorted[i - 1].key == sorted[i].key && sorted[i - 1].node < sorted[i].node));
	}
}

/* What is read back folds into the same text: threads, events, names; but not time in which nothing ran. */
static void
check_read_back(void (*make)(struct profile *), bool by_thread)
{
	struct profile p, again;
	struct cursor c;
	char *text, *want, *got;

	make(&p);
	text = made_text(&format_speedscope, &p);
	c = cur_of(text, strlen(text), false);
	profile_init(&again);
	CHECK(speedscope_is(c));
	CHECK_STR(speedscope_read(&again, &c) ? c.bad : "", "");
	profile_name(&again, NULL, NULL);
	p.by_thread = again.by_thread = by_thread;
	CHECK(!again.timeless || !p.samples);
	want = made_text(&format_folded, &p);
	got = made_text(&format_folded, &again);
	CHECK_STR(got, want);
	CHECK(again.end - again.start <= p.end - p.start);
	free(want);
	free(got);
	free(text);
	/* and once more, times and all */
	text = made_text(&format_speedscope, &again);
	c = cur_of(text, strlen(text), false);
	profile_free(&p);
	profile_init(&p);
	CHECK_STR(speedscope_read(&p, &c) ? c.bad : "", "");
	profile_name(&p, NULL, NULL);
	p.exporter = again.exporter;
	got = made_text(&format_speedscope, &p);
	CHECK_STR(got, text);
	free(text);
	free(got);
	profile_free(&p);
	profile_free(&again);
	CHECK_U64(mem_used(), 0);
}

static void
made_busy(struct profile *p)
{
	made_init(p);
	for (int i = 1; i <= 400; i++)
		made_add(p, i % 3 ? "app" : "other", 100, 100 + i % 3, i + (i > 200 ? 50 : 0), 1,
		         i % 7 ? "_start|main|work|leaf_[k]" : i % 5 ? "_start|main|small_[i]" : "[truncated]|main");
	made_done(p, 460);
}

static void
made_waits(struct profile *p)
{
	made_init(p);
	p->unit = UNIT_MICROSECONDS;
	p->event[0] = (struct event_info){ "off-cpu", 1000, true };
	for (int i = 1; i <= 5; i++)
		made_add(p, "app", 1, 1, i * 100, 12345, "main|wait|futex_wait_[k]");
	made_add(p, "app", 1, 2, 700, 10, "main|poll");
	made_done(p, 1000);
}

static void
ours_is_read_back(void)
{
	check_read_back(made_busy, true);
	check_read_back(made_busy, false);
	check_read_back(made_events, true);
	check_read_back(made_waits, true);
	check_read_back(made_empty, false);
}

/* How a text of others folds, or what is wrong with it, at the text that follows. */
static const char *
outcome(const char *text)
{
	static char result[4096];
	char *exact = malloc(strlen(text) + !*text);   /* so that reading past it is seen */
	struct cursor c;
	struct profile p;
	const char *why;

	memcpy(exact, text, strlen(text));
	c = cur_of(exact, strlen(text), false);
	profile_init(&p);
	if ((why = speedscope_read(&p, &c)))
		snprintf(result, sizeof result, "%s: %.*s", why, (int)(cur_left(&c) < 8 ? cur_left(&c) : 8), (const char *)c.pos);
	else {
		char *folded;

		profile_name(&p, NULL, NULL);
		folded = made_text(&format_folded, &p);
		snprintf(result, sizeof result, "%s", folded);
		free(folded);
	}
	profile_free(&p);
	free(exact);
	CHECK_U64(mem_used(), 0);
	return result;
}

#define FRAMES "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":3,\"col\":1},{\"name\":\"c\"}]}"
#define SAMPLED(unit, samples, weights) "{\"profiles\":[{\"weights\":" weights ",\"samples\":" samples ",\"unit\":\"" unit \
	"\",\"name\":\"t\",\"endValue\":9,\"startValue\":0,\"type\":\"sampled\"}]," FRAMES "}"
#define EVENTED(unit, events) "{" FRAMES ",\"profiles\":[{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"" unit \
	"\",\"startValue\":10,\"endValue\":99,\"events\":[" events "]}]}"
#define STEP(type, frame, at) "{\"type\":\"" type "\",\"frame\":" frame ",\"at\":" at "}"

static void
others_are_read(void)
{
	CHECK_STR(outcome(SAMPLED("none", "[[0,1],[0],[0,1],[]]", "[1,2,3,4]")), "t 4\nt;a 2\nt;a;b 4\n");
	CHECK_STR(outcome(SAMPLED("bytes", "[[0,1],[2]]", "[1024,1e3]")), "t;a;b 1024\nt;c 1000\n");
	CHECK_STR(outcome(SAMPLED("seconds", "[[0,1],[],[0]]", "[0.001,5,1.5]")), "t;a 1500000\nt;a;b 1000\n");
	CHECK_STR(outcome(SAMPLED("milliseconds", "[[0,1]]", "[0.25]")), "t;a;b 250\n");
	CHECK_STR(outcome(SAMPLED("microseconds", "[[0,1],[0],[0]]", "[7,0.5,0.5]")), "t;a 1\nt;a;b 7\n");
	CHECK_STR(outcome(SAMPLED("nanoseconds", "[[0,1],[0]]", "[1500,1500]")), "t;a 2\nt;a;b 1\n");
	CHECK_STR(outcome(EVENTED("microseconds", STEP("O", "0", "10") "," STEP("O", "1", "15") "," STEP("C", "1", "18") ","
	                          STEP("C", "0", "20") "," STEP("O", "2", "30") "," STEP("C", "2", "31"))),
	          "t;a 7\nt;a;b 3\nt;c 1\n");
	CHECK_STR(outcome(EVENTED("none", STEP("O", "0", "10") "," STEP("O", "0", "12") "," STEP("C", "0", "13") ","
	                          STEP("C", "0", "13"))), "t;a 2\nt;a;a 1\n");
}

/* A file of ours is known by its exporter, also where a profile says nothing more of its thread. */
static void
all_threads_count_once(void)
{
	static const char both[] = "{\"exporter\":\"prof@0.1\"," FRAMES ",\"profiles\":["
		"{\"name\":\"all threads\",\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[0]],\"weights\":[5]},"
		"{\"name\":\"t 1/2\",\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[0]],\"weights\":[5]}]}";
	char others[sizeof both];

	CHECK_STR(outcome(both), "t 1/2;a 5\n");
	memcpy(others, both, sizeof both);
	memcpy(strstr(others, "prof@"), "perf@", 5);
	CHECK_STR(outcome(others), "all threads;a 5\nt 1/2;a 5\n");
}

static void
what_is_wrong_is_said_with_its_place(void)
{
	CHECK_STR(outcome(SAMPLED("none", "[[0,1],[3]]", "[1,2]")), "a frame is missing from the table of frames: 3]],\"uni");
	CHECK_STR(outcome(SAMPLED("none", "[[0,-1]]", "[1]")), "a frame is missing from the table of frames: -1]],\"un");
	CHECK_STR(outcome(SAMPLED("none", "[[0,1],[2]]", "[1]")), "the number of weights is not that of samples: ,\"sample");
	CHECK_STR(outcome(SAMPLED("none", "[[0,1]]", "[1,2]")), "the number of weights is not that of samples: 2],\"samp");
	CHECK_STR(outcome(SAMPLED("none", "[[0]]", "[-1]")), "a weight is below zero: -1],\"sam");
	CHECK_STR(outcome(SAMPLED("seconds", "[[0]]", "[1e17]")), "a number is too large: 1e17],\"s");
	CHECK_STR(outcome(SAMPLED("none", "[[0]]", "[1e17]")), "the sum of the weights is too large: ],\"unit\"");
	CHECK_STR(outcome(EVENTED("none", STEP("O", "0", "9"))), "time runs backwards: 9}]}]}");
	CHECK_STR(outcome(EVENTED("none", STEP("O", "0", "10") "," STEP("C", "1", "11"))),
	          "an event closes a frame that is not the innermost: {\"type\":");
	CHECK_STR(outcome(EVENTED("none", STEP("C", "0", "10"))), "an event closes a frame that is not the innermost: {\"type\":");
	CHECK_STR(outcome(EVENTED("none", STEP("X", "0", "10"))), "an event neither opens nor closes a frame: {\"type\":");
	CHECK_STR(outcome("{\"profiles\":[]}"), "the file has neither frames nor profiles: ");
	CHECK_STR(outcome("{" FRAMES ",\"profiles\":[{\"type\":\"sampled\"}]}"), "a profile has no samples: ]}");
	CHECK_STR(outcome("{" FRAMES ",\"profiles\":[{\"type\":\"other\"}]}"), "a profile is neither sampled nor evented: ]}");
	CHECK_STR(outcome("{\"shared\":{\"frames\":[{}]},\"profiles\":[]}"), "a frame has no name: ]},\"prof");
	CHECK_STR(outcome("{\"shared\":[],\"profiles\":[]}"), "this should be an object: [],\"prof");
	CHECK_STR(outcome("{\"shared\":{\"frames\":["), "the text ends too early: ");
}

static bool
looks(const char *s)
{
	return speedscope_is(cur_of(s, strlen(s), false));
}

static void
other_json_is_none(void)
{
	CHECK(looks("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""));
	CHECK(looks(" {\"name\":[1,2],\"profiles\":["));
	CHECK(!looks("{\"traceEvents\":[]}"));
	CHECK(!looks("{\"$schema\":\"https://json-schema.org/x\",\"a\":1}"));
	CHECK(!looks("[]"));
	CHECK(!looks("{"));
	CHECK(!looks(""));
	CHECK(!looks("main;{ 1\n"));
}

int
main(void)
{
	RUN("speedscope", a_plain_profile);
	RUN("speedscope", hostile_names);
	RUN("speedscope", an_empty_profile_is_whole);
	RUN("speedscope", events_have_profiles_of_their_own);
	RUN("speedscope", the_busiest_threads_have_their_own);
	RUN("speedscope", threads_line_up_by_their_lead);
	RUN("speedscope", all_threads_stand_one_after_another_within_a_step);
	RUN("speedscope", weights_that_are_times_keep_their_length);
	RUN("speedscope", deep_stacks_keep_both_ends);
	RUN("speedscope", too_much_detail_is_left_out);
	RUN("speedscope", rare_stacks_keep_their_function);
	RUN("speedscope", without_memory_it_fails_and_says_so);
	RUN("speedscope", pieces_are_sorted_stably);
	RUN("speedscope", ours_is_read_back);
	RUN("speedscope", others_are_read);
	RUN("speedscope", all_threads_count_once);
	RUN("speedscope", what_is_wrong_is_said_with_its_place);
	RUN("speedscope", other_json_is_none);
	return TEST_STATUS;
}
