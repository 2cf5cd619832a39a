#include "sym/module/space.c"
#include "test.h"

static struct module a = { .kind = MODULE_FILE, .id = 2 }, b = { .kind = MODULE_FILE, .id = 3 },
                     jit = { .kind = MODULE_JIT, .id = 4 };

/* Adds [lo, hi) of file FILE, bound to MODULE, and says whether the epoch was renewed. */
static bool
add(struct space *s, uint64_t lo, uint64_t hi, uint64_t off, uint32_t file, struct module *m)
{
	uint32_t epoch = s->epoch;

	CHECK(space_add(s, &(struct map){ .lo = lo, .hi = hi, .off = off, .file = file, .exec = true, .module = m,
	                                  .bias = m ? lo - off : 0 }));
	return s->epoch != epoch;
}

static void
check_sane(const struct space *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		CHECK(s->map[i].lo < s->map[i].hi && (!i || s->map[i - 1].hi <= s->map[i].lo));
}

static void
finds_by_address(void)
{
	struct space s;

	space_init(&s);
	for (uint64_t i = 0; i < 100; i++)
		CHECK(!add(&s, (i * 37 % 100) * 0x2000, (i * 37 % 100) * 0x2000 + 0x1000, 0, 1, &a));
	CHECK_U64(s.n, 100);
	check_sane(&s);
	for (uint64_t i = 0; i < 100; i++) {
		struct map *m = space_find(&s, i * 0x2000 + 0xfff);

		CHECK(m && m->lo == i * 0x2000 && space_find(&s, m->lo) == m);
		CHECK(!space_find(&s, i * 0x2000 + 0x1000));
	}
	CHECK(!space_find(&s, UINT64_MAX));
	space_clear(&s);
	CHECK(!space_find(&s, 0));
	space_free(&s);
	CHECK_U64(mem_used(), 0);
}

static void
overlaps_are_cut(void)
{
	struct space s;

	space_init(&s);
	add(&s, 0x1000, 0x9000, 0, 1, &a);
	CHECK(add(&s, 0x3000, 0x5000, 0, 2, &b));      /* in the middle: splits */
	CHECK(s.n == 3 && s.map[0].hi == 0x3000 && s.map[1].module == &b && s.map[2].lo == 0x5000 && s.map[2].hi == 0x9000);
	CHECK_U64(s.map[2].off, 0x4000);
	CHECK_U64(s.map[2].bias, s.map[0].bias);
	CHECK(add(&s, 0x2000, 0x6000, 0, 3, &b));      /* over the edges of three */
	CHECK(s.n == 3 && s.map[0].hi == 0x2000 && s.map[1].file == 3 && s.map[2].lo == 0x6000 && s.map[2].off == 0x5000);
	CHECK(add(&s, 0, 0x10000, 0, 4, &a));          /* over all */
	CHECK(s.n == 1 && s.map[0].file == 4);
	CHECK(add(&s, 0, 0x1000, 0, 5, &b) && s.n == 2 && s.map[1].lo == 0x1000 && s.map[1].off == 0x1000);
	CHECK(add(&s, 0xf000, 0x10000, 0, 5, &b) && s.n == 3 && s.map[1].hi == 0xf000);
	CHECK(!add(&s, 0x10000, 0x11000, 0, 6, &b) && s.n == 4);   /* touching only */
	CHECK(!add(&s, 0x500, 0x500, 0, 7, &b) && !add(&s, 0x800, 0x500, 0, 7, &b) && s.n == 4);
	check_sane(&s);
	space_free(&s);
}

static void
the_same_again_keeps_epoch_and_module(void)
{
	struct space s;
	uint32_t epoch;

	space_init(&s);
	add(&s, 0x1000, 0x4000, 0x1000, 1, NULL);
	s.map[0].module = &a;
	s.map[0].bias = 99;
	CHECK(!add(&s, 0x1000, 0x4000, 0x1000, 1, NULL) && s.n == 1);
	CHECK(!add(&s, 0x2000, 0x3000, 0x2000, 1, NULL) && s.n == 1);   /* a part of it */
	CHECK(!add(&s, 0x1000, 0x6000, 0x1000, 1, NULL) && s.n == 1);   /* it has grown */
	CHECK(s.map[0].hi == 0x6000 && s.map[0].module == &a && s.map[0].bias == 99);
	CHECK(!add(&s, 0x5000, 0x8000, 0x5000, 1, NULL) && s.n == 2 && s.map[1].module == &a);
	CHECK(add(&s, 0x1000, 0x5000, 0x2000, 1, NULL) && !s.map[0].module);   /* another offset */
	CHECK(add(&s, 0x1000, 0x5000, 0x2000, 2, NULL));                       /* another file */
	epoch = s.epoch;
	CHECK(s.map[0].exec && space_add(&s, &(struct map){ .lo = 0x1000, .hi = 0x5000, .off = 0x2000, .file = 2 }));
	CHECK(!s.map[0].exec && s.epoch == epoch);   /* of another protection, but it means the same */
	space_free(&s);
}

static uint32_t opened, asked;

static void
open_map(struct space *s, struct map *m)
{
	(void)s;
	opened++;
	space_bind(m, &a);
}

static bool
missing(struct space *s, uint64_t addr)
{
	asked++;
	if (addr == 0x5123)
		add(s, 0x5000, 0x6000, 0, 1, NULL);
	return addr == 0x5123;
}

static void
asks_for_what_it_lacks(void)
{
	struct space s;
	struct map *m;

	space_init(&s);
	s.open = open_map;
	s.missing = missing;
	add(&s, 0x1000, 0x2000, 0, 1, NULL);
	opened = asked = 0;
	m = space_find(&s, 0x1800);
	CHECK(m && m->module == &a && m->bias == 0x1000 && opened == 1 && asked == 0);
	CHECK(space_find(&s, 0x1900) == m && opened == 1);
	m = space_find(&s, 0x5123);
	CHECK(m && m->lo == 0x5000 && asked == 1 && opened == 2);
	CHECK(!space_find(&s, 0x9000) && asked == 2);
	s.open = NULL;
	add(&s, 0x7000, 0x8000, 0, 9, NULL);
	CHECK(!space_find(&s, 0x7000));   /* without a module it is of no use */
	space_free(&s);
}

static void
copies_are_their_own(void)
{
	struct space s, t, u;

	space_init(&s);
	space_init(&t);
	space_init(&u);
	CHECK(s.epoch != t.epoch && t.epoch != u.epoch);
	add(&t, 0, 0x1000, 0, 3, &b);
	add(&s, 0x1000, 0x2000, 0, 1, &a);
	add(&s, 0x3000, 0x4000, 0, 2, &jit);
	s.open = open_map;
	t.missing = missing;
	CHECK(space_copy(&t, &s));
	CHECK(t.n == 2 && t.map != s.map && t.epoch != s.epoch && t.missing && !t.open);
	CHECK(t.map[0].module == &a && !t.map[1].module && s.map[1].module == &jit);
	CHECK(space_copy(&t, &u) && t.n == 0);
	mem_cap(mem_used());
	CHECK(!space_copy(&u, &s) && u.n == 0);
	mem_cap(SIZE_MAX);
	space_free(&s);
	space_free(&t);
	space_free(&u);
	CHECK_U64(mem_used(), 0);
}

static uint64_t
bias(struct module *m, uint64_t lo, uint64_t hi, uint64_t off, bool exec)
{
	struct map map = { .lo = lo, .hi = hi, .off = off, .exec = exec };

	space_bind(&map, m);
	CHECK(map.module == m);
	return map.bias;
}

static void
bias_of_every_kind(void)
{
	struct segment pie[] = { { 0, 0, 0x600, 0x600, false }, { 0x1000, 0x1000, 0x5123, 0x5123, true },
		                 { 0x7000, 0x7000, 0x100, 0x100, false }, { 0x8db0, 0x7db0, 0x300, 0x400, false } };
	struct segment fixed[] = { { 0x400000, 0, 0x5123, 0x5123, true }, { 0x606130, 0x5130, 0x300, 0x900, false } };
	/* lld: each segment begins in the middle of the page where the one before ends */
	struct segment odd[] = { { 0x200000, 0, 0x1234, 0x1234, false }, { 0x202240, 0x1240, 0x5000, 0x5000, true },
		                 { 0x208240, 0x6240, 0x200, 0x200, false } };
	/* the text's last bytes share their page with more of the data than of the text */
	struct segment shared[] = { { 0x400000, 0, 0x1100, 0x1100, true }, { 0x602100, 0x1100, 0xf00, 0xf00, false } };
	struct segment prelinked[] = { { 0x41000000, 0, 0x2000, 0x2000, true } };
	struct module m = { .kind = MODULE_FILE };

	m.elf = (struct elf){ .load = pie, .nload = 4 };
	CHECK_U64(bias(&m, 0x555555555000, 0x55555555b000, 0x1000, true), 0x555555554000);
	CHECK_U64(bias(&m, 0x55555555c000, 0x55555555d000, 0x7000, false), 0x555555554000);
	m.elf = (struct elf){ .load = fixed, .nload = 2 };
	CHECK_U64(bias(&m, 0x400000, 0x406000, 0, true), 0);
	CHECK_U64(bias(&m, 0x606000, 0x607000, 0x5000, false), 0);
	CHECK_U64(bias(&m, 0x402000, 0x406000, 0x2000, true), 0);   /* the rest of a map that was cut */
	m.elf = (struct elf){ .load = odd, .nload = 3 };
	CHECK_U64(bias(&m, 0x200000, 0x202000, 0, false), 0);
	CHECK_U64(bias(&m, 0x202000, 0x208000, 0x1000, true), 0);
	CHECK_U64(bias(&m, 0x208000, 0x209000, 0x6000, false), 0);
	CHECK_U64(bias(&m, 0x7f0000202000, 0x7f0000208000, 0x1000, true), 0x7f0000000000);
	m.elf = (struct elf){ .load = shared, .nload = 2 };
	CHECK_U64(bias(&m, 0x401000, 0x402000, 0x1000, true), 0);
	CHECK_U64(bias(&m, 0x602000, 0x603000, 0x1000, false), 0);
	m.elf = (struct elf){ .load = prelinked, .nload = 1 };
	CHECK_U64(bias(&m, 0x41000000, 0x41002000, 0, true), 0);
	CHECK_U64(bias(&m, 0x51000000, 0x51002000, 0, true), 0x10000000);
	CHECK_U64(bias(&m, 0x40ff0000, 0x40ff2000, 0, true), (uint64_t)-0x10000);
	CHECK_U64(bias(&m, 0x51000000, 0x51002000, 0x9000, true), 0x51000000 - 0x9000);   /* of no segment: the offset */
	m.kind = MODULE_IMAGE;
	CHECK_U64(bias(&m, 0x7ffff7fc1000, 0x7ffff7fc3000, 0, true), 0x7ffff7fc1000 - 0x41000000);
	CHECK_U64(bias(&m, 0x7ffff7fc1000, 0x7ffff7fc3000, 0x9000, true), 0x7ffff7fc1000 - 0x41000000);
	m.kind = MODULE_JIT;
	CHECK_U64(bias(&m, 0x51000000, 0x51002000, 0x9000, true), 0);
	m = (struct module){ .kind = MODULE_LOST };
	CHECK_U64(bias(&m, 0x51000000, 0x51002000, 0x9000, true), 0x51000000 - 0x9000);
}

/* Random maps against a plain array of what each page should be. */
static void
against_a_plain_model(void)
{
	enum { PAGES = 64 };
	uint32_t model[PAGES] = { 0 }, seed = 1;
	struct space s;

	space_init(&s);
	for (int round = 0; round < 20000; round++) {
		uint64_t lo, hi;
		uint32_t file;
		bool differs = false, renewed;

		seed = seed * 1103515245 + 12345;
		lo = seed >> 8 & 63;
		hi = lo + (seed >> 16 & 7);
		hi = hi < PAGES ? hi : PAGES;
		file = 1 + (seed >> 24 & 3);
		for (uint64_t p = lo; p < hi; p++) {
			differs |= model[p] && model[p] != file;
			model[p] = file;
		}
		renewed = add(&s, lo << 12, hi << 12, lo << 12, file, &a);
		CHECK(renewed == differs);
		for (uint64_t p = 0; p < PAGES; p++) {
			struct map *m = space_find(&s, p << 12);

			CHECK((m ? m->file : 0) == model[p]);
			CHECK(!m || m->lo == m->off);
		}
		check_sane(&s);
		if (round % 500 == 0) {
			space_clear(&s);
			memset(model, 0, sizeof model);
		}
	}
	space_free(&s);
}

static void
words_that_may_be_code(void)
{
	static const struct { uint64_t lo, hi; } maps[] = {
		{ 0x400000, 0x401000 }, { (uint64_t)SPACE_BLOCK * 7 - 0x1000, (uint64_t)SPACE_BLOCK * 9 + 0x1000 }, { UINT64_MAX - 0x1fff, UINT64_MAX },
		{ UINT64_C(1) << 40, (UINT64_C(1) << 40) + (uint64_t)SPACE_BLOCKS * SPACE_BLOCK },
	};
	struct space s, copy;
	unsigned may = 0;

	space_init(&s);
	space_init(&copy);
	for (unsigned i = 0; i < 3; i++)
		add(&s, maps[i].lo, maps[i].hi, 0, i + 1, &a);
	CHECK(space_add(&s, &(struct map){ .lo = 0x40000000, .hi = 0x50000000, .file = 9 }));   /* no code */
	CHECK(space_copy(&copy, &s));
	for (unsigned i = 0; i < 3; i++)
		for (uint64_t at = maps[i].lo; at < maps[i].hi && at >= maps[i].lo; at += SPACE_BLOCK / 2)
			CHECK(space_may_execute(&s, at) && space_may_execute(&copy, at) && space_executes(&copy, at));
	for (uint64_t i = 0; i < 1000; i++)
		may += space_may_execute(&s, 0x7f0000000000 + i * SPACE_BLOCK);
	CHECK(may && may < 100);
	add(&s, maps[3].lo, maps[3].hi, 0, 4, &a);   /* larger than all blocks */
	CHECK(space_may_execute(&s, 0x7f0000000000) && space_may_execute(&s, maps[3].hi - 1));
	space_unmap(&s);
	CHECK(!space_may_execute(&s, 0x400000));
	space_free(&s);
	space_free(&copy);
}

int
main(void)
{
	RUN("space", finds_by_address);
	RUN("space", overlaps_are_cut);
	RUN("space", the_same_again_keeps_epoch_and_module);
	RUN("space", asks_for_what_it_lacks);
	RUN("space", copies_are_their_own);
	RUN("space", bias_of_every_kind);
	RUN("space", words_that_may_be_code);
	RUN("space", against_a_plain_model);
	return TEST_STATUS;
}
