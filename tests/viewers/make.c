/* link: lib/mem.c lib/cursor.c lib/index.c lib/sink.c out/profile.c out/timeline.c out/tree.c out/merge.c out/cell.c lib/file.c out/folded.c out/read_folded.c out/svg.c out/flame.c out/script.c out/script_read.c out/speedscope.c out/table.c out/report_rows.c out/report_tree.c lib/regex.c out/format.c out/pprof.c out/pprof_read.c out/pprof_tables.c out/html.c lib/deflate.c lib/crc.c out/speedscope_read.c lib/json.c */
/* make DIR [large]: writes the profiles that the real viewers are tried with, DIR/NAME.SUFFIX, in every format;
 * or the large ones, in speedscope's alone. */
#include <fcntl.h>
#include <unistd.h>

#include "../unit/profiles.h"

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

static void made_slow(struct profile *p) { made_million(p, 29); }
static void made_random(struct profile *p) { made_million(p, 6); }

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct profile *);
		bool large;
	} all[] = {
		{ "plain", made_plain, false },   { "hostile", made_hostile, false }, { "empty", made_empty, false },
		{ "deep", made_deep, false },     { "events", made_events, false },   { "threads", made_threads, false },
		{ "slow", made_slow, true },      { "random", made_random, true },
	};

	for (unsigned i = 0; argc >= 2 && i < sizeof all / sizeof *all; i++) {
		struct profile p;

		if (all[i].large != (argc == 3))
			continue;
		all[i].make(&p);
		for (const struct format *const *f = formats; *f; f++) {
			const char *suffix = (*f)->suffixes;
			char path[4096];
			struct sink s;
			int fd;

			if (all[i].large && *f != &format_speedscope)
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
