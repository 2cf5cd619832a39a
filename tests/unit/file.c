#include "lib/filemap.c"
#include "lib/lines.c"
#include "test.h"

#include <stdlib.h>

/* A file of these bytes, without a name. */
static int
temp(const void *bytes, size_t n)
{
	char path[] = "/tmp/prof-test-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	unlink(path);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void
maps_a_file(void)
{
	struct filemap m;
	int fd = temp("hello", 5), dir = open("/", O_RDONLY), none = temp("", 0);

	CHECK(!filemap_open(&m, fd));
	CHECK(m.size == 5 && !memcmp(m.data, "hello", 5) && !m.cut);
	filemap_close(&m);
	CHECK(!m.data && !m.size && open_maps == 0);
	CHECK_STR(filemap_open(&m, dir), "is not a regular file");
	CHECK_STR(filemap_open(&m, none), "is empty");
	CHECK_STR(filemap_open(&m, -1), "cannot be examined");
	filemap_close(&m);
	close(fd);
	close(dir);
	close(none);
}

static void
a_file_that_shrinks_reads_as_zeros(void)
{
	static char b[5 * 4096];
	struct filemap m, other;
	int fd, fd2 = temp("other", 5);

	memset(b, 'x', sizeof b);
	fd = temp(b, sizeof b);
	CHECK(!filemap_open(&other, fd2));
	CHECK(!filemap_open(&m, fd));
	CHECK(!ftruncate(fd, 100));
	CHECK(m.data[0] == 'x' && !m.cut);
	CHECK(m.data[4096] == 0 && m.data[sizeof b - 1] == 0);
	CHECK(m.cut && !other.cut);
	CHECK(m.data[99] == 'x');
	filemap_close(&m);
	CHECK(other.data[4] == 'r');
	filemap_close(&other);
	close(fd);
	close(fd2);
}

/* A name's end can be overwritten after it was seen: reading on comes to an end all the same. */
static void
strings_end_behind_the_file(void)
{
	static char b[2 * 4096];
	struct filemap m;
	int fd;

	memset(b, 'x', sizeof b);
	fd = temp(b, sizeof b);
	CHECK(!filemap_open(&m, fd));
	CHECK(memchr(m.data, 0, sizeof b + 1) == m.data + sizeof b);
	filemap_close(&m);
	close(fd);
}

static void
text_is_read_whole(void)
{
	char path[] = "/tmp/prof-test-XXXXXX", buf[8];
	int fd = mkstemp(path);

	CHECK(write(fd, "123456789", 9) == 9);
	close(fd);
	CHECK_U64(file_text(AT_FDCWD, path, buf, sizeof buf), 7);
	CHECK_STR(buf, "1234567");
	unlink(path);
	CHECK(file_text(AT_FDCWD, path, buf, sizeof buf) == -1 && errno == ENOENT);
}

static void
lines_one_by_one(void)
{
	static struct lines l;
	static char b[30000];
	int fd = temp("one\n\nthree", 10);

	lines_open(&l, fd);
	CHECK_STR(lines_next(&l), "one");
	CHECK_STR(lines_next(&l), "");
	CHECK_STR(lines_next(&l), "three");
	CHECK(!lines_next(&l) && !lines_next(&l));
	close(fd);
	memset(b, 'y', sizeof b);
	memcpy(b + 20000, "\nnext\n", 6);
	fd = temp(b, 20006);
	lines_open(&l, fd);
	CHECK_U64(strlen(lines_next(&l)), sizeof l.buf - 1);   /* cut, and its rest skipped */
	CHECK_STR(lines_next(&l), "next");
	CHECK(!lines_next(&l));
	close(fd);
	for (size_t i = 0; i < sizeof b; i++)
		b[i] = i % 1000 == 999 ? '\n' : 'z';
	fd = temp(b, sizeof b);
	lines_open(&l, fd);
	for (int i = 0; i < 30; i++)
		CHECK_U64(strlen(lines_next(&l)), 999);
	CHECK(!lines_next(&l));
	close(fd);
}

static void
numbers_in_text(void)
{
	const char *s = "7fFa-xyz", *big = "10000000000000000", *d = "18446744073709551615 ", *over = "18446744073709551616";
	uint64_t v;

	CHECK(text_hex(&s, &v) && v == 0x7ffa && *s == '-');
	CHECK(!text_hex(&s, &v) && *s == '-');
	CHECK(!text_hex(&big, &v));
	CHECK(text_dec(&d, &v) && v == UINT64_MAX && *d == ' ');
	CHECK(!text_dec(&over, &v));
	CHECK(!text_dec(&d, &v));
}

static void
other_faults(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 1 << 20, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 1 << 20; i += 4096)
		p[i] = 1;
	munmap(p, 1 << 20);
}

static long
faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_minflt + r.ru_majflt;
}

/* Faults in prof's own memory bring no pages of files: what prof has read of a file stays. */
static void
few_pages_are_kept(void)
{
	struct filemap m;
	int fd = temp("hello", 5);
	volatile uint8_t first;
	long before;

	CHECK(!filemap_open(&m, fd));
	other_faults();
	filemap_trim(4 << 20);
	first = m.data[0];
	other_faults();
	filemap_trim(4 << 20);
	before = faults();
	first = m.data[0];
	CHECK_U64(faults() - before, 0);
	other_faults();
	filemap_trim(0);
	before = faults();
	first = m.data[0];
	CHECK_U64(faults() - before, 1);
	(void)first;
	filemap_close(&m);
	close(fd);
}

int
main(void)
{
	RUN("file", maps_a_file);
	RUN("file", a_file_that_shrinks_reads_as_zeros);
	RUN("file", strings_end_behind_the_file);
	RUN("file", few_pages_are_kept);
	RUN("file", text_is_read_whole);
	RUN("file", lines_one_by_one);
	RUN("file", numbers_in_text);
	return TEST_STATUS;
}
