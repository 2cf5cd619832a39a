#include "test.h"

#include "out/profile/profile.c"
#include "out/profile/profile_names.h"
#include "out/profile/timeline.c"
#include "out/profile/tree.c"

#include <stdlib.h>

static uint64_t seed = 88172645463325252u;

static uint32_t
rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % n;
}

static void
a_node_is_made_once(void)
{
	struct tree t = { 0 };
	uint32_t a = tree_node(&t, NODE_NONE, 7), b = tree_node(&t, a, 7);

	CHECK_U64(a, 0);
	CHECK_U64(b, 1);
	CHECK_U64(tree_node(&t, NODE_NONE, 7), a);
	CHECK_U64(tree_node(&t, a, 7), b);
	CHECK_U64(tree_node(&t, a, UINT32_MAX), 2);
	CHECK_U64(t.n, 3);
	tree_free(&t);
	CHECK_U64(mem_used(), 0);
}

static void
many_nodes_stay_found_and_small(void)
{
	struct tree t = { 0 };
	enum { N = 300000 };
	uint32_t *parent = calloc(N, sizeof *parent), *frame = calloc(N, sizeof *frame);
	double worst = 0;

	for (uint32_t i = 0; i < N; i++) {
		parent[i] = i && rnd(8) ? rnd(i) : NODE_NONE;
		frame[i] = i;   /* so that each is new */
		CHECK_U64(tree_node(&t, parent[i], frame[i]), i);
		if (i > 200000) {
			double each = ((double)t.cap * sizeof *t.node + (double)t.tags.slots * sizeof *t.tags.slot) / t.n;

			worst = each > worst ? each : worst;
		}
	}
	CHECK(worst <= 16);
	tree_drop_table(&t);
	for (uint32_t i = 0; i < N; i++)
		CHECK_U64(tree_node(&t, parent[i], frame[i]), i);
	CHECK_U64(t.n, N);
	tree_settle(&t);
	for (uint32_t i = 0; i < N; i += 997)
		CHECK(tree_stack(&t, i, NULL, 0) == 1 + (parent[i] == NODE_NONE ? 0 : tree_stack(&t, parent[i], NULL, 0)));
	tree_free(&t);
	free(parent);
	free(frame);
}

/* Stacks that bring five nodes each: four of them need no slot. */
static void
nodes_in_a_row_take_less(void)
{
	struct tree t = { 0 };
	enum { N = 200000, ROW = 5 };
	double worst = 0;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < N; i++) {
		double each;

		wrong += tree_node(&t, i % ROW ? i - 1 : i ? rnd(i) : NODE_NONE, i * 2654435761u) != i;
		each = ((double)t.cap * sizeof *t.node + (double)t.tags.slots * sizeof *t.tags.slot) / (i + 1);
		worst = i > N / 2 && each > worst ? each : worst;
	}
	CHECK(worst <= 11);
	tree_drop_table(&t);
	for (uint32_t i = 0; i < N; i++)
		wrong += tree_node(&t, t.node[i].parent, t.node[i].frame) != i;
	CHECK_U64(wrong, 0);
	CHECK_U64(t.n, N);
	tree_free(&t);
}

/* New nodes wait for their slots: between searches, behind a new table, and where nodes came without one. */
static void
nodes_that_wait_are_found(void)
{
	struct tree t = { 0 };
	enum { N = 5000 };

	CHECK(vec_room(&t.node, &t.cap, 2, sizeof *t.node));
	t.node[t.n++] = (struct node){ NODE_NONE, 50 };
	t.node[t.n++] = (struct node){ 0, 40 };
	CHECK_U64(tree_node(&t, NODE_NONE, 50), 0);
	CHECK_U64(tree_node(&t, 0, 40), 1);
	for (uint32_t i = 2; i < N; i++) {
		uint32_t parent = i % 3 ? i - 1 : rnd(i);

		CHECK_U64(tree_node(&t, parent, i % 5 ? i : i * 10), i);   /* frames that rise, and some that fall */
		CHECK_U64(tree_node(&t, parent, i % 5 ? i : i * 10), i);
	}
	for (uint32_t i = 0; i < N; i++)
		CHECK_U64(tree_node(&t, t.node[i].parent, t.node[i].frame), i);
	CHECK_U64(t.n, N);
	tree_free(&t);
}

static void
at_the_cap_the_tree_still_finds(void)
{
	struct tree t = { 0 };
	uint32_t n = 0;

	mem_cap(mem_used() + 100000);
	while (tree_node(&t, NODE_NONE, n) != NODE_NONE)
		n++;
	CHECK(n > 4000);
	for (uint32_t i = 0; i < n; i++)
		CHECK_U64(tree_node(&t, NODE_NONE, i), i);
	CHECK_U64(tree_node(&t, NODE_NONE, n + 1), NODE_NONE);
	mem_cap(SIZE_MAX);
	tree_free(&t);
}

static void
without_any_memory_there_is_no_node(void)
{
	struct tree t = { 0 };

	mem_cap(mem_used());
	CHECK_U64(tree_node(&t, NODE_NONE, 1), NODE_NONE);
	CHECK_U64(tree_node(&t, NODE_NONE, 1), NODE_NONE);
	mem_cap(SIZE_MAX);
	tree_drop_table(&t);
	CHECK_U64(tree_node(&t, NODE_NONE, 1), 0);
	tree_free(&t);
}

static void
paths_tell_what_they_share(void)
{
	struct tree t = { 0 };
	struct path path = { 0 };
	uint32_t a = tree_node(&t, NODE_NONE, 10), b = tree_node(&t, a, 11), c = tree_node(&t, b, 12);
	uint32_t d = tree_node(&t, a, 13), stack[2];

	for (int settled = 0; settled < 2; settled++) {
		path.n = 0;
		CHECK_U64(tree_path(&t, c, &path), 0);
		CHECK_U64(path.n, 3);
		CHECK_U64(tree_path(&t, d, &path), 1);
		CHECK(path.n == 2 && path.node[0] == a && path.node[1] == d);
		CHECK_U64(tree_path(&t, d, &path), 2);
		CHECK_U64(tree_path(&t, NODE_NONE, &path), 0);
		CHECK_U64(path.n, 0);
		tree_settle(&t);
	}
	CHECK_U64(tree_stack(&t, c, stack, 2), 3);
	CHECK(stack[0] == 10 && stack[1] == 11);
	path_free(&path);
	tree_free(&t);
}

static void
order_keeps_callees_together(void)
{
	struct tree t = { 0 };
	uint32_t order[5], a = tree_node(&t, NODE_NONE, 1), b = tree_node(&t, NODE_NONE, 2);
	uint32_t a1 = tree_node(&t, a, 3), b1 = tree_node(&t, b, 4), a2 = tree_node(&t, a1, 5);

	CHECK(tree_order(&t, order));
	CHECK(order[a] == 0 && order[a1] == 1 && order[a2] == 2 && order[b] == 3 && order[b1] == 4);
	tree_free(&t);
}

static unsigned asked;

/* Codes 2k and 2k + 1 are one function; from 1000 on, a code is two functions. */
static unsigned
ask_pairs(void *ctx, uint32_t code, struct location *where, struct site *site, unsigned max)
{
	char name[32];
	struct function f = { .name = name, .module = "m", .kind = FUNCTION_USER };

	asked++;
	CHECK(max == NAME_MAX_INLINE);
	snprintf(name, sizeof name, "f%u", code / 2);
	where->address = code;
	site[0] = (struct site){ profile_function(ctx, &f), code };
	if (code < 1000)
		return 1;
	f.kind = FUNCTION_INLINED;
	site[1] = (struct site){ profile_function(ctx, &f), 0 };
	return 2;
}

static void
init(struct profile *p, uint64_t period)
{
	profile_init(p);
	p->nevent = 1;
	p->event[0] = (struct event_info){ "cpu-clock", period };
	p->start = 1000000000000;
}

static void
shared_stacks_are_those_of_a_fresh_look(void)
{
	struct profile p, q;
	uint32_t stack[3][3000], depth[3] = { 0 };

	init(&p, 1000);
	init(&q, 1000);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t t = rnd(3), keep = depth[t] ? rnd(depth[t] + 1) : 0, n = keep + rnd(i % 500 ? 8 : 2900);
		uint32_t code[3000], ta, tb;

		n = n > 3000 ? 3000 : n;
		for (uint32_t k = keep; k < n; k++)
			stack[t][k] = rnd(5);
		for (uint32_t k = 0; k < n; k++)
			code[k] = stack[t][n - 1 - k];
		depth[t] = n;
		ta = profile_thread(&p, 1, (int)t, "x", 0);
		profile_add(&p, ta, p.start + i, 1, code, n);
		tb = profile_thread(&q, 1, (int)t, "x", 0);
		if (q.last)
			q.last[tb].depth = 0;   /* nothing to share */
		profile_add(&q, tb, q.start + i, 1, code, n);
		CHECK_U64(p.thread[ta].timeline->node, q.thread[tb].timeline->node);
		CHECK_U64(tree_stack(&p.raw, p.thread[ta].timeline->node, NULL, 0), n);
	}
	CHECK_U64(p.raw.n, q.raw.n);
	CHECK_U64(p.samples, 20000);
	profile_free(&p);
	profile_free(&q);
	CHECK_U64(mem_used(), 0);
}

/* Most threads of a whole machine run for a sample or two: their stacks are not kept when others run. */
static void
threads_that_have_run_cost_little(void)
{
	enum { N = 20000, DEPTH = 40 };
	struct profile p;
	uint32_t code[DEPTH];
	size_t before;

	init(&p, 1000);
	for (uint32_t i = 0; i < DEPTH; i++)
		code[i] = i;
	profile_add(&p, profile_thread(&p, 1, 1, "sh", 0), p.start, 1, code, DEPTH);
	before = mem_used();
	for (int32_t i = 0; i < N; i++)
		profile_add(&p, profile_thread(&p, 100 + i, 100 + i, i % 2 ? "sh" : "true", 0), p.start + 1, 1, code, DEPTH);
	CHECK_U64(p.nthread, N + 1);
	CHECK_U64(p.raw.n, DEPTH);
	CHECK(p.thread[N].comm == p.thread[0].comm && !strcmp(p.thread[N - 1].comm, "true"));
	CHECK((mem_used() - before) / N <= 190);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
threads_are_known_by_all_that_they_are(void)
{
	struct profile p;
	uint32_t a;

	init(&p, 1);
	a = profile_thread(&p, 1, 2, "sh", 0);
	CHECK(profile_thread(&p, 1, 2, "ls", 0) != a);
	CHECK(profile_thread(&p, 1, 3, "sh", 0) != a);
	CHECK(profile_thread(&p, 3, 2, "sh", 0) != a);
	CHECK(profile_thread(&p, 1, 2, "sh", 1) != a);
	CHECK_U64(profile_thread(&p, 1, 2, "sh", 0), a);
	for (int i = 0; i < 5000; i++)
		CHECK_U64(profile_thread(&p, 10, i, "many", 0), 5u + (uint32_t)i);
	for (int i = 4999; i >= 0; i--)
		CHECK_U64(profile_thread(&p, 10, i, "many", 0), 5u + (uint32_t)i);
	profile_free(&p);
}

static bool
next_is(struct run_reader *r, uint64_t start_us, uint64_t span_us, uint64_t weight, uint64_t samples)
{
	struct run run;

	return runs_next(r, &run) && run.start == start_us * 1000 && run.span == span_us * 1000 && run.weight == weight &&
	       run.samples == samples;
}

static void
sample(struct profile *p, uint64_t us, uint64_t weight, uint32_t code)
{
	uint32_t codes[2] = { code, 500 };

	profile_add(p, profile_thread(p, 1, 1, "t", 0), p->start + us * 1000, weight, codes, 2);
}

static void
close_samples_of_one_stack_are_a_run(void)
{
	struct profile p;
	struct run_reader r;
	struct run run;

	init(&p, 1000000);
	sample(&p, 1000, 1, 2);
	sample(&p, 2000, 1, 2);
	sample(&p, 3501, 1, 2);      /* 1.5 periods: the same run */
	sample(&p, 5003, 1, 2);      /* more: another */
	sample(&p, 6000, 1, 4);
	sample(&p, 5500, 1, 4);      /* backwards: as if it did not */
	sample(&p, 7000, 3, 4);      /* another weight */
	profile_name(&p, ask_pairs, &p);
	runs_open(&r, &p, &p.thread[0]);
	CHECK(next_is(&r, 1000, 2501, 3, 3));
	CHECK(next_is(&r, 5003, 0, 1, 1));
	CHECK(next_is(&r, 6000, 1000, 5, 3));
	CHECK(!runs_next(&r, &run));
	CHECK(!runs_next(&r, &run));
	CHECK_U64(p.thread[0].weight, 9);
	CHECK_U64(p.thread[0].samples, 7);
	profile_free(&p);
}

static void
neighbours_that_get_one_name_become_one(void)
{
	struct profile p;
	struct run_reader r;
	struct run run;
	uint32_t stack[4];

	init(&p, 1000000);
	sample(&p, 1000, 1, 2);
	sample(&p, 2000, 1, 3);
	sample(&p, 3000, 1, 2);
	sample(&p, 9000, 1, 3);      /* after a gap */
	sample(&p, 10000, 1, 1001);
	sample(&p, 11000, 1, 1000);
	asked = 0;
	profile_name(&p, ask_pairs, &p);
	CHECK_U64(asked, 5);      /* once for each code */
	runs_open(&r, &p, &p.thread[0]);
	CHECK(next_is(&r, 1000, 2000, 3, 3));
	CHECK(next_is(&r, 9000, 0, 1, 1));
	CHECK(runs_next(&r, &run) && run.weight == 2 && run.start == 10000000);
	CHECK_U64(tree_stack(&p.tree, run.node, stack, 4), 3);
	CHECK_STR(p.function[stack[0]].name, "f250");
	CHECK_STR(p.function[stack[1]].name, "f500");
	CHECK(p.function[stack[1]].kind == FUNCTION_USER && p.function[stack[2]].kind == FUNCTION_INLINED);
	CHECK(!runs_next(&r, &run));
	profile_free(&p);
}

static void
naming_again_sees_what_came_since(void)
{
	struct profile p;
	struct run_reader r;
	uint32_t nodes;

	init(&p, 1000000);
	sample(&p, 1000, 1, 2);
	profile_name(&p, ask_pairs, &p);
	nodes = p.tree.n;
	sample(&p, 2000, 1, 2);
	sample(&p, 3000, 1, 8);
	profile_name(&p, ask_pairs, &p);
	CHECK_U64(p.tree.n, nodes + 1);
	CHECK_U64(p.raw.n, 3);
	runs_open(&r, &p, &p.thread[0]);
	CHECK(next_is(&r, 1000, 1000, 2, 2));
	CHECK(next_is(&r, 3000, 0, 1, 1));
	profile_free(&p);
}

/* Random samples against a plain list of them. */
static void
a_timeline_gives_back_what_it_got(void)
{
	enum { N = 30000 };
	struct profile p;
	struct run_reader r;
	struct run run;
	uint64_t *at = calloc(N, sizeof *at), *weight = calloc(N, sizeof *weight), now = 0, i = 0;
	uint32_t *code = calloc(N, sizeof *code);

	init(&p, 0);              /* no period: gaps do not divide runs */
	for (i = 0; i < N; i++) {
		now += rnd(10) ? rnd(3000) : (uint64_t)rnd(UINT32_MAX) << rnd(12);
		at[i] = now;
		code[i] = rnd(4) ? 2 * rnd(300) : i ? code[i - 1] : 0;
		weight[i] = rnd(4) ? 1 : (uint64_t)rnd(1u << 31) << rnd(20);
		if (code[i] == 6)
			profile_add(&p, profile_thread(&p, 1, 1, "t", 0), p.start + at[i] * 1000 + 999, weight[i], NULL, 0);
		else
			sample(&p, at[i], weight[i], code[i]);
	}
	profile_name(&p, ask_pairs, &p);
	runs_open(&r, &p, &p.thread[0]);
	for (i = 0; runs_next(&r, &run);) {
		uint64_t n = 0, w = 0, first = i;
		uint32_t stack[2];

		for (; i < N && code[i] == code[first]; i++, n++)
			w += weight[i];
		CHECK_U64(run.samples, n);
		CHECK_U64(run.weight, w);
		CHECK_U64(run.start, at[first] * 1000);
		CHECK_U64(run.start + run.span, at[i - 1] * 1000);
		if (code[first] == 6)
			CHECK_U64(run.node, NODE_NONE);
		else {
			CHECK_U64(tree_stack(&p.tree, run.node, stack, 2), 2);
			CHECK_U64((uint64_t)atoi(p.function[stack[1]].name + 1), code[first] / 2);
		}
	}
	CHECK_U64(i, N);
	free(at);
	free(weight);
	free(code);
	profile_free(&p);
}

static void
a_run_takes_six_bytes(void)
{
	struct profile p;
	size_t before;
	enum { N = 200000 };

	init(&p, 200040);
	sample(&p, 1, 1, 0);
	for (uint32_t i = 0; i < 50000; i++)
		sample(&p, 10, 1, 2 * rnd(100000));   /* nodes first */
	before = mem_used();
	for (uint32_t i = 0; i < N; i++) {
		uint32_t codes[2] = { 0, 500 };

		codes[0] = 2 * rnd(100000);
		profile_add(&p, 0, p.start + 1000000 + i * 200040ull, 1, codes, 2);
	}
	CHECK(p.thread[0].samples == N + 50001);
	CHECK((double)(mem_used() - before) / N < 16 + 6);   /* new nodes among them */
	before = mem_used();
	for (uint32_t i = N; i < 2 * N; i++) {
		uint32_t codes[2] = { 0, 500 };

		codes[0] = p.raw.node[1 + rnd(40000)].frame;
		profile_add(&p, 0, p.start + 1000000 + i * 200040ull, 1, codes, 2);
	}
	CHECK((double)(mem_used() - before) / N <= 6);
	profile_free(&p);
}

static void
a_short_thread_is_cheap(void)
{
	struct profile p;
	size_t before;

	init(&p, 1000000);
	sample(&p, 1000, 1, 2);
	before = mem_used();
	for (int i = 0; i < 1000; i++) {
		uint32_t codes[] = { 2, 500 }, other[] = { 4, 500 }, t = profile_thread(&p, 1, 100 + i, "t", 0);

		profile_add(&p, t, p.start + 1000000, 1, codes, 2);
		profile_add(&p, t, p.start + 2000000, 1, other, 2);
	}
	CHECK(mem_used() - before < 600 * 1000);
	profile_free(&p);
}

static void
at_the_cap_samples_are_dropped_and_counted(void)
{
	struct profile p;
	struct run_reader r;
	struct run run;
	uint64_t n = 0;

	init(&p, 1000000);
	mem_cap(mem_used() + 400000);
	for (uint32_t i = 0; i < 20000; i++)
		sample(&p, i * 1000, 1, 2 * rnd(1000000));
	CHECK(p.samples > 1000 && p.dropped > 1000);
	CHECK_U64(p.samples + p.dropped, 20000);
	mem_cap(mem_used() + 4000000);
	profile_name(&p, ask_pairs, &p);
	for (runs_open(&r, &p, &p.thread[0]); runs_next(&r, &run);) {
		CHECK(run.node < p.tree.n);
		n += run.weight;
	}
	CHECK_U64(n, p.samples);
	mem_cap(mem_used());
	for (n = 0; n < 10000 && profile_thread(&p, 77, (int)n, "new", 0) != UINT32_MAX; n++)
		;
	CHECK(n < 10000);
	profile_add(&p, UINT32_MAX, 0, 1, NULL, 0);
	mem_cap(SIZE_MAX);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
naming_without_memory_loses_names_not_samples(void)
{
	struct profile p;
	struct run_reader r;
	struct run run;
	uint64_t n = 0;

	init(&p, 1000000);
	for (uint32_t i = 0; i < 3000; i++)
		sample(&p, i * 1000, 1, 2 * i);
	for (size_t room = 0; room < 400000; room += 1999, n = 0) {
		mem_cap(mem_used() + room);
		profile_name(&p, ask_pairs, &p);
		for (runs_open(&r, &p, &p.thread[0]); runs_next(&r, &run);) {
			CHECK(run.node == NODE_NONE || run.node < p.tree.n);
			n += run.weight;
		}
		CHECK_U64(n, 3000);
		mem_cap(SIZE_MAX);
	}
	profile_free(&p);
}

static void
functions_are_interned_by_all_that_they_are(void)
{
	struct profile p;
	char name[] = "f";
	struct function f = { name, "m", NULL, 0, FUNCTION_USER };
	uint32_t a;

	init(&p, 1);
	a = profile_function(&p, &f);
	*name = 'x';              /* it keeps a copy */
	CHECK_STR(p.function[a].name, "f");
	*name = 'f';
	CHECK_U64(profile_function(&p, &f), a);
	f.kind = FUNCTION_KERNEL;
	CHECK(profile_function(&p, &f) != a);
	f.kind = FUNCTION_USER;
	f.module = "n";
	CHECK(profile_function(&p, &f) != a);
	f.module = "m";
	f.file = "f.c";
	CHECK(profile_function(&p, &f) != a);
	f.file = NULL;
	f.line = 3;
	CHECK(profile_function(&p, &f) != a);
	f = (struct function){ "", NULL, NULL, 0, FUNCTION_USER };
	a = profile_function(&p, &f);
	CHECK_STR(p.function[a].name, "[unknown]");
	CHECK_STR(p.function[a].module, "");
	profile_free(&p);
}

/* As readers of files add them: the sums are exact, and none is too large. */
static void
whole_runs_are_added(void)
{
	static const struct run given[] = {
		{ .start = 5000000, .span = 3000000, .samples = 4, .weight = 4 },
		{ .start = 9000000, .span = 1000000, .samples = 2, .weight = 2 },   /* adjoins the first */
		{ .start = 40000000, .samples = 7, .weight = 700 },
		{ .start = 40000000, .samples = UINT64_MAX / 4, .weight = 1 },
		{ .start = 40000000, .samples = UINT64_MAX / 4, .weight = 1 },
		{ .start = 40000000, .samples = UINT64_MAX / 2, .weight = 1 },      /* too many */
		{ .start = 40000000, .samples = 0, .weight = 1 },                   /* too few */
	};
	static const uint32_t code = 8;
	struct profile p;
	struct run_reader r;
	struct run run;

	init(&p, 1000000);
	for (unsigned i = 0; i < sizeof given / sizeof *given; i++)
		profile_add_run(&p, profile_thread(&p, 1, 1, "t", 0), &given[i], &code, 1);
	CHECK_U64(p.dropped, UINT64_MAX / 2 + 1);
	CHECK_U64(p.thread[0].weight, 708);
	runs_open(&r, &p, &p.thread[0]);
	r.raw = true;
	CHECK(runs_next(&r, &run));
	CHECK_U64(run.start, 5000000);
	CHECK_U64(run.span, 5000000);
	CHECK_U64(run.samples, 6);
	CHECK_U64(run.weight, 6);
	CHECK_U64(p.raw.node[run.node].frame, code);
	CHECK(runs_next(&r, &run));
	CHECK_U64(run.samples, 7);
	CHECK_U64(run.weight, 700);
	CHECK_U64(run.span, 0);
	CHECK(runs_next(&r, &run) && run.samples == UINT64_MAX / 4);
	CHECK(runs_next(&r, &run) && run.samples == UINT64_MAX / 4);
	CHECK(!runs_next(&r, &run));
	profile_free(&p);
}

static void
events_are_known_by_all_that_they_are(void)
{
	struct event_info e = { "cpu", 1000000, false };
	struct profile p;

	profile_init(&p);
	CHECK_U64(profile_event(&p, &e), 0);
	e.waiting = true;
	CHECK_U64(profile_event(&p, &e), 1);
	CHECK_U64(profile_event(&p, &e), 1);
	for (e.period_ns = 1; e.period_ns < 15; e.period_ns++)
		CHECK_U64(profile_event(&p, &e), e.period_ns + 1);
	CHECK_U64(profile_event(&p, &e), UINT32_MAX);
	profile_free(&p);
}

/* The code of a function, with what is inlined into it, or NULL. */
static uint32_t
inlines(struct profile *p, const char *outer, const char *inner)
{
	struct site site[2] = { { profile_function(p, &(struct function){ .name = outer }), 1 } };

	if (inner)
		site[1] = (struct site){ profile_function(p, &(struct function){ .name = inner, .kind = FUNCTION_INLINED }), 2 };
	return profile_location(p, &(struct location){ .mapping = MAPPING_NONE }, site, inner ? 2 : 1);
}

/* A waker's stack begins with its innermost function, and so do the functions of each of its places. */
static void
below_a_mark_stacks_are_turned_over(void)
{
	static const char *const want[] = { "main", "caller", "wait", "--", "wake", "caller", "main" };
	uint32_t stack[8], code[4], n;
	struct profile p;

	init(&p, 1000000);
	code[0] = inlines(&p, "main", "caller");   /* on both sides */
	code[1] = inlines(&p, "wake", NULL);
	code[2] = inlines(&p, "--", NULL);
	code[3] = inlines(&p, "wait", NULL);
	profile_add(&p, profile_thread(&p, 1, 1, "t", 0), 1, 1, (uint32_t[]){ code[0], code[1], code[2], code[3], code[0] }, 5);
	profile_turn(&p, "--");
	profile_name(&p, NULL, NULL);
	n = tree_stack(&p.tree, p.tree.n - 1, stack, 8);
	CHECK_U64(n, sizeof want / sizeof *want);
	for (unsigned i = 0; i < n && i < sizeof want / sizeof *want; i++)
		CHECK_STR(p.function[stack[i]].name, want[i]);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

/* Threads of one name are one thread there, and each may be called otherwise. */
static void
names_that_no_output_tells_take_nothing(void)
{
	struct profile p;
	uint32_t t;
	size_t before;

	profile_init(&p);
	p.untimed = true;
	t = profile_thread(&p, 0, 0, "python3", 0);
	before = mem_used();
	for (unsigned i = 0; i < 20000; i++)
		profile_call(&p, t, i % 2 ? "MainThread" : "Thread-1 (work)");
	CHECK_U64(mem_used(), before);
	CHECK(!p.thread[t].name);
	profile_free(&p);
}

/* The same samples where nobody asks for times: less memory, and each stack weighs what it weighed. */
static void
samples_without_times_take_less(void)
{
	enum { N = 200000, STACKS = 500 };
	static uint64_t weight[2][STACKS];
	size_t bytes[2];

	for (unsigned untimed = 0; untimed < 2; untimed++) {
		struct profile p;
		struct run_reader r;
		struct run run;
		uint32_t t;
		size_t before;

		profile_init(&p);
		p.untimed = untimed;
		t = profile_thread(&p, 0, 0, "a", profile_event(&p, &(struct event_info){ .name = "cpu-clock", .period_ns = 1000000 }));
		for (uint32_t i = 0; i < STACKS; i++)
			profile_add(&p, t, 0, 1, &i, 1);
		before = mem_used();
		seed = 5;
		for (uint32_t i = 0; i < N; i++) {
			uint32_t code = rnd(STACKS);

			profile_add(&p, t, i * UINT64_C(1000000), 1 + (i % 50 == 0), &code, 1);
		}
		bytes[untimed] = mem_used() - before;
		CHECK_U64(p.samples, N + STACKS);
		for (runs_open(&r, &p, &p.thread[t]), r.raw = true; runs_next(&r, &run);)
			weight[untimed][run.node] += run.weight;
		profile_free(&p);
	}
	CHECK(!memcmp(weight[0], weight[1], sizeof weight[0]));
	CHECK(bytes[1] * 5 <= bytes[0] * 4);
}

int
main(void)
{
	RUN("profile", a_node_is_made_once);
	RUN("profile", many_nodes_stay_found_and_small);
	RUN("profile", nodes_in_a_row_take_less);
	RUN("profile", nodes_that_wait_are_found);
	RUN("profile", at_the_cap_the_tree_still_finds);
	RUN("profile", without_any_memory_there_is_no_node);
	RUN("profile", paths_tell_what_they_share);
	RUN("profile", order_keeps_callees_together);
	RUN("profile", shared_stacks_are_those_of_a_fresh_look);
	RUN("profile", threads_that_have_run_cost_little);
	RUN("profile", threads_are_known_by_all_that_they_are);
	RUN("profile", close_samples_of_one_stack_are_a_run);
	RUN("profile", neighbours_that_get_one_name_become_one);
	RUN("profile", naming_again_sees_what_came_since);
	RUN("profile", a_timeline_gives_back_what_it_got);
	RUN("profile", whole_runs_are_added);
	RUN("profile", events_are_known_by_all_that_they_are);
	RUN("profile", a_run_takes_six_bytes);
	RUN("profile", a_short_thread_is_cheap);
	RUN("profile", at_the_cap_samples_are_dropped_and_counted);
	RUN("profile", naming_without_memory_loses_names_not_samples);
	RUN("profile", functions_are_interned_by_all_that_they_are);
	RUN("profile", below_a_mark_stacks_are_turned_over);
	RUN("profile", samples_without_times_take_less);
	RUN("profile", names_that_no_output_tells_take_nothing);
	return TEST_STATUS;
}
