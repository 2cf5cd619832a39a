#include "test.h"

#include "out/format/folded.c"
#include "out/formats.h"

#include "profiles.h"

static void
check(struct profile *p, const char *want)
{
	char *text = made_text(&format_folded, p);

	CHECK_STR(text, want);
	free(text);
	profile_free(p);
	CHECK_U64(mem_used(), 0);
}

static void
a_plain_profile(void)
{
	struct profile p;
	char *text;

	made_plain(&p);
	text = made_text(&format_folded, &p);
	CHECK(golden(text, "plain.folded"));
	free(text);
	profile_free(&p);
}

static void
hostile_names(void)
{
	struct profile p;
	char *text;

	made_hostile(&p);
	text = made_text(&format_folded, &p);
	CHECK(golden(text, "hostile.folded"));
	for (const char *s = text; *s; s += utf8_len(s)) {
		CHECK(utf8_len(s));
		CHECK(*s == '\n' || (unsigned char)*s >= 0x20);
		if (!utf8_len(s))
			break;
	}
	free(text);
	profile_free(&p);
}

static void
an_empty_profile_is_empty(void)
{
	struct profile p;

	made_init(&p);
	made_done(&p, 1);
	check(&p, "");
}

static void
functions_written_alike_are_one_frame(void)
{
	struct profile p;

	made_init(&p);
	made_add(&p, "a", 1, 1, 1, 1, "x y|leaf");
	made_add(&p, "a", 1, 1, 2, 1, "x\ny|tail");
	made_add(&p, "a", 1, 1, 3, 1, "x\ty|leaf");
	made_add(&p, "a", 1, 1, 4, 1, "x\ry");
	made_done(&p, 5);
	check(&p, "a;x y 1\na;x y;leaf 2\na;x y;tail 1\n");
}

static void
the_order_is_that_of_the_text(void)
{
	struct profile p;

	made_init(&p);
	made_add(&p, "z", 1, 1, 1, 1, "b|x");
	made_add(&p, "a", 2, 2, 2, 1, "b|y");
	made_add(&p, "a", 2, 2, 3, 1, "b|x|deep");
	made_add(&p, "a", 2, 2, 4, 1, "a");
	made_add(&p, "a", 2, 2, 5, 1, "b");
	made_done(&p, 6);
	check(&p, "a;a 1\na;b 1\na;b;x;deep 1\na;b;y 1\nz;b;x 1\n");
}

static void
threads_and_processes_apart(void)
{
	for (int mode = 0; mode < 3; mode++) {
		struct profile p;

		made_init(&p);
		made_add(&p, "a", 1, 1, 1, 1, "f");
		made_add(&p, "a", 1, 2, 1, 2, "f");
		made_add(&p, "a", 3, 3, 1, 4, "f");
		p.by_thread = mode == 2;
		p.by_process = mode == 1;
		made_done(&p, 2);
		check(&p, mode == 0 ? "a;f 7\n" : mode == 1 ? "a-1;f 3\na-3;f 4\n" : "a-1/1;f 1\na-1/2;f 2\na-3/3;f 4\n");
	}
}

static void
events_have_a_frame(void)
{
	struct profile p;
	uint32_t code = made_code("f", 1);

	made_init(&p);
	p.nevent = 2;
	p.event[1] = (struct event_info){ "page;faults", 0 };
	profile_add(&p, profile_thread(&p, 1, 1, "a", 1), p.start, 5, &code, 1);
	profile_add(&p, profile_thread(&p, 1, 1, "a", 0), p.start, 3, &code, 1);
	made_done(&p, 1);
	check(&p, "a;[cpu-clock];f 3\na;[page:faults];f 5\n");
}

/* More distinct stacks than are sorted one by one, and their sum. */
static void
many_stacks(void)
{
	struct profile p;
	uint64_t sum = 0, lines = 0;
	char *text, last[64] = "";

	made_init(&p);
	for (unsigned i = 0; i < 3000; i++) {
		char stack[64];

		snprintf(stack, sizeof stack, "root|f%04u", i * 7919 % 3000);
		made_add(&p, "a", 1, 1, i, 1, stack);
	}
	made_done(&p, 3000);
	text = made_text(&format_folded, &p);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		CHECK(strcmp(last, line) < 0);
		snprintf(last, sizeof last, "%s", line);
		sum += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	}
	CHECK_U64(lines, 3000);
	CHECK_U64(sum, 3000);
	free(text);
	profile_free(&p);
}

static void
without_memory_it_fails_and_says_so(void)
{
	struct profile p;
	unsigned failed = 0, well = 0;

	made_plain(&p);
	for (size_t room = 64 << 10; room < (68 << 10); room += 50) {
		struct sink s;

		mem_cap(mem_used() + room);
		sink_open(&s, -1);
		format_folded.write(&s, &p);
		*(sink_close(&s) ? &failed : &well) += 1;
		mem_cap(SIZE_MAX);
	}
	CHECK(failed > 0);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* A reader that needs no places leaves them out, and has one tree: what is written is the same. */
static void
without_places(void)
{
	static const char text[] = "main;f_[k];g 3\nmain;g 1\nmain;f_[k] 7\nother;g;g;[lib.so+0x10] 2\n";
	struct profile p[2];
	char *written[2];

	for (unsigned placeless = 0; placeless < 2; placeless++) {
		struct cursor c = cur_of(text, sizeof text - 1, false);

		profile_init(&p[placeless]);
		p[placeless].placeless = placeless;
		CHECK(!format_folded.read(&p[placeless], &c));
		CHECK(p[placeless].nlocation == (placeless ? 0 : p[placeless].nfunction));
		profile_name(&p[placeless], NULL, NULL);
		profile_name(&p[placeless], NULL, NULL);
		CHECK(p[placeless].tree_is_raw == placeless);
		written[placeless] = made_text(&format_folded, &p[placeless]);
	}
	CHECK_U64(p[1].tree.n, p[0].tree.n);
	for (uint32_t i = 0; i < p[0].tree.n && i < p[1].tree.n; i++)
		CHECK(p[0].tree.node[i].parent == p[1].tree.node[i].parent && p[0].tree.node[i].frame == p[1].tree.node[i].frame);
	CHECK_STR(written[1], written[0]);
	for (unsigned i = 0; i < 2; i++) {
		free(written[i]);
		profile_free(&p[i]);
	}
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("folded", a_plain_profile);
	RUN("folded", hostile_names);
	RUN("folded", an_empty_profile_is_empty);
	RUN("folded", functions_written_alike_are_one_frame);
	RUN("folded", the_order_is_that_of_the_text);
	RUN("folded", threads_and_processes_apart);
	RUN("folded", events_have_a_frame);
	RUN("folded", without_places);
	RUN("folded", many_stacks);
	RUN("folded", without_memory_it_fails_and_says_so);
	return TEST_STATUS;
}
