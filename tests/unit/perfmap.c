#include "sym/jit/perfmap.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "test.h"

static struct arena arena;
static struct jitcode *opened;   /* the last one */
static FILE *file;

static struct jitcode *
open_map(FILE *f)
{
	jitcode_free(opened);
	return opened = perfmap_open(&arena, fileno(f));
}

static struct jitcode *
map_of(const char *text)
{
	struct jitcode *m;

	file = tmpfile();
	fputs(text, file);
	fflush(file);
	m = open_map(file);
	fclose(file);
	return m;
}

static void
drop(void)
{
	jitcode_free(opened);
	opened = NULL;
	arena_free(&arena);
}

static bool
find(struct jitcode *m, uint64_t addr, struct symbol *s)
{
	const struct jit_range *r = jitcode_find(m, addr, JITCODE_ALL);

	if (r)
		jitcode_symbol(m, r, s);
	return r;
}

static const char *
name_at(struct jitcode *m, uint64_t addr)
{
	struct symbol s;

	if (!m || !find(m, addr, &s))
		return "-";
	CHECK(addr >= s.lo && addr < s.hi);
	return s.name;
}

static void
lines_of_a_jit(void)
{
	struct jitcode *m = map_of("7f0000001000 20 LazyCompile:*fib /a b.js:1:2\n7f0000001020 10 py::f:/x.py\n");

	CHECK(m && !jitcode_cut(m));
	CHECK_STR(name_at(m, 0x7f0000000fff), "-");
	CHECK_STR(name_at(m, 0x7f0000001000), "LazyCompile:*fib /a b.js:1:2");
	CHECK_STR(name_at(m, 0x7f000000101f), "LazyCompile:*fib /a b.js:1:2");
	CHECK_STR(name_at(m, 0x7f0000001020), "py::f:/x.py");
	CHECK_STR(name_at(m, 0x7f0000001030), "-");
	drop();
}

static void
newest_wins(void)
{
	struct jitcode *m = map_of("1000 100 old\n1040 20 middle\n1050 100 later\n1000 10 newest\n2000 10 a\n2000 10 b\n");
	struct symbol s;

	CHECK_STR(name_at(m, 0x1000), "newest");
	CHECK_STR(name_at(m, 0x1010), "old");
	CHECK_STR(name_at(m, 0x104f), "middle");
	CHECK_STR(name_at(m, 0x1050), "later");
	CHECK_STR(name_at(m, 0x114f), "later");
	CHECK_STR(name_at(m, 0x1150), "-");
	CHECK_STR(name_at(m, 0x2000), "b");
	CHECK(find(m, 0x1010, &s));
	CHECK_U64(s.lo, 0x1000);   /* of the function, not of the part that is left of it */
	drop();
	m = map_of("1050 100 later\n1000 100 wide\n1060 10 inner\n");
	CHECK_STR(name_at(m, 0x1050), "wide");
	CHECK_STR(name_at(m, 0x1060), "inner");
	CHECK_STR(name_at(m, 0x1070), "wide");
	CHECK_STR(name_at(m, 0x1100), "later");
	drop();
}

static void
spellings(void)
{
	struct jitcode *m = map_of("0x1000 0x10 hex\r\n0X2000  0X10   two  \n3000 10 last one");

	CHECK_STR(name_at(m, 0x1000), "hex");
	CHECK_STR(name_at(m, 0x200f), "two");
	CHECK_STR(name_at(m, 0x3000), "last one");
	drop();
}

static void
hostile(void)
{
	struct jitcode *m = map_of("\n \nx\n1000\n1000 \n1000 10\n1000 10 \n1000 0 zero\n-1000 10 minus\n1000 -10 minus\n"
	                           "fffffffffffffff0 100 over\n11112222333344445555 10 long\n1000 11112222333344445555 long\n"
	                           "fffffffffffffff0 f top\n1000 10\tx\n");

	CHECK_STR(name_at(m, 0x1000), "-");
	CHECK_STR(name_at(m, 0), "-");
	CHECK_STR(name_at(m, 0xfffffffffffffff1), "top");
	CHECK_STR(name_at(m, UINT64_MAX), "-");
	CHECK(!map_of(""));
	CHECK(!map_of("nothing here\n"));
	CHECK(!perfmap_open(&arena, -1));
	drop();
}

static void
long_names(void)
{
	char text[20000];
	struct jitcode *m;

	memset(text, 'x', sizeof text);
	memcpy(text, "1000 10 ", 8);
	strcpy(text + sizeof text - 14, "\n2000 10 next");
	m = map_of(text);
	CHECK_STR(name_at(m, 0x2000), "next");
	CHECK_U64(strlen(name_at(m, 0x1000)), sizeof(((struct lines *)0)->buf) - 1 - 8);
	drop();
}

/* Compares with the plain rule: the last line that holds the address. */
static void
random_overlaps(void)
{
	enum { N = 60, SPAN = 200 };
	char text[N * 40];
	unsigned lo[N], hi[N];

	srand(1);
	for (unsigned round = 0; round < 300; round++) {
		unsigned n = 1 + (unsigned)rand() % N;
		size_t len = 0;
		struct jitcode *m;

		for (unsigned i = 0; i < n; i++) {
			lo[i] = (unsigned)rand() % SPAN;
			hi[i] = lo[i] + 1 + (unsigned)rand() % (rand() % 2 ? 5 : SPAN / 2);
			len += (size_t)snprintf(text + len, sizeof text - len, "%x %x f%u\n", lo[i], hi[i] - lo[i], i);
		}
		m = map_of(text);
		CHECK(m);
		for (unsigned at = 0; m && at < 2 * SPAN; at++) {
			char want[16] = "-";

			for (unsigned i = 0; i < n; i++)
				if (at >= lo[i] && at < hi[i])
					snprintf(want, sizeof want, "f%u", i);
			CHECK_STR(name_at(m, at), want);
		}
		drop();
	}
}

/* prof reads as much as a service writes that compiles for days. It cuts more than that, and says so. */
static void
bounded(void)
{
	char line[4096];
	struct jitcode *m;
	FILE *f = tmpfile();
	size_t before;

	memset(line, 'n', sizeof line);
	for (unsigned i = 0; i < 17000; i++)   /* 66 MiB of names */
		fprintf(f, "%x 1 %.3990s\n", 0x1000 + i, line);
	fflush(f);
	m = open_map(f);
	CHECK(m && jitcode_cut(m));
	CHECK(name_at(m, 0x1000)[0] == 'n');
	CHECK_STR(name_at(m, 0x1000 + 16999), "-");
	drop();
	before = mem_used();
	mem_cap(before + (1 << 20));
	m = open_map(f);
	CHECK(mem_used() <= before + (1 << 20));
	CHECK(!m || jitcode_cut(m));
	drop();
	mem_cap(before + 100);
	CHECK(!open_map(f));
	drop();
	mem_cap(SIZE_MAX);
	CHECK_U64(mem_used(), before);
	fclose(f);
}

/* A line without an end, of a terabyte that takes no place on the disk. */
static void
endless(void)
{
	FILE *f = tmpfile();
	struct jitcode *m;

	fputs("1000 10 first\n2000 10 ", f);
	fflush(f);
	if (ftruncate(fileno(f), (off_t)1 << 40)) {
		printf("skip perfmap/endless: no sparse files here\n");
	} else {
		m = open_map(f);
		CHECK(m && jitcode_cut(m));
		CHECK_STR(name_at(m, 0x1000), "first");
	}
	drop();
	fclose(f);
}

int
main(void)
{
	RUN("perfmap", lines_of_a_jit);
	RUN("perfmap", newest_wins);
	RUN("perfmap", spellings);
	RUN("perfmap", hostile);
	RUN("perfmap", long_names);
	RUN("perfmap", random_overlaps);
	RUN("perfmap", bounded);
	RUN("perfmap", endless);
	return TEST_STATUS;
}
