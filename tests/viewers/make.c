/* make DIR [FORMAT...]: writes the profiles that the real viewers are tried with, DIR/NAME.SUFFIX, in every format;
 * or the large ones, in these. */
#include <fcntl.h>
#include <unistd.h>

#include "../unit/profiles.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"

static uint32_t seed = 1;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static unsigned
ask_number(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	char name[32];
	struct function f = { .name = name, .module = "app" };

	(void)max;
	where->address = code;
	snprintf(name, sizeof name, "function_%u", code);
	*site = (struct site){ profile_function(ctx, &f), 0 };
	return 1;
}

/* A million samples of two threads at 4999 Hz; KEEP outer frames of 30 stay from one sample to the next. */
static void
made_million(struct profile *p, uint32_t keep)
{
	uint32_t stack[2][40] = { { 0 } }, depth[2] = { 0 }, code[40];

	made_init(p);
	p->event[0].period_ns = 200040;
	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t t = i & 1, k = keep - rnd(6), n = 25 + rnd(10);

		k = k < depth[t] ? k : depth[t];
		for (; k < n; k++)
			stack[t][k] = rnd(keep < 10 ? 20000 : 8) + k * 8 + (k ? 0 : t * 10);
		depth[t] = n;
		for (k = 0; k < n; k++)
			code[k] = stack[t][n - 1 - k];
		profile_add(p, profile_thread(p, 1, 1 + (int)t, "million", 0), p->start + (i / 2 + 1) * 200040ull, 1, code, n);
	}
	p->end = p->start + 500001 * 200040ull;
	profile_name(p, ask_number, p);
}

/* Two lines of a function that calls an inlined one, and the same function's own time. */
static unsigned
ask_lined(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	struct function outer = { .name = "outer", .module = "app", .file = "src/o.c", .line = 10 };
	struct function inner = { .name = "inner", .module = "app", .file = "src/o.h", .line = 3, .kind = FUNCTION_INLINED };

	(void)max;
	where->address = code;
	site[0] = (struct site){ profile_function(ctx, &outer), 12 + code };
	site[1] = (struct site){ profile_function(ctx, &inner), 4 };
	return code < 2 ? 1 : 2;
}

static void
made_lined(struct profile *p)
{
	made_init(p);
	for (uint32_t code = 0; code < 3; code++)
		for (unsigned i = 0; i <= code; i++)
			profile_add(p, profile_thread(p, 1, 1, "app", 0), p->start + (code * 10 + i + 1) * 1000000ull, 1, &code, 1);
	p->end = p->start + 40000000;
	profile_name(p, ask_lined, p);
}

/* A Python program's own functions, the standard library's and a package's, and the interpreter's. */
static unsigned
ask_python(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	static const struct function all[] = {
		{ .name = "app.py:main", .module = "[python]", .file = "/home/u/app.py", .line = 3 },
		{ .name = "json/__init__.py:dumps", .module = "[python]", .file = "/usr/lib/python3.11/json/__init__.py", .line = 183 },
		{ .name = "frame.py:Frame.sum", .module = "[python]", .file = "/home/u/env/lib/python3.11/site-packages/pandas/frame.py", .line = 9 },
		{ .name = "PyObject_Str", .module = "python3.11" },
		{ .name = "native", .module = "app" },
	};

	(void)max;
	where->address = code;
	*site = (struct site){ profile_function(ctx, &all[code]), 0 };
	return 1;
}

static void
made_python(struct profile *p)
{
	static const uint32_t inner[] = { 1, 2, 3, 4 };

	made_init(p);
	for (unsigned i = 0; i < 4; i++)
		profile_add(p, profile_thread(p, 1, 1, "python3", 0), p->start + (i + 1) * 10000000ull, 1, (uint32_t[]){ inner[i], 0 }, 2);
	p->end = p->start + 50000000;
	profile_name(p, ask_python, p);
}

/* The same, with the text of lines, which the page must show as plain text. */
static void
made_sourced(struct profile *p)
{
	static const char *const lines[] = { "int outer(void)", "{", "\tif (a < b && \"</script>\")", "\t\treturn inner(); // <img src=x onerror=alert(1)>",
		"\treturn \xe2\x80\xae \xff;", "}" };

	made_lined(p);
	for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++)
		source_texts_add(&p->sources, &p->arena, "src/o.c", 10 + i, lines[i], strlen(lines[i]));
	source_texts_add(&p->sources, &p->arena, "src/o.c", 30, "far away", 8);
}

/* A thread that runs for 10 ms and waits for 30, with notes about the capture. */
static void
made_waiting(struct profile *p)
{
	uint32_t code[2] = { made_code("read", 4), made_code("main", 4) };

	made_init(p);
	p->nevent = 2;
	p->event[1] = (struct event_info){ "off-cpu", 1000, true };
	for (int i = 1; i <= 10; i++)
		made_add(p, "app", 1, 1, i, 1, "main|work");
	profile_add(p, profile_thread(p, 1, 1, "app", 1), p->start + 40000000, 30000, code, 2);
	profile_note(p, "host", "box <b>");
	profile_note(p, "complete stacks", "99.8%");
	made_done(p, 40);
}

static void
add_wait(struct profile *p, const char *comm, int tid, int until_ms, int ms, const char *outer, const char *call, const char *inner)
{
	uint32_t code[3] = { made_code(inner, strlen(inner)), made_code(call, strlen(call)), made_code(outer, strlen(outer)) };

	profile_add(p, profile_thread(p, 9, tid, comm, 1), p->start + (uint64_t)until_ms * 1000000, (uint64_t)ms * 1000, code, 3);
}

/* A thread that runs, and others that do nothing but wait, with several calls. */
static void
made_waiters(struct profile *p)
{
	made_init(p);
	p->nevent = 2;
	p->event[1] = (struct event_info){ "off-cpu", 1000, true };
	for (int i = 1; i <= 20; i++)
		made_add(p, "busy", 9, 9, i, 1, "main|work");
	add_wait(p, "lazy", 10, 10, 10, "take", "__x64_sys_futex_[k]", "schedule_[k]");
	add_wait(p, "lazy", 10, 60, 30, "give", "pthread_cond_wait@@GLIBC_2.3.2", "wait_more");
	add_wait(p, "lazy", 10, 80, 5, "take", "__do_sys_epoll_pwait_[k]", "schedule_[k]");
	add_wait(p, "idle", 11, 40, 15, "log", "fdatasync", "[run queue]");
	add_wait(p, "idle", 11, 90, 20, "log", "fdatasync", "inner");
	add_wait(p, "idle", 11, 95, 3, "log", "__GI___clock_nanosleep", "inner");
	made_done(p, 100);
}

/* Twelve seconds of two threads: one polls, the other runs for 100 ms from the 400th of each second on, first in `early`, from the
 * seventh second on in `late`. */
static void
made_beats(struct profile *p)
{
	made_init(p);
	for (int s = 0; s < 12; s++)
		for (int ms = 0; ms < 1000; ms++)
			if (ms >= 400 && ms < 500)
				made_add(p, "beat", 5, 5, s * 1000 + ms + 1, 1, s < 6 ? "main|burst|early" : "main|burst|late");
			else if (ms % 10 == 0)
				made_add(p, "beat", 5, 6, s * 1000 + ms + 1, 1, "main|poll_[k]");
	made_done(p, 12000);
}

/* Like a profile from a file without times. */
static void
made_timeless(struct profile *p)
{
	made_init(p);
	p->timeless = true;
	made_add(p, "app", 0, 0, 0, 70, "main|work|hot");
	made_add(p, "app", 0, 0, 0, 30, "main|n::(anonymous namespace)::rest(n::Some*, n::(anonymous namespace)::Other const&, int)");
	made_done(p, 0);
}

/* Go's names; and colours by module, as the command line said. */
static void
made_go(struct profile *p)
{
	made_init(p);
	p->timeless = true;
	p->picture.colors = "module";
	made_add(p, "app", 0, 0, 0, 70, "main|work|hot");
	made_add(p, "app", 0, 0, 0, 30, "main|regexp.(*machine).doExecute(one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve)");
	made_done(p, 0);
}

/* 1,000 threads of 50 processes, 500 frames deep, each with some samples in the kernel. */
static void
made_crowd(struct profile *p)
{
	static char stack[512 * 12];
	char comm[16], *to = stack;

	for (int i = 0; i < 500; i++)
		to += sprintf(to, i ? "|d%d" : "d%d", i % 250);
	made_init(p);
	for (int t = 0; t < 1000; t++)
		for (int i = 0; i < 5; i++) {
			snprintf(comm, sizeof comm, "crowd%d", t / 20);
			made_add(p, comm, 4100000 + t / 20, 1000 + t, i * 20 + t % 20, 1, i == 4 ? stack : i % 2 ? "main|poll_[k]" : "main|work|inner_[i]");
		}
	made_done(p, 110);
}

static void made_slow(struct profile *p) { made_million(p, 29); }
static void made_random(struct profile *p) { made_million(p, 6); }

static bool
among(const char *name, char **names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct profile *);
		bool large;
	} all[] = {
		{ "lined", made_lined, false }, { "python", made_python, false },   { "sourced", made_sourced, false }, { "waiting", made_waiting, false }, { "waiters", made_waiters, false }, { "beats", made_beats, false }, { "timeless", made_timeless, false }, { "go", made_go, false },
		{ "crowd", made_crowd, false },
		{ "plain", made_plain, false },   { "hostile", made_hostile, false }, { "empty", made_empty, false },
		{ "deep", made_deep, false },     { "events", made_events, false },   { "threads", made_threads, false },
		{ "slow", made_slow, true },      { "random", made_random, true },
	};

	for (unsigned i = 0; argc >= 2 && i < sizeof all / sizeof *all; i++) {
		struct profile p;

		if (all[i].large != (argc >= 3))
			continue;
		all[i].make(&p);
		for (const struct format *const *f = formats; *f; f++) {
			const char *suffix = (*f)->suffixes;
			char path[4096];
			struct sink s;
			int fd;

			if (all[i].large && !among((*f)->name, argv + 2))
				continue;
			snprintf(path, sizeof path, "%s/%s%.*s", argv[1], all[i].name, (int)strcspn(suffix, " "), suffix);
			fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
			sink_open(&s, fd);
			(*f)->write(&s, &p);
			if (sink_close(&s) || close(fd)) {
				perror(path);
				return 1;
			}
		}
		profile_free(&p);
	}
	return argc < 2;
}
