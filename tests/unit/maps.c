#include "lib/lines.h"
#include "test.h"
#include "sample/tasks/maps_line.c"

#include <fcntl.h>
#include <stdlib.h>

static struct maps_line m;
static char line[512];

static bool
parse(const char *text)
{
	snprintf(line, sizeof line, "%s", text);
	memset(&m, 0xa5, sizeof m);
	return maps_line_parse(&m, line);
}

static void
lines_of_a_process(void)
{
	CHECK(parse("7f1c6f428000-7f1c6f57d000 r-xp 00026000 fe:01 1579   /usr/lib/x86_64-linux-gnu/libc.so.6"));
	CHECK_U64(m.lo, 0x7f1c6f428000);
	CHECK_U64(m.hi, 0x7f1c6f57d000);
	CHECK_U64(m.off, 0x26000);
	CHECK_U64(m.maj, 0xfe);
	CHECK_U64(m.min, 1);
	CHECK_U64(m.ino, 1579);
	CHECK(m.exec);
	CHECK_STR(m.path, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	CHECK(parse("55d0-55e0 rw-s 00000000 00:00 0"));
	CHECK(!m.exec);
	CHECK_STR(m.path, "");
	CHECK(parse("55d0-55e0 rwxp 00000000 00:00 0 "));
	CHECK(m.exec);
	CHECK_STR(m.path, "");
	CHECK(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]"));
	CHECK(m.exec);
	CHECK_STR(m.path, "[vsyscall]");
	CHECK(parse("1000-2000 r-xp 0 00:2f 18446744073709551615 /a b  c (deleted)"));
	CHECK_U64(m.ino, UINT64_MAX);
	CHECK_STR(m.path, "/a b  c (deleted)");
}

static void
escapes(void)
{
	CHECK(parse("1000-2000 r-xp 0 00:00 1 /a\\012b\\134c\\01"));
	CHECK_STR(m.path, "/a\nb\\134c\\01");
	CHECK(parse("1000-2000 r-xp 0 00:00 1 \\012\\012"));
	CHECK_STR(m.path, "\n\n");
}

static void
not_lines(void)
{
	static const char *const bad[] = {
		"", "x", "1000", "1000-", "1000-2000", "1000-2000 ", "1000-2000 r-x", "1000-2000 r-xp", "1000-2000 r-xp 0",
		"1000-2000 r-xp 0 0", "1000-2000 r-xp 0 0:0", "1000-2000 r-xp 0 0:0 ", "1000-2000 r-xp 0 0:0 x",
		"2000-1000 r-xp 0 0:0 0", "1000-1000 r-xp 0 0:0 0", "1000-2000 r-xpp 0 0:0 0", "1000-2000  r-xp 0 0:0 0",
		"10000000000000000-2 r-xp 0 0:0 0", "1-2 r-xp 0 100000000:0 0", "1-2 r-xp 0 0:100000000 0",
		"1-2 r-xp 0 0:0 18446744073709551616", "-1-2 r-xp 0 0:0 0", " 1-2 r-xp 0 0:0 0",
	};

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		if (parse(bad[i]))
			CHECK_STR(bad[i], "refused");
}

static void
own_maps(void)
{
	static struct lines l;
	bool found = false;
	unsigned n = 0;
	char *one;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	lines_open(&l, fd);
	for (; (one = lines_next(&l)); n++) {
		CHECK(maps_line_parse(&m, one));
		found |= m.exec && m.lo <= (uintptr_t)own_maps && (uintptr_t)own_maps < m.hi;
	}
	CHECK(n > 5);
	CHECK(found);
}

int
main(void)
{
	RUN("maps", lines_of_a_process);
	RUN("maps", escapes);
	RUN("maps", not_lines);
	RUN("maps", own_maps);
	return TEST_STATUS;
}
