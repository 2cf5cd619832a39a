#include "test.h"

#include <stdarg.h>

#include "out/format/pprof/pprof.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

static struct cursor
written(struct sink *s, const struct profile *p)
{
	sink_open(s, -1);
	pprof_write(s, p);
	CHECK_U64(s->err, 0);
	return cur_of(s->buf, s->len, false);
}

static const char *
read_back(struct profile *p, const struct profile *from)
{
	struct sink s;
	struct cursor c = written(&s, from);
	const char *why;

	CHECK(pprof_is(c));
	why = pprof_read(p, &c);
	sink_close(&s);
	profile_name(p, NULL, NULL);
	return why;
}

/* prof reads the file back and folds it into the same text; the same holds after it has written it again. */
static void
round_trip(void (*make)(struct profile *), bool by_thread)
{
	struct profile p, again, third;
	char *want, *got, *last;

	make(&p);
	p.by_thread = by_thread;
	want = made_text(&format_folded, &p);
	profile_init(&again);
	profile_init(&third);
	CHECK_STR(read_back(&again, &p) ? "bad" : "", "");
	CHECK(again.timeless);
	again.by_thread = by_thread;
	again.timeless = false;   /* where 0 is no thread's number */
	got = made_text(&format_folded, &again);
	CHECK_STR(got, want);
	if (p.nevent == 1)   /* of a count nobody says in how many samples it came */
		CHECK_U64(again.samples, p.samples);
	CHECK_U64(again.end - again.start, p.end - p.start);
	CHECK_STR(again.command, p.command[0] == 's' ? "sh -c \"echo \x01; \xef\xbf\xbd\"" : p.command);
	for (uint32_t i = 0; i < p.nevent; i++) {
		CHECK_STR(again.event[i].name, p.event[i].name);
		CHECK_U64(again.event[i].period_ns, p.event[i].period_ns);
		CHECK_U64(again.event[i].waiting, p.event[i].waiting);
	}
	CHECK_STR(read_back(&third, &again) ? "bad" : "", "");
	third.by_thread = by_thread;
	third.timeless = false;
	last = made_text(&format_folded, &third);
	CHECK_STR(last, want);
	free(want);
	free(got);
	free(last);
	profile_free(&p);
	profile_free(&again);
	profile_free(&third);
	CHECK_U64(mem_used(), 0);
}

static void
made_waiting(struct profile *p)
{
	made_init(p);
	p->unit = UNIT_MICROSECONDS;
	p->event[0] = (struct event_info){ "off-cpu", 1000, true };
	for (int i = 1; i <= 5; i++)
		made_add(p, "app", 1, 1, i * 100, 12345, "main|wait|futex_wait_[k]");
	made_add(p, "app", 1, 2, 700, 1, "main|poll");
	made_done(p, 1000);
}

static void a_plain_profile(void) { round_trip(made_plain, false); }
static void threads_are_kept_apart(void) { round_trip(made_plain, true); }
static void hostile_names(void) { round_trip(made_hostile, true); }
static void many_threads(void) { round_trip(made_threads, true); }
static void deep_stacks(void) { round_trip(made_deep, false); }
static void several_events(void) { round_trip(made_events, false); }
static void waiting(void) { round_trip(made_waiting, true); }
static void an_empty_profile(void) { round_trip(made_empty, false); }

/* Where a code lies, what is inlined there, on which lines. */
static void
places_are_kept(void)
{
	struct profile p, again;
	struct function f[] = {
		{ .name = "main", .module = "app", .file = "src/main.c", .line = 10 },
		{ .name = "twice", .module = "app", .file = "src/twice.h", .line = 3, .kind = FUNCTION_INLINED },
		{ .name = "once", .module = "app", .file = "src/twice.h", .line = 1, .kind = FUNCTION_INLINED },
		{ .name = "schedule", .module = "[kernel]", .kind = FUNCTION_KERNEL },
		{ .name = "LFoo;bar", .module = "[jit]", .kind = FUNCTION_JIT },
	};
	struct site site[5];
	struct location where = { .address = 0x4011d0 };
	uint32_t code[3];
	const struct location *l;

	made_init(&p);
	p.epoch = 1700000000123456789;
	for (unsigned i = 0; i < 5; i++)
		site[i] = (struct site){ profile_function(&p, &f[i]), 20 + i };
	where.mapping = profile_mapping(&p, "/usr/lib/libx.so.1", "0123");
	where.mapping = profile_mapping(&p, "/opt/app/bin/app", "5eed1e55");
	code[2] = profile_location(&p, &where, site, 3);
	where = (struct location){ .address = UINT64_MAX - 0xfff, .mapping = MAPPING_NONE };
	code[1] = profile_location(&p, &where, site + 3, 1);
	where.address = 0x7f0000001000;
	code[0] = profile_location(&p, &where, site + 4, 1);
	profile_add(&p, profile_thread(&p, 70000, 70001, "app", 0), p.start, 1, code, 3);
	profile_note(&p, "host", "deep: thought");
	made_done(&p, 20);

	profile_init(&again);
	CHECK_STR(read_back(&again, &p) ? "bad" : "", "");
	CHECK_U64(again.epoch, p.epoch);
	CHECK_U64(again.nthread, 1);
	CHECK_U64((uint64_t)again.thread[0].pid, 70000);
	CHECK_U64((uint64_t)again.thread[0].tid, 70001);
	CHECK_U64(again.nnote, 1);
	CHECK_STR(again.note[0].key, "host");
	CHECK_STR(again.note[0].value, "deep: thought");
	CHECK_U64(again.raw.n, 3);
	l = &again.location[again.raw.node[0].frame];
	CHECK_U64(l->address, 0x4011d0);
	CHECK_U64(l->sites, 3);
	CHECK_STR(again.mapping[l->mapping].file, "/opt/app/bin/app");
	CHECK_STR(again.mapping[l->mapping].build_id, "5eed1e55");
	for (unsigned i = 0; i < 5; i++) {
		const struct location *at = &again.location[again.raw.node[i < 3 ? 0 : i - 2].frame];
		const struct site *s = &again.site[at->site + (i < 3 ? i : 0)];
		const struct function *fn = &again.function[s->function];

		CHECK_U64(s->line, 20 + i);
		CHECK_STR(fn->name, f[i].name);
		CHECK_STR(fn->module, f[i].module);
		CHECK_STR(fn->file ? fn->file : "", f[i].file ? f[i].file : "");
		CHECK_U64(fn->line, f[i].line);
		CHECK_U64(fn->kind, f[i].kind);
	}
	CHECK_U64(again.location[again.raw.node[1].frame].address, UINT64_MAX - 0xfff);
	CHECK_U64(again.location[again.raw.node[1].frame].mapping, MAPPING_NONE);
	profile_free(&p);
	profile_free(&again);
	CHECK_U64(mem_used(), 0);
}

/* Files by hand: others' writers have other habits. */
static struct sink file;

/* A message of fields and numbers, ended by a field 0. */
static void
message(struct sink *to, unsigned field, ...)
{
	struct sink body;
	va_list ap;

	sink_open(&body, -1);
	va_start(ap, field);
	for (unsigned f; (f = va_arg(ap, unsigned));) {
		pprof_varint(&body, f << 3 | WIRE_VARINT);
		pprof_varint(&body, va_arg(ap, unsigned long long));
	}
	va_end(ap);
	pprof_bytes(to, field, &body);
	sink_close(&body);
}

static void
strings(const char *s)
{
	for (const char *end; *s; s = end + 1) {
		struct sink body;

		end = strchr(s, '|');
		sink_open(&body, -1);
		sink_put(&body, s, (size_t)(end - s));
		pprof_bytes(&file, PROFILE_STRING, &body);
		sink_close(&body);
	}
}

/* Reads the file: what is wrong, at which offset, or how it folds. */
static const char *
outcome(void)
{
	static char text[4096];
	struct cursor c = cur_of(file.buf, file.len, false);
	struct profile p;
	const char *why;
	char *folded;

	profile_init(&p);
	why = pprof_read(&p, &c);
	if (why)
		snprintf(text, sizeof text, "%s at %ld", why, (long)((const char *)c.pos - file.buf));
	else {
		profile_name(&p, NULL, NULL);
		folded = made_text(&format_folded, &p);
		snprintf(text, sizeof text, "%s (%s) %s", p.event[0].name, p.event[0].waiting ? "waiting" : "", folded);
		free(folded);
	}
	profile_free(&p);
	sink_close(&file);
	CHECK_U64(mem_used(), 0);
	return text;
}

#define N(v) (unsigned long long)(v)

/* A file's end: types of samples, their period, a location with a function (7) and one without (9). */
static void
tables(const char *types, unsigned period_type, uint64_t period)
{
	struct sink location;

	message(&file, PROFILE_SAMPLE_TYPE, 1, N(1), 2, N(2), 0);
	message(&file, PROFILE_SAMPLE_TYPE, 1, N(3), 2, N(4), 0);
	if (period_type)
		message(&file, PROFILE_PERIOD_TYPE, 1, N(period_type), 2, N(period_type + 1), 0);
	pprof_number(&file, PROFILE_PERIOD, period);
	message(&file, PROFILE_MAPPING, 1, N(5), 2, N(0x400000), 3, N(0x500000), 4, N(0x1000), 5, N(5), 0);
	message(&file, PROFILE_FUNCTION, 1, N(3), 2, N(6), 0);
	sink_open(&location, -1);
	pprof_number(&location, 1, 7);
	pprof_number(&location, 2, 5);
	message(&location, 4, 1, N(3), 2, N(12), 0);
	pprof_bytes(&file, PROFILE_LOCATION, &location);
	sink_close(&location);
	message(&file, PROFILE_LOCATION, 1, N(9), 2, N(5), 3, N(0x401234), 0);
	strings("|");
	strings(types);
	strings("/bin/prog|main.main|");
}

/* Values and locations that are not packed. */
static void
two_samples(uint64_t a, uint64_t b)
{
	sink_open(&file, -1);
	message(&file, PROFILE_SAMPLE, 1, N(9), 1, N(7), 2, N(2), 2, N(a), 0);
	message(&file, PROFILE_SAMPLE, 1, N(7), 2, N(1), 2, N(b), 0);
}

static void
files_of_others(void)
{
	two_samples(20000000, 10000000);
	tables("samples|count|cpu|nanoseconds|", 3, 10000000);
	CHECK_STR(outcome(), "cpu () prog;main.main 1\nprog;main.main;[prog+0x2234] 2\n");
	two_samples(20000000, 10005000);   /* no multiples of the period: then microseconds */
	tables("samples|count|cpu|nanoseconds|", 3, 10000000);
	CHECK_STR(outcome(), "cpu () prog;main.main 10005\nprog;main.main;[prog+0x2234] 20000\n");
	two_samples(20, 10);
	tables("contentions|count|delay|milliseconds|", 1, 1);
	CHECK_STR(outcome(), "delay (waiting) prog;main.main 10000\nprog;main.main;[prog+0x2234] 20000\n");
	two_samples(700, 1300);   /* parts of a microsecond carry over */
	tables("contentions|count|delay|nanoseconds|", 1, 1);
	CHECK_STR(outcome(), "delay (waiting) prog;main.main 2\n");
	two_samples(4096, 64);
	tables("objects|count|space|bytes|", 3, 524288);
	CHECK_STR(outcome(), "space (bytes) () prog;main.main 64\nprog;main.main;[prog+0x2234] 4096\n");
	two_samples(4096, 64);
	pprof_number(&file, PROFILE_DEFAULT_TYPE, 1);
	tables("objects|count|space|bytes|", 3, 524288);
	CHECK_STR(outcome(), "objects () prog;main.main 1\nprog;main.main;[prog+0x2234] 2\n");
	two_samples(4096, 64);
	tables("samples|count|other|bytes|", 0, 0);
	CHECK_STR(outcome(), "samples () prog;main.main 1\nprog;main.main;[prog+0x2234] 2\n");
}

static void
what_is_wrong_is_said(void)
{
	static const char types[] = "samples|count|cpu|nanoseconds|";

	two_samples(1, 2);
	message(&file, PROFILE_SAMPLE, 1, N(7), 2, N(1), 0);
	tables(types, 0, 0);
	CHECK_STR(outcome(), "a sample has more or fewer values than there are types at 20");
	two_samples(1, 2);
	message(&file, PROFILE_SAMPLE, 1, N(8), 2, N(1), 2, N(1), 0);
	tables(types, 0, 0);
	CHECK_STR(outcome(), "a location is missing from the table of locations at 20");
	two_samples(1, UINT64_MAX);
	tables(types, 0, 0);
	CHECK_STR(outcome(), "a value is below zero (is this the difference of two profiles?) at 12");
	two_samples(1, INT64_MAX);
	tables("samples|count|cpu|seconds|", 0, 0);
	CHECK_STR(outcome(), "a value is too large at 12");
	two_samples(1, INT64_MAX);
	tables("objects|count|space|bytes|", 0, 0);
	CHECK_STR(outcome(), "the sum of the values is too large at 12");
	two_samples(1, 2);
	tables("samples|", 0, 0);
	CHECK_STR(outcome(), "a string is missing from the table of strings at 0");
	two_samples(1, 2);
	message(&file, PROFILE_FUNCTION, 1, N(3), 0);
	tables(types, 0, 0);
	CHECK(strstr(outcome(), "two entries have the same number at "));
	two_samples(1, 2);
	message(&file, PROFILE_LOCATION, 3, N(3), 0);
	tables(types, 0, 0);
	CHECK_STR(outcome(), "an entry has no number at 20");
	two_samples(1, 2);
	CHECK_STR(outcome(), "the file names no types of samples at 18");
	sink_open(&file, -1);
	sink_put(&file, "\x0a\x05\x08\x01", 4);
	CHECK_STR(outcome(), "data ends too early at 0");
	sink_open(&file, -1);
	sink_put(&file, "\x0a\x00\x0b", 3);
	CHECK_STR(outcome(), "a field is of an unknown kind at 2");
	sink_open(&file, -1);
	sink_put(&file, "\x10\x00", 2);
	CHECK_STR(outcome(), "a number is in the place of a message at 0");
}

static bool
is(const char *s)
{
	return pprof_is(cur_of(s, strlen(s), false));
}

static void
text_is_none(void)
{
	CHECK(is("\x0a\x04\x08\x01\x10\x02"));
	CHECK(!is(""));
	CHECK(!is("main;work 12\n"));
	CHECK(!is("\nmain;work 12\n"));
	CHECK(!is("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nmain 1\n"));
	CHECK(!is("{\"$schema\":1}"));
	CHECK(!is("comm 12/13 1.0: cycles:\n"));
	CHECK(!is("\x7f" "ELF"));
	CHECK(!is("PERFILE2"));
}

/* Every prefix, and every file with one byte turned: never more than a complaint. */
static void
broken_files_are_bounded(void)
{
	struct profile p;
	struct sink s;
	struct cursor whole;
	unsigned bad = 0;

	made_events(&p);
	whole = written(&s, &p);
	profile_free(&p);
	for (size_t i = 0; i < 2 * s.len; i++) {
		struct cursor c = cur_of(whole.pos, i < s.len ? i : s.len, false);

		if (i >= s.len)
			s.buf[i - s.len] ^= 0x41;
		profile_init(&p);
		bad += pprof_read(&p, &c) != NULL;
		CHECK((const char *)c.pos >= s.buf && (const char *)c.pos <= s.buf + s.len);
		profile_name(&p, NULL, NULL);
		profile_free(&p);
		if (i >= s.len)
			s.buf[i - s.len] ^= 0x41;
	}
	CHECK(bad > s.len / 2);
	sink_close(&s);
	CHECK_U64(mem_used(), 0);
}

static void
without_memory_it_fails_and_says_so(void)
{
	struct profile p, again;
	unsigned wrote = 0, failed = 0, unread = 0;
	struct sink s, whole;
	struct cursor c;

	made_plain(&p);
	c = written(&whole, &p);
	for (size_t room = 1 << 10; room < 592 << 10; room += 1 << 10) {
		mem_cap(mem_used() + room);
		sink_open(&s, -1);
		pprof_write(&s, &p);
		if (sink_close(&s))
			failed++;
		else
			wrote++;
		profile_init(&again);
		unread += pprof_read(&again, &(struct cursor){ c.pos, c.end, NULL, false }) != NULL || again.dropped > 0;
		profile_free(&again);
		mem_cap(SIZE_MAX);
	}
	CHECK(failed > 0 && wrote > 0 && unread > 0 && unread < 492);
	sink_close(&whole);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("pprof", a_plain_profile);
	RUN("pprof", threads_are_kept_apart);
	RUN("pprof", hostile_names);
	RUN("pprof", many_threads);
	RUN("pprof", deep_stacks);
	RUN("pprof", several_events);
	RUN("pprof", waiting);
	RUN("pprof", an_empty_profile);
	RUN("pprof", places_are_kept);
	RUN("pprof", files_of_others);
	RUN("pprof", what_is_wrong_is_said);
	RUN("pprof", text_is_none);
	RUN("pprof", broken_files_are_bounded);
	RUN("pprof", without_memory_it_fails_and_says_so);
	return TEST_STATUS;
}
